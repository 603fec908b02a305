/*
 * Words as bytes; see engine/multicast/word.h.
 */
#include "engine/multicast/word.h"

#include <string.h>

#include "topo/util/bytes.h"

enum { FIRST = 2, RUN = 8 }; /* bytes before what depends on the kind, and of a run */

static size_t write_runs(const pb_word_t *word, uint8_t *bytes)
{
    bytes[1] = (uint8_t) word->n_runs;
    for (int i = 0; i < word->n_runs; i++) {
        pb_bytes_put(bytes + FIRST + RUN * i, word->runs[i].first, 4);
        pb_bytes_put(bytes + FIRST + RUN * i + 4, word->runs[i].n, 4);
    }
    return FIRST + (size_t) RUN * (size_t) word->n_runs;
}

static size_t write_asked(const pb_word_asked_t *asked, uint8_t *bytes)
{
    pb_bytes_put(bytes + FIRST, asked->most, 4);
    pb_bytes_put(bytes + FIRST + 4, asked->all, 8);
    return FIRST + 12;
}

size_t pb_word_write(const pb_word_t *word, uint8_t *bytes)
{
    bytes[0] = (uint8_t) word->kind;
    bytes[1] = 0;
    switch (word->kind) {
    case PB_WORD_ASK:
        return write_runs(word, bytes);
    case PB_WORD_HERE:
        pb_bytes_put(bytes + FIRST, word->blocks, 4);
        return FIRST + 4;
    case PB_WORD_BELOW:
    case PB_WORD_SETTLED:
        return write_asked(&word->asked, bytes);
    default:
        return FIRST;
    }
}

size_t pb_word_write_repair(const pb_word_t *word, uint8_t *bytes)
{
    bytes[0] = PB_WORD_REPAIR;
    bytes[1] = 0;
    pb_bytes_put(bytes + FIRST, word->index, 4);
    memcpy(bytes + PB_WORD_REPAIR_BYTES, word->payload, word->bytes);
    return PB_WORD_REPAIR_BYTES + word->bytes;
}

static bool read_runs(pb_word_t *word, const pb_window_t *window, const uint8_t *bytes,
                      size_t length)
{
    uint32_t n = 0;
    word->n_runs = bytes[1];
    if (word->n_runs < 1 || word->n_runs > PB_WORD_MAX_RUNS ||
        length != FIRST + (size_t) RUN * (size_t) word->n_runs) {
        return false;
    }
    for (int i = 0; i < word->n_runs; i++) {
        pb_word_run_t *run = &word->runs[i];
        run->first = (uint32_t) pb_bytes_get(bytes + FIRST + RUN * i, 4);
        run->n = (uint32_t) pb_bytes_get(bytes + FIRST + RUN * i + 4, 4);
        if (run->n < 1 || run->n > PB_WORD_MAX_ASKED - n || run->first >= window->n_frames ||
            run->n > window->n_frames - run->first) {
            return false;
        }
        n += run->n;
    }
    return true;
}

uint32_t pb_word_most_repaired(uint32_t payload)
{
    const uint32_t n = PB_WORD_MAX_REPAIR / payload;
    return n < 1 ? 1 : n > PB_WORD_MAX_ASKED ? PB_WORD_MAX_ASKED : n;
}

static bool read_repair(pb_word_t *word, const pb_window_t *window, const uint8_t *bytes,
                        size_t length)
{
    const size_t payload = window->payload;
    if (length <= PB_WORD_REPAIR_BYTES ||
        length > PB_WORD_REPAIR_BYTES + payload * pb_word_most_repaired(window->payload)) {
        return false;
    }
    word->index = (uint32_t) pb_bytes_get(bytes + FIRST, 4);
    word->bytes = (uint32_t) (length - PB_WORD_REPAIR_BYTES);
    word->n_frames = (uint32_t) ((word->bytes + payload - 1) / payload);
    word->payload = (const char *) bytes + PB_WORD_REPAIR_BYTES;
    return pb_window_fits_run(window, word->index, word->n_frames, word->bytes);
}

static bool read_here(pb_word_t *word, const uint8_t *bytes, size_t length)
{
    if (length != FIRST + 4) {
        return false;
    }
    word->blocks = (uint32_t) pb_bytes_get(bytes + FIRST, 4);
    return word->blocks > 0;
}

static bool read_asked(pb_word_t *word, const uint8_t *bytes, size_t length)
{
    if (length != FIRST + 12) {
        return false;
    }
    word->asked.most = (uint32_t) pb_bytes_get(bytes + FIRST, 4);
    word->asked.all = pb_bytes_get(bytes + FIRST + 4, 8);
    return word->asked.most <= word->asked.all;
}

bool pb_word_read(pb_word_t *word, const pb_window_t *window, const uint8_t *bytes, size_t length)
{
    if (length < FIRST || bytes[0] >= PB_WORD_COUNT || (bytes[0] != PB_WORD_ASK && bytes[1] != 0)) {
        return false;
    }
    *word = (pb_word_t){.kind = (pb_word_kind_t) bytes[0]};
    switch (word->kind) {
    case PB_WORD_ASK:
        return read_runs(word, window, bytes, length);
    case PB_WORD_REPAIR:
        return read_repair(word, window, bytes, length);
    case PB_WORD_HERE:
        return read_here(word, bytes, length);
    case PB_WORD_BELOW:
    case PB_WORD_SETTLED:
        return read_asked(word, bytes, length);
    default:
        return length == FIRST;
    }
}
