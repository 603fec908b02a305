/* Options of pipebcast-tune. */
#ifndef TUNE_OPTIONS_H
#define TUNE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/tools/common/options.h"
#include "contrib/tools/common/progress.h"

enum { TUNE_MAX_SIZES = 48, TUNE_MAX_TEXT = 4096 };

struct tune_options {
    char topology[TUNE_MAX_TEXT]; /**< empty: all hosts on one switch */
    char topology_name[TUNE_MAX_TEXT];
    char output[TUNE_MAX_TEXT]; /**< never empty after tune_options_read() */
    char hosts[TUNE_MAX_TEXT]; /**< names for the ranks in turn, for trials; empty: the true ones */
    char discover[TUNE_MAX_TEXT]; /**< the topology that is found goes there; empty: none */
    bool verify;                  /**< measure whether the topology is true */
    int flows;   /**< of these two: flows at a time, at most; 0: one from each host */
    double load; /**< share of the time in which these two send, at most */
    bool install;
    bool quiet;                  /**< print nothing but errors */
    common_progress_t *progress; /**< borrowed; shown on the first rank's terminal, unless quiet */
    double time_limit_s;
    double precision;    /**< half width of the confidence interval, as a share of the mean */
    common_list_t asked; /**< the sizes of the command line */
    uint64_t sizes[TUNE_MAX_SIZES]; /**< ascending */
    int n_sizes;                    /**< 0: chosen by the network's payload */
};

/** Reads the command line; a wrong one ends the program. */
void tune_options_read(int argc, char **argv, struct tune_options *options);

#endif
