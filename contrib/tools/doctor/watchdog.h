/*
 * A bound on each step that may wait for other ranks. A timer of the C library ends the process if
 * a step takes too long; its thread calls no function of MPI.
 */
#ifndef DOCTOR_WATCHDOG_H
#define DOCTOR_WATCHDOG_H

#include <stdbool.h>

/** Called by the timer's thread, before it ends the process with status 1. */
typedef void doctor_late_fn_t(void *context, const char *step, double seconds);

/** Makes the timer; false if that fails. `late` and the context are borrowed. */
bool doctor_watchdog_start(doctor_late_fn_t *late, void *context);

/** Begins a step, which may take `seconds`. The name is borrowed. */
void doctor_watchdog_step(const char *step, double seconds);

/** Removes the timer. */
void doctor_watchdog_stop(void);

#endif
