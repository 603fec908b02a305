/*
 * The fabric's ends of the hosts' links: one packet socket for all of them.
 *
 * Frames are received through a ring that the kernel fills, each with its host's time of sending.
 * The fabric reads them when it has a reason to be awake. Frames are sent in batches.
 */
#ifndef FABRIC_PORTS_H
#define FABRIC_PORTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct fabric_ports fabric_ports_t;

typedef struct fabric_ports_counters {
    uint64_t received;  /**< frames taken from the ring */
    uint64_t sent;      /**< frames handed to the kernel */
    uint64_t refused;   /**< frames that the kernel would not take */
    uint64_t overruns;  /**< frames lost because the ring was full: the fabric was too late */
    uint64_t oversized; /**< frames longer than the greatest length: an offload is on */
} fabric_ports_counters_t;

/**
 * Opens `n_ports` interfaces named PREFIX0, PREFIX1, ... of this network namespace, for
 * frames of at most `max_length` bytes. NULL with a sentence in `why` on failure.
 */
fabric_ports_t *fabric_ports_open(const char *prefix, int n_ports, uint32_t max_length, char *why,
                                  size_t why_size);
void fabric_ports_close(fabric_ports_t *ports);

/** The socket, readable when frames wait in the ring. */
int fabric_ports_fd(const fabric_ports_t *ports);

/**
 * Calls `found` for every frame in the ring: port, bytes, and when the host sent it
 * (CLOCK_MONOTONIC, ns). The bytes are valid during the call only.
 */
void fabric_ports_receive(fabric_ports_t *ports,
                          void (*found)(void *context, int port, const unsigned char *data,
                                        uint32_t length, int64_t time),
                          void *context);

/** Frames that one batch of fabric_ports_send() holds. */
#define FABRIC_PORTS_BATCH 64

/** One frame to send; `data` is read during fabric_ports_send(). */
typedef struct fabric_ports_frame {
    int port;
    uint32_t length;
    unsigned char *data;
} fabric_ports_frame_t;

/** Sends up to FABRIC_PORTS_BATCH frames. Those that the kernel refuses are counted. */
void fabric_ports_send(fabric_ports_t *ports, const fabric_ports_frame_t *frames, int n_frames);

/** Borrowed; brought up to date by the call. */
const fabric_ports_counters_t *fabric_ports_counters(fabric_ports_t *ports);
void fabric_ports_reset(fabric_ports_t *ports);

#endif
