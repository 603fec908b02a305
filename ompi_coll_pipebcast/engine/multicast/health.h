/*
 * Health of a multicast group: whether broadcasts use it, when it is probed, and when it is given
 * up (ours). Every rank concludes the same: all ask at the same blocking broadcasts, about facts
 * that are alike on all.
 *
 * - The group is probed at the communicator's PB_HEALTH_FIRST-th broadcast, so that one or two
 *   broadcasts pay for nothing. The outcome counts PB_HEALTH_LAG broadcasts later: it is mostly
 *   known by then.
 * - Each verdict of a sweep (engine/sweep.h) has the most frames that any rank missed. Verdicts
 *   over PB_HEALTH_FRAMES or more frames together are *deaf* if 50 % of these were missed. Mere
 *   loss is less than that; a switch that stopped delivering to a port is not. After PB_HEALTH_DEAF
 *   of them in a row, or one in which nearly all frames were missed, broadcasts go by trees.
 * - A group that does not work is probed again after PB_HEALTH_REST broadcasts, the next time after
 *   eight times as many. After PB_HEALTH_FAILURES in a row it is given up. After PB_HEALTH_REST
 *   good verdicts in a row failures are counted anew.
 *
 * The cost of loss is not judged here: times of broadcasts are learnt (topo/model/learner.h), and
 * trees are used where they are faster.
 */
#ifndef PB_MULTICAST_HEALTH_H
#define PB_MULTICAST_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#define PB_HEALTH_FIRST 3
#define PB_HEALTH_LAG 2
#define PB_HEALTH_FRAMES 8
#define PB_HEALTH_DEAF 2
#define PB_HEALTH_REST 64
#define PB_HEALTH_FAILURES 3

typedef enum {
    PB_HEALTH_RESTING,  /**< by trees, until the next probe */
    PB_HEALTH_PROBING,  /**< by trees; its outcome is to come */
    PB_HEALTH_WORKING,  /**< broadcasts may go by multicast */
    PB_HEALTH_GIVEN_UP, /**< by trees, for good */
} pb_health_state_t;

typedef struct pb_health {
    pb_health_state_t state;
    uint64_t n_broadcasts;
    uint64_t due;    /**< the broadcast at which it is probed, or a probe's outcome counts */
    uint64_t frames; /**< that were sent, and have not been judged */
    uint64_t missed; /**< of these, by the rank that missed the most */
    uint64_t n_good; /**< verdicts that were not deaf, since it works */
    int n_deaf;      /**< in a row */
    int n_failures;  /**< probes without success, and groups that fell silent, in a row */
} pb_health_t;

void pb_health_init(pb_health_t *health);

/** A broadcast begins. O(1). */
void pb_health_count(pb_health_t *health);

/** Returns whether the group is to be probed now; it is *probing* from then on. */
bool pb_health_begins_probe(pb_health_t *health);

/** Returns whether the outcome of the probe is due. The caller then waits, and calls
 * pb_health_probed(). */
bool pb_health_is_due(const pb_health_t *health);

/** The probe has shown whether the group works. */
void pb_health_probed(pb_health_t *health, bool works);

/** Returns whether the group does not work for a rank that missed `missed` of these frames. */
bool pb_health_is_deaf(uint64_t frames, uint64_t missed);

/**
 * A verdict is here: of `frames` more frames, a rank missed `missed`. Returns whether the group is
 * no longer used from now on.
 */
bool pb_health_judge(pb_health_t *health, uint64_t frames, uint64_t missed);

#endif
