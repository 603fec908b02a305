/*
 * A transfer: one rank's part of one broadcast, as a state machine.
 *
 * It knows its parents and children in each stream, but not how the plan was made, nor MPI, nor
 * datatypes. Bytes move through engine/transport.h, and lie where engine/message.h says. It never
 * blocks: pb_transfer_advance() does what can be done now.
 *
 * Segments s, s + n_streams, ... of a stream come from one parent. Between two ranks segments go in
 * ascending order, whatever streams they belong to: so one tag is enough. A parent has a bounded
 * window of posted receives, a child one of outstanding sends. A slow child does not stop the
 * others.
 *
 * A receiver that is late would collect what its parents send. So after a number of bytes a send is
 * synchronous: it ends when the receiver acknowledges it, and only a few acknowledgements may be
 * open. No more than `ahead` bytes ever wait at a receiver, from all its parents. Switches that can
 * queue as much at a port lose none.
 *
 * A root of several children is *paced*. Else the transport would decide how they share its link
 * (TCP connections share by what each has in flight). One tree would lag, and the last rank wait
 * for it. Acknowledgements come often enough to bound what is in flight. A child must not be ahead
 * of another by more than a segment, even if only acknowledgements are open. A child that is really
 * late does not hold the others: they go on as soon as half of their own acknowledgements have
 * come.
 *
 * A root may instead serve its children *in turn*: the next one's first segment follows the last
 * one's last. On a flat tree, with segments that need no receiver, this is flat_nb (paper 3,
 * section 3.3).
 *
 * When a broadcast has ended on a rank, no message of it to this rank is still to come. The
 * communicator takes what may still come, and its end waits for it. Else the next communicator with
 * the same number would take it, and its user would get the bytes. So a transfer ends when the last
 * message of each parent is here. A parent in a stream without segments sends nothing, see
 * pb_transfer_uses().
 *
 * An error at one rank must not leave others waiting. A rank that cannot take in or give out a
 * segment goes on with empty messages. Its children take these for an error and pass them on. So
 * every rank below ends, with an error, and no rank above waits for it. Only if the transport
 * refuses, or a segment has a wrong size, is everything given up: no rank knows what is still to
 * come.
 */
#ifndef PB_TRANSFER_H
#define PB_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/message.h"
#include "engine/transport.h"
#include "topo/trees/role.h"

/** Receives posted ahead per parent, and sends outstanding per child, at most. */
#define PB_TRANSFER_MAX_WINDOW 64

/** Synchronous sends open per child, at most, besides the window. A power of two. */
#define PB_TRANSFER_SYNCHRONOUS 4

typedef struct pb_transfer_limits {
    int receive_window; /**< receives posted per parent, 1 .. PB_TRANSFER_MAX_WINDOW */
    int send_window;    /**< ordinary sends outstanding per child, 1 .. PB_TRANSFER_MAX_WINDOW */
    size_t ahead;       /**< bytes that may wait unreceived at a child; 0: no bound */
    bool offered;       /**< a rank without parents gets its segments by pb_transfer_offer() */
    bool in_turn;       /**< it serves one child after another, and `ahead` does not count */
} pb_transfer_limits_t;

/** One receive or send in a window. */
typedef struct pb_flight {
    pb_request_t request;
    /* Of a receive: */
    uint64_t segment;
    int stream;   /**< of the segment */
    size_t bytes; /**< 0: an empty message instead of the segment */
} pb_flight_t;

/** The segments between this rank and one peer, in ascending order. */
typedef struct pb_lane {
    struct pb_transfer *transfer;
    int rank;
    uint32_t mask;   /**< streams that travel here */
    uint64_t next;   /**< next segment to start; n_segments or more when all are started */
    int stream;      /**< of that segment: next % n_streams; kept, as dividing takes long */
    uint64_t stride; /**< to the next segment where all are of one stream; else 0 */
    uint64_t until_synchronous; /**< children: sends until one is synchronous, that one too */
    /* Flights begun and ended so far: those under way are in two rings, oldest first. */
    uint32_t n_begun, n_ended;
    uint32_t n_begun_synchronous, n_ended_synchronous;
    pb_flight_t *window; /**< in the transfer's memory, behind the lanes; synchronous sends have
                              slots behind it */
} pb_lane_t;

struct pb_relay;

typedef struct pb_transfer {
    pb_transport_t *transport; /**< borrowed */
    pb_message_t *message;     /**< borrowed */
    char *bytes;               /**< of the message; NULL: it has none */
    bool packs, unpacks;       /**< segments are packed before they go, or unpacked as they come */
    size_t segment_size;       /**< bytes of every segment but the last */
    size_t last_size;          /**< bytes of that */
    uint64_t last;             /**< the last segment */
    uint64_t n_segments;
    int n_streams;
    int n_parents;
    int receive_window;
    int send_window;
    uint32_t last_slot;                    /**< of a lane's window; slots are a power of two */
    uint64_t synchronous_every;            /**< every N-th send is synchronous */
    bool paced;                            /**< children are kept level */
    pb_lane_t *lanes;                      /**< parents first, then children, then windows */
    pb_lane_t *children;                   /**< those of the children, */
    pb_lane_t *children_end;               /**< up to here, */
    pb_lane_t *served_end;                 /**< and those that are served now */
    struct pb_relay *relay;                /**< that goes on with what comes here; NULL: none */
    int error;                             /**< the first error, 0 if none; may be PB_ERR_EMPTY */
    bool broken;                           /**< the transport refused; nothing new is started */
    uint64_t missing[PB_PLAN_MAX_STREAMS]; /**< by stream: its first segment that is not here */
} pb_transfer_t;

/**
 * Prepares a transfer and starts nothing. `segment_size` is in bytes, > 0. The role and the limits
 * are read in this call only; transport and message are borrowed until pb_transfer_finish(). A
 * message that has an error goes on as empty messages. False if out of memory: then nothing is to
 * be finished. O(streams + peers * window).
 */
bool pb_transfer_start(pb_transfer_t *transfer, const pb_role_t *role,
                       const pb_transfer_limits_t *limits, size_t segment_size,
                       pb_transport_t *transport, pb_message_t *message);

/** Returns whether the first segment of a stream is here. */
static inline bool pb_transfer_has_first(const pb_transfer_t *transfer, int stream)
{
    return transfer->missing[stream] > (uint64_t) stream;
}

/** Bytes of a message that are here from the beginning, without a gap. O(streams). */
size_t pb_transfer_here(const pb_transfer_t *transfer);

/**
 * Returns whether this rank exchanges any segment with a peer: a message of fewer segments than
 * streams leaves some streams empty.
 */
static inline bool pb_transfer_uses(const pb_transfer_t *transfer, const pb_lane_t *lane)
{
    return transfer->n_segments >= (uint64_t) transfer->n_streams ||
           (lane->mask & ((UINT32_C(1) << transfer->n_segments) - 1)) != 0;
}

/**
 * Does what can be done without waiting. Returns true when the transfer is through: all segments
 * (after an error, the messages instead of them) are here and have left. It is through also if the
 * transport has refused and nothing is under way any more. The result is transfer->error.
 */
bool pb_transfer_advance(pb_transfer_t *transfer);

/**
 * A receive of this parent has ended. The transport may report that immediately, if no one is
 * inside the transfer: the segment need not wait for pb_transfer_advance() then. If the receive is
 * the parent's oldest, takes it by pb_transport_take(), posts another, sends on what can be, and
 * returns true. Else the transport keeps it for pb_transport_arrived().
 */
bool pb_transfer_arrived(pb_lane_t *lane, pb_request_t request);

/**
 * Offers segments to a transfer that waits for offers (pb_transfer_limits_t): the message's first
 * `bytes` are here now, and never fewer later. With an `error` that is not 0 empty messages go
 * instead of all segments that were not offered. Sends all that it can. O(segments offered).
 */
void pb_transfer_offer(pb_transfer_t *transfer, size_t bytes, int error);

/** Returns whether it is started, and not finished; a transfer of zeros is not. */
static inline bool pb_transfer_is_started(const pb_transfer_t *transfer)
{
    return transfer->lanes != NULL;
}

/** The transport has refused a message that belongs to this transfer: nothing new is started. */
void pb_transfer_refuse(pb_transfer_t *transfer, int error);

/**
 * Ends a transfer when nothing more of it is to come: posted receives are asked to end and nothing
 * new is started. It is through when pb_transfer_advance() returns true; its error then means
 * nothing. pb_transfer_finish() need not wait for that where no one will ever send the awaited
 * messages.
 */
void pb_transfer_cancel(pb_transfer_t *transfer);

/**
 * Gives the memory back. Requests still under way, after an error or long after
 * pb_transfer_cancel(), are abandoned (pb_transport_abandon()), and the message is held.
 */
void pb_transfer_finish(pb_transfer_t *transfer);

#endif
