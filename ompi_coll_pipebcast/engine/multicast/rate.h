/*
 * Rate at which a root sends frames: pacing, and less where frames get lost.
 *
 * The plan knows the slowest link that all frames pass (the ceiling). Where that is the root's own
 * link, its socket pushes back and no pacing is needed: the ceiling is 0. If on average over the
 * ranks more than 1 % of the frames had to be repaired, a queue overflows. The rate is then cut to
 * 7/8, once for each mark at most (engine/multicast/marks.h), down to 25 % of the ceiling. Each
 * mark without that gives back 1/32 of the ceiling, so four good marks make up for one cut. Next to
 * traffic that backs off, as TCP does, a root that loses every fifth mark stays where it is.
 */
#ifndef PB_MULTICAST_RATE_H
#define PB_MULTICAST_RATE_H

#include <stdbool.h>
#include <stdint.h>

/** Bytes that may leave without a gap after a pause are those of this time, in nanoseconds. */
#define PB_RATE_BURST_NS INT64_C(500000)

typedef struct pb_rate {
    uint64_t ceiling; /**< bytes per second; 0: no pacing, and nothing to cut */
    uint64_t now;     /**< at present */
    int64_t credit;   /**< bytes that may be sent; below 0 after a datagram that was larger */
    int64_t then;     /**< nanoseconds, when that was so */
    bool has_begun;   /**< `then` is known */
    uint32_t n_cuts;  /**< so far */
} pb_rate_t;

void pb_rate_init(pb_rate_t *rate, uint64_t ceiling);

/**
 * Bytes that may be sent at `now`, in nanoseconds on a clock that does not go back; UINT64_MAX
 * where there is no pacing. Where it is not 0, one datagram may be sent, however long it is.
 */
uint64_t pb_rate_allows(pb_rate_t *rate, int64_t now);

/** Notes that `bytes` were sent. */
void pb_rate_spend(pb_rate_t *rate, uint64_t bytes);

/** Notes that `ranks` ranks, each of them sent `frames`, had `repaired` of them repaired in all. */
void pb_rate_note(pb_rate_t *rate, uint64_t frames, uint64_t ranks, uint64_t repaired);

#endif
