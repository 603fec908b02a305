/* A line on a terminal: how far trials are. */
#ifndef TUNE_PROGRESS_H
#define TUNE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tune_progress {
    bool shown; /**< standard error is a terminal, and it is wanted */
    int64_t begin_ns;
    int64_t reported_ns;
} tune_progress_t;

void tune_progress_begin(tune_progress_t *progress, bool quiet);

/** As pb_discover_progress_t; the context is a tune_progress_t. */
void tune_progress_report(void *context, int64_t n_trials, int64_t n_left);

/** Leaves an empty line to what follows. */
void tune_progress_end(tune_progress_t *progress);

#endif
