/* Processor time of datagrams to a multicast group. */
#ifndef TUNE_DATAGRAMS_H
#define TUNE_DATAGRAMS_H

#include <mpi.h>
#include <stdint.h>

#include "topo/model/model.h"

enum { TUNE_DATAGRAM_SIZES = 2, TUNE_DATAGRAMS_WHY = 512 };

/** Plain values, as ranks hand it to each other as bytes. */
struct tune_datagrams {
    int n_rows; /**< 0: not measured */
    pb_datagram_cost_t rows[TUNE_DATAGRAM_SIZES];
    char why[TUNE_DATAGRAMS_WHY]; /**< if so: the reason */
};

/**
 * Measures short datagrams and those with `payload` bytes of ours between the ranks of `comm`, each
 * on a host of its own, two or more. Each rank in turn, the first one at least, sends batches to a
 * group that all others have joined. They go over the interface of its messages, for about
 * `budget_s` in all. The result is the thread's processor time in calls that send and receive, in
 * batches where the kernel can. It is of the host with the most. Nothing is measured if a host
 * receives less than half of the datagrams. Collective; rank 0 of comm has the result.
 */
void tune_datagrams_measure(MPI_Comm comm, uint32_t payload, double budget_s,
                            struct tune_datagrams *result);

#endif
