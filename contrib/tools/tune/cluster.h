/* Where the ranks are, and which of them are measured. */
#ifndef TUNE_CLUSTER_H
#define TUNE_CLUSTER_H

#include <mpi.h>
#include <stdint.h>

#include "options.h"
#include "topo/model/model.h"
#include "topo/network/placement.h"

/** The ranks that measure one place. All arrays are owned. */
struct tune_place {
    int n_links; /**< between the pair */
    int pair[2]; /**< -1: there is no such place in this job */
    int *ring;   /**< ranks, each sending to the next one without sharing a link */
    int n_ring;
};

struct tune_cluster {
    uint64_t topology;  /**< its hash; 0 without a file */
    int n_hosts;        /**< with ranks on them */
    int switch_links;   /**< links of the pair that stands for "on one switch": 2, or more if no
                           two hosts share a switch */
    pb_medium_t medium; /**< of that pair */
    struct tune_place places[PB_PLACE_COUNT];
};

/**
 * Reads the topology, finds every rank's host and chooses pairs and rings. Collective; rank 0 does
 * the work. Any error ends the job, with a message: an invalid file, a host that is not in it, less
 * than two hosts. O(ranks log ranks + nodes).
 */
void tune_cluster_find(const struct tune_options *options, MPI_Comm comm,
                       struct tune_cluster *cluster);
void tune_cluster_free(struct tune_cluster *cluster);

#endif
