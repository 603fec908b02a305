/* Times of broadcasts by pipebcast and by the fallback component, in turn. */
#ifndef DOCTOR_BROADCASTS_H
#define DOCTOR_BROADCASTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/** Outcome of a broadcast, by the counters of the plugin: "twotree", "fallback_faster"; "": not
 * known. */
enum { DOCTOR_HOW_SIZE = 64 };

struct doctor_broadcast {
    int64_t bytes;
    double pipebcast_s; /**< the median; 0: not measured */
    double fallback_s;  /**< the median; 0: not measured */
    int n_pairs;        /**< broadcasts of each that were measured */
    char how[DOCTOR_HOW_SIZE];
};

/** Tells whether a broadcast whose `how` this is was left to the fallback component. */
bool doctor_was_passed(const char *how);

/** Communicators by who broadcasts on them, with the same ranks. */
struct doctor_sides {
    MPI_Comm pipebcast; /**< MPI_COMM_NULL: it is not there */
    MPI_Comm fallback;  /**< MPI_COMM_NULL: it is not there */
};

/** Called before each broadcast, as it may not come back. */
typedef void doctor_broadcasting_fn_t(int64_t bytes, bool by_pipebcast);

/** Makes one broadcast by pipebcast, so that its ranks agree, and finds what became of it. All
 * ranks call. */
void doctor_broadcast_try(const struct doctor_sides *sides, char *memory, int64_t bytes,
                          char how[DOCTOR_HOW_SIZE]);

/**
 * Measures one size within about `time_limit_s` seconds, by broadcasts from rank 0 in turn. The
 * result is the median of the longest time of any rank, from a barrier to the end of its call.
 * `memory` has `bytes`. All ranks call, and have the same result. The first broadcasts of each do
 * not count. O(ranks).
 */
void doctor_broadcast_measure(const struct doctor_sides *sides, char *memory, int64_t bytes,
                              double time_limit_s, doctor_broadcasting_fn_t *broadcasting,
                              struct doctor_broadcast *result_p);

#endif
