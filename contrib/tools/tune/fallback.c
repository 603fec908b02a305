#include "fallback.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/quiet.h"
#include "contrib/tools/common/report.h"
#include "sweep.h"
#include "topo/util/median.h"

enum {
    FIRST_BYTES = 1024,
    LAST_BYTES = 2 << 20,
    LEAST_RANKS = 4,
    LEAST_ITERATIONS = 3,
    MOST_ITERATIONS = 11,
    MARGIN_FIRST_NS = 2000000, /**< from the agreement on a start to the start */
    MARGIN_LAST_NS = 1000000000,
};

/** One number of ranks being measured. */
struct group {
    MPI_Comm comm;
    int n_ranks;
    common_clock_t clock;
    int64_t margin_ns;
    void *memory;
};

static int64_t latest(const struct group *group, int64_t own)
{
    int64_t all;
    MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_MAX, group->comm);
    return all;
}

/** Times a broadcast from a start that all agree on to the last rank's end; again if a rank heard
 * of it too late. */
static int64_t timed_broadcast(struct group *group, int bytes)
{
    for (;;) {
        const int64_t start = latest(group, common_clock_agreed(&group->clock)) + group->margin_ns;
        const int64_t late = common_clock_agreed(&group->clock) - start;
        common_clock_wait_until(&group->clock, start);
        MPI_Bcast(group->memory, bytes, MPI_BYTE, 0, group->comm);
        const int64_t took = latest(group, common_clock_agreed(&group->clock) - start);
        if (latest(group, late) <= 0 || group->margin_ns >= MARGIN_LAST_NS) {
            return took;
        }
        group->margin_ns *= 2;
    }
}

/** The median of broadcasts that last so long together; one at least. Equal on all ranks. */
static int64_t median_time(struct group *group, int bytes, int64_t budget_ns)
{
    double times[MOST_ITERATIONS], spent = 0;
    int n = 0;
    common_clock_sync(&group->clock);
    const int64_t first = timed_broadcast(group, bytes); /* connections, congestion windows */
    if (first > budget_ns / LEAST_ITERATIONS) {
        return first;
    }
    while (n < MOST_ITERATIONS && (n == 0 || spent < (double) budget_ns)) {
        times[n] = (double) timed_broadcast(group, bytes);
        spent += times[n++];
    }
    return (int64_t) pb_median(times, n);
}

/** Continues a table on the line through the last two rows, or through the last one and zero. */
static int64_t continued(const pb_fallback_t *table, uint64_t bytes)
{
    const int last = table->n_rows - 1;
    const double t1 = (double) table->time[last], m1 = (double) table->bytes[last];
    const double t0 = last > 0 ? (double) table->time[last - 1] : 0;
    const double m0 = last > 0 ? (double) table->bytes[last - 1] : 0;
    const double slope = t1 > t0 ? (t1 - t0) / (m1 - m0) : t1 / m1;
    return (int64_t) (t1 + slope * ((double) bytes - m1));
}

static void measure_table(struct group *group, double budget_s, pb_fallback_t *table,
                          uint64_t *beyond_p)
{
    const int64_t begin = latest(group, common_clock_agreed(&group->clock));
    const int64_t budget = (int64_t) (budget_s * 1e9);
    bool over = false;
    *table = (pb_fallback_t){.n_ranks = group->n_ranks};
    *beyond_p = LAST_BYTES;
    for (uint64_t bytes = FIRST_BYTES; bytes <= LAST_BYTES; bytes *= 2) {
        const int row = table->n_rows;
        table->bytes[row] = bytes;
        /* Twice the bytes take at least twice the time: each size may take a part of the rest. */
        const int64_t left = budget - (latest(group, common_clock_agreed(&group->clock)) - begin);
        over = over || (row > 0 && 2 * table->time[row - 1] > left);
        if (over) {
            *beyond_p = *beyond_p < bytes ? *beyond_p : bytes / 2;
        }
        table->time[row] =
            over ? continued(table, bytes) : median_time(group, (int) bytes, left / 3);
        table->n_rows++;
    }
}

/** The group's ranks measure; the others sleep. */
static void measure_group(const struct tune_options *options, MPI_Comm comm, int n_ranks,
                          double budget_s, void *memory, struct tune_fallback *fallback, int at)
{
    struct group group = {.n_ranks = n_ranks, .margin_ns = MARGIN_FIRST_NS, .memory = memory};
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_split(comm, rank < n_ranks ? 0 : MPI_UNDEFINED, rank, &group.comm);
    if (group.comm != MPI_COMM_NULL) {
        common_clock_init(&group.clock, group.comm, false);
        measure_table(&group, budget_s, &fallback->tables[at], &fallback->beyond[at]);
        MPI_Comm_free(&group.comm);
        tune_tell(options);
    }
    common_quiet_barrier(comm);
}

void tune_fallback_measure(const struct tune_options *options, MPI_Comm comm, double budget_s,
                           struct tune_fallback *fallback)
{
    int n_ranks, n_groups = 1;
    MPI_Comm_size(comm, &n_ranks);
    void *memory = common_alloc(1, LAST_BYTES);
    for (int n = n_ranks; n / 2 >= LEAST_RANKS; n /= 2) {
        n_groups++;
    }
    fallback->n = n_groups;
    /* The largest first: the smaller ones, which are faster, share the rest. */
    for (int i = 0, n = n_ranks; i < n_groups; i++, n /= 2) {
        const double share = i + 1 < n_groups ? budget_s / 2 : budget_s;
        measure_group(options, comm, n, share, memory, fallback, n_groups - 1 - i);
        budget_s -= share;
    }
    free(memory);
}

int tune_fallback_limit(pb_fallback_t *table)
{
    int n = 0;
    for (int i = table->n_rows - 2; i >= 0; i--) {
        n += tune_limit(&table->time[i], table->time[i + 1]);
    }
    return n;
}
