#include "roll.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/json.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/sleep.h"

/** Ranks wait longer than rank 0, which may have begun later. */
enum { NAP_NS = 1000000, GRACE_S = 10 };

static int64_t end_of(double seconds)
{
    return coll_pipebcast_now() + (int64_t) (seconds * 1e9);
}

void doctor_roll_init(doctor_roll_t *roll, MPI_Comm comm)
{
    int rank, n_ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    *roll = (doctor_roll_t){.n_ranks = rank == 0 ? n_ranks : 0};
    roll->records = common_alloc((size_t) roll->n_ranks, sizeof(json_t *));
    roll->heard = common_alloc((size_t) roll->n_ranks, sizeof *roll->heard);
    for (int i = 0; i < roll->n_ranks; i++) {
        roll->records[i] = common_json_new();
    }
}

void doctor_roll_free(doctor_roll_t *roll)
{
    for (int i = 0; i < roll->n_ranks; i++) {
        json_decref(roll->records[i]);
    }
    free(roll->records);
    free(roll->heard);
    *roll = (doctor_roll_t){.n_ranks = 0};
}

/** Takes in one record that has come. */
static void take(doctor_roll_t *roll, MPI_Comm comm, const MPI_Status *status)
{
    int n;
    MPI_Get_count(status, MPI_CHAR, &n);
    char *text = common_alloc((size_t) n, 1);
    MPI_Recv(text, n, MPI_CHAR, status->MPI_SOURCE, status->MPI_TAG, comm, MPI_STATUS_IGNORE);
    json_t *record = json_loadb(text, (size_t) n, 0, NULL);
    json_object_update(roll->records[status->MPI_SOURCE], record);
    json_decref(record);
    roll->heard[status->MPI_SOURCE] = true;
    free(text);
}

/** Rank 0's side. */
static void collect(doctor_roll_t *roll, MPI_Comm comm, int tag, const json_t *own,
                    double patience_s)
{
    const int64_t end = end_of(patience_s);
    memset(roll->heard, 0, (size_t) roll->n_ranks * sizeof *roll->heard);
    json_object_update(roll->records[0], (json_t *) own);
    roll->heard[0] = true;
    for (int n = 1; n < roll->n_ranks && coll_pipebcast_now() < end;) {
        MPI_Status status;
        int flag = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &flag, &status);
        if (flag) {
            take(roll, comm, &status);
            n++;
        } else {
            common_sleep(NAP_NS);
        }
    }
}

/** The others' side. */
static void hand_in(const json_t *own, MPI_Comm comm, int tag, double patience_s)
{
    const int64_t end = end_of(patience_s + GRACE_S);
    char *text = json_dumps(own, JSON_COMPACT);
    MPI_Request request;
    int done = 0;
    MPI_Isend(text, (int) strlen(text), MPI_CHAR, 0, tag, comm, &request);
    while (!done && coll_pipebcast_now() < end) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            common_sleep(NAP_NS);
        }
    }
    free(done ? text : NULL); /* MPI may still read the text where rank 0 ends the job */
}

void doctor_roll_call(doctor_roll_t *roll, MPI_Comm comm, int tag, const json_t *own,
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
