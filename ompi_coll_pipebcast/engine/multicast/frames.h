/*
 * Frames of one broadcast that are here. Its size follows from the bytes of the message, which all
 * ranks know, and from nothing that a datagram claims.
 */
#ifndef PB_MULTICAST_FRAMES_H
#define PB_MULTICAST_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pb_frames {
    size_t total;     /**< bytes of the message, > 0 */
    uint32_t payload; /**< bytes of each frame but the last */
    uint32_t n_frames;
    uint32_t first_missing; /**< all frames before it are here; n_frames if all are */
    uint32_t seen_to;       /**< behind the last frame that is here */
    uint64_t *bits;         /**< bit i is set if frame i is here */
} pb_frames_t;

/** Frames of a message of `total` > 0 bytes; 0: more than can be counted. */
uint32_t pb_frames_count(size_t total, uint32_t payload);

/** No frame is here, or all are. One bit of memory for each. False if out of memory. */
bool pb_frames_init(pb_frames_t *frames, size_t total, uint32_t payload, bool all);
void pb_frames_fini(pb_frames_t *frames);

/** Bytes of n > 0 frames one behind the other, which the message has. */
static inline size_t pb_frames_run_bytes(const pb_frames_t *frames, uint32_t first, uint32_t n)
{
    const size_t begin = (size_t) first * frames->payload;
    return first + n < frames->n_frames ? (size_t) n * frames->payload : frames->total - begin;
}

/** Bytes of a frame < n_frames. */
static inline uint32_t pb_frames_bytes(const pb_frames_t *frames, uint32_t index)
{
    return (uint32_t) pb_frames_run_bytes(frames, index, 1);
}

/** Returns whether the message has n > 0 frames from `first` on. */
static inline bool pb_frames_has_run(const pb_frames_t *frames, uint32_t first, uint32_t n)
{
    return n > 0 && first < frames->n_frames && n <= frames->n_frames - first;
}

/** Returns whether it has these frames, and they have `bytes` bytes. */
static inline bool pb_frames_fits_run(const pb_frames_t *frames, uint32_t first, uint32_t n,
                                      size_t bytes)
{
    return pb_frames_has_run(frames, first, n) && bytes == pb_frames_run_bytes(frames, first, n);
}

/** Tells whether the message has a frame `index` of `bytes`. */
static inline bool pb_frames_fits(const pb_frames_t *frames, uint32_t index, uint32_t bytes)
{
    return pb_frames_fits_run(frames, index, 1, bytes);
}

static inline bool pb_frames_has(const pb_frames_t *frames, uint32_t index)
{
    return (frames->bits[index / 64] >> index % 64 & 1) != 0;
}

static inline bool pb_frames_is_complete(const pb_frames_t *frames)
{
    return frames->first_missing == frames->n_frames;
}

/** Frame `index` < n_frames is here now. False if it was before. O(1) on average. */
bool pb_frames_add(pb_frames_t *frames, uint32_t index);

/**
 * The first run of missing frames in [from, to), at most `most` of them: its first frame in
 * *first_p and how many. 0: there is none. O(frames / 64 that are here before it + those of the
 * run).
 */
uint32_t pb_frames_gap(const pb_frames_t *frames, uint32_t from, uint32_t to, uint32_t most,
                       uint32_t *first_p);

#endif
