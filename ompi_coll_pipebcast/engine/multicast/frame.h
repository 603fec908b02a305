/*
 * A frame: the part of a broadcast's message that one datagram carries, and the header before it.
 *
 * A header has 24 bytes, numbers little-endian. They are the form (1), flags (1: bit 0, a checksum
 * follows), bytes of the payload (2). Then follow the key of the group (8), the number of the
 * broadcast (8), the index of the frame (4). With the flag, 8 bytes of checksum follow, over the
 * header before it and the payload. The payload ends with the datagram.
 *
 * The key separates groups that share an address and a port, and keeps out senders that cannot
 * listen to the network. A sender that can listen could forge a frame. Where that matters, frames
 * have a checksum: SipHash-2-4 (Aumasson and Bernstein 2012) under a key that no datagram has.
 * Without it, UDP's own checksum is what finds damage.
 */
#ifndef PB_MULTICAST_FRAME_H
#define PB_MULTICAST_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PB_FRAME_HEADER_BYTES 24
#define PB_FRAME_CHECKSUM_BYTES 8
#define PB_FRAME_MAX_HEADER_BYTES (PB_FRAME_HEADER_BYTES + PB_FRAME_CHECKSUM_BYTES)

/** The largest payload that the header can describe. */
#define PB_FRAME_MAX_PAYLOAD 65535

/** Time of the checksum for each byte, in 1e-12 seconds, on common processors. */
#define PB_FRAME_CHECKSUM_PICOSECONDS 390

/** Rule on which all members of a group have agreed. */
typedef struct pb_frame_rule {
    uint64_t key;
    bool has_checksum;
    uint64_t secret[2]; /**< the key of the checksum */
} pb_frame_rule_t;

typedef struct pb_frame {
    uint64_t number;     /**< of the broadcast */
    uint32_t index;      /**< of the frame in it */
    uint32_t bytes;      /**< of the payload */
    const char *payload; /**< in the datagram */
} pb_frame_t;

/** Bytes of a header in this group. */
static inline size_t pb_frame_header_bytes(const pb_frame_rule_t *rule)
{
    return rule->has_checksum ? PB_FRAME_MAX_HEADER_BYTES : PB_FRAME_HEADER_BYTES;
}

/**
 * Returns whether the checksum takes less than 5 % of a byte's time on a link of this speed; false
 * if unknown (0).
 */
bool pb_frame_checksum_is_cheap(uint64_t bits_per_second);

/** Writes the header of a frame. Returns its bytes. O(1), with a checksum O(payload). */
size_t pb_frame_write(const pb_frame_rule_t *rule, const pb_frame_t *frame, uint8_t *header);

/**
 * Reads a datagram; the payload of *frame_p is inside it. False if it is no frame of this group, or
 * is damaged or forged. The caller checks whether the broadcast has such a frame
 * (pb_frames_fits()). O(1), with a checksum O(length).
 */
bool pb_frame_read(const pb_frame_rule_t *rule, const uint8_t *bytes, size_t length,
                   pb_frame_t *frame_p);

#endif
