#include "arrival.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrival_pattern.h"
#include "arrival_trace.h"
#include "contrib/tools/common/report.h"
#include "measuring.h"
#include "output.h"
#include "output_arrival.h"
#include "pingpong.h"

/** A whole run. What rank 0 alone has is NULL or empty elsewhere. */
struct arriving {
    struct bench_run *run;
    struct bench_output *output;
    struct bench_trace trace;         /**< rank 0: the arrivals to replay */
    struct bench_trace_writer writer; /**< rank 0: the record */
    int64_t *delays_ns;               /**< rank 0: of each rank, in the pattern that is measured */
    int64_t *spans_ns;                /**< rank 0: arrival and exit of each rank, as gathered */
    int64_t *arrivals_ns, *exits_ns;  /**< rank 0: the same, apart */
};

/** A size, of which several points may be measured. */
struct size_plan {
    long long bytes;
    int n_patterns;
};

/** The replayed broadcast that is a size's pattern of some number. */
static int recorded_broadcast(const struct bench_trace *trace, long long bytes, int number)
{
    int broadcast = 0;
    for (int seen = 0;; broadcast++) {
        if (trace->broadcasts[broadcast].bytes == bytes && seen++ == number) {
            return broadcast;
        }
    }
}

/** Fills in the delays of a pattern and yields its root. Rank 0 alone. */
static int make_pattern(const struct arriving *arriving, const struct bench_arrival_point *point,
                        int number)
{
    const struct bench_run *run = arriving->run;
    const struct bench_arrival_options *options = &run->options->arrival;
    if (options->kind == BENCH_ARRIVAL_REPLAY) {
        int broadcast = recorded_broadcast(&arriving->trace, point->bytes, number);
        bench_trace_delays(&arriving->trace, broadcast, arriving->delays_ns);
        return arriving->trace.broadcasts[broadcast].root;
    }
    int root = run->options->root;
    const struct bench_arrival_recipe recipe = {
        .kind = options->kind,
        .seed = (uint64_t) options->seed,
        .number = number,
        .max_if = point->max_if,
        .late_share = options->late_share,
        .n_ranks = run->n_ranks,
        .root = root == BENCH_ROOT_ROTATE ? number % run->n_ranks : root,
        .unit_ns = point->unit_ns,
    };
    bench_arrival_delays(&recipe, arriving->delays_ns);
    return recipe.root;
}

/** Gathers when all ranks came and went; rank 0 records them and adds their metrics. */
static void note_broadcast(struct arriving *arriving, const struct bench_arrival_point *point,
                           const struct bench_timing *timing, struct bench_arrival_pattern *pattern)
{
    const struct bench_run *run = arriving->run;
    const int64_t own[2] = {timing->arrival_ns, timing->exit_ns};
    MPI_Gather(own, 2, MPI_INT64_T, arriving->spans_ns, 2, MPI_INT64_T, 0, run->control);
    if (run->rank != 0) {
        return;
    }
    for (int i = 0; i < run->n_ranks; i++) {
        arriving->arrivals_ns[i] = arriving->spans_ns[2 * i];
        arriving->exits_ns[i] = arriving->spans_ns[2 * i + 1];
    }
    const struct bench_arrival_times times = {.n_ranks = run->n_ranks,
                                              .root = pattern->root,
                                              .arrivals_ns = arriving->arrivals_ns,
                                              .exits_ns = arriving->exits_ns};
    struct bench_arrival_metrics metrics;
    bench_arrival_measure(&times, (double) point->unit_ns, &metrics);
    bench_arrival_metrics_add(&pattern->metrics, &metrics);
    bench_trace_write(&arriving->writer, point->bytes, &times);
}

/** Adds a measured pattern to its point and prints it. Rank 0 alone. */
static void add_pattern(struct arriving *arriving, struct bench_arrival_point *point,
                        struct bench_arrival_pattern *pattern)
{
    double ratios[BENCH_N_RATIOS];
    bench_arrival_metrics_divide(&pattern->metrics, pattern->n_broadcasts);
    bench_arrival_ratios(&pattern->metrics, ratios);
    point->n_measured++;
    bench_arrival_metrics_add(&point->sum, &pattern->metrics);
    for (int i = 0; i < BENCH_N_RATIOS; i++) {
        point->sum_ratio[i] += ratios[i];
        point->max_ratio[i] = fmax(point->max_ratio[i], ratios[i]);
    }
    bench_output_pattern(arriving->output, point, pattern);
}

static enum bench_status measure_pattern(struct arriving *arriving,
                                         struct bench_measuring *measuring,
                                         struct bench_arrival_point *point, int number)
{
    const struct bench_run *run = arriving->run;
    struct bench_arrival_pattern pattern = {.number = number,
                                            .n_broadcasts = run->options->arrival.per_pattern};
    int64_t delay;
    if (run->rank == 0) {
        pattern.root = make_pattern(arriving, point, number);
    }
    MPI_Bcast(&pattern.root, 1, MPI_INT, 0, run->control);
    MPI_Scatter(arriving->delays_ns, 1, MPI_INT64_T, &delay, 1, MPI_INT64_T, 0, run->control);
    measuring->root = pattern.root;
    for (int i = 0; i < pattern.n_broadcasts; i++) {
        const struct bench_step step = {
            .phase = "arrival", .iteration = number * pattern.n_broadcasts + i, .delay_ns = delay};
        struct bench_timing timing;
        enum bench_status status = bench_measuring_timed(measuring, &step, &timing);
        if (status != BENCH_OK) {
            return status;
        }
        point->n_again += timing.n_again;
        note_broadcast(arriving, point, &timing, &pattern);
    }
    if (run->rank == 0) {
        add_pattern(arriving, point, &pattern);
    }
    return BENCH_OK;
}

/** Measures a point's patterns until they are done or the time limit is over. */
static enum bench_status measure_point(struct arriving *arriving, struct bench_measuring *measuring,
                                       struct bench_arrival_point *point)
{
    const struct bench_run *run = arriving->run;
    enum bench_status status = BENCH_OK;
    point->clock_error_ns = common_clock_worst_error(&run->clock);
    if (run->rank == 0) {
        bench_output_point_begin(arriving->output, point);
    }
    for (int i = 0; i < point->n_patterns && status == BENCH_OK; i++) {
        status = measure_pattern(arriving, measuring, point, i);
        if (measuring->limit_ns != INT64_MAX &&
            bench_measuring_elapsed(measuring) >= measuring->limit_ns) {
            break;
        }
    }
    if (run->rank == 0 && status == BENCH_OK) {
        bench_output_point_end(arriving->output, point);
    }
    return status;
}

/** All points of a size whose T(M) is known and that is warm. */
static enum bench_status measure_points(struct arriving *arriving,
                                        struct bench_measuring *measuring,
                                        const struct size_plan *plan,
                                        const struct bench_result *pingpong)
{
    const struct bench_run *run = arriving->run;
    const struct bench_arrival_options *options = &run->options->arrival;
    enum bench_status status = BENCH_OK;
    int n_points = options->max_ifs.n > 0 ? options->max_ifs.n : 1;
    for (int i = 0; i < n_points && status == BENCH_OK; i++) {
        struct bench_arrival_point point = {
            .bytes = plan->bytes,
            .max_if = options->max_ifs.n > 0 ? (int) options->max_ifs.values[i] : run->n_ranks,
            .n_patterns = plan->n_patterns,
            .unit_ns = pingpong->pingpong.median_ns,
            .n_pingpong = pingpong->pingpong.n};
        if (options->kind == BENCH_ARRIVAL_REPLAY) {
            point.max_if = BENCH_UNSET;
        }
        status = measure_point(arriving, measuring, &point);
    }
    return status;
}

static enum bench_status measure_size(struct arriving *arriving, const struct size_plan *plan)
{
    struct bench_run *run = arriving->run;
    struct bench_measuring measuring;
    struct bench_result pingpong = {.bytes = plan->bytes};
    enum bench_status status = bench_measuring_begin(&measuring, run, plan->bytes);
    int n_warmup;
    int64_t last;
    if (status == BENCH_OK) {
        int64_t budget = measuring.limit_ns == INT64_MAX ? 0 : measuring.limit_ns / 4;
        status = bench_pingpong(run, plan->bytes, budget, &pingpong);
    }
    if (status == BENCH_OK) {
        status = bench_measuring_warm_up(&measuring, &n_warmup, &last);
    }
    if (status == BENCH_OK) {
        measuring.uneven = true;
        status = measure_points(arriving, &measuring, plan, &pingpong);
    }
    bench_measuring_end(&measuring);
    return status;
}

static int make_tables(struct arriving *arriving)
{
    size_t n = (size_t) arriving->run->n_ranks;
    arriving->delays_ns = calloc(n, sizeof(int64_t));
    arriving->spans_ns = calloc(2 * n, sizeof(int64_t));
    arriving->arrivals_ns = calloc(n, sizeof(int64_t));
    arriving->exits_ns = calloc(n, sizeof(int64_t));
    if (arriving->delays_ns && arriving->spans_ns && arriving->arrivals_ns && arriving->exits_ns) {
        return 0;
    }
    common_report("no memory for the times of %zu ranks", n);
    return -1;
}

/** Checks that a file which was read fits this run; yields -1 and a message if not. */
static int check_trace(const struct bench_run *run, const struct bench_trace *trace, char *error,
                       size_t error_size)
{
    const char *name = run->options->arrival.replay;
    if (trace->n_ranks != run->n_ranks) {
        snprintf(error, error_size,
                 "--replay: %s holds arrivals of %d ranks, this run has %d; start as many", name,
                 trace->n_ranks, run->n_ranks);
        return -1;
    }
    for (int i = 0; i < trace->n_broadcasts; i++) {
        if (!bench_options_size_fits(run->options, name, trace->broadcasts[i].bytes, error,
                                     error_size)) {
            return -1;
        }
    }
    return 0;
}

static int open_replay(struct arriving *arriving)
{
    const char *name = arriving->run->options->arrival.replay;
    char error[BENCH_MAX_PATH + 512];
    FILE *file = fopen(name, "r");
    if (!file) {
        common_report("--replay: %s cannot be read: %s", name, strerror(errno));
        return -1;
    }
    int status = bench_trace_read(&arriving->trace, file, name, error, sizeof error);
    fclose(file);
    if (status == 0) {
        status = check_trace(arriving->run, &arriving->trace, error, sizeof error);
    }
    if (status) {
        common_report("%s", error);
    }
    return status;
}

static int open_record(struct arriving *arriving)
{
    const char *name = arriving->run->options->arrival.record;
    if (bench_trace_create(&arriving->writer, name, arriving->run->n_ranks)) {
        common_report("--record: %s cannot be written: %s", name, strerror(errno));
        return -1;
    }
    return 0;
}

/** What rank 0 needs before anything is measured. */
static int open_all(struct arriving *arriving)
{
    const struct bench_arrival_options *options = &arriving->run->options->arrival;
    return make_tables(arriving) || (*options->replay && open_replay(arriving)) ||
                   (*options->record && open_record(arriving))
               ? -1
               : 0;
}

static int close_all(struct arriving *arriving, bool whole)
{
    int status = bench_trace_close(&arriving->writer, whole);
    if (status) {
        common_report("--record: %s was not written whole: %s",
                      arriving->run->options->arrival.record, strerror(errno));
    }
    bench_trace_free(&arriving->trace);
    free(arriving->delays_ns);
    free(arriving->spans_ns);
    free(arriving->arrivals_ns);
    free(arriving->exits_ns);
    return status;
}

/** Rank 0's status, sent to all. */
static enum bench_status agree(const struct bench_run *run, int failed)
{
    MPI_Bcast(&failed, 1, MPI_INT, 0, run->control);
    return failed ? BENCH_BAD_FILE : BENCH_OK;
}

/** The number of broadcasts of a size in a file, from one on; 0 if an earlier one has it. */
static int count_recorded(const struct bench_trace *trace, int first)
{
    int n = 0;
    for (int i = 0; i < trace->n_broadcasts; i++) {
        if (trace->broadcasts[i].bytes == trace->broadcasts[first].bytes) {
            if (i < first) {
                return 0;
            }
            n++;
        }
    }
    return n;
}

/** The sizes of a file, in order of appearance, each with all its broadcasts as patterns. */
static enum bench_status measure_recorded(struct arriving *arriving)
{
    const struct bench_run *run = arriving->run;
    enum bench_status status = BENCH_OK;
    int n_broadcasts = arriving->trace.n_broadcasts;
    MPI_Bcast(&n_broadcasts, 1, MPI_INT, 0, run->control);
    for (int i = 0; i < n_broadcasts && status == BENCH_OK; i++) {
        long long plan[2] = {0, 0}; /* bytes, patterns */
        if (run->rank == 0) {
            assert(arriving->trace.broadcasts != NULL);
            plan[0] = arriving->trace.broadcasts[i].bytes;
            plan[1] = count_recorded(&arriving->trace, i);
        }
        MPI_Bcast(plan, 2, MPI_LONG_LONG, 0, run->control);
        if (plan[1] > 0) {
            status = measure_size(
                arriving, &(struct size_plan){.bytes = plan[0], .n_patterns = (int) plan[1]});
        }
    }
    return status;
}

static enum bench_status measure_random(struct arriving *arriving)
{
    const struct bench_options *options = arriving->run->options;
    enum bench_status status = BENCH_OK;
    for (int i = 0; i < options->sizes.n && status == BENCH_OK; i++) {
        status =
            measure_size(arriving, &(struct size_plan){.bytes = options->sizes.values[i],
                                                       .n_patterns = options->arrival.patterns});
    }
    return status;
}

enum bench_status bench_arrival_run(struct bench_run *run, struct bench_output *output)
{
    struct arriving arriving = {.run = run, .output = output};
    enum bench_status status = agree(run, run->rank == 0 ? open_all(&arriving) : 0);
    if (run->rank == 0 && status == BENCH_OK) {
        bench_output_begin(output);
    }
    if (status == BENCH_OK) {
        status = run->options->arrival.kind == BENCH_ARRIVAL_REPLAY ? measure_recorded(&arriving)
                                                                    : measure_random(&arriving);
        if (run->rank == 0) {
            bench_output_end(output);
        }
    }
    enum bench_status closed = agree(run, close_all(&arriving, status == BENCH_OK));
    return status == BENCH_OK ? closed : status;
}
