/*
 * Words of a multicast broadcast: messages that its ranks send each other over the reliable channel
 * (engine/control.h), next to the datagrams. engine/multicast/multicast.h tells which rank sends
 * which word when.
 *
 * A word is a byte for its kind, then by its kind:
 *   ASK      the index of the first frame (4), how many (4)
 *   REPAIR   the index of the first frame (4); the payload of this one and of those behind it
 *   HERE     blocks that this rank has, and those that count below it (4)
 *   END, DONE, BELOW, SETTLED, FAILED   nothing
 * Numbers are little-endian.
 */
#ifndef PB_MULTICAST_WORD_H
#define PB_MULTICAST_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/multicast/frames.h"

/** Bytes of payload in one REPAIR of more than a frame, at most. */
#define PB_WORD_MAX_REPAIR 32768

/** Frames that a rank may have asked for and not got. */
#define PB_WORD_MAX_ASKED 64

/** Bytes before the payload of a REPAIR. */
#define PB_WORD_REPAIR_BYTES 5

/** Bytes of any other word, at most. */
#define PB_WORD_BYTES 9

typedef enum {
    PB_WORD_ASK,     /**< to the parent: send me these frames */
    PB_WORD_REPAIR,  /**< to the child: here are some, one behind the other */
    PB_WORD_END,     /**< to the child: all frames have been sent */
    PB_WORD_DONE,    /**< to the parent: this rank asks for nothing more */
    PB_WORD_HERE,    /**< to the parent: another block is here */
    PB_WORD_BELOW,   /**< to the parent: the mark is settled here and below */
    PB_WORD_SETTLED, /**< to the child: the mark is settled */
    PB_WORD_FAILED,  /**< to the child: this rank has failed and sends nothing more */
    PB_WORD_COUNT,
} pb_word_kind_t;

typedef struct pb_word {
    pb_word_kind_t kind;
    uint32_t index, n_frames; /**< ASK, REPAIR: frames that the message has */
    uint32_t bytes;           /**< REPAIR: of their payload */
    const char *payload;      /**< REPAIR */
    uint32_t blocks;          /**< HERE */
} pb_word_t;

/** Writes a word into PB_WORD_BYTES, a REPAIR into PB_WORD_REPAIR_BYTES and its payload. Returns
 * its length. */
size_t pb_word_write(const pb_word_t *word, uint8_t *bytes);

/** Most frames of one REPAIR, each of `payload` bytes: about 32 KB together. */
uint32_t pb_word_most_repaired(uint32_t payload);

/**
 * Reads a word about a broadcast with these frames. False for another kind or length, or if it
 * names frames beyond the message, none, or more than PB_WORD_MAX_ASKED.
 */
bool pb_word_read(pb_word_t *word, const pb_frames_t *frames, const uint8_t *bytes, size_t length);

#endif
