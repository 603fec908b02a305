#include "clock.h"

#include <sched.h>
#include <time.h>

#include "quiet.h"

enum { ROUNDS = 12, TAG_CLOCK = 1, AWAKE_NS = 50000 };

int64_t common_clock_agreed(const common_clock_t *clock)
{
    return coll_pipebcast_now() - clock->offset_ns;
}

/** Rank 0's side of one rank's estimate: sends it the offset and the bound. */
static void serve(MPI_Comm comm, int rank)
{
    int64_t result[2] = {0, INT64_MAX};
    int64_t remote;
    MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_CLOCK, comm);
    MPI_Recv(NULL, 0, MPI_BYTE, rank, TAG_CLOCK, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t sent = coll_pipebcast_now();
        MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_CLOCK, comm);
        MPI_Recv(&remote, 1, MPI_INT64_T, rank, TAG_CLOCK, comm, MPI_STATUS_IGNORE);
        int64_t half_trip = (coll_pipebcast_now() - sent) / 2;
        if (half_trip < result[1]) {
            result[0] = remote - (sent + half_trip);
            result[1] = half_trip;
        }
    }
    MPI_Send(result, 2, MPI_INT64_T, rank, TAG_CLOCK, comm);
}

/** The other side: sleeps until it is its turn. */
static void be_served(common_clock_t *clock)
{
    int64_t result[2];
    common_quiet_recv(NULL, 0, MPI_BYTE, 0, TAG_CLOCK, clock->comm);
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_CLOCK, clock->comm);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_CLOCK, clock->comm, MPI_STATUS_IGNORE);
        int64_t now = coll_pipebcast_now();
        MPI_Send(&now, 1, MPI_INT64_T, 0, TAG_CLOCK, clock->comm);
    }
    MPI_Recv(result, 2, MPI_INT64_T, 0, TAG_CLOCK, clock->comm, MPI_STATUS_IGNORE);
    clock->offset_ns = result[0];
    clock->error_ns = result[1];
}

void common_clock_sync(common_clock_t *clock)
{
    int rank, n_ranks;
    if (clock->shared) {
        return;
    }
    MPI_Comm_rank(clock->comm, &rank);
    MPI_Comm_size(clock->comm, &n_ranks);
    for (int i = 1; rank == 0 && i < n_ranks; i++) {
        serve(clock->comm, i);
    }
    if (rank != 0) {
        be_served(clock);
    }
    common_quiet_barrier(clock->comm);
    int64_t now = common_clock_agreed(clock);
    MPI_Allreduce(&now, &clock->synced_ns, 1, MPI_INT64_T, MPI_MAX, clock->comm);
}

void common_clock_init(common_clock_t *clock, MPI_Comm comm, bool shared)
{
    *clock = (common_clock_t){.comm = comm, .shared = shared};
    common_clock_sync(clock);
}

void common_clock_wait_until(const common_clock_t *clock, int64_t agreed_ns)
{
    int64_t wake = agreed_ns + clock->offset_ns - AWAKE_NS;
    struct timespec until = {.tv_sec = (time_t) (wake / 1000000000), .tv_nsec = wake % 1000000000};
    if (wake > coll_pipebcast_now()) {
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    while (common_clock_agreed(clock) < agreed_ns) {
        sched_yield();
    }
}

int64_t common_clock_worst_error(const common_clock_t *clock)
{
    int64_t worst;
    MPI_Allreduce(&clock->error_ns, &worst, 1, MPI_INT64_T, MPI_MAX, clock->comm);
    return worst;
}
