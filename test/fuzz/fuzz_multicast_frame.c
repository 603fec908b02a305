/*
 * Datagrams as they come from the network. An input begins with a byte whose bit 0 asks for
 * checksums, and whose bit 1 makes the checksum right. Two bytes for the size of a message follow
 * (in payloads of 8 bytes), and then the datagram. A frame that is read is written again as it
 * came, and if it fits the message it lies within it.
 */
#include "engine/multicast/frame.h"
#include "engine/multicast/frames.h"
#include "test/fuzz/fuzz.h"

const char fuzz_name[] = "multicast_frame";

enum { PREFIX = 3, PAYLOAD = 8 };

static const pb_frame_rule_t rules[2] = {
    {.key = UINT64_C(0x0807060504030201)},
    {.key = UINT64_C(0x0807060504030201), .has_checksum = true, .secret = {1, 2}},
};

/** Makes the checksum right, so that what is behind it is reached. */
static void seal(const pb_frame_rule_t *rule, uint8_t *bytes, size_t length)
{
    uint8_t header[PB_FRAME_MAX_HEADER_BYTES];
    const size_t size = pb_frame_header_bytes(rule);
    if (!rule->has_checksum || length < size) {
        return;
    }
    pb_frame_t frame = {.bytes = (uint32_t) (length - size), .payload = (char *) bytes + size};
    for (int i = 0; i < 8; i++) {
        frame.number |= (uint64_t) bytes[12 + i] << 8 * i;
        frame.index |= i < 4 ? (uint32_t) bytes[20 + i] << 8 * i : 0;
    }
    (void) pb_frame_write(rule, &frame, header);
    memcpy(bytes + PB_FRAME_HEADER_BYTES, header + PB_FRAME_HEADER_BYTES, PB_FRAME_CHECKSUM_BYTES);
}

static void check_frame(const pb_frame_rule_t *rule, const pb_frame_t *frame, const uint8_t *bytes,
                        size_t length)
{
    uint8_t again[PB_FRAME_MAX_HEADER_BYTES];
    const size_t header = pb_frame_write(rule, frame, again);
    must(header + frame->bytes == length);
    must(memcmp(again, bytes, header) == 0);
    must(frame->payload == (const char *) bytes + header);
}

/** The frame goes where the frames says, and nowhere else. */
static void place(const pb_frame_t *frame, size_t total)
{
    pb_frames_t frames;
    char *message = calloc(total, 1);
    must(message != NULL && pb_frames_init(&frames, total, PAYLOAD, false));
    if (pb_frames_fits(&frames, frame->index, frame->bytes)) {
        must(frame->bytes > 0 && pb_frames_add(&frames, frame->index));
        memcpy(message + (size_t) frame->index * PAYLOAD, frame->payload, frame->bytes);
        must(!pb_frames_add(&frames, frame->index) && frames.seen_to == frame->index + 1);
    }
    pb_frames_fini(&frames);
    free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length < PREFIX) {
        return 0;
    }
    const pb_frame_rule_t *rule = &rules[bytes[0] & 1];
    const size_t total = 1 + ((size_t) bytes[1] | (size_t) bytes[2] << 8);
    const size_t rest = length - PREFIX;
    uint8_t *copy = fuzz_copy(bytes + PREFIX, rest);
    pb_frame_t frame;
    if ((bytes[0] & 2) != 0) {
        seal(rule, copy, rest);
    }
    if (pb_frame_read(rule, copy, rest, &frame)) {
        check_frame(rule, &frame, copy, rest);
        place(&frame, total);
    }
    free(copy);
    return 0;
}
