#include "check.h"

#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/** Wrong things that a rank prints. */
#define MAX_PRINTED 5

/* Threads may check at the same time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long n_checks, n_wrong;

void check(bool right, const char *format, ...)
{
    pthread_mutex_lock(&lock);
    n_checks++;
    n_wrong += !right;
    if (!right && n_wrong <= MAX_PRINTED) {
        char text[300];
        int rank;
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof(text), format, args);
        va_end(args);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        fprintf(stderr, "WRONG on rank %d: %s\n", rank, text);
    }
    pthread_mutex_unlock(&lock);
}

int check_wrong(void)
{
    return (int) n_wrong;
}

static unsigned char pattern_byte(size_t at, unsigned seed)
{
    return (unsigned char) (((at + 1) * 2654435761u + seed * 40503u) >> 11);
}

void pattern_fill(void *memory, size_t bytes, unsigned seed)
{
    unsigned char *to = memory;
    for (size_t i = 0; i < bytes; i++) {
        to[i] = pattern_byte(i, seed);
    }
}

bool pattern_is(const void *memory, size_t bytes, unsigned seed)
{
    const unsigned char *from = memory;
    for (size_t i = 0; i < bytes; i++) {
        if (from[i] != pattern_byte(i, seed)) {
            return false;
        }
    }
    return true;
}

bool bcast_is_right(void *memory, int bytes, int root, MPI_Comm comm, unsigned seed)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    pattern_fill(memory, (size_t) bytes, rank == root ? seed : seed + 1);
    MPI_Bcast(memory, bytes, MPI_BYTE, root, comm);
    return pattern_is(memory, (size_t) bytes, seed);
}

void check_ring(MPI_Comm comm, int distance, unsigned number)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const int to = (rank + distance) % size, from = (rank + size - distance) % size;
    const unsigned sent = number * (unsigned) size + (unsigned) rank;
    const unsigned wanted = number * (unsigned) size + (unsigned) from;
    unsigned got = wanted + 1;
    MPI_Sendrecv(&sent, 1, MPI_UNSIGNED, to, 5, &got, 1, MPI_UNSIGNED, from, 5, comm,
                 MPI_STATUS_IGNORE);
    check(got == wanted, "message %u from rank %d is %u", wanted, from, got);
}

void wait_us(long us)
{
    const struct timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

void *must_malloc(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (memory == NULL) {
        fprintf(stderr, "out of memory\n");
        abort();
    }
    return memory;
}

long memory_in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (long) (info.uordblks + info.hblkhd);
}

int check_done(const char *name)
{
    long own[2] = {n_checks, n_wrong}, all[2] = {0, 0};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(own, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s %s: %ld checks, %ld wrong\n", all[1] == 0 && all[0] > 0 ? "PASS" : "FAIL", name,
               all[0], all[1]);
        fflush(stdout);
    }
    MPI_Finalize();
    return all[1] == 0 && all[0] > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
