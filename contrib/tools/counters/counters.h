/* The component's counters in this process, read through MPI_T. */
#ifndef COUNTERS_COUNTERS_H
#define COUNTERS_COUNTERS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

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

/** Initializes MPI_T and finds every counter named coll_pipebcast_*. They count from here on.
 * False, with nothing to give back, if MPI_T fails or out of memory. */
bool bench_counters_open(struct bench_counters *counters);

/** Reads all into values[counters->n]. False if MPI_T fails. */
bool bench_counters_read(const struct bench_counters *counters, unsigned long long *values);

/**
 * Finds how most broadcasts between two readings were served: "twotree", or "fallback_faster" where
 * the fallback component served. Empty: none was counted.
 */
void bench_counters_served(const struct bench_counters *counters, const unsigned long long *before,
                           const unsigned long long *after, char *how, size_t size);

/**
 * Gives everything back and finalises MPI_T. To be called before MPI_Finalize: in Open MPI 4.1
 * MPI_T must not be finalised after it.
 */
void bench_counters_close(struct bench_counters *counters);

#endif
