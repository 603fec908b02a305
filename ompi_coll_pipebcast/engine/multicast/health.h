/*
 * Whether broadcasts go by multicast: when it is found out whether the group works, and when it is
 * given up (ours). Every rank comes to the same, as all ask at the same blocking broadcasts, and
 * what they ask about is known alike on all.
 *
 * - The group is probed at the communicator's PB_HEALTH_FIRST-th broadcast: one that is made for
 *   one or two broadcasts pays for nothing. Its outcome counts PB_HEALTH_LAG broadcasts later, so
 *   that it is mostly known by then.
 * - Each verdict of a sweep (engine/sweep.h) tells how many frames the rank missed that missed the
 *   most. Those of PB_HEALTH_FRAMES or more frames are *deaf* if it missed half of them. Loss on
 *   the way is not as much; silence is, as where a switch does not deliver to a port any more.
 * After PB_HEALTH_DEAF of them one after the other, or one in which nearly all frames were missed,
 *   broadcasts go by trees.
 * - A group that does not work is probed again after PB_HEALTH_REST broadcasts, the next time after
 *   eight times as many, and after PB_HEALTH_FAILURES in a row not at all. One that has had
 *   PB_HEALTH_REST good verdicts begins to count anew.
 *
 * How much time loss costs is not judged here: what broadcasts took is learnt
 * (topo/model/learner.h), and trees are taken where they are faster.
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

/** Whether the group is to be probed now; it is *probing* from then on. */
bool pb_health_begins_probe(pb_health_t *health);

/** Whether the outcome of the probe is due: the caller waits for it, and calls pb_health_probed().
 */
bool pb_health_is_due(const pb_health_t *health);

/** The probe has shown whether the group works. */
void pb_health_probed(pb_health_t *health, bool works);

/** Whether the group does not work for a rank that missed `missed` of these frames. */
bool pb_health_is_deaf(uint64_t frames, uint64_t missed);

/**
 * A verdict is here: of `frames` more frames, a rank missed `missed`. Returns whether the group is
 * no longer used from now on.
 */
bool pb_health_judge(pb_health_t *health, uint64_t frames, uint64_t missed);

#endif
