/*
 * Metrics of a broadcast's arrival and exit times. Free of MPI. Source: P. Patarasuk and X. Yuan,
 * "Efficient MPI_Bcast across Different Process Arrival Patterns", sections 2 and 3.2.
 */
#ifndef BENCH_ARRIVAL_METRICS_H
#define BENCH_ARRIVAL_METRICS_H

#include <stdint.h>

/** When a rank of a broadcast came and went, in nanoseconds from any common moment. */
struct bench_stay {
    int64_t arrival_ns, exit_ns;
};

/** All in nanoseconds. */
struct bench_arrival_metrics {
    double node;              /**< average per-node time */
    double waiting;           /**< of that what passed before the root came */
    double bound_blocking;    /**< OPT's lower bound if a sender waits for its receiver's arrival */
    double bound_nonblocking; /**< OPT's lower bound if data may wait at a receiver */
};

/**
 * The metrics of one broadcast whose message takes unit_ns, T(M), between two ranks. Let n be the
 * number of ranks, and d the time from the root's arrival to the last one (0 if the root is last).
 * Let w be the sum of the times that earlier ranks wait for the root. Then no algorithm has a lower
 * average per-node time than ((n - 1) T + d + w) / n when it blocks (Lemma 2). In the nonblocking
 * model it is ((n - 1) T + w) / n. OPT is at most T / n above that (Lemma 1). The paper has w in
 * words (section 3.1): ranks that come before the root get nothing until the root comes. O(n).
 */
struct bench_arrival_metrics bench_arrival_measure(const struct bench_stay *stays, int n_ranks,
                                                   int root, double unit_ns);

#endif
