/*
 * A frame as bytes; see engine/multicast/frame.h.
 */
#include "engine/multicast/frame.h"

#include "engine/multicast/siphash.h"
#include "topo/util/bytes.h"

/** Changes with the form of the header. */
#define FORM 0x51

#define FLAG_CHECKSUM 1

bool pb_frame_checksum_is_cheap(uint64_t bits_per_second)
{
    const double of_link = bits_per_second > 0 ? 8e12 / (double) bits_per_second : 0;
    return PB_FRAME_CHECKSUM_PICOSECONDS < of_link / 20;
}

_Static_assert(PB_FRAME_HEADER_BYTES % 8 == 0, "as pb_siphash() takes a head");

static uint64_t checksum(const pb_frame_rule_t *rule, const uint8_t *header, const char *payload,
                         size_t bytes)
{
    return pb_siphash(rule->secret, header, PB_FRAME_HEADER_BYTES, payload, bytes);
}

size_t pb_frame_write(const pb_frame_rule_t *rule, const pb_frame_t *frame, uint8_t *header)
{
    header[0] = FORM;
    header[1] = rule->has_checksum ? FLAG_CHECKSUM : 0;
    pb_bytes_put(header + 2, frame->bytes, 2);
    pb_bytes_put(header + 4, rule->key, 8);
    pb_bytes_put(header + 12, frame->number, 8);
    pb_bytes_put(header + 20, frame->index, 4);
    if (rule->has_checksum) {
        pb_bytes_put(header + PB_FRAME_HEADER_BYTES,
                     checksum(rule, header, frame->payload, frame->bytes), PB_FRAME_CHECKSUM_BYTES);
    }
    return pb_frame_header_bytes(rule);
}

bool pb_frame_read(const pb_frame_rule_t *rule, const uint8_t *bytes, size_t length,
                   pb_frame_t *frame_p)
{
    const size_t header = pb_frame_header_bytes(rule);
    if (length < header || bytes[0] != FORM ||
        bytes[1] != (rule->has_checksum ? FLAG_CHECKSUM : 0) ||
        pb_bytes_get(bytes + 2, 2) != length - header || pb_bytes_get(bytes + 4, 8) != rule->key) {
        return false;
    }
    const pb_frame_t frame = {
        .number = pb_bytes_get(bytes + 12, 8),
        .index = (uint32_t) pb_bytes_get(bytes + 20, 4),
        .bytes = (uint32_t) (length - header),
        .payload = (const char *) bytes + header,
    };
    if (rule->has_checksum &&
        pb_bytes_get(bytes + PB_FRAME_HEADER_BYTES, PB_FRAME_CHECKSUM_BYTES) !=
            checksum(rule, bytes, frame.payload, frame.bytes)) {
        return false;
    }
    *frame_p = frame;
    return true;
}
