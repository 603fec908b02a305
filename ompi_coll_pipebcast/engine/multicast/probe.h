/*
 * Probe of a group: some frames of full size that a root sends to it. Only the frames that come
 * show whether the network delivers a group's datagrams.
 *
 * The root sends them when all members have joined, and tells them so over the reliable channel
 * once the frames have left its host. Frames that a member then does not find in its socket are
 * lost, so nobody needs a timer.
 */
#ifndef PB_PROBE_H
#define PB_PROBE_H

#include "engine/multicast/datagrams.h"
#include "engine/multicast/frame.h"

/** Frames of a probe at most; not more than 32. */
#define PB_PROBE_FRAMES 4

/** Bytes of the largest payload of a probe's frames, a jumbo frame's. */
#define PB_PROBE_MAX_PAYLOAD 9000

/** Returns the frames of a probe where each member has room for `window` > 0 of them. */
static inline uint32_t pb_probe_frames(uint64_t window)
{
    return window < PB_PROBE_FRAMES ? (uint32_t) window : PB_PROBE_FRAMES;
}

/** Sends n frames, as far as the group can be reached. */
void pb_probe_send(pb_datagrams_t *datagrams, const pb_frame_rule_t *rule, uint32_t payload,
                   uint32_t n);

/** Takes in all datagrams that are here; returns how many of the n frames are not among them. */
uint32_t pb_probe_missed(pb_datagrams_t *datagrams, const pb_frame_rule_t *rule, uint32_t n);

#endif
