/*
 * Health of a multicast group: whether broadcasts use it, when it is probed, and when it is given
 * up (ours). Every rank concludes the same: all ask at the same blocking broadcasts, about facts
 * that are alike on all. Only the verdict of a sweep (engine/sweep.h) changes whether the group is
 * used.
 *
 * - The group is probed (engine/multicast/probe.h) with the communicator's first broadcast that may
 *   be swept. It works if no rank missed half of the probe's frames.
 * - Each later verdict has the most frames that any rank missed. Verdicts over PB_HEALTH_FRAMES or
 *   more frames together are *deaf* if 50 % of these were missed. Mere loss is less than that; a
 *   switch that stopped delivering to a port is not. After PB_HEALTH_DEAF of them in a row, or one
 *   in which nearly all frames were missed, broadcasts go by trees.
 * - A probe that fails may have come before all ranks or switches were ready. The next one comes
 *   PB_HEALTH_REST broadcasts later, then after eight times as many each time. A group that falls
 *   silent counts as a failure, and as two if none is counted yet. So its first rest is the second
 *   one. After PB_HEALTH_FAILURES it is given up. After PB_HEALTH_GOOD good verdicts in a row
 *   failures are counted anew.
 *
 * The cost of loss is not judged here: times of broadcasts are learned (topo/model/learner.h), and
 * trees are used where they are faster.
 */
#ifndef PB_HEALTH_H
#define PB_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#define PB_HEALTH_FRAMES 8
#define PB_HEALTH_DEAF 2
#define PB_HEALTH_REST 8
#define PB_HEALTH_FAILURES 4
#define PB_HEALTH_GOOD 64

typedef enum {
    PB_HEALTH_GIVEN_UP, /**< by trees, for good */
    PB_HEALTH_RESTING,  /**< by trees, until the next probe */
    PB_HEALTH_PROBING,  /**< by trees; the verdict is to come */
    PB_HEALTH_WORKING,  /**< broadcasts may go by multicast */
} pb_health_state_t;

/** Zeros: it is given up. */
typedef struct pb_health {
    pb_health_state_t state;
    uint64_t n_broadcasts;
    uint64_t due;    /**< the broadcast at which it is probed */
    uint64_t frames; /**< that were sent, and have not been judged */
    uint64_t missed; /**< of these, by the rank that missed the most */
    uint64_t n_good; /**< verdicts that were not deaf, since it works */
    int n_deaf;      /**< in a row */
    int n_failures;  /**< probes without success, and groups that fell silent, in a row */
} pb_health_t;

/** The group may be used, once it is proven. */
void pb_health_begin(pb_health_t *health);

/** A broadcast begins that may be swept. O(1). */
static inline void pb_health_count(pb_health_t *health)
{
    health->n_broadcasts++;
}

/** Returns whether the group is to be probed with the next sweep. O(1). */
static inline bool pb_health_is_due(const pb_health_t *health)
{
    return health->state == PB_HEALTH_RESTING && health->n_broadcasts >= health->due;
}

/**
 * A verdict is here: of `frames` more frames, a rank missed `missed`. Returns whether the group
 * changes: it works from now on, or is no longer used.
 */
bool pb_health_judge(pb_health_t *health, uint64_t frames, uint64_t missed);

#endif
