/* The messages of one measurement between two ranks. */
#ifndef ADVISE_PROBE_TRAFFIC_H
#define ADVISE_PROBE_TRAFFIC_H

#include <mpi.h>

#include "plan.h"

/** Parameters of a step for both of its ranks. */
struct probe_traffic {
    MPI_Comm comm;         /**< borrowed */
    int64_t train;         /**< bytes of a train */
    unsigned char *memory; /**< owned; for a whole train */
};

/** Makes the memory; ends the program if there is none. */
void probe_traffic_init(struct probe_traffic *traffic, MPI_Comm comm, int64_t train);
void probe_traffic_free(struct probe_traffic *traffic);

/**
 * The side of a step's `from`. A latency is half the shortest round trip, a start-up cost the
 * median time of an MPI_Isend. Bounds of a bandwidth are those of a train where it arrives, or of
 * several until they are close.
 */
struct probe_result probe_lead(const struct probe_traffic *traffic, enum probe_kind kind, int peer);

/** The other side, asleep until the first message. */
void probe_follow(const struct probe_traffic *traffic, enum probe_kind kind, int peer);

#endif
