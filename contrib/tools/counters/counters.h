/* The component's counters in this process, read through MPI_T. */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <mpi.h>
#include <stdbool.h>

struct bench_counter {
    char name[128];
    char help[512];
    MPI_T_pvar_handle handle;
};

struct bench_counters {
    MPI_T_pvar_session session;
    struct bench_counter *list; /**< in the order in which Open MPI knows them */
    int n;                      /**< 0: Open MPI has not found the component */
};

/**
 * Initialises MPI_T and finds every counter named coll_pipebcast_*. They count from
 * here on. False, with nothing to give back, if MPI_T fails or out of memory.
 */
bool bench_counters_open(struct bench_counters *counters);

/** Reads all into values[counters->n]. False if MPI_T fails. */
bool bench_counters_read(const struct bench_counters *counters, unsigned long long *values);

/**
 * Gives everything back and finalises MPI_T. To be called before MPI_Finalize: in Open MPI 4.1
 * MPI_T must not be finalised after it.
 */
void bench_counters_close(struct bench_counters *counters);

#endif
