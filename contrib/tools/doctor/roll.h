/*
 * The records of all ranks at rank 0. They travel up a binomial tree, so that rank 0 needs few
 * connections, and no rank waits for ever for one that is silent.
 */
#ifndef DOCTOR_ROLL_H
#define DOCTOR_ROLL_H

#include <mpi.h>

#include "record.h"

/** Rank 0's; zeros elsewhere. */
typedef struct doctor_roll {
    int n_ranks;
    doctor_record_t *records; /**< owned, by rank */
    bool *heard;              /**< owned, by rank: its record has come */
} doctor_roll_t;

/** Room for the ranks of a communicator, at rank 0. False if out of memory. */
bool doctor_roll_init(doctor_roll_t *roll, MPI_Comm comm);
void doctor_roll_free(doctor_roll_t *roll);

/**
 * Adds the records of all ranks to those that the roll has; roll->heard is then of this call.
 * Called by all ranks, with a tag of its own; a rank waits `patience_s` seconds for those next to
 * it, and a second more for each level of the tree below it. False on a rank that is out of memory
 * or whose record its parent did not take in time. O(ranks) at rank 0.
 */
bool doctor_roll_call(doctor_roll_t *roll, MPI_Comm comm, int tag, const doctor_record_t *own,
                      double patience_s);

/**
 * The lowest rank that was not heard, at or above `rank`, and whose parent was: those below it may
 * only be hidden by it. -1: none.
 */
int doctor_roll_silent(const doctor_roll_t *roll, int rank);

/** How many further ranks were not heard whose records travel through `rank`. O(them). */
int doctor_roll_hidden(const doctor_roll_t *roll, int rank);

#endif
