/* The command line of pipebcast bench. */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "arrival_pattern.h"
#include "contrib/tools/common/options.h"

enum {
    BENCH_MAX_TEXT = 1024,
    BENCH_ROOT_ROTATE = -1, /**< as root: iteration i is sent by rank i mod the number of ranks */
    BENCH_UNSET = -1,       /**< no value given: the program chooses */
};

enum bench_format {
    BENCH_TEXT,
    BENCH_CSV,
    BENCH_JSON,
    BENCH_OSU, /**< the columns of osu_bcast */
    BENCH_IMB, /**< those of IMB-MPI1 Bcast */
};

/** Bits: which of the two ways of measuring to use. */
enum bench_mode { BENCH_LOOP = 1, BENCH_SYNC = 2 };

struct bench_options {
    common_list_t sizes; /**< bytes of a message */
    int iterations;
    int warmup;          /**< BENCH_UNSET: by message size, see bench_warmup_of() */
    double time_limit_s; /**< for each size; 0: none */
    int root;            /**< a rank, or BENCH_ROOT_ROTATE */
    char root_host[256]; /**< empty: `root` counts; else the root is this host's first rank */
    enum bench_format format;
    int mode;             /**< bits of enum bench_mode; not used with arrival patterns */
    int op;               /**< index into the table of operations, see op.h */
    int64_t root_late_ns; /**< of mode loop: the root sleeps so long before each broadcast */
    bool check;
    bool pingpong;
    bool shared_clock;
    int pingpong_ranks[2]; /**< BENCH_UNSET: rank 0 and the first rank on another host */
    char label[BENCH_MAX_TEXT];
    enum bench_arrival_kind arrival;
    common_list_t max_ifs;    /**< MAX_IF; empty: the number of ranks */
    common_list_t late_ranks; /**< of pattern late; empty: 20 % of the receivers */
    int patterns;
    long long seed;
    char schedule[BENCH_MAX_TEXT]; /**< empty: none */
    char begin[BENCH_MAX_TEXT];    /**< a command that rank 0 runs before a schedule */
};

/** Reads the command line; a wrong one ends the program. */
void bench_options_read(int argc, char **argv, struct bench_options *options);

/** The reason why the options do not fit n_ranks; NULL: they do. */
const char *bench_options_misfit(const struct bench_options *options, int n_ranks);

/**
 * Warm-up broadcasts for messages of some bytes, where the user gave no number: 3 to 20. They are
 * enough that 256 KB go over every connection, which opens TCP's congestion window.
 */
int bench_warmup_of(const struct bench_options *options, long long bytes);

#endif
