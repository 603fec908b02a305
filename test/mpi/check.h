/*
 * Functions that the MPI test programs share: begin and end, counting errors, a pattern of bytes,
 * and broadcasts of it by every MPI function. Every rank counts; rank 0 prints.
 */
#ifndef PB_TEST_MPI_CHECK_H
#define PB_TEST_MPI_CHECK_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

/** This process in MPI_COMM_WORLD, and the size of that. */
extern int my_rank, n_ranks;

/** MPI_Init. */
void check_begin(int *argc_p, char ***argv_p);

/** For MPI_THREAD_MULTIPLE. Without it prints "SKIP name ..." and ends the program. */
void check_begin_threads(const char *name, int *argc_p, char ***argv_p);

/**
 * Collective over MPI_COMM_WORLD: rank 0 prints "PASS name: N checks" or "FAIL
 * ..."; finalizes MPI. Returns main's exit status.
 */
int check_done(const char *name);

/** The program's argument `i` as a number; `otherwise` if there are fewer. */
long argument(int argc, char **argv, int i, long otherwise);

/** Notes on this rank that something is wrong if it is; the first few are printed to stderr. */
void check(bool right, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Wrong things that this rank has noted. */
int check_wrong(void);

/** Fills `bytes` with the pattern of `seed`. */
void pattern_fill(void *memory, size_t bytes, unsigned seed);

/** Tells whether they hold it. */
bool pattern_is(const void *memory, size_t bytes, unsigned seed);

/** The functions of MPI for a broadcast; those with large counts are there from Open MPI 6.0 on. */
typedef enum {
    BLOCKING,
    NONBLOCKING,
    PERSISTENT,
#if OMPI_MAJOR_VERSION >= 6
    BLOCKING_C,
    NONBLOCKING_C,
    PERSISTENT_C,
#endif
    N_WAYS
} way_t;

/** Begins a broadcast. A blocking one has ended then; a persistent one is yet to be started. */
int bcast_begin(way_t way, void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                MPI_Request *request_p);

/** Ends it, after a start of a persistent one, which is given back. */
int bcast_end(way_t way, MPI_Request *request_p);

/** A whole broadcast. */
int bcast(way_t way, void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);

/** A broadcast of a pattern, in memory of its own. */
typedef struct pending {
    unsigned char *buffer; /**< with a byte on each side that may not be written */
    size_t bytes;
    unsigned seed;
    bool is_root;
} pending_t;

/** The root's memory has the pattern of `seed`, the other ranks' has another one. */
pending_t pending_make(size_t bytes, int root, MPI_Comm comm, unsigned seed);

/** The same memory for another broadcast. */
void pending_fill(pending_t *pending, unsigned seed);

/** Begins a broadcast of it, see bcast_begin(). */
pending_t pending_begin(way_t way, size_t bytes, int root, MPI_Comm comm, unsigned seed,
                        MPI_Request *request_p);

bool pending_is_right(const pending_t *pending);

/** Notes if a broadcast that has ended is wrong; gives its memory back. */
void pending_end(pending_t *pending, const char *where);

/** A whole broadcast, checked. Whether it is right. */
bool check_bcast(way_t way, size_t bytes, int root, MPI_Comm comm, unsigned seed,
                 const char *where);

/** One broadcast from each rank of `comm`. */
void check_bcast_of_all(size_t bytes, MPI_Comm comm, const char *where);

/** Spawns n processes, which are not bound: 6.0 refuses to bind more than there are cores. */
MPI_Comm check_spawn(const char *program, int n, MPI_Comm comm);

/**
 * Broadcasts of two groups that have met, between them and from each rank of both. Ends `inter`;
 * returns the merged communicator.
 */
MPI_Comm check_meet(MPI_Comm inter, bool is_new, const char *what);

/**
 * Ends a merged communicator when all its messages have arrived. With two of them, 4.1's
 * MPI_Finalize would send to processes that have gone, without waiting.
 */
void check_part(MPI_Comm *comm);

/**
 * The user's own messages: each rank of `comm` sends one to the rank `distance` after it, and
 * checks the one that it gets. `number` tells messages apart.
 */
void check_ring(MPI_Comm comm, int distance, unsigned number);

/** A number from 0 to n - 1. The state may be alike on all ranks, or each rank's own. */
int draw(uint64_t *state, int n);

/** Stays away from MPI for some microseconds. */
void wait_us(long us);

/** Kills this process after some microseconds, whatever it does then. */
void kill_soon(long us);

/** malloc of at least one byte, or abort. */
void *must_malloc(size_t bytes);

/** A function of a library before the C library (LD_PRELOAD); ends the program if it is not there.
 */
void *preloaded(const char *name);

/** The most of any rank, at rank 0. Collective. */
long most_of(long value);

/** Bytes that the process has from malloc now. */
long memory_in_use(void);

#endif
