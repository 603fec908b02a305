/* The service: looks, finds trees, and hands them on. */
#ifndef ADVISE_ADVISOR_H
#define ADVISE_ADVISOR_H

#include <signal.h>

#include "options.h"

/** Serves until *stop is set, or once. Yields the program's exit status. */
int advisor_serve(const struct advisor_options *options, const volatile sig_atomic_t *stop);

#endif
