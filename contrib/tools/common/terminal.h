/* Whether a person watches, and whether a launcher started this process. */
#ifndef COMMON_TERMINAL_H
#define COMMON_TERMINAL_H

#include <stdbool.h>

/**
 * Whether what is written to this process's descriptor 1 or 2 comes to a terminal. Under a
 * launcher, which copies its ranks' output to its own, that one counts: it may give a rank a
 * terminal of its own making, or a pipe. A rank whose launcher is on another host does not know, so
 * the answer is no there.
 */
bool common_on_terminal(int descriptor);

/** Whether this process is rank 0 of a job, or belongs to none. Known before MPI_Init. */
bool common_is_first_rank(void);

/** Whether a launcher has started this process. */
bool common_is_rank(void);

#endif
