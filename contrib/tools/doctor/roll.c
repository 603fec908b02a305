#include "roll.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contrib/tools/common/clock.h"

/** A rank's children, of a binomial tree in order of rank, are rank + 1, 2, 4, ... */
enum { MOST_CHILDREN = 31 };

enum { NAP_NS = 1000000 };

/** What travels: for each rank its number, the bytes of its record, and these. */
typedef struct parcel {
    char *bytes; /**< owned */
    size_t n;
    bool failed; /**< out of memory */
} parcel_t;

struct head {
    int32_t rank;
    uint32_t n;
};

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

static int parent_of(int rank)
{
    return rank & (rank - 1);
}

static int find_children(int rank, int n_ranks, int children[MOST_CHILDREN])
{
    int n = 0;
    for (int step = 1;
         n < MOST_CHILDREN && rank % (2 * (int64_t) step) == 0 && rank + (int64_t) step < n_ranks;
         step *= 2) {
        children[n++] = rank + step;
    }
    return n;
}

bool doctor_roll_init(doctor_roll_t *roll, MPI_Comm comm)
{
    int rank, n_ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    *roll = (doctor_roll_t){.n_ranks = rank == 0 ? n_ranks : 0};
    if (rank != 0) {
        return true;
    }
    roll->records = calloc((size_t) n_ranks, sizeof *roll->records);
    roll->heard = calloc((size_t) n_ranks, sizeof *roll->heard);
    return roll->records != NULL && roll->heard != NULL;
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

static char *enlarge(parcel_t *parcel, size_t n)
{
    char *grown = parcel->failed ? NULL : realloc(parcel->bytes, parcel->n + n);
    if (grown == NULL) {
        parcel->failed = true;
        return NULL;
    }
    parcel->bytes = grown;
    parcel->n += n;
    return grown + parcel->n - n;
}

static void pack(parcel_t *parcel, int rank, const doctor_record_t *record)
{
    const struct head head = {.rank = rank, .n = (uint32_t) record->n};
    char *at = enlarge(parcel, sizeof head + record->n);
    if (at != NULL) {
        memcpy(at, &head, sizeof head);
        if (record->n > 0) {
            memcpy(at + sizeof head, record->bytes, record->n);
        }
    }
}

/** Takes in a child's parcel if it has come. */
static bool has_come(parcel_t *parcel, MPI_Comm comm, int tag, int child)
{
    MPI_Status status;
    int flag = 0, n;
    MPI_Iprobe(child, tag, comm, &flag, &status);
    if (!flag) {
        return false;
    }
    MPI_Get_count(&status, MPI_BYTE, &n);
    char *at = enlarge(parcel, (size_t) n);
    char *memory = at != NULL ? at : malloc((size_t) n);
    if (memory != NULL) {
        MPI_Recv(memory, n, MPI_BYTE, child, tag, comm, MPI_STATUS_IGNORE);
    }
    if (at == NULL) {
        free(memory);
    }
    return true;
}

/** Takes in those of all children that come in time. */
static void collect(parcel_t *parcel, MPI_Comm comm, int tag, double patience_s)
{
    int children[MOST_CHILDREN], rank, n_ranks;
    bool come[MOST_CHILDREN] = {false};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    const int n = find_children(rank, n_ranks, children);
    const int64_t end = common_clock_local() + (int64_t) ((patience_s + n) * 1e9);
    for (int n_come = 0; n_come < n && common_clock_local() < end;) {
        for (int i = 0; i < n; i++) {
            if (!come[i] && has_come(parcel, comm, tag, children[i])) {
                come[i] = true;
                n_come++;
            }
        }
        if (n_come < n) {
            nap();
        }
    }
}

/** Hands all on; false if the parent does not take it in the time that it waits at most. */
static bool hand_on(const parcel_t *parcel, MPI_Comm comm, int tag, int rank, double patience_s)
{
    const int64_t end = common_clock_local() + (int64_t) ((patience_s + MOST_CHILDREN) * 1e9);
    MPI_Request request;
    int done = 0;
    MPI_Isend(parcel->bytes, (int) parcel->n, MPI_BYTE, parent_of(rank), tag, comm, &request);
    while (!done && common_clock_local() < end) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            nap();
        }
    }
    return done;
}

/** Rank 0's: opens the parcel. */
static bool unpack(doctor_roll_t *roll, const parcel_t *parcel)
{
    bool good = true;
    struct head head;
    memset(roll->heard, 0, (size_t) roll->n_ranks * sizeof *roll->heard);
    for (size_t at = 0; at + sizeof head <= parcel->n; at += head.n) {
        memcpy(&head, parcel->bytes + at, sizeof head);
        at += sizeof head;
        if (head.rank < 0 || head.rank >= roll->n_ranks || head.n > parcel->n - at) {
            return false;
        }
        roll->heard[head.rank] = true;
        good = doctor_record_take(&roll->records[head.rank], parcel->bytes + at, head.n) && good;
    }
    return good;
}

bool doctor_roll_call(doctor_roll_t *roll, MPI_Comm comm, int tag, const doctor_record_t *own,
                      double patience_s)
{
    parcel_t parcel = {.bytes = NULL};
    int rank;
    MPI_Comm_rank(comm, &rank);
    pack(&parcel, rank, own);
    collect(&parcel, comm, tag, patience_s);
    parcel.failed = parcel.failed || own->failed || parcel.n > INT_MAX;
    /* A rank without memory hands on nothing, and rank 0 finds it silent. */
    const bool good = !parcel.failed && (rank == 0 ? unpack(roll, &parcel)
                                                   : hand_on(&parcel, comm, tag, rank, patience_s));
    if (good || rank == 0) {
        free(parcel.bytes); /* else MPI may still read it */
    }
    return good;
}

int doctor_roll_silent(const doctor_roll_t *roll, int rank)
{
    while (rank < roll->n_ranks &&
           (roll->heard[rank] || (rank > 0 && !roll->heard[parent_of(rank)]))) {
        rank++;
    }
    return rank < roll->n_ranks ? rank : -1;
}

int doctor_roll_hidden(const doctor_roll_t *roll, int rank)
{
    /* Of a binomial tree: those from it up to the next multiple of its lowest bit. */
    const int64_t end = rank + (int64_t) (rank & -rank);
    int n = 0;
    for (int64_t other = rank + 1; other < end && other < roll->n_ranks; other++) {
        n += !roll->heard[other];
    }
    return n;
}
