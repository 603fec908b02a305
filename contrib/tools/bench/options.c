#include "options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "op.h"
#include "payload.h"

static const char *const datatype_names[BENCH_N_DATATYPES] = {
    [BENCH_BYTE] = "byte",     [BENCH_INT] = "int",       [BENCH_DOUBLE] = "double",
    [BENCH_VECTOR] = "vector", [BENCH_STRUCT] = "struct", [BENCH_MIXED] = "mixed",
};

const char *bench_datatype_name(enum bench_datatype datatype)
{
    return datatype_names[datatype];
}

/** Factor of a size's suffix, 0 if it is none. */
static long long suffix_factor(const char *suffix)
{
    static const char letters[] = "kKmMgG";
    const char *found = *suffix ? strchr(letters, *suffix) : NULL;
    if (*suffix == '\0') {
        return 1;
    }
    if (!found || suffix[1] != '\0') {
        return 0;
    }
    return 1LL << (10 * ((found - letters) / 2 + 1));
}

bool bench_options_read_size(const char *text, long long *bytes_p)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || errno || number < 1) {
        return false;
    }
    long long factor = suffix_factor(end);
    if (factor == 0 || number > LLONG_MAX / 4 / factor) {
        return false;
    }
    *bytes_p = number * factor;
    return true;
}

static bool add_size(struct bench_options *options, long long bytes,
                     struct bench_complaint complaint)
{
    if (options->n_sizes == BENCH_MAX_SIZES) {
        return bench_wrong(complaint, "--sizes: more than %d sizes; give fewer", BENCH_MAX_SIZES);
    }
    options->sizes[options->n_sizes++] = bytes;
    return true;
}

/** Adds one item of --sizes: a size, or FIRST:LAST for first, twice that, ... up to last. */
static bool add_sizes_item(struct bench_options *options, char *item,
                           struct bench_complaint complaint)
{
    long long first, last;
    char *colon = strchr(item, ':');
    if (colon) {
        *colon = '\0';
    }
    bool readable = bench_options_read_size(item, &first) &&
                    (!colon || bench_options_read_size(colon + 1, &last));
    if (colon) {
        *colon = ':';
    }
    if (!readable) {
        return bench_wrong(
            complaint, "--sizes: '%s' is no size; write 65536, 64K, 1M, or a range such as 1K:4M",
            item);
    }
    if (!colon) {
        return add_size(options, first, complaint);
    }
    if (last < first) {
        return bench_wrong(complaint, "--sizes: '%s' ends before it begins", item);
    }
    for (long long bytes = first; bytes <= last; bytes *= 2) {
        if (!add_size(options, bytes, complaint)) {
            return false;
        }
    }
    return true;
}

static bool read_sizes(struct bench_options *options, const char *text,
                       struct bench_complaint complaint)
{
    char *copy = strdup(text);
    if (!copy) {
        return bench_wrong(complaint, "--sizes: out of memory");
    }
    bool good = true;
    char *rest = copy;
    options->n_sizes = 0;
    while (good && rest) {
        good = add_sizes_item(options, strsep(&rest, ","), complaint);
    }
    free(copy);
    return good;
}

static bool read_root(struct bench_options *options, const char *text,
                      struct bench_complaint complaint)
{
    if (strcmp(text, "rotate") == 0) {
        options->root = BENCH_ROOT_ROTATE;
        return true;
    }
    return bench_read_int(text, 0, &options->root) ||
           bench_wrong(complaint, "--root: '%s' is no rank; write a rank from 0, or rotate", text);
}

static bool read_datatype(struct bench_options *options, const char *text,
                          struct bench_complaint complaint)
{
    for (int i = 0; i < BENCH_N_DATATYPES; i++) {
        if (strcmp(text, datatype_names[i]) == 0) {
            options->datatype = (enum bench_datatype) i;
            return true;
        }
    }
    return bench_wrong(
        complaint,
        "--datatype: '%s' is unknown; known are byte, int, double, vector, struct, mixed", text);
}

static bool read_mode(struct bench_options *options, const char *text,
                      struct bench_complaint complaint)
{
    if (strcmp(text, "loop") == 0) {
        options->mode = BENCH_LOOP;
    } else if (strcmp(text, "sync") == 0) {
        options->mode = BENCH_SYNC;
    } else if (strcmp(text, "both") == 0) {
        options->mode = BENCH_LOOP | BENCH_SYNC;
    } else {
        return bench_wrong(complaint, "--mode: '%s' is unknown; known are loop, sync, both", text);
    }
    return true;
}

static bool read_clock(struct bench_options *options, const char *text,
                       struct bench_complaint complaint)
{
    options->shared_clock = strcmp(text, "shared") == 0;
    return options->shared_clock || strcmp(text, "estimate") == 0 ||
           bench_wrong(complaint, "--clock: '%s' is unknown; known are estimate, shared", text);
}

static bool read_op(struct bench_options *options, const char *text,
                    struct bench_complaint complaint)
{
    options->op = bench_op_find(text);
    return options->op >= 0 ||
           bench_wrong(complaint, "--op: '%s' is unknown; known are bcast, ibcast, bcast_init",
                       text);
}

static bool read_compute(struct bench_options *options, const char *text,
                         struct bench_complaint complaint)
{
    options->compute = strcmp(text, "sleep") == 0 ? BENCH_COMPUTE_SLEEP : BENCH_COMPUTE_SPIN;
    return options->compute == BENCH_COMPUTE_SLEEP || strcmp(text, "spin") == 0 ||
           bench_wrong(complaint, "--compute: '%s' is unknown; known are spin, sleep", text);
}

static bool read_microseconds(const char *option, const char *text, int64_t *ns_p,
                              struct bench_complaint complaint)
{
    int microseconds;
    if (!bench_read_int(text, 1, &microseconds)) {
        return bench_wrong(complaint, "%s: '%s' is no number of microseconds from 1", option, text);
    }
    *ns_p = (int64_t) microseconds * 1000;
    return true;
}

static bool read_pingpong(struct bench_options *options, const char *text,
                          struct bench_complaint complaint)
{
    int used = 0;
    int *ranks = options->pingpong_ranks;
    options->pingpong = true;
    if (sscanf(text, "%9d,%9d%n", &ranks[0], &ranks[1], &used) == 2 && text[used] == '\0' &&
        ranks[0] >= 0 && ranks[1] >= 0) {
        return true;
    }
    return bench_wrong(complaint, "--pingpong: '%s' is no pair of ranks; write for example 0,4",
                       text);
}

static bool read_time_limit(struct bench_options *options, const char *text,
                            struct bench_complaint complaint)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(seconds) || seconds < 0) {
        return bench_wrong(complaint,
                           "--time-limit: '%s' is no number of seconds; write for example 10, or 0 "
                           "for none",
                           text);
    }
    options->time_limit_s = seconds;
    return true;
}

static bool read_corrupt(struct bench_options *options, const char *text,
                         struct bench_complaint complaint)
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
    return bench_wrong(
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

enum option_code {
    OPT_BEGIN = BENCH_OPTION_FIRST,
    OPT_CHECK,
    OPT_CLOCK,
    OPT_COMPUTE,
    OPT_CSV,
    OPT_DATATYPE,
    OPT_ITERATIONS,
    OPT_JSON,
    OPT_LABEL,
    OPT_MODE,
    OPT_NO_PINGPONG,
    OPT_OP,
    OPT_OVERLAP,
    OPT_PINGPONG,
    OPT_ROOT,
    OPT_ROOT_LATE,
    OPT_SCHEDULE,
    OPT_SIZES,
    OPT_TEST_EVERY,
    OPT_TIME_LIMIT,
    OPT_WARMUP,
    OPT_ARRIVAL_FIRST, /**< from here on: this plus an enum bench_arrival_option */
};

static const struct option long_options[] = {
    {"arrival", required_argument, NULL, OPT_ARRIVAL_FIRST + BENCH_OPT_ARRIVAL},
    {"begin", required_argument, NULL, OPT_BEGIN},
    {"check", no_argument, NULL, OPT_CHECK},
    {"clock", required_argument, NULL, OPT_CLOCK},
    {"compute", required_argument, NULL, OPT_COMPUTE},
    {"csv", no_argument, NULL, OPT_CSV},
    {"datatype", required_argument, NULL, OPT_DATATYPE},
    {"help", no_argument, NULL, BENCH_OPTION_HELP},
    {"iterations", required_argument, NULL, OPT_ITERATIONS},
    {"json", no_argument, NULL, OPT_JSON},
    {"label", required_argument, NULL, OPT_LABEL},
    {"late-share", required_argument, NULL, OPT_ARRIVAL_FIRST + BENCH_OPT_LATE_SHARE},
    {"max-if", required_argument, NULL, OPT_ARRIVAL_FIRST + BENCH_OPT_MAX_IF},
    {"mode", required_argument, NULL, OPT_MODE},
    {"no-pingpong", no_argument, NULL, OPT_NO_PINGPONG},
    {"op", required_argument, NULL, OPT_OP},
    {"overlap", no_argument, NULL, OPT_OVERLAP},
    {"patterns", required_argument, NULL, OPT_ARRIVAL_FIRST + BENCH_OPT_PATTERNS},
    {"per-pattern", required_argument, NULL, OPT_ARRIVAL_FIRST + BENCH_OPT_PER_PATTERN},
    {"pingpong", required_argument, NULL, OPT_PINGPONG},
    {"record", required_argument, NULL, OPT_ARRIVAL_FIRST + BENCH_OPT_RECORD},
    {"replay", required_argument, NULL, OPT_ARRIVAL_FIRST + BENCH_OPT_REPLAY},
    {"root", required_argument, NULL, OPT_ROOT},
    {"root-late", required_argument, NULL, OPT_ROOT_LATE},
    {"schedule", required_argument, NULL, OPT_SCHEDULE},
    {"seed", required_argument, NULL, OPT_ARRIVAL_FIRST + BENCH_OPT_SEED},
    {"sizes", required_argument, NULL, OPT_SIZES},
    {"test-every", required_argument, NULL, OPT_TEST_EVERY},
    {"time-limit", required_argument, NULL, OPT_TIME_LIMIT},
    {"version", no_argument, NULL, BENCH_OPTION_VERSION},
    {"warmup", required_argument, NULL, OPT_WARMUP},
    {NULL, 0, NULL, 0},
};

/** Takes one option other than --help and --version. */
static bool take_option(void *context, int code, const char *value,
                        struct bench_complaint complaint)
{
    struct bench_options *options = context;
    switch (code) {
    case OPT_BEGIN:
        return bench_read_text("--begin", value, options->begin, sizeof options->begin, complaint);
    case OPT_CHECK:
        return options->check = true;
    case OPT_CLOCK:
        return read_clock(options, value, complaint);
    case OPT_COMPUTE:
        return read_compute(options, value, complaint);
    case OPT_CSV:
        options->format = BENCH_CSV;
        return true;
    case OPT_DATATYPE:
        return read_datatype(options, value, complaint);
    case OPT_ITERATIONS:
        return bench_read_int(value, 1, &options->iterations) ||
               bench_wrong(complaint, "--iterations: '%s' is no number from 1", value);
    case OPT_JSON:
        options->format = BENCH_JSON;
        return true;
    case OPT_LABEL:
        return bench_read_text("--label", value, options->label, sizeof options->label, complaint);
    case OPT_MODE:
        return read_mode(options, value, complaint);
    case OPT_NO_PINGPONG:
        options->pingpong = false;
        return true;
    case OPT_OP:
        return read_op(options, value, complaint);
    case OPT_OVERLAP:
        return options->overlap = true;
    case OPT_PINGPONG:
        return read_pingpong(options, value, complaint);
    case OPT_ROOT:
        return read_root(options, value, complaint);
    case OPT_ROOT_LATE:
        return read_microseconds("--root-late", value, &options->root_late_ns, complaint);
    case OPT_SCHEDULE:
        return bench_read_text("--schedule", value, options->schedule, sizeof options->schedule,
                               complaint);
    case OPT_SIZES:
        return read_sizes(options, value, complaint);
    case OPT_TEST_EVERY:
        return read_microseconds("--test-every", value, &options->test_every_ns, complaint);
    case OPT_TIME_LIMIT:
        return read_time_limit(options, value, complaint);
    case OPT_WARMUP:
        return bench_read_int(value, 0, &options->warmup) ||
               bench_wrong(complaint, "--warmup: '%s' is no number from 0", value);
    default:
        return bench_arrival_options_take(&options->arrival,
                                          (enum bench_arrival_option)(code - OPT_ARRIVAL_FIRST),
                                          value, complaint);
    }
}

bool bench_options_size_fits(const struct bench_options *options, const char *where,
                             long long bytes, char *error, size_t error_size)
{
    struct bench_complaint complaint = {error, error_size};
    long long unit = bench_payload_unit(options->datatype);
    long long most = bench_payload_most(options->datatype);
    if (bytes % unit != 0) {
        return bench_wrong(complaint,
                           "%s: %lld bytes is no multiple of %lld, the bytes of one element of "
                           "--datatype %s",
                           where, bytes, unit, bench_datatype_name(options->datatype));
    }
    return bytes <= most ||
           bench_wrong(complaint,
                       "%s: %lld bytes is more than MPI's int count of --datatype %s can say "
                       "(%lld bytes)",
                       where, bytes, bench_datatype_name(options->datatype), most);
}

/** How arrival patterns and the other options go together. */
static bool finish_arrival(struct bench_options *options, struct bench_complaint complaint)
{
    if (!bench_arrival_options_finish(&options->arrival, complaint)) {
        return false;
    }
    if (options->arrival.kind == BENCH_ARRIVAL_NONE) {
        return true;
    }
    if (options->mode != 0) {
        return bench_wrong(complaint, "--mode is not for arrival patterns; leave it out");
    }
    if (!options->pingpong) {
        return bench_wrong(complaint, "arrival patterns are measured by T(M); leave out "
                                      "--no-pingpong");
    }
    if (options->arrival.kind == BENCH_ARRIVAL_REPLAY &&
        (options->n_sizes > 0 || options->root != BENCH_UNSET_ROOT)) {
        return bench_wrong(complaint, "--replay takes sizes and roots from its file; leave out "
                                      "--sizes and --root");
    }
    return true;
}

/** How the overlap and the other options go together, once all are finished. */
static bool fits_overlap(const struct bench_options *options, struct bench_complaint complaint)
{
    if (!options->overlap) {
        return true;
    }
    if (bench_op_at(options->op)->is_blocking) {
        return bench_wrong(complaint, "--overlap: nothing overlaps with a blocking broadcast; say "
                                      "--op ibcast or --op bcast_init");
    }
    return (options->mode & BENCH_SYNC && options->arrival.kind == BENCH_ARRIVAL_NONE) ||
           bench_wrong(complaint, "--overlap goes with mode sync, and not with arrival patterns");
}

/** A late root goes with nothing that has its own ways of starting. */
static bool fits_root_late(const struct bench_options *options, struct bench_complaint complaint)
{
    return options->root_late_ns == 0 ||
           (options->mode == BENCH_LOOP && options->arrival.kind == BENCH_ARRIVAL_NONE &&
            options->schedule[0] == '\0') ||
           bench_wrong(complaint, "--root-late is for mode loop alone; say --mode loop");
}

/** How a schedule and the other options go together. */
static bool finish_schedule(struct bench_options *options, struct bench_complaint complaint)
{
    if (options->schedule[0] == '\0') {
        return options->begin[0] == '\0' ||
               bench_wrong(complaint, "--begin is for schedules; give --schedule, too");
    }
    if (options->arrival.kind != BENCH_ARRIVAL_NONE || options->n_sizes > 0 || options->mode != 0 ||
        options->overlap) {
        return bench_wrong(complaint, "--schedule has sizes and times in its file; leave out "
                                      "--sizes, --mode, --overlap and arrival patterns");
    }
    options->pingpong = false;
    return true;
}

/** Checks what does not depend on the number of ranks, once all options are read. */
static bool finish(struct bench_options *options, struct bench_complaint complaint)
{
    const char *corrupt = getenv("PIPEBCAST_BENCH_CORRUPT");
    char default_sizes[] = "1K:1M";
    if (!finish_arrival(options, complaint) || !finish_schedule(options, complaint)) {
        return false;
    }
    options->mode = options->mode == 0 ? BENCH_LOOP | BENCH_SYNC : options->mode;
    options->root = options->root == BENCH_UNSET_ROOT ? 0 : options->root;
    if (!fits_overlap(options, complaint) || !fits_root_late(options, complaint)) {
        return false;
    }
    if (options->n_sizes == 0 && options->arrival.kind != BENCH_ARRIVAL_REPLAY &&
        !add_sizes_item(options, default_sizes, complaint)) {
        return false;
    }
    if (options->time_limit_s > 0 && options->warmup == 0) {
        return bench_wrong(complaint,
                           "--time-limit judges by the warm-up, and --warmup 0 leaves none; use "
                           "--warmup 1 or more");
    }
    for (int i = 0; i < options->n_sizes; i++) {
        if (!bench_options_size_fits(options, "--sizes", options->sizes[i], complaint.text,
                                     complaint.size)) {
            return false;
        }
    }
    return !corrupt || read_corrupt(options, corrupt, complaint);
}

enum bench_verdict bench_options_parse(int argc, char **argv, struct bench_options *options,
                                       char *error, size_t error_size)
{
    struct bench_complaint complaint = {error, error_size};
    set_defaults(options);
    const enum bench_verdict verdict =
        bench_read_options(argc, argv, long_options, take_option, options, complaint);
    if (verdict != BENCH_RUN) {
        return verdict;
    }
    return finish(options, complaint) ? BENCH_RUN : BENCH_WRONG;
}

bool bench_options_fit(const struct bench_options *options, int n_ranks, char *error,
                       size_t error_size)
{
    struct bench_complaint complaint = {error, error_size};
    const int *pair = options->pingpong_ranks;
    if (options->root >= n_ranks) {
        return bench_wrong(complaint, "--root: there is no rank %d among %d", options->root,
                           n_ranks);
    }
    if (options->corrupt.wanted && options->corrupt.rank >= n_ranks) {
        return bench_wrong(complaint, "PIPEBCAST_BENCH_CORRUPT: there is no rank %d among %d",
                           options->corrupt.rank, n_ranks);
    }
    if (options->arrival.kind != BENCH_ARRIVAL_NONE && n_ranks < 2) {
        return bench_wrong(complaint, "arrival patterns need at least two ranks");
    }
    if (!options->pingpong || pair[0] == BENCH_UNSET) {
        return true;
    }
    if (pair[0] >= n_ranks || pair[1] >= n_ranks) {
        return bench_wrong(complaint, "--pingpong: there is no rank %d among %d",
                           pair[0] >= n_ranks ? pair[0] : pair[1], n_ranks);
    }
    return pair[0] != pair[1] ||
           bench_wrong(complaint, "--pingpong: %d,%d is one rank, not two", pair[0], pair[1]);
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

void bench_options_help(FILE *out)
{
    fputs("\
Usage: mpirun ... pipebcast-bench [option ...]\n\
\n\
Measures MPI_Bcast on all ranks, beside T(M): the time in which one message of\n\
the same size goes from one rank to another (ping-pong / 2). No broadcast can\n\
be faster than T(M); a pipeline over contention-free trees comes near it.\n\
\n\
What to measure\n\
  --sizes LIST        message sizes in bytes: 64K,1M or ranges of doublings,\n\
                      1K:4M; K, M, G are powers of 1024     [1K:1M]\n\
  --root N|rotate     who sends: rank N, or rank i mod P in iteration i    [0]\n\
  --datatype TYPE     byte, int, double, vector (blocks with gaps), struct\n\
                      (fields with padding), mixed (ranks name the same data by\n\
                      different counts and datatypes)                   [byte]\n\
  --op OPERATION      bcast, ibcast (started, then waited for), or bcast_init\n\
                      (persistent: initialised once, started for each)  [bcast]\n\
\n\
How to measure\n\
  --mode MODE         loop: barrier, then iterations of broadcast and barrier;\n\
                        total time / iterations, the barrier included\n\
                      sync: all ranks start at an agreed moment; an iteration\n\
                        takes until its last rank is done\n\
                      both                                              [both]\n\
  --overlap           after mode sync: how much of a nonblocking broadcast is\n\
                      hidden behind a computation as long as the broadcast alone\n\
                      took, which calls MPI_Test now and then\n\
  --root-late US      in mode loop the root sleeps before each broadcast but the\n\
                      run's first: when it begins, all others wait in it, for\n\
                      counts of what they do then                 [not at all]\n\
  --test-every US     microseconds of the computation between these    [1000]\n\
  --compute HOW       spin: it uses the CPU; sleep: it does not, for emulated\n\
                      clusters, whose hosts share few cores              [spin]\n\
  --iterations N      measured iterations of each mode                    [20]\n\
  --warmup N          broadcasts before them      [3 to 20, more for small sizes]\n\
  --time-limit S      at most about S seconds for a size: fewer iterations, but\n\
                      at least one broadcast; such results are marked with *\n\
                                                                     [no limit]\n\
  --pingpong A,B      ranks that measure T(M)\n\
                           [rank 0 and the first rank on another host, or rank 1]\n\
  --no-pingpong       do not measure T(M)\n\
  --schedule FILE     no sizes and modes: each broadcast once, at its time. A line\n\
                      SECONDS BYTES for each: so long after the first one, or\n\
                      when the one before is over\n\
  --begin COMMAND     rank 0 runs this when all are ready for a schedule\n\
  --clock WHICH       estimate: how the hosts' clocks differ is measured from\n\
                        rank 0, again every second\n\
                      shared: all ranks read one clock (one host, also as an\n\
                        emulated cluster)                           [estimate]\n\
  --check             verify every byte on every rank after every broadcast\n\
                      (a pattern that never repeats); also that gaps in the\n\
                      datatype stay untouched. In mode loop a second barrier,\n\
                      not timed, then precedes each broadcast.\n\
\n",
          out);
    bench_arrival_options_help(out);
    fputs("\
\n\
How to print\n\
  --csv, --json       in place of the table; times in microseconds\n\
  --label TEXT        a name for this run\n\
  --help, --version\n\
\n\
Columns: T(M); of mode loop the time and its ratio to T(M); of mode sync the\n\
median, least and greatest time, and the median's ratio. Quote the median.\n\
Overlap: 100 % less the time in which the slowest rank neither computed nor was\n\
through, as a share of what the broadcast alone takes; medians of both.\n\
Of arrival patterns: average and worst-case time that a rank spends in the\n\
broadcast; of the average what passed before the root came; average and\n\
worst-case imbalance of the arrivals over T(M); OPT, below which no algorithm's\n\
average time can be for these very arrivals if a sender waits for its receiver\n\
(blocking) and if data may wait for it (nonblocking); the average time over each,\n\
which is the competitive ratio, and, net, both less the waiting for the root.\n\
\n\
Exit status: 0 done, 1 wrong bytes, no memory or a file that cannot be used, 2\n\
wrong options.\n\
\n\
Examples\n\
  mpirun -np 32 --map-by node pipebcast-bench --sizes 64K:1M --check\n\
  mpirun -np 32 --mca coll pipebcast,tuned pipebcast-bench --sizes 1M --json\n\
  mpirun -np 16 pipebcast-bench --sizes 256K --arrival random --max-if 4,16,64\n",
          out);
}
