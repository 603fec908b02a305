/*
 * Whether a communicator's broadcasts are arrival-aware: decided by the
 * broadcasts themselves (ours).
 *
 * Plain broadcasts are swept now and then (engine/schedule.h), which needs no connection
 * that they do not need themselves. Where that finds ranks to arrive unevenly, the next two
 * broadcasts are arrival-aware, a *probe*: in the first its root sees exactly how uneven the
 * arrivals are, with the second's ARRIVED it reports that to the second's root,
 * whose header announces whether the next broadcast is arrival-aware too. So
 * every rank knows before its next broadcast begins. As long as arrivals are
 * uneven all broadcasts are arrival-aware; after several even ones they are plain
 * again. Where a probe finds arrivals to be even nevertheless, more and more of what
 * sweeps find is passed over.
 *
 * All fields but `report` are alike on all ranks between broadcasts.
 */
#ifndef PB_ARRIVAL_MODE_H
#define PB_ARRIVAL_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What a root saw of the arrivals at its broadcast; goes in one byte. */
typedef enum {
    PB_ARRIVAL_UNKNOWN,
    PB_ARRIVAL_EVEN,
    PB_ARRIVAL_UNEVEN,
} pb_arrival_report_t;

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

/** Whether the next broadcast is arrival-aware. */
bool pb_arrival_mode_is_aware(const pb_arrival_mode_t *mode);

/**
 * Plain broadcasts look as if ranks arrive unevenly: a probe begins, if it is not passed over.
 * Called alike on all ranks, between broadcasts.
 */
void pb_arrival_mode_suspect(pb_arrival_mode_t *mode);

/** What the root of an arrival-aware broadcast puts into its header, by last_root's report. */
uint8_t pb_arrival_mode_decide(const pb_arrival_mode_t *mode, pb_arrival_report_t report);

/**
 * An arrival-aware broadcast of `root` ends, whose header had `announced`; `report`
 * is what this rank saw if it was the root.
 */
void pb_arrival_mode_end(pb_arrival_mode_t *mode, uint8_t announced, int root,
                         pb_arrival_report_t report);

#endif
