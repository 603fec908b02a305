/*
 * Broadcasts from changing roots, and the connections that they need.
 * Usage: run_connections BROADCASTS BYTES MOST [mixed | nonblocking | one_root]
 *
 * Every rank checks that broadcasts open sockets to at most MOST neighbors. 0: it does not.
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
#include "test/must.h"

enum { AT_ONCE = 5 };

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

/** Broadcast k of all, and those that go on next to it; the root changes by more than one. */
static int root_of(int k)
{
    return (k * 5 + k / n_ranks) % n_ranks;
}

/** Ends some, persistent ones after a first start, each rank in an order of its own. */
static void end(pending_t *pending, MPI_Request *requests, way_t way)
{
    for (int i = 0; i < AT_ONCE && way == PERSISTENT; i++) {
        MPI_Start(&requests[(i + my_rank) % AT_ONCE]);
    }
    MPI_Waitall(AT_ONCE, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < AT_ONCE; i++) {
        pending_end(&pending[i], way == PERSISTENT ? "persistent" : "nonblocking");
        if (way == PERSISTENT) {
            MPI_Request_free(&requests[i]);
        }
    }
}

static void broadcast_all(int n, size_t bytes, const char *how)
{
    const bool mixed = strcmp(how, "mixed") == 0, nonblocking = strcmp(how, "nonblocking") == 0;
    const bool one_root = strcmp(how, "one_root") == 0;
    pending_t pending[AT_ONCE];
    MPI_Request requests[AT_ONCE];
    for (int k = 0; k < n;) {
        const int turn = nonblocking ? 0 : k / AT_ONCE % 3;
        const way_t way = turn == 2 ? PERSISTENT : NONBLOCKING;
        if (!nonblocking && (!mixed || turn == 1)) {
            check_bcast(BLOCKING, bytes, one_root ? 0 : root_of(k), MPI_COMM_WORLD, (unsigned) k,
                        "blocking");
            k++;
            continue;
        }
        for (int i = 0; i < AT_ONCE; i++, k++) {
            pending[i] =
                pending_begin(way, bytes, root_of(k), MPI_COMM_WORLD, (unsigned) k, &requests[i]);
        }
        if (mixed && turn == 0) {
            check_bcast(BLOCKING, bytes, root_of(k), MPI_COMM_WORLD, (unsigned) k,
                        "while the others go on");
        }
        end(pending, requests, way);
    }
}

int main(int argc, char **argv)
{
    int one = 1, sum = 0;
    check_begin(&argc, &argv);
    must(argc >= 4);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const int before = count_sockets(), most = atoi(argv[3]);
    broadcast_all(atoi(argv[1]), strtoul(argv[2], NULL, 10), argc > 4 ? argv[4] : "");
    const int opened = count_sockets() - before;
    if (most > 0) {
        check(opened <= most, "%d sockets were opened", opened);
    }
    const long most_opened = most_of(opened);
    if (my_rank == 0) {
        printf("connections: %ld sockets opened\n", most_opened);
        printf("rank 0 has opened %d sockets\n", opened);
    }
    return check_done("run_connections");
}
