/*
 * A frame under way, and frames in a line behind each other.
 */
#ifndef FABRIC_FRAME_H
#define FABRIC_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Bytes of preamble, start delimiter, frame check sequence and gap: on the wire, not in a frame.
 */
#define FABRIC_WIRE_OVERHEAD 24
/** Ethernet's shortest frame without its check sequence; shorter ones are padded. */
#define FABRIC_MIN_FRAME 60
/** Ethernet's header: two addresses and a type. */
#define FABRIC_HEADER 14

/** Where a frame is from. Both kinds occupy links and queues alike; they are counted apart. */
typedef enum {
    FABRIC_REAL,      /**< a host sent it */
    FABRIC_SYNTHETIC, /**< the fabric made it, as load; it has no data and reaches no host */
    FABRIC_TRAFFIC_KINDS,
} fabric_traffic_t;

typedef struct fabric_frame {
    struct fabric_frame *next;
    int64_t arrival;   /**< at the far end of the link it is on; set when it is started */
    int source;        /**< host that sent it; -1: it is synthetic */
    int target;        /**< node of the network that it goes to; -1: it is a group frame */
    uint32_t length;   /**< bytes of data, with the Ethernet header, without check sequence */
    uint32_t flow;     /**< frames of one flow have the same number */
    bool is_multicast; /**< of a group frame: it is no broadcast */
    fabric_traffic_t kind;
    unsigned char data[];
} fabric_frame_t;

/**
 * The flow of an Ethernet frame of `length` bytes: frames of one flow take the same one of parallel
 * links. A hash of the IPv4 addresses, the protocol and, for TCP and UDP, the ports; of the
 * Ethernet header for all else. Fragments have no ports. Nothing is read beyond `length`.
 */
uint32_t fabric_flow_of(const unsigned char *data, uint32_t length);

/** Frames in the order in which they came. All-zero: none. */
typedef struct fabric_fifo {
    fabric_frame_t *head, *tail;
} fabric_fifo_t;

static inline void fabric_fifo_push(fabric_fifo_t *fifo, fabric_frame_t *frame)
{
    frame->next = NULL;
    if (fifo->head == NULL) {
        fifo->head = frame;
    } else {
        fifo->tail->next = frame;
    }
    fifo->tail = frame;
}

/** Takes the first frame off; there must be one. */
static inline fabric_frame_t *fabric_fifo_pop(fabric_fifo_t *fifo)
{
    fabric_frame_t *frame = fifo->head;
    fifo->head = frame->next;
    return frame;
}

#endif
