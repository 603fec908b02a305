/*
 * Measuring broadcasts at which ranks arrive at different times. Source: P. Patarasuk and X. Yuan,
 * "Efficient MPI_Bcast across Different Process Arrival Patterns", section 5.
 */
#ifndef BENCH_ARRIVAL_H
#define BENCH_ARRIVAL_H

#include "measure.h"
#include "output.h"

/** Measures each size, MAX_IF and pattern of the options; prints a row of CSV each. Collective. */
void bench_arrival_run(struct bench_run *run, struct bench_output *output);

#endif
