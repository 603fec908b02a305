/*
 * A directed link: one direction of a link, with the queue of the port that sends on it.
 *
 * The model. A frame that reaches the sending port waits until the port is free and its turn has
 * come. It is dropped if the waiting bytes would exceed the queue's limit, or by chance where the
 * port loses frames. It then occupies the port for its time on the wire, and reaches the other end
 * after the latency: store and forward. Times are the model's, not those at which the fabric
 * handles an event, so that one delay of the fabric does not shift later events.
 *
 * A link knows its next event only: the arrival of its foremost frame at the far end. Frames behind
 * it start at the next event of the link, at the exact times at which the port became free.
 */
#ifndef FABRIC_LINK_H
#define FABRIC_LINK_H

#include <stdbool.h>

#include "contrib/testbed/fabric_frame.h"
#include "topo/util/random.h"

/** Counters of one kind of traffic. */
typedef struct fabric_link_counters {
    uint64_t frames;     /**< sent or being sent */
    uint64_t bytes;      /**< of them: the frames' own, without FABRIC_WIRE_OVERHEAD */
    uint64_t drops;      /**< frames lost at the full queue or by chance */
    uint64_t drop_bytes; /**< of them */
    int64_t busy;        /**< nanoseconds for which the port was occupied */
} fabric_link_counters_t;

typedef struct fabric_link {
    uint64_t rate;        /**< bit/s, at least 1 */
    int64_t latency;      /**< ns, not negative */
    uint64_t queue_limit; /**< bytes that may wait, the frame on the wire not counted */
    uint32_t loss;        /**< frames in a million that the port drops by chance */
    pb_random_t chance;   /**< which ones */
    int64_t interrupt;    /**< ns: the far end takes frames no more often than this */

    fabric_fifo_t started;    /**< under way to the far end, with their arrivals set */
    fabric_fifo_t waiting;    /**< frames that are not started */
    uint64_t n_waiting;       /**< their number */
    int64_t free_at;          /**< when the port has sent all frames that are started */
    int64_t interrupt_at;     /**< when the far end takes the last frame started */
    int64_t last_arrival;     /**< of the last frame started: a lower latency does not overtake */
    uint64_t queue_bytes;     /**< of the frames that wait */
    uint64_t synthetic_bytes; /**< of them the synthetic ones' */
    uint64_t queue_peak;      /**< most bytes that waited at one time */
    fabric_link_counters_t counters[FABRIC_TRAFFIC_KINDS];
} fabric_link_t;

/** Number of frames by which losses are counted. */
#define FABRIC_ALL 1000000

/** A change of a link; what is negative or, for the rate, 0 stays as it is. */
typedef struct fabric_change {
    uint64_t rate;       /**< bit/s */
    int64_t latency;     /**< ns */
    int64_t queue_limit; /**< bytes */
    int64_t loss;        /**< frames in a million, at most FABRIC_ALL */
} fabric_change_t;

/** Nanoseconds for which a frame of `length` bytes occupies a port of `rate` bit/s, rounded up. */
int64_t fabric_link_wire_time(uint64_t rate, uint32_t length);

/**
 * A frame comes to the sending port at `now`. The link owns it if true is returned;
 * false: it was dropped and counted, and is still the caller's.
 */
bool fabric_link_push(fabric_link_t *link, fabric_frame_t *frame, int64_t now);

/** Counts a frame that is lost at the port. */
void fabric_link_lose(fabric_link_t *link, fabric_traffic_t kind, uint32_t length);

/** Time at which the foremost frame reaches the far end; INT64_MAX if the link is empty. */
int64_t fabric_link_next_event(const fabric_link_t *link);

/** Takes the foremost frame off, at the time of fabric_link_next_event(). The caller owns it. */
fabric_frame_t *fabric_link_pop(fabric_link_t *link);

/**
 * Changes a link from `now` on: frames that have started keep their times, those that
 * wait get the new ones. None that waits is dropped, whatever the new limit is.
 */
void fabric_link_change(fabric_link_t *link, int64_t now, const fabric_change_t *change);

/** Sets the counters back to zero, the peak to what waits now. */
void fabric_link_reset(fabric_link_t *link);

#endif
