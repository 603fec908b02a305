/*
 * What a person asks of the benchmark. Rank 0 reads the command line and hands this struct to the
 * others as bytes, so it holds no pointer.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute.h"
#include "contrib/tools/common/options.h"
#include "options_arrival.h"

enum {
    BENCH_MAX_LABEL = 128,
    BENCH_ROOT_ROTATE = -1, /**< as root: iteration i is sent by rank i mod the number of ranks */
    BENCH_UNSET = -1,       /**< no value given: the program chooses */
    BENCH_UNSET_ROOT = -2,  /**< likewise, while options are read */
};

enum bench_format {
    BENCH_TEXT,
    BENCH_CSV,
    BENCH_JSON,
    BENCH_OSU,      /**< the columns of osu_bcast */
    BENCH_OSU_FULL, /**< those of osu_bcast -f */
    BENCH_IMB,      /**< those of IMB-MPI1 Bcast */
};

/** Bits: which of the two ways of measuring to use. */
enum bench_mode { BENCH_LOOP = 1, BENCH_SYNC = 2 };

enum bench_datatype {
    BENCH_BYTE,
    BENCH_INT,
    BENCH_DOUBLE,
    BENCH_VECTOR,
    BENCH_STRUCT,
    BENCH_MIXED,
    BENCH_N_DATATYPES
};

/**
 * The byte that a test wants flipped on one rank after one broadcast, to see that --check finds
 * it. From PIPEBCAST_BENCH_CORRUPT=BROADCAST,RANK,OFFSET: the number of the broadcast counted from
 * 0 over the whole run, warm-up included; the rank; the offset in the packed message.
 */
struct bench_corrupt {
    bool wanted;
    long long broadcast;
    int rank;
    long long offset;
};

struct bench_options {
    common_list_t sizes; /**< packed bytes of a message */
    int iterations;
    int warmup;          /**< BENCH_UNSET: by message size, see bench_warmup_of() */
    double time_limit_s; /**< for each size; 0 is none */
    int root;            /**< a rank of each group, or BENCH_ROOT_ROTATE */
    int group_ranks;     /**< of each of the groups that broadcast at once; 0: one group, of all */
    bool strided;        /**< a group's ranks are as many apart as there are groups */
    enum bench_datatype datatype;
    enum bench_format format;
    int mode; /**< bits of enum bench_mode; not used with arrival patterns */
    int op;   /**< index into the table of operations, see op.h */
    bool overlap;
    enum bench_compute compute; /**< how, for the overlap */
    int64_t test_every_ns;      /**< of a computation, between two calls of MPI_Test */
    int64_t root_late_ns;       /**< of mode loop: the root sleeps so long before each broadcast */
    bool check;
    bool pingpong;
    bool shared_clock;
    int pingpong_ranks[2]; /**< BENCH_UNSET: rank 0 and the first rank on another host */
    char label[BENCH_MAX_LABEL];
    struct bench_corrupt corrupt;
    struct bench_arrival_options arrival;
    char schedule[BENCH_MAX_PATH]; /**< empty: none */
    char begin[BENCH_MAX_PATH];    /**< a command that rank 0 runs before a schedule; empty: none */
};

extern const common_command_t bench_command;

/**
 * Reads a command line and PIPEBCAST_BENCH_CORRUPT. COMMON_WRONG leaves a message for the user in
 * error: the fault and a correct example.
 */
common_verdict_t bench_options_parse(int argc, char **argv, struct bench_options *options,
                                     char *error, size_t error_size);

/** Checks what depends on the number of ranks. Yields false and a message if it does not fit. */
bool bench_options_fit(const struct bench_options *options, int n_ranks, char *error,
                       size_t error_size);

/**
 * Whether messages of so many bytes can be made of the datatype. Yields false and a message, which
 * begins with where (an option's or a file's name), if not.
 */
bool bench_options_size_fits(const struct bench_options *options, const char *where,
                             long long bytes, char *error, size_t error_size);

/** "byte", "int", ... as --datatype takes them. */
const char *bench_datatype_name(enum bench_datatype datatype);

/**
 * Warm-up broadcasts for messages of some bytes, where the user gave no number: at least 3, and
 * enough that 256 KB went down every connection, which opens TCP's congestion window; at most 20.
 */
int bench_warmup_of(const struct bench_options *options, long long bytes);

#endif
