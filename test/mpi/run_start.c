/*
 * What the first broadcast of a communicator sends: one message for each segment that a rank
 * receives, and one without bytes for each connection that is new, and nothing else. Counted at the
 * PML, for the world, a copy, an order backwards, halves, and a nonblocking one.
 *
 * Usage: run_start SEGMENTS, of BYTES bytes
 */
#include <stdlib.h>

#include "check.h"
#include "sent.h"
#include "served.h"

#define BYTES 1000

/** Of which communicator: connections are new in the world's, and may be in the last ones. */
typedef enum { THE_WORLD, COPIES, OTHERS } ranks_t;

/** The first broadcast of a communicator. */
static void broadcast(MPI_Comm comm, const char *what, bool nonblocking, ranks_t of,
                      long n_segments)
{
    unsigned char buffer[BYTES];
    int rank, size;
    long empty, full;
    MPI_Request request;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    pattern_fill(buffer, BYTES, rank == 0 ? 5 : 6);
    sent_forget();
    if (nonblocking) {
        MPI_Ibcast(buffer, BYTES, MPI_BYTE, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Bcast(buffer, BYTES, MPI_BYTE, 0, comm);
    }
    sent_take(comm, &empty, &full);
    check(pattern_is(buffer, BYTES, 5), "%s: the bytes", what);
    check(full == (size - 1) * n_segments, "%s: %ld messages, not %ld", what, full,
          (size - 1) * n_segments);
    check(of == THE_WORLD ? empty > 0 : of == OTHERS || empty == 0,
          "%s: %ld messages open connections", what, empty);
}

int main(int argc, char **argv)
{
    MPI_Comm copy, other, backwards, half;
    struct bench_counters counters;
    int rank;
    MPI_Init(&argc, &argv);
    const long n_segments = argc > 1 ? atol(argv[1]) : 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    served_open(&counters);
    sent_open(1);
    broadcast(MPI_COMM_WORLD, "the world", false, THE_WORLD, n_segments);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    broadcast(copy, "a copy", false, COPIES, n_segments);
    MPI_Comm_free(&copy);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    broadcast(other, "another copy, nonblocking", true, COPIES, n_segments);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    broadcast(backwards, "backwards", false, OTHERS, n_segments);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    broadcast(half, "a half of the ranks", false, OTHERS, n_segments);
    sent_close();
    MPI_Comm_free(&other);
    MPI_Comm_free(&backwards);
    MPI_Comm_free(&half);
    bench_counters_close(&counters);
    return check_done("run_start");
}
