/*
 * Nonblocking and persistent broadcasts: many together, with other operations between them, ended
 * in another order on every rank, freed while they are active.
 * Usage: run_nonblocking [STEPS of the random mix] [SEED] [some]
 *        run_nonblocking mix [STEPS] [SEED]
 *        run_nonblocking first [COMMUNICATORS]
 * some: of the broadcasts some may go to the fallback component.
 * mix: only the random mix; at its end rank 0 prints how many broadcasts went by multicast.
 * first: only the first ones of communicators. (libnbc of 4.1.4 fails in the random mix by itself.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "served.h"

#define MAX_OUTSTANDING 24
#define MOST_PERSISTENT 6

static pending_t start(size_t bytes, int root, MPI_Comm comm, unsigned seed, MPI_Request *request)
{
    return pending_begin(NONBLOCKING, bytes, root, comm, seed, request);
}

/** The first broadcasts of a communicator, large and small, before its ranks have agreed. */
static void test_first(int n_turns)
{
    static const size_t sizes[] = {40, 5000, 1, 20000, 63, 64, 1000};
    enum { N = sizeof(sizes) / sizeof(sizes[0]) };
    for (int turn = 0; turn < n_turns; turn++) {
        MPI_Comm comm;
        MPI_Request requests[N + 1];
        pending_t pending[N];
        int one = 1, sum = 0;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < N; i++) {
            pending[i] = start(sizes[i], (i + turn) % n_ranks, comm, (unsigned) i, &requests[i]);
        }
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[N]);
        if (turn % 2 == 1) {
            check_bcast(BLOCKING, 3000, 0, comm, 99, "blocking after the first");
        }
        MPI_Wait(&requests[N], MPI_STATUS_IGNORE);
        check(sum == n_ranks, "iallreduce");
        for (int i = 0; i < N; i++) {
            const int which = my_rank % 2 == 0 ? i : N - 1 - i;
            MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
            pending_end(&pending[which], "first of a communicator");
        }
        MPI_Comm_free(&comm);
    }
}

/** Ends one that this rank picks, in a way that it picks. */
static void end_some(MPI_Request *requests, pending_t *pending, int n, uint64_t *own)
{
    int which = draw(own, n), done = 0, n_done = 0;
    int indices[MAX_OUTSTANDING];
    switch (draw(own, 4)) {
    case 0:
        MPI_Waitany(n, requests, &which, MPI_STATUS_IGNORE);
        n_done = which != MPI_UNDEFINED;
        indices[0] = which;
        break;
    case 1:
        MPI_Testsome(n, requests, &n_done, indices, MPI_STATUSES_IGNORE);
        break;
    case 2:
        while (requests[which] != MPI_REQUEST_NULL && !done) {
            MPI_Test(&requests[which], &done, MPI_STATUS_IGNORE);
            n_done = done;
        }
        indices[0] = which;
        break;
    default:
        n_done = requests[which] != MPI_REQUEST_NULL;
        MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
        indices[0] = which;
        break;
    }
    for (int i = 0; i < n_done && n_done != MPI_UNDEFINED; i++) {
        pending_end(&pending[indices[i]], "random mix");
    }
}

static int find_free(const MPI_Request *requests)
{
    for (int i = 0; i < MAX_OUTSTANDING; i++) {
        if (requests[i] == MPI_REQUEST_NULL) {
            return i;
        }
    }
    return -1;
}

static size_t draw_bytes(uint64_t *state)
{
    return 1 + (size_t) draw(state, 64 << draw(state, 12));
}

/** Some ranks come late, or stay away. */
static void be_late(uint64_t *own)
{
    if (draw(own, 16) == 0) {
        wait_us(draw(own, 3000));
    }
}

static void start_all(MPI_Request *requests, int n, uint64_t *own)
{
    const int first = draw(own, n);
    if (first == 0) {
        MPI_Startall(n, requests);
        return;
    }
    for (int i = 0; i < n; i++) {
        MPI_Start(&requests[(first + i) % n]);
        be_late(own);
    }
}

/**
 * Persistent ones, started by each rank in an order of its own, again and again. Or a single one,
 * between whose starts there are others.
 */
static void persist(MPI_Comm comm, uint64_t *common, uint64_t *own, int n)
{
    pending_t pending[MOST_PERSISTENT];
    MPI_Request requests[MOST_PERSISTENT];
    for (int i = 0; i < n; i++) {
        const size_t bytes = draw_bytes(common);
        pending[i] = pending_begin(PERSISTENT, bytes, draw(common, n_ranks), comm, (unsigned) i,
                                   &requests[i]);
    }
    for (int round = 0; round < (n == 1 ? 3 : 12); round++) {
        const unsigned seed = (unsigned) draw(common, 1 << 24);
        for (int i = 0; i < n; i++) {
            pending_fill(&pending[i], seed + (unsigned) i);
        }
        start_all(requests, n, own);
        if (n == 1) {
            const size_t bytes = draw_bytes(common);
            check_bcast(BLOCKING, bytes, draw(common, n_ranks), comm, seed,
                        "next to a persistent one");
        }
        for (int i = 0; i < n; i++) {
            const int which = (i + my_rank) % n;
            MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
            check(pending_is_right(&pending[which]), "%zu bytes, persistent among %d",
                  pending[which].bytes, n);
        }
    }
    for (int i = 0; i < n; i++) {
        MPI_Request_free(&requests[i]);
        check(requests[i] == MPI_REQUEST_NULL, "freed");
        pending_end(&pending[i], "persistent, the last start");
    }
}

/** Part of the mix that is done and ended immediately. */
static void do_whole(MPI_Comm comm, int what, uint64_t *common, uint64_t *own)
{
    int one = 1, sum = 0;
    if (what == 11) {
        persist(comm, common, own, 1);
    } else if (what == 10) {
        persist(comm, common, own, 2 + draw(common, MOST_PERSISTENT - 1));
    } else if (what > 7) {
        MPI_Request other;
        if (what == 8) {
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        } else {
            MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &other);
            MPI_Wait(&other, MPI_STATUS_IGNORE);
        }
        check(sum == n_ranks, "allreduce %d in the mix", what);
    } else {
        const size_t bytes = draw_bytes(common);
        check_bcast(BLOCKING, bytes, draw(common, n_ranks), comm, (unsigned) draw(common, 1 << 24),
                    "in the mix");
    }
}

/** All ranks begin the same operations in the same order, and each ends them in an order of its
 * own. */
static void test_mix(MPI_Comm comm, int n_steps, unsigned seed)
{
    uint64_t common = seed, own = seed + 77 + (unsigned) my_rank;
    MPI_Request requests[MAX_OUTSTANDING];
    pending_t pending[MAX_OUTSTANDING];
    for (int i = 0; i < MAX_OUTSTANDING; i++) {
        requests[i] = MPI_REQUEST_NULL;
    }
    for (int step = 0; step < n_steps; step++) {
        const int what = draw(&common, 12);
        be_late(&own);
        if (what < 6) {
            const size_t bytes = draw_bytes(&common);
            int at;
            while ((at = find_free(requests)) < 0) {
                end_some(requests, pending, MAX_OUTSTANDING, &own);
            }
            pending[at] =
                start(bytes, draw(&common, n_ranks), comm, (unsigned) step, &requests[at]);
        } else {
            do_whole(comm, what, &common, &own);
        }
        if (draw(&own, 3) == 0) {
            end_some(requests, pending, MAX_OUTSTANDING, &own);
        }
    }
    for (int i = 0; i < MAX_OUTSTANDING; i++) {
        if (requests[i] != MPI_REQUEST_NULL) {
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
            pending_end(&pending[i], "end of the mix");
        }
    }
}

/** Waits, with progress, until the bytes are there. */
static void await(const pending_t *pending, MPI_Comm comm)
{
    const double give_up = MPI_Wtime() + 20;
    while (!pending_is_right(pending) && MPI_Wtime() < give_up) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 12345, comm, &flag, MPI_STATUS_IGNORE);
    }
}

/** Errors of requests come back, or end the program again. */
static void let_errors_return(bool let)
{
    MPI_Errhandler handler = let ? MPI_ERRORS_RETURN : MPI_ERRORS_ARE_FATAL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
}

/** Requests that nobody waits for. Ours end nevertheless; Open MPI's may refuse. */
static void test_free_of_active(MPI_Comm comm, bool all_are_ours)
{
    enum { N = 6 };
    pending_t pending[N];
    let_errors_return(true);
    for (int i = 0; i < N; i++) {
        MPI_Request request;
        pending[i] = pending_begin(i % 2 == 0 ? NONBLOCKING : PERSISTENT, 6000, i % n_ranks, comm,
                                   (unsigned) i, &request);
        if (i % 2 == 1) {
            MPI_Start(&request);
        }
        const int rc = MPI_Request_free(&request);
        check(rc == MPI_SUCCESS || !all_are_ours, "freed while active");
        if (rc != MPI_SUCCESS) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    let_errors_return(false);
    for (int i = 0; i < N; i++) {
        await(&pending[i], comm);
    }
    /* A receiver has its data before it has sent them on, from the same buffer. */
    MPI_Barrier(comm);
    for (int i = 0; i < N; i++) {
        pending_end(&pending[i], "freed while active");
    }
}

/** A communicator that is freed while a broadcast on it is under way. (Open MPI 4.1's own crash.)
 */
static void test_freed_communicator(unsigned seed)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    pending_t pending = start(7000, (int) seed % n_ranks, comm, seed, &request);
    MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pending_end(&pending, "freed communicator");
}

/** The same with a persistent one, which may be started as long as it lives. (Not Open MPI's.) */
static void test_freed_persistent(unsigned seed)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    pending_t pending = pending_begin(PERSISTENT, 5000, 0, comm, seed, &request);
    MPI_Start(&request);
    MPI_Comm_free(&comm);
    for (int i = 0; i < 3; i++) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        check(pending_is_right(&pending), "freed communicator, start %d", i);
        pending_fill(&pending, ++seed);
        MPI_Start(&request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pending_end(&pending, "freed communicator, persistent");
    MPI_Request_free(&request);
}

static void test_empty(MPI_Comm comm)
{
    MPI_Datatype nothing;
    unsigned char byte = 5;
    MPI_Type_contiguous(0, MPI_BYTE, &nothing);
    MPI_Type_commit(&nothing);
    for (int i = 0; i < 4; i++) {
        const int count = my_rank % 2;
        bcast(i % 2 == 0 ? NONBLOCKING : PERSISTENT, &byte, count, count == 0 ? MPI_BYTE : nothing,
              0, comm);
        check(byte == 5, "nothing");
    }
    MPI_Type_free(&nothing);
}

/** Our statuses are empty, and a request of a collective operation cannot be cancelled. */
static void test_status_and_cancel(MPI_Comm comm, bool all_are_ours)
{
    MPI_Request request;
    MPI_Status status;
    int count, cancelled;
    pending_t pending = start(4000, 0, comm, 8, &request);
    let_errors_return(true);
    check(MPI_Cancel(&request) != MPI_SUCCESS, "cancel is refused");
    let_errors_return(false);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    MPI_Test_cancelled(&status, &cancelled);
    check((count == 0 && !cancelled) || !all_are_ours, "empty status");
    pending_end(&pending, "after a cancel");
}

/** The mix alone, and what has become of it. */
static void only_mix(int n_steps, unsigned seed)
{
    struct bench_counters counters;
    served_open(&counters);
    test_mix(MPI_COMM_WORLD, n_steps, seed);
    if (my_rank == 0) {
        printf("by multicast: %llu\nasked: %llu\nforeign: %llu\n",
               counter_value(&counters, "coll_pipebcast_broadcasts_multicast"),
               counter_value(&counters, "coll_pipebcast_multicast_asked"),
               counter_value(&counters, "coll_pipebcast_multicast_foreign"));
    }
    bench_counters_close(&counters);
}

int main(int argc, char **argv)
{
    const int n_steps = (int) argument(argc, argv, 1, 200);
    const unsigned seed = (unsigned) argument(argc, argv, 2, 1);
    const bool all_are_ours = argc <= 3;
    const bool only_first = argc > 1 && strcmp(argv[1], "first") == 0;
    MPI_Comm comm;
    check_begin(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "mix") == 0) {
        only_mix((int) argument(argc, argv, 2, 200), (unsigned) argument(argc, argv, 3, 1));
        return check_done("run_nonblocking");
    }
    test_first(only_first ? (int) argument(argc, argv, 2, 10) : 4);
    if (only_first) {
        return check_done("run_nonblocking");
    }
    test_mix(MPI_COMM_WORLD, n_steps, seed);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    test_mix(comm, n_steps / 2, seed + 1);
    test_free_of_active(comm, all_are_ours);
    test_empty(comm);
    test_status_and_cancel(comm, all_are_ours);
    MPI_Comm_free(&comm);
    for (unsigned i = 0; i < 12 && all_are_ours; i++) {
        test_freed_communicator(i);
        test_freed_persistent(i);
    }
    return check_done("run_nonblocking");
}
