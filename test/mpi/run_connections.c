/*
 * Broadcasts from changing roots, and the connections that they need.
 * Usage: run_connections BROADCASTS BYTES MOST [mixed | nonblocking | one_root]
 * Every rank checks that pipebcast counts at most MOST neighbours of it, and that broadcasts have
 * opened no more sockets than these and those of the agreement's allreduce. 0: it checks neither.
 * mixed: nonblocking and persistent ones among them, the first before the ranks have agreed.
 * nonblocking: all are, so that the fallback component cannot have any of them.
 * one_root: the root does not change, and prints the sockets that it has opened itself.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "served.h"

#if OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Bcast_init MPIX_Bcast_init
#endif

enum { AT_ONCE = 5 };

static int my_rank, n_ranks;

/** Broadcasts that were begun together. */
typedef struct batch {
    int n;
    MPI_Request requests[AT_ONCE];
    unsigned char *buffers[AT_ONCE];
    unsigned seeds[AT_ONCE];
} batch_t;

/** Sockets that this process has open. */
static int count_sockets(void)
{
    DIR *directory = opendir("/proc/self/fd");
    const struct dirent *entry;
    int n = 0;
    while (directory != NULL && (entry = readdir(directory)) != NULL) {
        char path[300], is[64];
        snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
        const ssize_t length = readlink(path, is, sizeof(is) - 1);
        n += length > 7 && memcmp(is, "socket:", 7) == 0;
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return n;
}

static unsigned char *make_buffer(size_t bytes, int root, unsigned seed)
{
    unsigned char *buffer = must_malloc(bytes);
    pattern_fill(buffer, bytes, my_rank == root ? seed : seed + 1);
    return buffer;
}

static void broadcast(size_t bytes, int root, unsigned seed)
{
    unsigned char *buffer = make_buffer(bytes, root, seed);
    const int rc = MPI_Bcast(buffer, (int) bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    check(rc == MPI_SUCCESS && pattern_is(buffer, bytes, seed), "%zu bytes from root %d: %d", bytes,
          root, rc);
    free(buffer);
}

/** Begins a nonblocking one or starts a persistent one; they end with the batch. */
static void begin(batch_t *batch, size_t bytes, int root, unsigned seed, bool persistent)
{
    unsigned char *buffer = make_buffer(bytes, root, seed);
    MPI_Request *request = &batch->requests[batch->n];
    if (persistent) {
        MPI_Bcast_init(buffer, (int) bytes, MPI_BYTE, root, MPI_COMM_WORLD, MPI_INFO_NULL, request);
    } else {
        MPI_Ibcast(buffer, (int) bytes, MPI_BYTE, root, MPI_COMM_WORLD, request);
    }
    batch->buffers[batch->n] = buffer;
    batch->seeds[batch->n++] = seed;
}

/** Ends them, persistent ones after a first start, each rank in an order of its own. */
static void end(batch_t *batch, size_t bytes, bool persistent)
{
    for (int i = 0; i < batch->n; i++) {
        const int which = (i + my_rank) % batch->n;
        if (persistent) {
            MPI_Start(&batch->requests[which]);
        }
    }
    MPI_Waitall(batch->n, batch->requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < batch->n; i++) {
        check(pattern_is(batch->buffers[i], bytes, batch->seeds[i]), "%s: %zu bytes",
              persistent ? "persistent" : "nonblocking", bytes);
        if (persistent) {
            MPI_Request_free(&batch->requests[i]);
        }
        free(batch->buffers[i]);
    }
    batch->n = 0;
}

/** Broadcast k of all, and those that go on beside it; the root changes by more than one. */
static int root_of(int k)
{
    return (k * 5 + k / n_ranks) % n_ranks;
}

static void broadcast_all(int n, size_t bytes, const char *how)
{
    const bool mixed = strcmp(how, "mixed") == 0, nonblocking = strcmp(how, "nonblocking") == 0;
    const bool one_root = strcmp(how, "one_root") == 0;
    batch_t batch = {.n = 0};
    for (int k = 0; k < n;) {
        const int turn = nonblocking ? 0 : k / AT_ONCE % 3;
        if (!nonblocking && (!mixed || turn == 1)) {
            broadcast(bytes, one_root ? 0 : root_of(k), (unsigned) k);
            k++;
            continue;
        }
        for (int i = 0; i < AT_ONCE; i++, k++) {
            begin(&batch, bytes, root_of(k), (unsigned) k, turn == 2);
        }
        if (mixed && turn == 0) {
            broadcast(bytes, root_of(k), (unsigned) k); /* while the others go on */
        }
        end(&batch, bytes, turn == 2);
    }
}

/** The most of all ranks, on rank 0. */
static int most_of(int value)
{
    int most = 0;
    MPI_Reduce(&value, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    return most;
}

int main(int argc, char **argv)
{
    struct bench_counters counters;
    int one = 1, sum = 0, n_phases = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (argc < 4 || !bench_counters_open(&counters)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const int before = count_sockets(), most = atoi(argv[3]);
    broadcast_all(atoi(argv[1]), strtoul(argv[2], NULL, 10), argc > 4 ? argv[4] : "");
    const int opened = count_sockets() - before;
    const int named = (int) counter_value(&counters, "coll_pipebcast_connections");
    while (1 << n_phases < n_ranks) {
        n_phases++;
    }
    if (most > 0) {
        check(named <= most, "%d neighbours instead of %d at most", named, most);
        check(opened <= most + 2 * n_phases, "%d sockets were opened", opened);
    }
    const int most_named = most_of(named), most_opened = most_of(opened);
    if (my_rank == 0) {
        printf("connections: %d neighbours, %d sockets opened\n", most_named, most_opened);
        printf("rank 0 has opened %d sockets\n", opened);
    }
    bench_counters_close(&counters);
    return check_done("run_connections");
}
