/*
 * Whether broadcasts go by multicast: when it is found out whether the group works, and when it is
 * given up (ours).
 *
 * What happens to a group is known alike on all ranks: a probe has one outcome, and a settled mark
 * (engine/multicast/marks.h) has brought the same to all. So every rank comes to the same here if
 * all ask at the same broadcasts, which are the communicator's blocking ones.
 *
 * - The group is probed at the communicator's PB_HEALTH_FIRST-th broadcast: one that is made for
 * one or two broadcasts pays for nothing. Its outcome counts PB_HEALTH_LAG broadcasts later, so
 * that it is mostly known by then.
 * - What a mark has brought is judged some broadcasts later (pb_multicast_due_mark()): no rank gets
 *   further ahead of one that is late.
 * - A mark is *deaf* if a rank had to ask for half of the frames that were sent. Loss on the way is
 *   not as much; silence is, as where a switch does not deliver to a port any more: nobody had
 *   joined there for all it knows. After PB_HEALTH_DEAF of them one after the other, or one in
 * which nearly all frames were missed, broadcasts go by trees.
 * - A group that does not work is probed again after PB_HEALTH_REST broadcasts, the next time after
 *   eight times as many, and after PB_HEALTH_FAILURES in a row not at all. One that has worked for
 *   PB_HEALTH_REST marks begins to count anew.
 *
 * How much time loss costs is not judged here: what broadcasts took is learnt
 * (topo/model/learner.h), and trees are taken where they are faster.
 */
#ifndef PB_MULTICAST_HEALTH_H
#define PB_MULTICAST_HEALTH_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/multicast/multicast.h"

#define PB_HEALTH_FIRST 3
#define PB_HEALTH_LAG 2
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
    uint64_t judged; /**< marks up to this number were judged */
    uint64_t n_good; /**< marks that were not deaf, since it works */
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

/** Whether so few frames have come that the group does not work. */
bool pb_health_is_deaf(const pb_multicast_mark_t *mark);

/** A settled mark is judged, each once. Whether the group is not used any more from now on. */
bool pb_health_judge(pb_health_t *health, const pb_multicast_mark_t *mark);

#endif
