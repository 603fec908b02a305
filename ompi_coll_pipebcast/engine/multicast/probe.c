/*
 * Probe of a group; see engine/multicast/probe.h.
 */
#include "engine/multicast/probe.h"

/** Index of a probe's first frame, larger than any of a broadcast. */
#define FIRST (UINT32_MAX - PB_PROBE_FRAMES)

void pb_probe_send(pb_datagrams_t *datagrams, const pb_frame_rule_t *rule, uint32_t payload,
                   uint32_t n)
{
    static const char nothing[PB_PROBE_MAX_PAYLOAD];
    uint8_t header[PB_FRAME_MAX_HEADER_BYTES];
    for (uint32_t i = 0; i < n; i++) {
        const pb_frame_t frame = {0, FIRST + i, payload, nothing};
        const size_t header_bytes = pb_frame_write(rule, &frame, header);
        const pb_datagram_t datagram = {header, header_bytes, nothing, payload};
        (void) datagrams->send(datagrams, &datagram, 1);
    }
}

uint32_t pb_probe_missed(pb_datagrams_t *datagrams, const pb_frame_rule_t *rule, uint32_t n)
{
    const uint8_t *bytes;
    size_t length;
    pb_frame_t frame;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 4 * datagrams->capacity && datagrams->next(datagrams, &bytes, &length);
         i++) {
        if (pb_frame_read(rule, bytes, length, &frame) && frame.index >= FIRST &&
            frame.index - FIRST < n) {
            seen |= UINT32_C(1) << (frame.index - FIRST);
        }
    }
    return n - (uint32_t) __builtin_popcount(seen);
}
