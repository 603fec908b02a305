/*
 * Broadcasts by multicast: of any size from any root, with ranks that come late or stay away,
 * blocking and nonblocking ones that overlap, persistent ones among them, which go by trees. Usage:
 * run_multicast [STEPS] [SEED] At the end the root prints how many broadcasts went by multicast.
 */
#include <stdio.h>

#include "check.h"
#include "served.h"

#define MAX_BYTES 200000
#define MOST_AT_ONCE 6

static struct bench_counters counters;

static size_t draw_bytes(uint32_t *state)
{
    const unsigned most = 1u << (next_random(state) % 18);
    return 64 + next_random(state) % (most < MAX_BYTES ? most : MAX_BYTES);
}

static int draw_root(uint32_t *state)
{
    return (int) (next_random(state) % (unsigned) n_ranks);
}

/** Some ranks sleep before a broadcast, some stay away after it. */
static void be_late(uint32_t *own)
{
    if (next_random(own) % 16 == 0) {
        wait_us(next_random(own) % 3000);
    }
}

/** A broadcast of any size from any root; a persistent one is yet to be started. */
static pending_t begin(way_t way, uint32_t *common, MPI_Request *request_p)
{
    const size_t bytes = draw_bytes(common);
    const int root = draw_root(common);
    return pending_begin(way, bytes, root, MPI_COMM_WORLD, next_random(common), request_p);
}

static void broadcast(uint32_t *common, uint32_t *own)
{
    MPI_Request request;
    be_late(own);
    pending_t pending = begin(BLOCKING, common, &request);
    pending_end(&pending, "blocking");
    be_late(own);
}

/** Several at once, a blocking one among them, ended in another order on each rank. */
static void overlap(uint32_t *common, uint32_t *own)
{
    const int n = 1 + (int) (next_random(common) % MOST_AT_ONCE);
    pending_t pending[MOST_AT_ONCE];
    MPI_Request requests[MOST_AT_ONCE];
    for (int i = 0; i < n; i++) {
        pending[i] = begin(NONBLOCKING, common, &requests[i]);
    }
    if (next_random(common) % 2 == 0) {
        broadcast(common, own);
    }
    for (int i = 0; i < n; i++) {
        int which;
        MPI_Waitany(n, requests, &which, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < n; i++) {
        pending_end(&pending[i], "one of several");
    }
}

/**
 * Several persistent ones, started by each rank in another order, again and again; or a single one,
 * between the starts of which others go by multicast.
 */
static void persist(uint32_t *common, uint32_t *own, int n)
{
    pending_t pending[MOST_AT_ONCE];
    MPI_Request requests[MOST_AT_ONCE];
    for (int i = 0; i < n; i++) {
        pending[i] = begin(PERSISTENT, common, &requests[i]);
    }
    for (int round = 0; round < (n == 1 ? 3 : 12); round++) {
        const int first = (int) (next_random(own) % (unsigned) n);
        const unsigned seed = next_random(common);
        for (int i = 0; i < n; i++) {
            const int which = (first + i) % n;
            pending_fill(&pending[which], seed + (unsigned) which);
            MPI_Start(&requests[which]);
            be_late(own);
        }
        if (n == 1) {
            broadcast(common, own);
        }
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < n; i++) {
            check(pending_is_right(&pending[i]), "%zu bytes, persistent among %d", pending[i].bytes,
                  n);
        }
    }
    for (int i = 0; i < n; i++) {
        MPI_Request_free(&requests[i]);
        pending_end(&pending[i], "persistent");
    }
}

int main(int argc, char **argv)
{
    const int n_steps = (int) argument(argc, argv, 1, 200);
    uint32_t common = (uint32_t) argument(argc, argv, 2, 1), own;
    check_begin(&argc, &argv);
    served_open(&counters);
    own = common + 7919u * (uint32_t) my_rank;
    for (int step = 0; step < n_steps; step++) {
        const unsigned what = next_random(&common) % 8;
        if (what == 0) {
            overlap(&common, &own);
        } else if (what == 1) {
            persist(&common, &own, 1);
        } else if (what == 2) {
            persist(&common, &own, 2 + (int) (next_random(&common) % (MOST_AT_ONCE - 1)));
        } else {
            broadcast(&common, &own);
        }
    }
    if (my_rank == 0) {
        printf("by multicast: %llu\nasked: %llu\nforeign: %llu\n",
               counter_value(&counters, "coll_pipebcast_broadcasts_multicast"),
               counter_value(&counters, "coll_pipebcast_multicast_asked"),
               counter_value(&counters, "coll_pipebcast_multicast_foreign"));
    }
    return check_done("run_multicast");
}
