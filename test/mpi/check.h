/*
 * What the MPI test programs share: counting what is wrong, a pattern of
 * bytes, and the end of a program. Every rank counts; rank 0 prints.
 */
#ifndef PB_TEST_MPI_CHECK_H
#define PB_TEST_MPI_CHECK_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/** Notes on this rank that something is wrong if it is; the first few are printed to stderr. */
void check(bool right, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Wrong things that this rank has noted. */
int check_wrong(void);

/** Fills `bytes` with the pattern of `seed`. */
void pattern_fill(void *memory, size_t bytes, unsigned seed);

/** Whether they hold it. */
bool pattern_is(const void *memory, size_t bytes, unsigned seed);

/**
 * A blocking broadcast of the pattern of `seed`, into memory that holds another one elsewhere:
 * whether this rank has it then.
 */
bool bcast_is_right(void *memory, int bytes, int root, MPI_Comm comm, unsigned seed);

/**
 * The user's own messages: each rank of `comm` sends one to the rank `distance` after it, and
 * checks the one that it gets. `number` tells messages apart.
 */
void check_ring(MPI_Comm comm, int distance, unsigned number);

/** Stays away from MPI for so many microseconds. */
void wait_us(long us);

/** malloc of at least one byte, or abort. */
void *must_malloc(size_t bytes);

/** Bytes that the process has from malloc now. */
long memory_in_use(void);

/**
 * Collective over MPI_COMM_WORLD: rank 0 prints "PASS name: N checks" or "FAIL
 * ..."; finalizes MPI. Returns main's exit status.
 */
int check_done(const char *name);

#endif
