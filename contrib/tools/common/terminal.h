/* Terminals and launchers of this process. */
#ifndef COMMON_TERMINAL_H
#define COMMON_TERMINAL_H

#include <stdbool.h>

/**
 * Tells whether output to this process's descriptor 1 or 2 reaches a terminal. A launcher copies
 * its ranks' output to its own, so the launcher's counts. It may give a rank a terminal of its own
 * making, or a pipe. False if the launcher is on another host.
 */
bool common_on_terminal(int descriptor);

/** Tells whether this process is rank 0 of a job, or belongs to none. Known before MPI_Init. */
bool common_is_first_rank(void);

/** Tells whether a launcher has started this process. */
bool common_is_rank(void);

/** Reports how a command is started in a job, and ends the program, if no launcher has. */
void common_require_job(const char *command);

#endif
