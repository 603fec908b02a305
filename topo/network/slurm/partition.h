/*
 * Topology that the jobs of a partition have, by the PartitionName lines of slurm.conf.
 */
#ifndef PB_SLURM_PARTITION_H
#define PB_SLURM_PARTITION_H

#include "topo/network/topology.h"

/**
 * Finds the name in Topology= of a partition, or of PartitionName=DEFAULT before it, which the
 * caller frees; NULL: the line has none. `files` reads the file and the files that it includes;
 * only lines of partitions count. PB_ERR_INPUT with an error in diag if they cannot be read,
 * PB_ERR_NO_MEMORY.
 */
int pb_slurm_partition_topology(const char *slurm_conf, const pb_topology_files_t *files,
                                const char *partition, char **name_p, pb_diag_t *diag);

#endif
