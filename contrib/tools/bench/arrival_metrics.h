/*
 * Metrics of a broadcast's arrival and exit times. Free of MPI. Source: P. Patarasuk and X. Yuan,
 * "Efficient MPI_Bcast across Different Process Arrival Patterns", sections 2 and 3.2.
 */
#ifndef BENCH_ARRIVAL_METRICS_H
#define BENCH_ARRIVAL_METRICS_H

#include <stdint.h>

/** When the ranks of one broadcast came and went, in nanoseconds from any common moment. */
struct bench_arrival_times {
    int n_ranks;
    int root;
    const int64_t *arrivals_ns; /**< of each rank; borrowed */
    const int64_t *exits_ns;    /**< of each rank; borrowed */
};

/** All in nanoseconds; an imbalance over T(M) is an imbalance factor. */
struct bench_arrival_metrics {
    double node;              /**< average per-node time */
    double worst;             /**< worst-case per-node time */
    double average_imbalance; /**< mean distance of arrivals from the mean arrival */
    double worst_imbalance;   /**< from the first arrival to the last */
    double waiting;           /**< of the average per-node time what passed before the root came */
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
void bench_arrival_measure(const struct bench_arrival_times *times, double unit_ns,
                           struct bench_arrival_metrics *metrics_p);

/** Average per-node time over a bound of OPT: the competitive ratio. */
enum bench_arrival_ratio {
    BENCH_RATIO_BLOCKING,
    BENCH_RATIO_NONBLOCKING,
    /* Ours: both sides less the waiting for the root. No algorithm can change that, and where the
     * root is late, it makes all ratios look alike. */
    BENCH_RATIO_NET_BLOCKING,
    BENCH_RATIO_NET_NONBLOCKING,
    BENCH_N_RATIOS
};

/** The ratios of a broadcast. */
void bench_arrival_ratios(const struct bench_arrival_metrics *metrics,
                          double ratios[BENCH_N_RATIOS]);

#endif
