/*
 * A rank that is still on its way to a communicator's last broadcast when the root frees
 * the communicator: what it sends then must not be taken for the messages of the next
 * communicator, which gets the same number. There they would take the place of user's
 * messages, one of which would never be received. And the communicator comes back: its number,
 * which is in what the component tells at verbose 1, is used again.
 *
 * With two broadcasts the last one is watched (engine/arrival/watch.h): what its ranks report is
 * still on its way when the communicator is freed, and when MPI_Finalize begins.
 *
 * Usage: run_leftover [BROADCASTS]
 */
#include <stdlib.h>

#include "check.h"

#define BYTES 1000
#define N_MESSAGES 60

static int my_rank, n_ranks;

static bool broadcast(MPI_Comm comm, unsigned seed)
{
    unsigned char buffer[BYTES];
    const bool is_right = bcast_is_right(buffer, BYTES, 0, comm, seed);
    check(is_right, "broadcast %u", seed);
    return is_right;
}

/** For the last one the last rank is late; the root need not wait for it. Whether all are right. */
static bool broadcast_late(MPI_Comm comm, int n_broadcasts)
{
    bool are_right = true;
    for (int i = 0; i < n_broadcasts; i++) {
        if (i == n_broadcasts - 1 && my_rank == n_ranks - 1) {
            wait_us(300000);
        }
        are_right &= broadcast(comm, (unsigned) i);
    }
    return are_right;
}

static void leave_early(int n_broadcasts)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    (void) broadcast_late(comm, n_broadcasts);
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

/** MPI_Finalize begins with the attributes of MPI_COMM_SELF: nothing comes after these broadcasts.
 */
static int broadcast_last(MPI_Comm comm, int key, void *n_broadcasts, void *unused)
{
    (void) comm;
    (void) key;
    (void) unused;
    if (!broadcast_late(MPI_COMM_WORLD, *(int *) n_broadcasts)) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    int n_broadcasts = argc > 1 ? atoi(argv[1]) : 6, key;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    for (int i = 0; i < 6; i++) {
        leave_early(n_broadcasts);
        send_messages();
    }
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, broadcast_last, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &n_broadcasts);
    return check_done("run_leftover");
}
