/*
 * A line on standard error that shows the progress of a run and the time that is left. It is shown
 * only on a terminal, and only of a run that takes longer than two seconds.
 */
#ifndef COMMON_PROGRESS_H
#define COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct common_progress {
    bool shown;    /**< standard error is a terminal, and it is wanted */
    bool is_there; /**< the line */
    int64_t begin_ns;
    int64_t reported_ns;
} common_progress_t;

/** `wanted` as --quiet has it. */
void common_progress_begin(common_progress_t *progress, bool wanted);

/** Reports the part, 0 to 1, of the run that is done. Prints a few times a second at most. */
void common_progress_report(common_progress_t *progress, double done);

/** Takes the line away. What is printed must not come before, as it would stand behind the line. */
void common_progress_end(common_progress_t *progress);

#endif
