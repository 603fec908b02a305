/*
 * State of a communicator between arrival-aware broadcasts: the mode and the credit (ours).
 *
 * The mode: whether broadcasts are arrival-aware. Broadcasts themselves decide it. Plain ones are
 * swept now and then (engine/schedule.h). Where a sweep finds that ranks arrive unevenly, the next
 * two broadcasts are arrival-aware, a *probe*. The root of the first sees how uneven arrivals are,
 * and reports that with its ARRIVED to the root of the second. The second root's header announces
 * whether the next broadcast is arrival-aware too. So every rank knows before its next broadcast
 * begins. As long as arrivals are uneven all broadcasts are arrival-aware; after several even ones
 * they are plain again. Where probes are in vain, more and more suspicions of sweeps are passed
 * over.
 *
 * The credit: the bytes that may wait at each rank, sent before it arrived (paper 3's non-blocking
 * model). They are bounded over all broadcasts and roots of the communicator, without a message. A
 * root knows the bytes that it has sent unasked itself. Other roots may have sent a rank at most
 * the sum of their broadcasts since its last known broadcast. Every rank can add that up.
 */
#ifndef PB_ARRIVAL_STATE_H
#define PB_ARRIVAL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Report of a root on the arrivals at its broadcast; goes in one byte. */
typedef enum {
    PB_ARRIVAL_UNKNOWN,
    PB_ARRIVAL_EVEN,
    PB_ARRIVAL_UNEVEN,
} pb_arrival_report_t;

/** All fields but `report` are alike on all ranks between broadcasts. */
typedef struct pb_arrival_mode {
    uint8_t patience;           /**< even broadcasts until they are plain; 0: they are */
    uint8_t n_passed_over;      /**< suspicions since the last probe */
    uint8_t n_to_pass_over;     /**< before the next one */
    bool uneven;                /**< what was found last */
    int last_root;              /**< of the last arrival-aware broadcast, -1: none to go by */
    pb_arrival_report_t report; /**< if that was this rank: what it saw */
} pb_arrival_mode_t;

/** A communicator's broadcasts are plain. */
void pb_arrival_mode_init(pb_arrival_mode_t *mode);

/** Returns whether the next broadcast is arrival-aware. */
static inline bool pb_arrival_mode_is_aware(const pb_arrival_mode_t *mode)
{
    return mode->patience > 0;
}

/**
 * Plain broadcasts look as if ranks arrive unevenly: a probe begins, if it is not passed over.
 * Called alike on all ranks, between broadcasts.
 */
void pb_arrival_mode_suspect(pb_arrival_mode_t *mode);

/** Returns the announcement for the header of an arrival-aware broadcast, by last_root's report. */
uint8_t pb_arrival_mode_decide(const pb_arrival_mode_t *mode, pb_arrival_report_t report);

/**
 * An arrival-aware broadcast of `root` ends, whose header had `announced`; `report`
 * is what this rank saw if it was the root.
 */
void pb_arrival_mode_end(pb_arrival_mode_t *mode, uint8_t announced, int root,
                         pb_arrival_report_t report);

/** Bytes that may wait at another rank, as this rank knows them: those of each broadcast and
 * PB_SCHEDULE_WEIGHT_OF_ANY. */
typedef struct pb_arrival_debt {
    uint64_t own;         /**< bytes that this rank has sent it unasked and that may still wait */
    uint64_t others_seen; /**< `others` at the start of the last broadcast where it was seen */
} pb_arrival_debt_t;

typedef struct pb_arrival_credit {
    uint64_t bound;        /**< bytes that may wait at a rank */
    uint64_t others;       /**< bytes of all broadcasts of other roots so far */
    pb_arrival_debt_t *of; /**< indexed by rank; NULL: this rank may send nothing unasked yet */
} pb_arrival_credit_t;

/** Nothing waits anywhere. Needs no memory. */
void pb_arrival_credit_init(pb_arrival_credit_t *credit, uint64_t bound);

/**
 * This rank may send to others from now on; all that others have sent may still wait. False if out
 * of memory. O(n_ranks) once.
 */
bool pb_arrival_credit_reserve(pb_arrival_credit_t *credit, int n_ranks);

void pb_arrival_credit_fini(pb_arrival_credit_t *credit);

/** Another rank broadcasts `total` bytes. */
void pb_arrival_credit_other(pb_arrival_credit_t *credit, uint64_t total);

/** Returns whether a broadcast of `total` bytes more may wait at `rank`, and notes it if so. */
bool pb_arrival_credit_take(pb_arrival_credit_t *credit, int rank, uint64_t total);

/**
 * `rank` has come to a broadcast of this rank's at whose start `others` was
 * `others_then`, and for which `unasked` bytes were sent to it unasked.
 */
void pb_arrival_credit_return(pb_arrival_credit_t *credit, int rank, uint64_t others_then,
                              uint64_t unasked);

#endif
