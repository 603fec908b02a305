/*
 * Additions to a topology file of Slurm, which rejects keys of ours. They are lines in its comments
 * ("#pipebcast SwitchName=s4 Uplinks=2"), and the file topology.pipebcast next to it.
 *
 * Such a line names links that are there and gives them LinkSpeed and Uplinks. Or it adds links
 * from another spine down to what is there. Without Nodes and Switches it means all links down from
 * its switch. A later line counts more than an earlier one, and all more than the file's own. A
 * line "Multicast=auto", without other keys, allows broadcasts by IP multicast.
 */
#ifndef PB_SLURM_ADDITIONS_H
#define PB_SLURM_ADDITIONS_H

#include "topo/network/builder.h"
#include "topo/network/slurm/lines.h"
#include "topo/network/topology.h"

/** Lines of ours that stand in comments, until the rest of the file was read. {0} is empty. */
typedef struct pb_slurm_additions {
    struct pb_slurm_addition *lines;
    int n_lines;
    int capacity;
} pb_slurm_additions_t;

void pb_slurm_additions_clear(pb_slurm_additions_t *additions);

/** Keeps a copy of a line. PB_ERR_NO_MEMORY. */
int pb_slurm_additions_keep(pb_slurm_additions_t *additions, const char *text, size_t length,
                            int line);

/**
 * Enters the lines that were kept, then those of the file next to `text`, numbered from `number`
 * on. Lines for another topology than `name` are skipped. A note in `topology` has the number of
 * links that they changed. PB_ERR_NO_MEMORY.
 */
int pb_slurm_additions_enter(const pb_slurm_additions_t *additions, const pb_topology_text_t *text,
                             const char *name, pb_builder_t *builder, pb_source_lines_t *where,
                             int number, pb_topology_t *topology);

#endif
