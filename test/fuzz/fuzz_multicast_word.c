/*
 * Words of broadcasts by multicast, as they come off the wire. An input is two bytes for the
 * size of the message (in payloads of 8 bytes), and then the word. What is read names only frames
 * of the message, and is written again as it came.
 */
#include "engine/multicast/word.h"
#include "test/fuzz/fuzz.h"

const char fuzz_name[] = "multicast_word";

enum { PREFIX = 2, PAYLOAD = 8 };

static void check_word(const pb_word_t *word, const pb_frames_t *frames, const uint8_t *bytes,
                       size_t length)
{
    uint8_t again[PB_WORD_BYTES + PB_WORD_REPAIR_BYTES + PAYLOAD * PB_WORD_MAX_ASKED];
    if (word->kind == PB_WORD_ASK) {
        must(pb_frames_has_run(frames, word->index, word->n_frames));
        must(word->n_frames <= PB_WORD_MAX_ASKED);
    }
    if (word->kind == PB_WORD_REPAIR) {
        must(pb_frames_fits_run(frames, word->index, word->n_frames, word->bytes));
        must(word->n_frames <= PB_WORD_MAX_ASKED);
        must(word->payload + word->bytes == (const char *) bytes + length);
    }
    must(pb_word_write(word, again) == length && memcmp(again, bytes, length) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length < PREFIX) {
        return 0;
    }
    const size_t total = 1 + ((size_t) bytes[0] | (size_t) bytes[1] << 8), rest = length - PREFIX;
    pb_frames_t frames;
    pb_word_t word;
    must(pb_frames_init(&frames, total, PAYLOAD, false));
    if (pb_word_read(&word, &frames, bytes + PREFIX, rest)) {
        check_word(&word, &frames, bytes + PREFIX, rest);
    }
    pb_frames_fini(&frames);
    return 0;
}
