/* Work that pipebcast has done on this rank, by its counters. */
#ifndef PB_TEST_MPI_SERVED_H
#define PB_TEST_MPI_SERVED_H

#include "contrib/tools/counters/counters.h"

/** Begins to count; aborts the job where Open MPI has not found pipebcast. */
void served_open(struct bench_counters *counters);

/**
 * Broadcasts since then that went by an algorithm of pipebcast, and not to the
 * component before it. Notes with check() that something is wrong if they cannot be read.
 */
unsigned long long served_so_far(const struct bench_counters *counters);

/** The value now of the counter of this name. Notes with check() if there is none. */
unsigned long long counter_value(const struct bench_counters *counters, const char *name);

#endif
