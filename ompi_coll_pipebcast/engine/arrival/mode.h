/*
 * Whether a communicator's broadcasts are arrival-aware: decided by the
 * broadcasts themselves, without messages of its own (ours).
 *
 * Plain broadcasts carry nothing. Now and then two in a row are arrival-aware
 * instead, a *probe*: in the first its root sees exactly how uneven the
 * arrivals are, with the second's ARRIVED it reports that to the second's root,
 * whose header announces whether the next broadcast is arrival-aware too. So
 * every rank knows before its next broadcast begins. As long as arrivals are
 * uneven all broadcasts are arrival-aware; after several even ones they are plain
 * again. Probes that find nothing become rarer, but only as far as they cost
 * something: what they add, a small message for each rank and a header, is little
 * beside a long broadcast.
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
    uint16_t interval;          /**< plain broadcasts until the next probe, if they are short */
    uint16_t n_plain;           /**< of them since the last probe */
    uint16_t weight;            /**< what they weighed: 1 for each, and more for long ones */
    bool uneven;                /**< what was found last */
    int last_root;              /**< of the last arrival-aware broadcast, -1: none to go by */
    pb_arrival_report_t report; /**< if that was this rank: what it saw */
} pb_arrival_mode_t;

/** A communicator's broadcasts are plain, and its second one is a probe. */
void pb_arrival_mode_init(pb_arrival_mode_t *mode);

/**
 * A broadcast of `bytes` to `n_ranks` ranks begins: whether it is arrival-aware.
 * Called alike on all ranks.
 */
bool pb_arrival_mode_begin(pb_arrival_mode_t *mode, size_t bytes, int n_ranks);

/** What the root of an arrival-aware broadcast puts into its header, by last_root's report. */
uint8_t pb_arrival_mode_decide(const pb_arrival_mode_t *mode, pb_arrival_report_t report);

/**
 * An arrival-aware broadcast of `root` ends, whose header had `announced`; `report`
 * is what this rank saw if it was the root.
 */
void pb_arrival_mode_end(pb_arrival_mode_t *mode, uint8_t announced, int root,
                         pb_arrival_report_t report);

#endif
