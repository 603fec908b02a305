#include "arrival_metrics.h"

#include <math.h>

static double mean_of(const int64_t *values, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (double) values[i];
    }
    return sum / n;
}

static void measure_stay(const struct bench_arrival_times *times,
                         struct bench_arrival_metrics *metrics)
{
    double sum = 0, worst = 0;
    for (int i = 0; i < times->n_ranks; i++) {
        double stay = (double) (times->exits_ns[i] - times->arrivals_ns[i]);
        sum += stay;
        worst = fmax(worst, stay);
    }
    metrics->node = sum / times->n_ranks;
    metrics->worst = worst;
}

static void measure_imbalance(const struct bench_arrival_times *times,
                              struct bench_arrival_metrics *metrics)
{
    const int64_t *arrivals = times->arrivals_ns;
    double mean = mean_of(arrivals, times->n_ranks), sum = 0;
    int64_t first = arrivals[0], last = arrivals[0];
    for (int i = 0; i < times->n_ranks; i++) {
        sum += fabs((double) arrivals[i] - mean);
        first = arrivals[i] < first ? arrivals[i] : first;
        last = arrivals[i] > last ? arrivals[i] : last;
    }
    metrics->average_imbalance = sum / times->n_ranks;
    metrics->worst_imbalance = (double) (last - first);
}

static void measure_bounds(const struct bench_arrival_times *times, double unit_ns,
                           struct bench_arrival_metrics *metrics)
{
    int64_t of_root = times->arrivals_ns[times->root];
    double before = 0, after = 0;
    for (int i = 0; i < times->n_ranks; i++) {
        double later = (double) (times->arrivals_ns[i] - of_root);
        before += fmax(-later, 0);
        after = fmax(after, later);
    }
    double n = times->n_ranks;
    metrics->waiting = before / n;
    metrics->bound_nonblocking = ((n - 1) * unit_ns + before) / n;
    metrics->bound_blocking = metrics->bound_nonblocking + after / n;
}

void bench_arrival_measure(const struct bench_arrival_times *times, double unit_ns,
                           struct bench_arrival_metrics *metrics_p)
{
    measure_stay(times, metrics_p);
    measure_imbalance(times, metrics_p);
    measure_bounds(times, unit_ns, metrics_p);
}

void bench_arrival_ratios(const struct bench_arrival_metrics *metrics,
                          double ratios[BENCH_N_RATIOS])
{
    double waiting = metrics->waiting, net = metrics->node - waiting;
    ratios[BENCH_RATIO_BLOCKING] = metrics->node / metrics->bound_blocking;
    ratios[BENCH_RATIO_NONBLOCKING] = metrics->node / metrics->bound_nonblocking;
    ratios[BENCH_RATIO_NET_BLOCKING] = net / (metrics->bound_blocking - waiting);
    ratios[BENCH_RATIO_NET_NONBLOCKING] = net / (metrics->bound_nonblocking - waiting);
}
