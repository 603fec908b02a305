#include "arrival_metrics.h"

#include <math.h>

struct bench_arrival_metrics bench_arrival_measure(const struct bench_stay *stays, int n_ranks,
                                                   int root, double unit_ns)
{
    const double n = n_ranks;
    double stay = 0, before = 0, after = 0;
    for (int i = 0; i < n_ranks; i++) {
        const double later = (double) (stays[i].arrival_ns - stays[root].arrival_ns);
        stay += (double) (stays[i].exit_ns - stays[i].arrival_ns);
        before += fmax(-later, 0);
        after = fmax(after, later);
    }
    return (struct bench_arrival_metrics){
        .node = stay / n,
        .waiting = before / n,
        .bound_blocking = ((n - 1) * unit_ns + before + after) / n,
        .bound_nonblocking = ((n - 1) * unit_ns + before) / n,
    };
}
