/*
 * Words as bytes; see engine/multicast/word.h.
 */
#include "engine/multicast/word.h"

#include <string.h>

#include "topo/util/bytes.h"

/** Bytes before the first number. */
enum { FIRST = 1 };

size_t pb_word_write(const pb_word_t *word, uint8_t *bytes)
{
    bytes[0] = (uint8_t) word->kind;
    switch (word->kind) {
    case PB_WORD_ASK:
        pb_bytes_put(bytes + FIRST, word->index, 4);
        pb_bytes_put(bytes + FIRST + 4, word->n_frames, 4);
        return FIRST + 8;
    case PB_WORD_REPAIR:
        pb_bytes_put(bytes + FIRST, word->index, 4);
        memcpy(bytes + PB_WORD_REPAIR_BYTES, word->payload, word->bytes);
        return PB_WORD_REPAIR_BYTES + word->bytes;
    case PB_WORD_HERE:
        pb_bytes_put(bytes + FIRST, word->blocks, 4);
        return FIRST + 4;
    default:
        return FIRST;
    }
}

uint32_t pb_word_most_repaired(uint32_t payload)
{
    const uint32_t n = PB_WORD_MAX_REPAIR / payload;
    return n < 1 ? 1 : n > PB_WORD_MAX_ASKED ? PB_WORD_MAX_ASKED : n;
}

static bool read_ask(pb_word_t *word, const pb_frames_t *frames, const uint8_t *bytes)
{
    word->index = (uint32_t) pb_bytes_get(bytes + FIRST, 4);
    word->n_frames = (uint32_t) pb_bytes_get(bytes + FIRST + 4, 4);
    return word->n_frames <= PB_WORD_MAX_ASKED &&
           pb_frames_has_run(frames, word->index, word->n_frames);
}

static bool read_repair(pb_word_t *word, const pb_frames_t *frames, const uint8_t *bytes,
                        size_t length)
{
    const size_t payload = frames->payload;
    if (length <= PB_WORD_REPAIR_BYTES ||
        length > PB_WORD_REPAIR_BYTES + payload * pb_word_most_repaired(frames->payload)) {
        return false;
    }
    word->index = (uint32_t) pb_bytes_get(bytes + FIRST, 4);
    word->bytes = (uint32_t) (length - PB_WORD_REPAIR_BYTES);
    word->n_frames = (uint32_t) ((word->bytes + payload - 1) / payload);
    word->payload = (const char *) bytes + PB_WORD_REPAIR_BYTES;
    return pb_frames_fits_run(frames, word->index, word->n_frames, word->bytes);
}

static bool read_here(pb_word_t *word, const uint8_t *bytes)
{
    word->blocks = (uint32_t) pb_bytes_get(bytes + FIRST, 4);
    return word->blocks > 0;
}

bool pb_word_read(pb_word_t *word, const pb_frames_t *frames, const uint8_t *bytes, size_t length)
{
    if (length < FIRST || bytes[0] >= PB_WORD_COUNT) {
        return false;
    }
    *word = (pb_word_t){.kind = (pb_word_kind_t) bytes[0]};
    switch (word->kind) {
    case PB_WORD_ASK:
        return length == FIRST + 8 && read_ask(word, frames, bytes);
    case PB_WORD_REPAIR:
        return read_repair(word, frames, bytes, length);
    case PB_WORD_HERE:
        return length == FIRST + 4 && read_here(word, bytes);
    default:
        return length == FIRST;
    }
}
