/* Tries the connections that the plans of a job use. */
#ifndef DOCTOR_EDGES_H
#define DOCTOR_EDGES_H

#include <mpi.h>

#include "cluster.h"

/**
 * Computes, at rank 0, the edges of its plans over the job's topology. All ranks then send one
 * message over each edge at the same time. Adds `edges`, their number, at rank 0. Adds
 * `edge_broken_from`, a parent's rank plus 1, where no message of it came within `patience_s`
 * seconds; such a rank cannot end MPI. Collective.
 */
void doctor_edges_try(MPI_Comm comm, const doctor_cluster_t *cluster, double patience_s,
                      json_t *record);

#endif
