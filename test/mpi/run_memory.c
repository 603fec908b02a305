/*
 * The memory of a process.
 *
 * Usage: run_memory each COMMUNICATORS BYTES
 *        run_memory growth COMMUNICATORS BROADCASTS
 *        run_memory late BYTES MILLISECONDS BYTES_ALLOWED [BROADCASTS]
 *
 * each: what is kept for each communicator, as it is made, and after it has broadcast
 * twice; prints the most of any rank. growth: none with communicators that
 * come and go, and broadcasts of many sizes from all roots, whose roles exceed the cache. late: a
 * rank comes long after the others and is busy in MPI elsewhere, so that it takes in messages;
 * every rank's are bounded.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "test/must.h"

#define MAX_BYTES 20000

/** Bytes in use for each of n, compared with an earlier number; the most of any rank. */
static long grown_by(long before, int n)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return most_of((memory_in_use() - before) / n);
}

/** The second one of a communicator opens no connection, and may be watched. */
static void broadcast_twice(MPI_Comm comm, size_t bytes, int root)
{
    check_bcast(BLOCKING, bytes, root, comm, 0, "the first one");
    check_bcast(BLOCKING, bytes, root, comm, 1, "the second one");
}

static void test_each(int n, size_t bytes)
{
    MPI_Comm *comms = must_malloc((size_t) n * sizeof(MPI_Comm));
    broadcast_twice(MPI_COMM_WORLD, bytes, 0);
    long before = memory_in_use();
    for (int i = 0; i < n; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    }
    const long made = grown_by(before, n);
    before = memory_in_use();
    for (int i = 0; i < n; i++) {
        broadcast_twice(comms[i], bytes, 0);
    }
    const long served = grown_by(before, n);
    if (my_rank == 0) {
        printf("each of %d communicators: made %ld served %ld\n", n, made, served);
    }
    for (int i = 0; i < n; i++) {
        MPI_Comm_free(&comms[i]);
    }
    free(comms);
}

static void live_and_die(int i)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_bcast(BLOCKING, 1000, i % n_ranks, comm, (unsigned) i, "a short life");
    MPI_Comm_free(&comm);
}

static void broadcast_in_world(int i)
{
    check_bcast(BLOCKING, 64 + (size_t) (i * 7919 % (MAX_BYTES - 64)), i / 3 % n_ranks,
                MPI_COMM_WORLD, (unsigned) i, "many sizes");
}

static int compare_longs(const void *a, const void *b)
{
    const long x = *(const long *) a, y = *(const long *) b;
    return (x > y) - (x < y);
}

/**
 * Does something n times, and looks at what is in use after every tenth of them. What leaks grows
 * in each tenth, by at least malloc's smallest block (32 bytes) each time. Open MPI's free lists
 * grow, too, by 64 and more elements, whenever more messages than ever came early; but not in most
 * of the tenths. So the median of the nine differences tells them apart.
 */
static void test_growth(void (*something)(int i), int n, const char *what)
{
    enum { PARTS = 10 };
    const int part = n / PARTS;
    long grown[PARTS], before = 0;
    for (int p = 0; p < PARTS; p++) {
        for (int i = 0; i < part; i++) {
            something(p * part + i);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        const long now = memory_in_use();
        grown[p] = now - before;
        before = now;
    }
    qsort(grown + 1, PARTS - 1, sizeof(*grown), compare_longs);
    const long median = grown[PARTS / 2], most = most_of(median);
    check(median < 16L * part || n == 0,
          "%d %s: %ld bytes more in use after %d of them, as a median", n, what, median, part);
    if (my_rank == 0 && n > 0) {
        printf("%d %s: %ld bytes more in use after a tenth of them, as a median\n", n, what, most);
    }
}

/** The most that this process had from malloc since the watch began; another thread looks. */
typedef struct watch {
    pthread_t thread;
    atomic_bool ends;
    long most;
} watch_t;

static void *look(void *context)
{
    watch_t *watch = context;
    while (!watch->ends) {
        const long now = memory_in_use();
        watch->most = now > watch->most ? now : watch->most;
        wait_us(5000);
    }
    return NULL;
}

/** Makes progress of everything, but does not come to the broadcast. */
static void be_late(MPI_Comm elsewhere, double seconds)
{
    const double start = MPI_Wtime();
    while (MPI_Wtime() - start < seconds) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, elsewhere, &flag, MPI_STATUS_IGNORE);
        wait_us(1000);
    }
}

static void test_late(int bytes, double seconds, long allowed, int n)
{
    const bool is_late = my_rank == 1;
    MPI_Comm elsewhere;
    watch_t watch = {.most = 0};
    unsigned char *buffer = must_malloc((size_t) bytes);
    MPI_Comm_dup(MPI_COMM_WORLD, &elsewhere);
    for (int i = 0; i < 4; i++) { /* connections and pools are made */
        MPI_Bcast(buffer, bytes / 16, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    pattern_fill(buffer, (size_t) bytes, my_rank == 0 ? 1 : 2);
    MPI_Barrier(MPI_COMM_WORLD);

    const long before = memory_in_use();
    must(pthread_create(&watch.thread, NULL, look, &watch) == 0);
    if (is_late) {
        be_late(elsewhere, seconds);
    }
    for (int i = 0; i < n; i++) {
        MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    watch.ends = true;
    pthread_join(watch.thread, NULL);
    const long more = watch.most - before;
    check(pattern_is(buffer, (size_t) bytes, 1), "the bytes");
    check(more <= allowed, "%ld bytes more in use for a time, %ld are allowed", more, allowed);
    const long most_late = most_of(is_late ? more : 0), most_other = most_of(is_late ? 0 : more);
    if (my_rank == 0) {
        printf("a message of %d bytes, %d times: at most %ld bytes more in use at the late rank, "
               "%ld at the others\n",
               bytes, n, most_late, most_other);
    }
    MPI_Comm_free(&elsewhere);
    free(buffer);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    const char *what = argc > 3 ? argv[1] : "";
    const int first = (int) argument(argc, argv, 2, 0), second = (int) argument(argc, argv, 3, 0);
    if (strcmp(what, "each") == 0) {
        test_each(first, (size_t) second);
    } else if (strcmp(what, "growth") == 0) {
        test_growth(live_and_die, first, "communicators");
        test_growth(broadcast_in_world, second, "broadcasts");
    } else {
        test_late(first, second / 1e3, argument(argc, argv, 4, 0),
                  (int) argument(argc, argv, 5, 1));
    }
    return check_done("run_memory");
}
