/*
 * A rank that is still on its way to a communicator's last broadcast when the root frees
 * the communicator: what it sends then must not be taken for the messages of the next
 * communicator, which gets the same number. There they would take the place of user's
 * messages, one of which would never be received. And the communicator comes back: its number,
 * which is in what the component tells at verbose 1, is used again.
 */
#include <stdlib.h>
#include <time.h>

#include "check.h"

#define BYTES 1000
#define N_BROADCASTS 6
#define N_MESSAGES 60

static int my_rank, n_ranks;

static void wait_ms(long ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void broadcast(MPI_Comm comm, unsigned seed)
{
    unsigned char buffer[BYTES];
    pattern_fill(buffer, BYTES, my_rank == 0 ? seed : seed + 1);
    MPI_Bcast(buffer, BYTES, MPI_BYTE, 0, comm);
    check(pattern_is(buffer, BYTES, seed), "broadcast %u", seed);
}

/** Broadcasts for whose last one the last rank is late; the root need not wait for it. */
static void leave_early(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < N_BROADCASTS; i++) {
        if (i == N_BROADCASTS - 1 && my_rank == n_ranks - 1) {
            wait_ms(300);
        }
        broadcast(comm, (unsigned) i);
    }
    MPI_Comm_free(&comm);
}

/** Messages from the last rank to the first, one by one, on a new communicator. */
static void send_messages(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < N_MESSAGES; i++) {
        int number = i;
        if (my_rank == n_ranks - 1) {
            MPI_Send(&number, 1, MPI_INT, 0, 7, comm);
        } else if (my_rank == 0) {
            MPI_Recv(&number, 1, MPI_INT, n_ranks - 1, 7, comm, MPI_STATUS_IGNORE);
            check(number == i, "message %d is %d", i, number);
        }
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    for (int i = 0; i < 6; i++) {
        leave_early();
        send_messages();
    }
    return check_done("run_leftover");
}
