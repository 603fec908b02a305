/*
 * What a person asks of pipebcast-probe. Rank 0 reads the command line and hands this struct to
 * the others as bytes, so it holds no pointer.
 */
#ifndef ADVISE_PROBE_OPTIONS_H
#define ADVISE_PROBE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "contrib/tools/common/options.h"

enum { PROBE_MAX_TEXT = 4096 };

struct probe_options {
    char topology[PROBE_MAX_TEXT]; /**< empty: all hosts on one switch */
    char output[PROBE_MAX_TEXT];   /**< never empty */
    char hosts[PROBE_MAX_TEXT];    /**< for trials: names for the ranks in turn; empty: true ones */
    double every_s;                /**< from the beginning of a round to that of the next */
    int rounds;                    /**< 0: until it is ended */
    int64_t train;                 /**< bytes whose time gives a bandwidth */
    bool quiet;
};

/** Reads a command line. BENCH_WRONG leaves in error what is wrong and what would be right. */
enum bench_verdict probe_options_parse(int argc, char **argv, struct probe_options *options,
                                       char *error, size_t error_size);

void probe_options_help(FILE *stream);

#endif
