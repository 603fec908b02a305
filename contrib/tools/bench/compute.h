/*
 * What a program does while a nonblocking broadcast is under way: it computes, and calls MPI_Test
 * now and then.
 */
#ifndef BENCH_COMPUTE_H
#define BENCH_COMPUTE_H

#include <mpi.h>
#include <stdint.h>

/** How a computation passes its time. */
enum bench_compute {
    BENCH_COMPUTE_SPIN,  /**< it uses this rank's CPU */
    BENCH_COMPUTE_SLEEP, /**< it leaves the CPU to others: for emulated clusters, whose hosts are
                              many on few cores, while each would have a CPU of its own */
};

/**
 * Computes for `ns` nanoseconds in pieces of about `piece_ns`, and tests the request between them
 * until it has ended. Yields the time really computed, the tests' time not included.
 */
int64_t bench_compute(enum bench_compute how, int64_t ns, int64_t piece_ns, MPI_Request *request);

/** Sleeps so long; nothing is tested meanwhile. */
void bench_sleep(int64_t ns);

#endif
