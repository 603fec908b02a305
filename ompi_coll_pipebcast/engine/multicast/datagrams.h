/*
 * Datagrams of a multicast group: each brings a frame to all members, or not.
 *
 * A datagram may be lost, late, repeated or out of order, and may come from anybody. So nobody
 * waits for one alone, and its content is checked before use (engine/multicast/frame.h). The UDP
 * implementation is engine/multicast/udp_datagrams.h; the engine's unit tests have one in memory.
 * Both may be in one program, so the interface is a table of functions and not resolved when
 * linking.
 */
#ifndef PB_MULTICAST_DATAGRAMS_H
#define PB_MULTICAST_DATAGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "topo/util/error.h"

/** Datagrams that one call sends, at most. */
#define PB_DATAGRAMS_MAX_BATCH 32

/** One to send: a header and what follows it. */
typedef struct pb_datagram {
    const uint8_t *header;
    size_t header_bytes;
    const char *payload;
    size_t bytes; /**< of the payload; all of a batch but the last have as many */
} pb_datagram_t;

typedef struct pb_datagrams pb_datagrams_t;

/** Functions of an implementation; the first member of its own structure. None of them blocks. */
struct pb_datagrams {
    /**
     * Sends the first ones of a batch of n <= PB_DATAGRAMS_MAX_BATCH to the group, whose bytes are
     * free again when it returns. Returns how many; 0 while there is no room; or an error
     * code (PB_ERR_IO) if the group cannot be reached at all.
     */
    int (*send)(pb_datagrams_t *datagrams, const pb_datagram_t *batch, int n);

    /** Returns whether sent datagrams have not left this host. */
    bool (*is_sending)(pb_datagrams_t *datagrams);

    /**
     * The next one that has come: true, and its bytes, which are valid until the next call.
     * False if none is there now, also after an error.
     */
    bool (*next)(pb_datagrams_t *datagrams, const uint8_t **bytes_p, size_t *length_p);

    /** Datagrams that were lost because nobody received them; it wraps. 0: it is not known. */
    uint32_t (*dropped)(pb_datagrams_t *datagrams);

    /** Datagrams of the largest size that may wait to be taken in. */
    uint32_t capacity;
};

#endif
