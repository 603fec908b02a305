/* The records of all ranks at rank 0, which waits for none that is silent. */
#ifndef DOCTOR_ROLL_H
#define DOCTOR_ROLL_H

#include <mpi.h>
#include <stdbool.h>

#include "record.h"

/** Rank 0's; zeros elsewhere. */
typedef struct doctor_roll {
    int n_ranks;
    json_t **records; /**< owned, by rank */
    bool *heard;      /**< owned, by rank: its record has come in the last call */
} doctor_roll_t;

/** Room for the ranks of a communicator, at rank 0. */
void doctor_roll_init(doctor_roll_t *roll, MPI_Comm comm);
void doctor_roll_free(doctor_roll_t *roll);

/**
 * Adds the records of all ranks, which each sends to rank 0, to those that the roll has. Called by
 * all ranks, with a tag of its own. Rank 0 waits `patience_s` seconds; the others, which may have
 * begun earlier, some more. O(ranks) at rank 0.
 */
void doctor_roll_call(doctor_roll_t *roll, MPI_Comm comm, int tag, const json_t *own,
                      double patience_s);

#endif
