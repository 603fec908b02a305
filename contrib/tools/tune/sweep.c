#include "sweep.h"

#include <math.h>

#include "contrib/tools/common/clock.h"
#include "settling.h"

enum { MOST_MESSAGES = 4000, NAP_LEAST_NS = 50000, NAP_MOST_NS = 2000000 };

/** Nanoseconds of a batch, and its largest share of its size's time. */
#define BATCH_NS 150e6
#define BATCH_SHARE 0.1

/** Bytes that weigh as much as a message itself in its size's share of the time. */
#define EVEN_BYTES 16384.0

/**
 * Largest messages that always go around the ring; larger ones do where that is quick. On slow
 * networks several would have to be under way to keep the links busy, as MPI sends parts of them in
 * turn. The acknowledgements' share of the links does not change any more. On fast networks, where
 * both directions share processors and memory rather than a link, no smaller message shows their
 * cost.
 */
enum { EASY_RING_BYTES = 32768 };
#define QUICK_RING_NS 20e6

static double weight_of(uint64_t bytes)
{
    return 1 + (double) bytes / EVEN_BYTES;
}

/** The time that has been spent, and the weight of the sizes to come. */
struct schedule {
    const struct tune_sweep *sweep;
    int64_t begin_ns;
    double weight_left;
};

static struct schedule schedule_begin(const struct tune_sweep *sweep, const uint64_t *sizes, int n)
{
    struct schedule schedule = {.sweep = sweep, .begin_ns = coll_pipebcast_now()};
    for (int i = 0; i < n; i++) {
        schedule.weight_left += weight_of(sizes[i]);
    }
    return schedule;
}

static double spent_s(const struct schedule *schedule)
{
    return (double) (coll_pipebcast_now() - schedule->begin_ns) * 1e-9;
}

/** The share of a size in what time is left, in ns. */
static double schedule_share(struct schedule *schedule, uint64_t bytes)
{
    const double left = schedule->sweep->budget_s - spent_s(schedule);
    const double share = left * weight_of(bytes) / schedule->weight_left;
    schedule->weight_left -= weight_of(bytes);
    return share > 0 ? share * 1e9 : 0;
}

/** Messages for a batch, by the time of one. */
static int batch_of(enum tune_traffic traffic, uint64_t bytes, double message_ns, double budget_ns)
{
    const double batch = fmin(BATCH_NS, budget_ns * BATCH_SHARE);
    const double n = message_ns > 0 ? fmin(batch / message_ns, MOST_MESSAGES) : MOST_MESSAGES;
    const int least = tune_least_messages(traffic, bytes);
    return n > least ? (int) n : least;
}

/**
 * Repeats batches of one kind until the interval is narrow enough or the time is over; one batch
 * at least. Yields the mean time of a message.
 *
 * The result of one batch decides how long the next is. If that is far longer, the batches before
 * it do not count. A receiver that had to wait for a processor may find all messages of a short
 * batch there, as if they took no time.
 */
static double settle(const struct tune_sweep *sweep, enum tune_traffic traffic, uint64_t bytes,
                     double budget_ns, double *error_p)
{
    const int64_t begin = coll_pipebcast_now();
    struct tune_settling settling = {.n = 0};
    int n = tune_least_messages(traffic, bytes);
    while (settling.n < TUNE_MAX_SAMPLES &&
           (settling.n == 0 || ((double) (coll_pipebcast_now() - begin) < budget_ns &&
                                tune_settling_error(&settling) > sweep->options->precision))) {
        const double message = tune_lead(sweep->team, traffic, bytes, n).message;
        const int due = batch_of(traffic, bytes, message, budget_ns);
        if (due > 2 * n) {
            settling.n = 0;
            n = due;
        } else {
            tune_settling_add(&settling, message);
        }
    }
    *error_p = tune_settling_error(&settling);
    return tune_settling_mean(&settling);
}

static double middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/** o_s and o_r: the median of three batches; where there is no time for that, of one. */
static void measure_busy(const struct tune_sweep *sweep, double budget_ns, pb_cost_t *row)
{
    const double gap = (double) row->gap;
    const int64_t nap = (int64_t) fmin(fmax(gap / 2, NAP_LEAST_NS), NAP_MOST_NS);
    const int n = batch_of(TUNE_BUSY, row->bytes, gap, budget_ns);
    struct tune_times times = tune_lead_busy(sweep->team, row->bytes, n, nap);
    if (3 * n * gap < budget_ns) {
        const struct tune_times b = tune_lead_busy(sweep->team, row->bytes, n, nap);
        const struct tune_times c = tune_lead_busy(sweep->team, row->bytes, n, nap);
        times.send = middle(times.send, b.send, c.send);
        times.receive = middle(times.receive, b.receive, c.receive);
    }
    row->send = llround(times.send);
    row->receive = llround(times.receive);
}

/** Reports the share of the run's time that is over; prints something on the first rank alone. */
static void tell(const struct tune_options *options)
{
    const int64_t spent_ns = coll_pipebcast_now() - options->progress->begin_ns;
    common_progress_report(options->progress,
                           fmin((double) spent_ns * 1e-9 / options->time_limit_s, 1));
}

void tune_sweep_pair(const struct tune_sweep *sweep, struct tune_swept *swept)
{
    const uint64_t *sizes = sweep->options->sizes;
    const int n_sizes = sweep->options->n_sizes;
    struct schedule schedule = schedule_begin(sweep, sizes, n_sizes);
    pb_costs_t *costs = &swept->costs;
    for (int i = 0; i < n_sizes; i++) {
        struct tune_certainty *certainty = &swept->certainty[costs->n_rows];
        pb_cost_t *row = &costs->rows[costs->n_rows];
        const double share = schedule_share(&schedule, sizes[i]);
        if (share <= 0 && costs->n_rows > 1 && row[-1].bytes >= PB_MODEL_MIDDLE_BYTES) {
            swept->n_left_out = n_sizes - i;
            return;
        }
        *row = (pb_cost_t){.bytes = sizes[i]};
        /* A model's times are 1 ns at least; disturbed ones of a fast place may come out as 0. */
        const double gap = settle(sweep, TUNE_STREAM, sizes[i], 0.4 * share, &certainty->gap);
        const double rtt = settle(sweep, TUNE_PINGPONG, sizes[i], 0.4 * share, &certainty->rtt);
        row->gap = llround(fmax(gap, 1));
        row->rtt = llround(fmax(rtt, 1));
        row->both = row->gap;
        measure_busy(sweep, 0.2 * share, row);
        costs->n_rows++;
        tell(sweep->options);
    }
}

/** Tells whether the messages of a row go around the ring. The gap is of two ranks alone. */
static bool goes_around(const pb_cost_t *row)
{
    const double batch = (double) row->gap * tune_least_messages(TUNE_RING, row->bytes);
    return row->bytes <= EASY_RING_BYTES || batch <= QUICK_RING_NS;
}

void tune_sweep_ring(const struct tune_sweep *sweep, struct tune_swept *swept)
{
    pb_costs_t *costs = &swept->costs;
    int n_sent = 1;
    while (n_sent < costs->n_rows && goes_around(&costs->rows[n_sent])) {
        n_sent++;
    }
    struct schedule schedule = schedule_begin(sweep, sweep->options->sizes, n_sent);
    for (int i = 0; i < costs->n_rows; i++) {
        struct tune_certainty *certainty = &swept->certainty[i];
        pb_cost_t *row = &costs->rows[i];
        if (i >= n_sent) {
            row->both = llround((double) row->gap * (double) row[-1].both / (double) row[-1].gap);
            continue;
        }
        const double share = schedule_share(&schedule, row->bytes);
        const double both = settle(sweep, TUNE_RING, row->bytes, share, &certainty->both);
        /* Two directions together are not faster than one: a lower value is noise. */
        row->both = llround(fmax(both, (double) row->gap));
        tell(sweep->options);
    }
}

/** Tells whether it was more than twice the next one, to which it is lowered then. */
static bool limit(int64_t *value, int64_t next)
{
    const bool over = *value / 2 > next;
    *value = over ? 2 * next : *value;
    return over;
}

int tune_swept_limit(struct tune_swept *swept)
{
    int n = 0;
    for (int i = swept->costs.n_rows - 2; i >= 0; i--) {
        pb_cost_t *row = &swept->costs.rows[i];
        const bool gap = limit(&row->gap, row[1].gap);
        const bool rtt = limit(&row->rtt, row[1].rtt);
        n += gap || rtt;
    }
    return n;
}
