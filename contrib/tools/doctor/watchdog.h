/*
 * A bound on each step that may wait for other ranks. A thread of its own ends the process if a
 * step takes too long; it calls no function of MPI.
 */
#ifndef DOCTOR_WATCHDOG_H
#define DOCTOR_WATCHDOG_H

#include <stdbool.h>

/** Called by the watchdog's thread, before it ends the process with status 1. */
typedef void doctor_late_fn_t(void *context, const char *step, double seconds);

/** Starts the thread; false if that fails. `late` and the context are borrowed. */
bool doctor_watchdog_start(doctor_late_fn_t *late, void *context);

/** Begins a step, which may take `seconds`. The name is borrowed. */
void doctor_watchdog_step(const char *step, double seconds);

/** Ends the thread. */
void doctor_watchdog_stop(void);

#endif
