/*
 * Number of messages that broadcasts send, counted at the PML.
 *
 * Usage: run_sent first SEGMENTS
 *        run_sent persistent
 *        run_sent synchronous yes|no
 *
 * first: the first broadcast of a communicator sends a message for each segment of a receiver, and
 * an empty one for each new connection. It sends nothing else. It is so for the world, a copy, an
 * order backwards, halves, and a nonblocking one.
 * persistent: a persistent broadcast is done as a nonblocking one would be where it was
 * initialized: by what was measured so far. One that was initialized before stays as it was,
 * although ranks start the two in different orders.
 * synchronous: whether segments are acknowledged to ranks of the same host.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "sent.h"

#define FIRST_BYTES 1000
#define BYTES 200000
#define N_MEASURED 40

/** More than the bytes of any message that is not a segment of ours. */
#define LEAST 200

/** Of a communicator: connections are new in the world's, and may be in the last ones. */
typedef enum { THE_WORLD, COPIES, OTHERS } ranks_t;

static void broadcast_first(MPI_Comm comm, const char *what, way_t way, ranks_t of, long n_segments)
{
    int size;
    long empty, full;
    MPI_Comm_size(comm, &size);
    sent_forget();
    check_bcast(way, FIRST_BYTES, 0, comm, 5, what);
    sent_take(comm, &empty, &full);
    check(full == (size - 1) * n_segments, "%s: %ld messages, not %ld", what, full,
          (size - 1) * n_segments);
    check(of == THE_WORLD ? empty > 0 : of == OTHERS || empty == 0,
          "%s: %ld messages open connections", what, empty);
}

static void test_first(long n_segments)
{
    MPI_Comm copy, other, backwards, half;
    sent_open(1);
    broadcast_first(MPI_COMM_WORLD, "the world", BLOCKING, THE_WORLD, n_segments);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    broadcast_first(copy, "a copy", BLOCKING, COPIES, n_segments);
    MPI_Comm_free(&copy);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    broadcast_first(other, "another copy, nonblocking", NONBLOCKING, COPIES, n_segments);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -my_rank, &backwards);
    broadcast_first(backwards, "backwards", BLOCKING, OTHERS, n_segments);
    MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, 0, &half);
    broadcast_first(half, "a half of the ranks", BLOCKING, OTHERS, n_segments);
    MPI_Comm_free(&other);
    MPI_Comm_free(&backwards);
    MPI_Comm_free(&half);
}

/** A persistent broadcast. */
typedef struct request {
    pending_t pending;
    MPI_Request handle;
} request_t;

static request_t init(void)
{
    request_t request;
    request.pending = pending_begin(PERSISTENT, BYTES, 0, MPI_COMM_WORLD, 0, &request.handle);
    return request;
}

static void start(request_t *request, unsigned seed)
{
    pending_fill(&request->pending, seed);
    MPI_Start(&request->handle);
}

static void end(request_t *request)
{
    MPI_Wait(&request->handle, MPI_STATUS_IGNORE);
    check(pending_is_right(&request->pending), "bytes of start %u", request->pending.seed);
}

static void give_back(request_t *request)
{
    MPI_Request_free(&request->handle);
    pending_end(&request->pending, "the last start");
}

static long segments_sent(void)
{
    long n_empty, n_full;
    sent_take(MPI_COMM_WORLD, &n_empty, &n_full);
    return n_full;
}

static long segments_of(request_t *request, unsigned seed)
{
    sent_forget();
    start(request, seed);
    end(request);
    return segments_sent();
}

static void test_persistent(void)
{
    sent_open(LEAST);
    request_t before = init();
    const long first = segments_of(&before, 1);
    for (int i = 0; i < N_MEASURED; i++) {
        check_bcast(BLOCKING, BYTES, 0, MPI_COMM_WORLD, 1, "a blocking one");
    }
    request_t after = init();
    sent_forget();
    check_bcast(NONBLOCKING, BYTES, 0, MPI_COMM_WORLD, 1, "a nonblocking one");
    const long later = segments_sent();
    long again = segments_of(&after, 2);
    check(again == later, "%ld messages, and %ld of a nonblocking one", again, later);
    again = segments_of(&before, 3);
    check(again == first, "%ld messages, and %ld before", again, first);
    start(my_rank % 2 == 0 ? &before : &after, 4);
    start(my_rank % 2 == 0 ? &after : &before, 4);
    end(&before);
    end(&after);
    again = segments_sent();
    check(again == first + later, "%ld messages of both, not %ld and %ld", again, first, later);
    if (my_rank == 0) {
        printf("a persistent broadcast: %ld messages; initialized later: %ld\n", first, later);
    }
    give_back(&before);
    give_back(&after);
}

static void test_synchronous(bool expected)
{
    sent_open(LEAST);
    check_bcast(BLOCKING, BYTES, 0, MPI_COMM_WORLD, 1, "a blocking one");
    const long n = sent_synchronous(MPI_COMM_WORLD);
    check(expected == (n > 0), "%ld synchronous sends", n);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "persistent") == 0) {
        test_persistent();
    } else if (argc > 2 && strcmp(argv[1], "synchronous") == 0) {
        test_synchronous(strcmp(argv[2], "yes") == 0);
    } else {
        test_first(argument(argc, argv, 2, 1));
    }
    sent_close();
    return check_done("run_sent");
}
