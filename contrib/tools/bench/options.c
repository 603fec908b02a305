#include "options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/json.h"
#include "op.h"
#include "output_foreign.h"

static void take_root(void *context, const char *value)
{
    struct bench_options *options = context;
    int64_t root = BENCH_ROOT_ROTATE;
    options->root_host[0] = '\0';
    if (strcmp(value, "rotate") != 0 && !common_read_number(value, 0, INT_MAX, &root)) {
        snprintf(options->root_host, sizeof options->root_host, "%s", value);
    }
    options->root = (int) root;
}

static void take_pingpong(void *context, const char *value)
{
    struct bench_options *options = context;
    int used = 0;
    int *ranks = options->pingpong_ranks;
    if (sscanf(value, "%9d,%9d%n", &ranks[0], &ranks[1], &used) != 2 || value[used] != '\0' ||
        ranks[0] < 0 || ranks[1] < 0 || ranks[0] == ranks[1]) {
        common_usage_error("--pingpong: '%s' is no pair of ranks; write for example 0,4", value);
    }
}

/* ---- the command line ---- */

static const char *const modes[] = {"loop", "sync", "both", NULL};
static const char *const clocks[] = {"estimate", "shared", NULL};

#define VALUE(member) COMMON_VALUE(struct bench_options, member)

static const common_option_t rows[] = {
    {"sizes", COMMON_SIZES, VALUE(sizes), .letter = 'm', .least = 1, .most = INT_MAX,
     .argument = "LIST", .missing = "1K:1M",
     .help = "bytes of a message: 64K,1M, or 1K:4M for doublings"},
    {"iterations", COMMON_NUMBER, VALUE(iterations), .letter = 'i', .least = 1, .argument = "N",
     .missing = "20", .help = "measured broadcasts of each size"},
    {"warmup", COMMON_NUMBER, VALUE(warmup), .letter = 'x', .argument = "N",
     .missing = "3 to 20, more for small sizes", .help = "broadcasts before them"},
    {"time-per-size", COMMON_REAL, VALUE(time_limit_s), .real_most = 1e9, .unit_name = "seconds",
     .argument = "SECONDS", .missing = "none",
     .help = "at most, about: fewer iterations, but at least one"},
    {"check", COMMON_FLAG, VALUE(check), .letter = 'c', .least = true,
     .help = "verify every byte on every rank after every broadcast"},
    {"root", COMMON_OWN, .take = take_root, .argument = "WHO", .missing = "0",
     .help = "who sends: rank N, or the first rank on HOST; rotate: rank i mod P in iteration i"},
    {"op", COMMON_CHOICE, VALUE(op), .choices = bench_op_names, .argument = "OPERATION",
     .missing = "bcast", .help = "bcast, ibcast, or bcast_init (persistent)"},
    {"pingpong", COMMON_OWN, .take = take_pingpong, .argument = "A,B",
     .missing = "rank 0 and the first rank on another host", .help = "ranks that measure T(M)"},
    {"no-pingpong", COMMON_FLAG, VALUE(pingpong), .least = false, .help = "do not measure T(M)"},
    {"json", COMMON_FLAG, VALUE(format), .least = BENCH_JSON, .help = "print JSON instead"},
    {"csv", COMMON_FLAG, VALUE(format), .least = BENCH_CSV,
     .help = "print comma-separated values; times in microseconds"},
    {"osu", COMMON_FLAG, VALUE(format), .least = BENCH_OSU,
     .help = "print the columns of osu_bcast: each rank's time in the call, its mean over ranks"},
    {"imb", COMMON_FLAG, VALUE(format), .least = BENCH_IMB,
     .help = "print the same times in the columns of IMB-MPI1 Bcast"},
    {0},
};

static const char *const arrivals[] = {"random", "root-first", "late", NULL};

static const common_option_t experiment_rows[] = {
    {"mode", COMMON_CHOICE, VALUE(mode), .choices = modes, .least = BENCH_LOOP, .argument = "MODE",
     .missing = "sync",
     .help = "sync: all ranks start at an agreed moment; an iteration takes until its last rank "
             "is done\n"
             "loop: broadcasts and barriers in turn; the mean of both together\n"
             "both"},
    {"clock", COMMON_CHOICE, VALUE(shared_clock), .choices = clocks, .argument = "WHICH",
     .missing = "estimate", .help = "estimate: hosts' clocks are compared; shared: there is one"},
    {"label", COMMON_TEXT, VALUE(label), .argument = "TEXT", .help = "a name for this run"},
    {"root-late", COMMON_NUMBER, VALUE(root_late_ns), .least = 1, .most = INT_MAX, .unit = 1000,
     .unit_name = "microseconds", .argument = "US",
     .help = "mode loop: the root sleeps before each broadcast but the first"},
    {"arrival", COMMON_CHOICE, VALUE(arrival), .choices = arrivals, .least = BENCH_ARRIVAL_RANDOM,
     .argument = "PATTERN",
     .help = "ranks come late (paper 3); prints CSV.\n"
             "random: by 0 to MAX_IF - 1 times T(M); root-first: the root is in time; late: 20 % "
             "of the receivers, by MAX_IF times T(M)"},
    {"max-if", COMMON_NUMBERS, VALUE(max_ifs), .least = 1, .most = 1000000, .argument = "LIST",
     .missing = "the number of ranks", .help = "MAX_IF of --arrival"},
    {"late-ranks", COMMON_NUMBERS, VALUE(late_ranks), .most = INT_MAX, .argument = "LIST",
     .help = "--arrival late: these ranks are late, but for the root, and no others"},
    {"patterns", COMMON_NUMBER, VALUE(patterns), .least = 1, .argument = "N", .missing = "20",
     .help = "patterns of each MAX_IF, random ones unless ranks are named"},
    {"seed", COMMON_NUMBER, VALUE(seed), .argument = "N", .missing = "1",
     .help = "the same number makes the same patterns"},
    {"schedule", COMMON_TEXT, VALUE(schedule), .argument = "FILE",
     .help = "each broadcast once, at its time, by lines SECONDS BYTES; prints CSV"},
    {"begin", COMMON_TEXT, VALUE(begin), .argument = "COMMAND",
     .help = "rank 0 runs this when all are ready for a schedule"},
    {0},
};

static const common_command_t command = {
    .name = "pipebcast bench",
    .usage = "Usage: pipebcast bench --hostfile FILE [OPTION]...\n"
             "       mpirun ... pipebcast bench [OPTION]...\n"
             "\n"
             "Measures MPI_Bcast next to T(M), the time of one message of the same size between\n"
             "two hosts. No broadcast is faster than T(M) where all links have one speed; a\n"
             "pipeline over contention-free trees comes near it. Says which component served.\n",
    .groups = (const common_group_t[]){{NULL, rows}, {"For experiments:", experiment_rows}, {0}},
    .more = "Examples:\n"
            "  pipebcast bench --hostfile hosts\n"
            "  mpirun --hostfile hosts --mca coll ^pipebcast pipebcast bench -m 1M -c\n"
            "\n" COMMON_EXITS,
};

/** 1K:1M, or the sizes of the benchmark whose columns are printed: 1:1M and 1:4M. */
static void set_default_sizes(enum bench_format format, common_list_t *sizes)
{
    const int64_t first = bench_output_is_foreign(format) ? 1 : 1024;
    const int64_t last = format == BENCH_IMB ? 4194304 : 1048576;
    for (int64_t bytes = first; bytes <= last; bytes *= 2) {
        sizes->values[sizes->n++] = bytes;
    }
}

/** Refuses options that do not go together. */
static void check_together(const struct bench_options *options)
{
    const bool is_arrival = options->arrival != BENCH_ARRIVAL_NONE;
    const bool is_schedule = options->schedule[0] != '\0';
    const bool is_plain = !is_arrival && !is_schedule;
    if (!is_plain && (options->mode != 0 || (is_arrival && is_schedule) ||
                      (is_schedule && options->sizes.n > 0))) {
        common_usage_error("--arrival and --schedule go neither together nor with --mode, and a "
                           "schedule has its own sizes");
    }
    if (options->late_ranks.n > 0 && options->arrival != BENCH_ARRIVAL_LATE) {
        common_usage_error("--late-ranks is for --arrival late alone; give that, too");
    }
    if (is_arrival && !options->pingpong) {
        common_usage_error("--arrival counts in T(M); omit --no-pingpong");
    }
    if (options->begin[0] != '\0' && !is_schedule) {
        common_usage_error("--begin is for schedules; give --schedule, too");
    }
    if (options->root_late_ns > 0 && options->mode != BENCH_LOOP) {
        common_usage_error("--root-late is for mode loop alone; give --mode loop");
    }
    if (bench_output_is_foreign(options->format) &&
        (options->mode & BENCH_LOOP || !is_plain || !bench_op_at(options->op)->is_blocking)) {
        common_usage_error("--osu and --imb have one time of blocking broadcasts; omit --mode, "
                           "--op, --schedule and --arrival");
    }
    if (options->time_limit_s > 0 && options->warmup == 0) {
        common_usage_error("--time-per-size judges by the warm-up; give --warmup 1 or more");
    }
}

void bench_options_read(int argc, char **argv, struct bench_options *options)
{
    *options = (struct bench_options){.iterations = 20,
                                      .warmup = BENCH_UNSET,
                                      .pingpong = true,
                                      .pingpong_ranks = {BENCH_UNSET, BENCH_UNSET},
                                      .arrival = BENCH_ARRIVAL_NONE,
                                      .patterns = 20,
                                      .seed = 1};
    common_options_read(&command, argc, argv, options);
    check_together(options);
    if (options->sizes.n == 0) {
        set_default_sizes(options->format, &options->sizes);
    }
    options->mode = options->mode == 0 ? BENCH_SYNC : options->mode;
    options->pingpong &= !bench_output_is_foreign(options->format) && options->schedule[0] == '\0';
    common_options_done();
}

/** The greatest of some ranks; -1 if there are none. */
static int64_t last_of(const common_list_t *ranks)
{
    int64_t last = -1;
    for (int i = 0; i < ranks->n; i++) {
        last = ranks->values[i] > last ? ranks->values[i] : last;
    }
    return last;
}

const char *bench_options_misfit(const struct bench_options *options, int n_ranks)
{
    static char text[128];
    const int *pair = options->pingpong_ranks;
    if (options->root_host[0] != '\0' && options->root >= n_ranks) {
        snprintf(text, sizeof text, "--root: no rank is on a host '%.64s'", options->root_host);
    } else if (options->root >= n_ranks) {
        snprintf(text, sizeof text, "--root: there is no rank %d among %d", options->root, n_ranks);
    } else if (options->arrival != BENCH_ARRIVAL_NONE && n_ranks < 2) {
        snprintf(text, sizeof text, "--arrival needs at least two ranks");
    } else if (last_of(&options->late_ranks) >= n_ranks) {
        snprintf(text, sizeof text, "--late-ranks: there is no rank %" PRId64 " among %d",
                 last_of(&options->late_ranks), n_ranks);
    } else if (pair[0] >= n_ranks || pair[1] >= n_ranks) {
        snprintf(text, sizeof text, "--pingpong: there is no rank %d among %d",
                 pair[0] >= n_ranks ? pair[0] : pair[1], n_ranks);
    } else {
        return NULL;
    }
    return text;
}

int bench_warmup_of(const struct bench_options *options, long long bytes)
{
    enum { LEAST = 3, MOST = 20 };
    const long long window = 256 * 1024;
    if (options->warmup != BENCH_UNSET) {
        return options->warmup;
    }
    const long long broadcasts = (window + bytes - 1) / bytes;
    return broadcasts < LEAST ? LEAST : broadcasts > MOST ? MOST : (int) broadcasts;
}
