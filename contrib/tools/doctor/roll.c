#include "roll.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/report.h"

/** Ranks wait longer than rank 0, which may have begun later. */
enum { NAP_NS = 1000000, GRACE_S = 10 };

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

static int64_t end_of(double seconds)
{
    return common_clock_local() + (int64_t) (seconds * 1e9);
}

void doctor_roll_init(doctor_roll_t *roll, MPI_Comm comm)
{
    int rank, n_ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    *roll = (doctor_roll_t){.n_ranks = rank == 0 ? n_ranks : 0};
    roll->records = common_alloc((size_t) roll->n_ranks, sizeof *roll->records);
    roll->heard = common_alloc((size_t) roll->n_ranks, sizeof *roll->heard);
}

void doctor_roll_free(doctor_roll_t *roll)
{
    for (int rank = 0; roll->records != NULL && rank < roll->n_ranks; rank++) {
        doctor_record_free(&roll->records[rank]);
    }
    free(roll->records);
    free(roll->heard);
    *roll = (doctor_roll_t){.n_ranks = 0};
}

/** Takes in one record that has come. */
static void take(doctor_roll_t *roll, MPI_Comm comm, const MPI_Status *status)
{
    int n;
    MPI_Get_count(status, MPI_BYTE, &n);
    char *bytes = common_alloc((size_t) n, 1);
    MPI_Recv(bytes, n, MPI_BYTE, status->MPI_SOURCE, status->MPI_TAG, comm, MPI_STATUS_IGNORE);
    doctor_record_append(&roll->records[status->MPI_SOURCE], bytes, (size_t) n);
    roll->heard[status->MPI_SOURCE] = true;
    free(bytes);
}

/** Rank 0's side. */
static void collect(doctor_roll_t *roll, MPI_Comm comm, int tag, const doctor_record_t *own,
                    double patience_s)
{
    const int64_t end = end_of(patience_s);
    memset(roll->heard, 0, (size_t) roll->n_ranks * sizeof *roll->heard);
    doctor_record_append(&roll->records[0], own->bytes, own->n);
    roll->heard[0] = true;
    for (int n = 1; n < roll->n_ranks && common_clock_local() < end;) {
        MPI_Status status;
        int flag = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &flag, &status);
        if (flag) {
            take(roll, comm, &status);
            n++;
        } else {
            nap();
        }
    }
}

/** The others' side. */
static void hand_in(const doctor_record_t *own, MPI_Comm comm, int tag, double patience_s)
{
    const int64_t end = end_of(patience_s + GRACE_S);
    MPI_Request request;
    int done = 0;
    MPI_Isend(own->bytes, (int) own->n, MPI_BYTE, 0, tag, comm, &request);
    while (!done && common_clock_local() < end) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            nap();
        }
    }
}

void doctor_roll_call(doctor_roll_t *roll, MPI_Comm comm, int tag, const doctor_record_t *own,
                      double patience_s)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        collect(roll, comm, tag, own, patience_s);
    } else {
        hand_in(own, comm, tag, patience_s);
    }
}
