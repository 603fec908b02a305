/*
 * A sweep: measurements of all ranks in one broadcast, and the root's verdict (ours). One message
 * from each rank to its parent adds the measurements up; one to each child brings the verdict.
 *
 * It travels along the tree of one stream of the broadcast, so it needs no further connection. When
 * a rank is through and all its children have reported, it reports to its parent. No broadcast
 * waits for it. A rank that is through has received all earlier messages, so the verdict is also
 * the credit that holds roots back (engine/schedule.h). Nothing of a sweep outlives the
 * communicator: a rank keeps a receive posted until all children have reported, then until the
 * verdict is here. Only a rank that is lost withdraws them.
 *
 * Ranks report durations between two moments of the same rank, which need no common clock. The tree
 * says for whom a rank has waited: ranks that wait get their first segments when the last of those
 * above them has come. So if the ranks below a rank have waited long, and it was away so long
 * instead of waiting, it has *held* them. Those that no rank has held have waited for the root. A
 * rank that was not away has come as early as it could.
 *
 * The verdict also has two times for the learner (topo/model/learner.h). They are the longest time
 * from a rank's arrival to its end, and the least wait of any rank but the root. It has the most
 * frames of multicast that any rank missed, too.
 *
 * A sweep may go up and down a second time, to tell what came of the first verdict. This proves a
 * multicast group (engine/multicast/probe.h). The first time brings the window that all ranks have
 * room for up, and the rule of frames down. The second time brings the frames that were missed.
 */
#ifndef PB_SWEEP_H
#define PB_SWEEP_H

#include "engine/arrival/state.h"
#include "engine/control.h"
#include "engine/multicast/frame.h"
#include "engine/rank_set.h"
#include "topo/trees/role.h"

/** Sums over some ranks; times are in nanoseconds. */
typedef struct pb_sweep_sums {
    uint64_t n_ranks;    /**< without the root of the broadcast */
    uint64_t n_free;     /**< of them those that no one is known to have held */
    uint64_t n_held;     /**< the others */
    uint64_t free_wait;  /**< from arrival to the first segment */
    uint64_t held_wait;  /**< from arrival to the first segment */
    uint64_t transfer;   /**< from the first segment to the end */
    uint64_t missed;     /**< frames of multicast, the most of any rank, the root too at the root */
    uint64_t room;       /**< window of frames, the least of any rank; the root's too, there */
    uint64_t longest;    /**< from the arrival of a rank to its end; the root's too, at the root */
    uint64_t least_wait; /**< from the arrival of a rank to its first segment */
} pb_sweep_sums_t;

/**
 * Bytes of a message, up and down: 8 for each number, little-endian. They are the verdict, the rule
 * with four numbers, and the sums.
 */
enum {
    PB_SWEEP_NUMBERS = 5 + sizeof(pb_sweep_sums_t) / sizeof(uint64_t),
    PB_SWEEP_BYTES = 8 * PB_SWEEP_NUMBERS,
};

typedef enum {
    PB_SWEEP_COLLECTING, /**< reports of children or this rank's own are still to come */
    PB_SWEEP_SUMMED,     /**< at the root: all are there, and it is to announce its verdict */
    PB_SWEEP_LISTENING,  /**< for the verdict */
    PB_SWEEP_THROUGH,
} pb_sweep_state_t;

/** Times of one rank, in nanoseconds, and its missed frames. */
typedef struct pb_sweep_times {
    int64_t away;     /**< from its last broadcast's end, of any communicator, to its arrival;
                           0: not known */
    int64_t wait;     /**< from then until the first segment of the sweep's stream was here; where
                           the fallback component serves, until its end */
    int64_t transfer; /**< from then until its part was through */
    uint32_t missed;  /**< frames of multicast that it had to ask for, or of a probe */
    uint32_t room;    /**< window of frames that it takes; 0: it is in no group; UINT32_MAX: any */
} pb_sweep_times_t;

/** One rank's part. */
typedef struct pb_sweep {
    pb_control_t *control; /**< borrowed */
    pb_sweep_state_t state;
    int parent;        /**< -1: this is the root */
    int n_ranks;       /**< of the communicator */
    uint8_t *children; /**< the set of them, in the room that was borrowed */
    int n_children;
    int n_reported; /**< children that have */
    bool has_ended; /**< this rank's part of the broadcast */
    pb_sweep_times_t own;
    pb_sweep_sums_t sums;        /**< of the ranks below, at last of all */
    pb_arrival_report_t verdict; /**< known when THROUGH */
    pb_frame_rule_t rule;        /**< of multicast's frames; the root sets it before it announces */
    pb_request_t receive;        /**< of the next message; NULL: none is posted */
    uint8_t in[PB_SWEEP_BYTES];
    int error;   /**< the first error, 0 if none */
    bool broken; /**< a message was refused or makes no sense; nothing new is started */
} pb_sweep_t;

/**
 * Begins the sweep of a broadcast that has begun, along the tree of `stream`, in which rank `rank`
 * has `role`. `room`, of pb_rank_set_bytes(n_ranks), is borrowed until the end: a bit for each
 * rank, as children may be any. Needs no memory and sends nothing. O(children + n_ranks / 8).
 */
void pb_sweep_start(pb_sweep_t *sweep, pb_control_t *control, const pb_role_t *role, int n_ranks,
                    int stream, uint8_t *room);

/** This rank's part of the broadcast has ended; of the root's times only their sum counts. */
void pb_sweep_end(pb_sweep_t *sweep, const pb_sweep_times_t *times);

/**
 * Does what can be done without waiting. True when the sweep is through or broken. At the root it
 * stops at PB_SWEEP_SUMMED. May be called again after that. O(1) for each message, and O(n_ranks)
 * in all for finding the children.
 */
bool pb_sweep_advance(pb_sweep_t *sweep);

/** The root's verdict, where it is PB_SWEEP_SUMMED. */
void pb_sweep_announce(pb_sweep_t *sweep, pb_arrival_report_t verdict);

/** A sweep that is through goes up and down once more, with other `missed` frames of this rank. */
void pb_sweep_again(pb_sweep_t *sweep, uint32_t missed);

/** Withdraws what is under way, after an error. May be called twice. */
void pb_sweep_finish(pb_sweep_t *sweep);

/**
 * Judges how the ranks have arrived, by the sums of all but the root. Arrivals are uneven if ranks
 * were held, on average over all, for longer than a group would take. A group would take half of
 * the message's time (see pb_arrival_root_report()) and the time to fill the pipeline. Without the
 * latter, ranks far down the tree would seem to be held by those near the root. `message_ns` is the
 * message's time from one rank to another; `fill` is the further time of the broadcast, as a part
 * of that. If it was not `measured`, the ranks' time from their first segment on counts, if that is
 * more. With many streams they may have waited in that time, too.
 */
pb_arrival_report_t pb_sweep_judge(const pb_sweep_sums_t *sums, double message_ns, bool measured,
                                   double fill);

#endif
