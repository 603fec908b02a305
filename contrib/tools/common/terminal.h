/* Whether a person watches. */
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

#endif
