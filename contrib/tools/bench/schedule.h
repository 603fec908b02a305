/*
 * Broadcasts of given sizes at given times, each once, as a program makes them: for networks that
 * change meanwhile.
 */
#ifndef BENCH_SCHEDULE_H
#define BENCH_SCHEDULE_H

#include "measure.h"
#include "output.h"

/** Runs the schedule that the options name, and prints each broadcast as CSV. Collective. */
void bench_schedule_run(struct bench_run *run, struct bench_output *output);

#endif
