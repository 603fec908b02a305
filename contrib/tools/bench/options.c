#include "options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/json.h"
#include "op.h"
#include "output_foreign.h"
#include "payload.h"

static const char *const datatype_names[BENCH_N_DATATYPES + 1] = {
    [BENCH_BYTE] = "byte",      [BENCH_INT] = "int",       [BENCH_DOUBLE] = "double",
    [BENCH_VECTOR] = "vector",  [BENCH_STRUCT] = "struct", [BENCH_MIXED] = "mixed",
    [BENCH_N_DATATYPES] = NULL,
};

const char *bench_datatype_name(enum bench_datatype datatype)
{
    return datatype_names[datatype];
}

static bool take_root(void *context, const char *value, common_complaint_t complaint)
{
    struct bench_options *options = context;
    int64_t root;
    if (strcmp(value, "rotate") == 0) {
        options->root = BENCH_ROOT_ROTATE;
        return true;
    }
    if (!common_read_number(value, 0, INT_MAX, &root)) {
        return common_wrong(complaint, "--root: '%s' is no rank; write a rank from 0, or rotate",
                            value);
    }
    options->root = (int) root;
    return true;
}

static bool take_pingpong(void *context, const char *value, common_complaint_t complaint)
{
    struct bench_options *options = context;
    int used = 0;
    int *ranks = options->pingpong_ranks;
    options->pingpong = true;
    if (sscanf(value, "%9d,%9d%n", &ranks[0], &ranks[1], &used) == 2 && value[used] == '\0' &&
        ranks[0] >= 0 && ranks[1] >= 0) {
        return true;
    }
    return common_wrong(complaint, "--pingpong: '%s' is no pair of ranks; write for example 0,4",
                        value);
}

static bool read_corrupt(struct bench_options *options, const char *text,
                         common_complaint_t complaint)
{
    int used = 0;
    struct bench_corrupt *corrupt = &options->corrupt;
    corrupt->wanted = true;
    if (sscanf(text, "%18lld,%9d,%18lld%n", &corrupt->broadcast, &corrupt->rank, &corrupt->offset,
               &used) == 3 &&
        text[used] == '\0' && corrupt->broadcast >= 0 && corrupt->rank >= 0 &&
        corrupt->offset >= 0) {
        return true;
    }
    return common_wrong(
        complaint, "PIPEBCAST_BENCH_CORRUPT: '%s' is not BROADCAST,RANK,OFFSET, each from 0", text);
}

static void set_defaults(struct bench_options *options)
{
    memset(options, 0, sizeof *options);
    options->iterations = 20;
    options->warmup = BENCH_UNSET;
    options->pingpong = true;
    options->pingpong_ranks[0] = options->pingpong_ranks[1] = BENCH_UNSET;
    options->root = BENCH_UNSET_ROOT;
    options->test_every_ns = 1000000;
    bench_arrival_options_clear(&options->arrival);
}

/* ---- the command line ---- */

static const char *const modes[] = {"loop", "sync", "both", NULL};
static const char *const clocks[] = {"estimate", "shared", NULL};
static const char *const computes[] = {
    [BENCH_COMPUTE_SPIN] = "spin", [BENCH_COMPUTE_SLEEP] = "sleep", NULL};

#define VALUE(member) COMMON_VALUE(struct bench_options, member)

static const common_option_t what_rows[] = {
    {"sizes", COMMON_SIZES, VALUE(sizes), .least = 1, .argument = "LIST", .missing = "1K:1M",
     .help = "message sizes in bytes: 64K,1M or ranges of doublings, 1K:4M; K, M, G are powers of "
             "1024"},
    {"root", COMMON_OWN, .take = take_root, .argument = "N|rotate", .missing = "0",
     .help = "who sends: rank N, or rank i mod P in iteration i"},
    {"groups", COMMON_NUMBER, VALUE(group_ranks), .least = 2, .most = INT_MAX, .argument = "N",
     .missing = "one of all ranks",
     .help =
         "groups of N ranks broadcast at once, each from its own rank --root: ranks 0 to N-1, N "
         "to 2N-1 and so on, the rows of a grid. A time is until the last rank of all groups is "
         "done; mode sync"},
    {"strided", COMMON_FLAG, VALUE(strided), .least = true,
     .help = "groups take every (P/N)th rank, with P ranks in all: the columns of that grid"},
    {"datatype", COMMON_CHOICE, VALUE(datatype), .choices = datatype_names, .argument = "TYPE",
     .missing = "byte",
     .help = "byte, int, double, vector (blocks with gaps), struct (fields with padding), mixed "
             "(ranks name the same data by different counts and datatypes)"},
    {"op", COMMON_CHOICE, VALUE(op), .choices = bench_op_names, .argument = "OPERATION",
     .missing = "bcast",
     .help = "bcast, ibcast (started, then waited for), or bcast_init (persistent: initialised "
             "once, started for each)"},
    {0},
};

static const common_option_t how_rows[] = {
    {"mode", COMMON_CHOICE, VALUE(mode), .choices = modes, .least = BENCH_LOOP, .argument = "MODE",
     .missing = "both",
     .help = "loop: barrier, then iterations of broadcast and barrier; total time / iterations, "
             "the barrier included\n"
             "sync: all ranks start at an agreed moment; an iteration takes until its last rank "
             "is done\n"
             "both"},
    {"overlap", COMMON_FLAG, VALUE(overlap), .least = true,
     .help = "after mode sync: how much of a nonblocking broadcast is hidden behind a computation "
             "as long as the broadcast alone took, which calls MPI_Test now and then"},
    {"root-late", COMMON_NUMBER, VALUE(root_late_ns), .least = 1, .most = INT_MAX, .unit = 1000,
     .unit_name = "microseconds", .argument = "US", .missing = "not at all",
     .help = "in mode loop the root sleeps before each broadcast but the run's first: when it "
             "begins, all others wait in it, for counts of what they do then"},
    {"test-every", COMMON_NUMBER, VALUE(test_every_ns), .least = 1, .most = INT_MAX, .unit = 1000,
     .unit_name = "microseconds", .argument = "US", .missing = "1000",
     .help = "microseconds of the computation between two calls of MPI_Test"},
    {"compute", COMMON_CHOICE, VALUE(compute), .choices = computes, .argument = "HOW",
     .missing = "spin",
     .help = "spin: it uses the CPU; sleep: it does not, for emulated clusters, whose hosts share "
             "few cores"},
    {"iterations", COMMON_NUMBER, VALUE(iterations), .least = 1, .argument = "N", .missing = "20",
     .help = "measured iterations of each mode"},
    {"warmup", COMMON_NUMBER, VALUE(warmup), .argument = "N",
     .missing = "3 to 20, more for small sizes", .help = "broadcasts before them"},
    {"time-limit", COMMON_REAL, VALUE(time_limit_s), .real_most = 1e9, .unit_name = "seconds",
     .argument = "SECONDS", .missing = "0, no limit",
     .help = "about so long for a size: fewer iterations, but at least one after a warm-up; such "
             "results are marked with *"},
    {"pingpong", COMMON_OWN, .take = take_pingpong, .argument = "A,B",
     .missing = "rank 0 and the first rank on another host, or rank 1",
     .help = "ranks that measure T(M)"},
    {"no-pingpong", COMMON_FLAG, VALUE(pingpong), .least = false, .help = "do not measure T(M)"},
    {"schedule", COMMON_TEXT, VALUE(schedule), .argument = "FILE",
     .help = "no sizes and modes: each broadcast once, at its time. A line SECONDS BYTES for each: "
             "so long after the first one, or when the one before is over"},
    {"begin", COMMON_TEXT, VALUE(begin), .argument = "COMMAND",
     .help = "rank 0 runs this when all are ready for a schedule"},
    {"clock", COMMON_CHOICE, VALUE(shared_clock), .choices = clocks, .argument = "WHICH",
     .missing = "estimate",
     .help = "estimate: how the hosts' clocks differ is measured from rank 0, again every second\n"
             "shared: all ranks read one clock (one host, also as an emulated cluster)"},
    {"check", COMMON_FLAG, VALUE(check), .least = true,
     .help = "verify every byte on every rank after every broadcast (a pattern that never "
             "repeats); also that gaps in the datatype stay untouched. In mode loop a second "
             "barrier, not timed, then precedes each broadcast."},
    {0},
};

static const common_option_t print_rows[] = {
    {"csv", COMMON_FLAG, VALUE(format), .least = BENCH_CSV,
     .help = "comma-separated values in place of the table; times in microseconds"},
    {"json", COMMON_FLAG, VALUE(format), .least = BENCH_JSON, .needs = &common_json_library,
     .help = "print JSON instead"},
    {"osu", COMMON_FLAG, VALUE(format), .least = BENCH_OSU,
     .help =
         "print the columns of osu_bcast: each rank's time of a broadcast, its mean over ranks; "
         "mode sync"},
    {"osu-full", COMMON_FLAG, VALUE(format), .least = BENCH_OSU_FULL,
     .help = "those of osu_bcast -f: also the least and the greatest of the ranks' means"},
    {"imb", COMMON_FLAG, VALUE(format), .least = BENCH_IMB,
     .help = "the same times in the columns of IMB-MPI1 Bcast"},
    {"label", COMMON_TEXT, VALUE(label), .argument = "TEXT", .help = "a name for this run"},
    {0},
};

const common_command_t bench_command = {
    .name = "pipebcast bench",
    .usage = "Usage: mpirun ... pipebcast bench [OPTION]...\n"
             "\n"
             "Measures MPI_Bcast on all ranks, beside T(M): the time in which one message of\n"
             "the same size goes from one rank to another (ping-pong / 2). No broadcast can\n"
             "be faster than T(M); a pipeline over contention-free trees comes near it.\n",
    .groups = (const common_group_t[]){{"What to measure", what_rows},
                                       {"How to measure", how_rows},
                                       {"When ranks arrive", bench_arrival_rows},
                                       {"How to print", print_rows},
                                       {0}},
    .more = "Columns: T(M); of mode loop the time and its ratio to T(M); of mode sync the\n"
            "median, least and greatest time, and the median's ratio. Quote the median.\n"
            "Overlap: 100 % less the time in which the slowest rank neither computed nor had\n"
            "finished, as a share of the time of the broadcast alone; medians of both.\n"
            "Of arrival patterns: average and worst-case time that a rank spends in the\n"
            "broadcast; of the average what passed before the root came; average and\n"
            "worst-case imbalance of the arrivals over T(M); OPT, below which no algorithm's\n"
            "average time can be for these very arrivals if a sender waits for its receiver\n"
            "(blocking) and if data may wait for it (nonblocking); the average time over each,\n"
            "which is the competitive ratio, and, net, both less the waiting for the root.\n"
            "\n"
            "Exit status: 0 done, 1 wrong bytes, out of memory or a file that cannot be used, 2\n"
            "wrong options.\n"
            "\n"
            "Examples\n"
            "  mpirun -np 32 --map-by node pipebcast bench --sizes 64K:1M --check\n"
            "  mpirun -np 32 --mca coll pipebcast,tuned pipebcast bench --sizes 1M --json\n"
            "  mpirun -np 16 pipebcast bench --sizes 256K --arrival random --max-if 4,16,64\n",
};

bool bench_options_size_fits(const struct bench_options *options, const char *where,
                             long long bytes, char *error, size_t error_size)
{
    common_complaint_t complaint = {error, error_size};
    long long unit = bench_payload_unit(options->datatype);
    long long most = bench_payload_most(options->datatype);
    if (bytes % unit != 0) {
        return common_wrong(complaint,
                            "%s: %lld bytes is no multiple of %lld, the bytes of one element of "
                            "--datatype %s",
                            where, bytes, unit, bench_datatype_name(options->datatype));
    }
    return bytes <= most ||
           common_wrong(complaint,
                        "%s: %lld bytes is more than MPI's int count of --datatype %s can express "
                        "(%lld bytes)",
                        where, bytes, bench_datatype_name(options->datatype), most);
}

/** How arrival patterns and the other options go together. */
static bool finish_arrival(struct bench_options *options, common_complaint_t complaint)
{
    if (!bench_arrival_options_finish(&options->arrival, complaint)) {
        return false;
    }
    if (options->arrival.kind == BENCH_ARRIVAL_NONE) {
        return true;
    }
    if (options->mode != 0) {
        return common_wrong(complaint, "--mode is not for arrival patterns; leave it out");
    }
    if (!options->pingpong) {
        return common_wrong(complaint, "arrival patterns are measured by T(M); leave out "
                                       "--no-pingpong");
    }
    if (options->arrival.kind == BENCH_ARRIVAL_REPLAY &&
        (options->sizes.n > 0 || options->root != BENCH_UNSET_ROOT)) {
        return common_wrong(complaint, "--replay takes sizes and roots from its file; leave out "
                                       "--sizes and --root");
    }
    return true;
}

/** How the overlap and the other options go together, once all are finished. */
static bool fits_overlap(const struct bench_options *options, common_complaint_t complaint)
{
    if (!options->overlap) {
        return true;
    }
    if (bench_op_at(options->op)->is_blocking) {
        return common_wrong(complaint,
                            "--overlap: nothing overlaps with a blocking broadcast; give "
                            "--op ibcast or --op bcast_init");
    }
    return (options->mode & BENCH_SYNC && options->arrival.kind == BENCH_ARRIVAL_NONE) ||
           common_wrong(complaint, "--overlap goes with mode sync, and not with arrival patterns");
}

/** A late root goes with nothing that has its own ways of starting. */
static bool fits_root_late(const struct bench_options *options, common_complaint_t complaint)
{
    return options->root_late_ns == 0 ||
           (options->mode == BENCH_LOOP && options->arrival.kind == BENCH_ARRIVAL_NONE &&
            options->schedule[0] == '\0') ||
           common_wrong(complaint, "--root-late is for mode loop alone; give --mode loop");
}

/** Groups have neither barriers nor clocks of their own, so all start and end together. */
static bool fits_groups(const struct bench_options *options, common_complaint_t complaint)
{
    if (options->group_ranks == 0) {
        return !options->strided || common_wrong(complaint, "--strided is for groups; give "
                                                            "--groups, too");
    }
    return (options->mode == BENCH_SYNC && options->arrival.kind == BENCH_ARRIVAL_NONE &&
            options->schedule[0] == '\0') ||
           common_wrong(complaint, "--groups is for mode sync alone; give --mode sync");
}

/** How a schedule and the other options go together. */
static bool finish_schedule(struct bench_options *options, common_complaint_t complaint)
{
    if (options->schedule[0] == '\0') {
        return options->begin[0] == '\0' ||
               common_wrong(complaint, "--begin is for schedules; give --schedule, too");
    }
    if (options->arrival.kind != BENCH_ARRIVAL_NONE || options->sizes.n > 0 || options->mode != 0 ||
        options->overlap) {
        return common_wrong(complaint, "--schedule has sizes and times in its file; leave out "
                                       "--sizes, --mode, --overlap and arrival patterns");
    }
    options->pingpong = false;
    return true;
}

/** Other benchmarks' columns have no place for more than their own times. */
static bool finish_foreign(struct bench_options *options, common_complaint_t complaint)
{
    if (!bench_output_is_foreign(options->format)) {
        return true;
    }
    if ((options->mode != 0 && options->mode != BENCH_SYNC) ||
        options->arrival.kind != BENCH_ARRIVAL_NONE || options->schedule[0] != '\0' ||
        options->overlap || !bench_op_at(options->op)->is_blocking) {
        return common_wrong(complaint,
                            "--osu and --imb have one time of blocking broadcasts; leave out "
                            "--mode, --op, --overlap, --schedule and arrival patterns");
    }
    options->mode = BENCH_SYNC;
    options->pingpong = false;
    return true;
}

/** 1K:1M, but what the benchmark has whose columns are printed: 1:1M and 1:4M. */
static void set_default_sizes(enum bench_format format, common_list_t *sizes)
{
    const int64_t first = bench_output_is_foreign(format) ? 1 : 1024;
    const int64_t last = format == BENCH_IMB ? 4194304 : 1048576;
    for (int64_t bytes = first; bytes <= last; bytes *= 2) {
        sizes->values[sizes->n++] = bytes;
    }
}

/** Checks what does not depend on the number of ranks, once all options are read. */
static bool finish(struct bench_options *options, common_complaint_t complaint)
{
    const char *corrupt = getenv("PIPEBCAST_BENCH_CORRUPT");
    if (!finish_arrival(options, complaint) || !finish_schedule(options, complaint) ||
        !finish_foreign(options, complaint)) {
        return false;
    }
    options->mode = options->mode == 0 ? BENCH_LOOP | BENCH_SYNC : options->mode;
    options->root = options->root == BENCH_UNSET_ROOT ? 0 : options->root;
    if (!fits_overlap(options, complaint) || !fits_root_late(options, complaint) ||
        !fits_groups(options, complaint)) {
        return false;
    }
    if (options->sizes.n == 0 && options->arrival.kind != BENCH_ARRIVAL_REPLAY) {
        set_default_sizes(options->format, &options->sizes);
    }
    if (options->time_limit_s > 0 && options->warmup == 0) {
        return common_wrong(complaint,
                            "--time-limit judges by the warm-up, and --warmup 0 leaves none; use "
                            "--warmup 1 or more");
    }
    for (int i = 0; i < options->sizes.n; i++) {
        if (!bench_options_size_fits(options, "--sizes", options->sizes.values[i], complaint.text,
                                     complaint.size)) {
            return false;
        }
    }
    return !corrupt || read_corrupt(options, corrupt, complaint);
}

common_verdict_t bench_options_parse(int argc, char **argv, struct bench_options *options,
                                     char *error, size_t error_size)
{
    const common_complaint_t complaint = {error, error_size};
    set_defaults(options);
    const common_verdict_t verdict =
        common_options_read(&bench_command, argc, argv, options, NULL, complaint);
    if (verdict != COMMON_RUN) {
        return verdict;
    }
    return finish(options, complaint) ? COMMON_RUN : COMMON_WRONG;
}

bool bench_options_fit(const struct bench_options *options, int n_ranks, char *error,
                       size_t error_size)
{
    common_complaint_t complaint = {error, error_size};
    const int *pair = options->pingpong_ranks;
    const int n_members = options->group_ranks > 0 ? options->group_ranks : n_ranks;
    if (n_ranks % n_members != 0) {
        return common_wrong(complaint, "--groups: %d ranks are no groups of %d", n_ranks,
                            n_members);
    }
    if (options->root >= n_members) {
        return common_wrong(complaint, "--root: there is no rank %d among %d", options->root,
                            n_members);
    }
    if (options->corrupt.wanted && options->corrupt.rank >= n_ranks) {
        return common_wrong(complaint, "PIPEBCAST_BENCH_CORRUPT: there is no rank %d among %d",
                            options->corrupt.rank, n_ranks);
    }
    if (options->arrival.kind != BENCH_ARRIVAL_NONE && n_ranks < 2) {
        return common_wrong(complaint, "arrival patterns need at least two ranks");
    }
    if (!options->pingpong || pair[0] == BENCH_UNSET) {
        return true;
    }
    if (pair[0] >= n_ranks || pair[1] >= n_ranks) {
        return common_wrong(complaint, "--pingpong: there is no rank %d among %d",
                            pair[0] >= n_ranks ? pair[0] : pair[1], n_ranks);
    }
    return pair[0] != pair[1] ||
           common_wrong(complaint, "--pingpong: %d,%d is one rank, not two", pair[0], pair[1]);
}

int bench_warmup_of(const struct bench_options *options, long long bytes)
{
    enum { LEAST = 3, MOST = 20 };
    const long long window = 256 * 1024;
    if (options->warmup != BENCH_UNSET) {
        return options->warmup;
    }
    long long broadcasts = (window + bytes - 1) / bytes;
    return broadcasts < LEAST ? LEAST : broadcasts > MOST ? MOST : (int) broadcasts;
}
