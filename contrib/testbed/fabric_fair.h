/*
 * A fair queue: flows take turns.
 *
 * What a Linux host has before its network device, by default: a queue for each flow,
 * served in deficit round robin, and flows that were silent before those that wait
 * already (RFC 8290, sections 4.1 and 4.2, without CoDel: nothing is dropped because it
 * waited long). A pure acknowledgement so overtakes the data of other flows.
 */
#ifndef FABRIC_FAIR_H
#define FABRIC_FAIR_H

#include "contrib/testbed/fabric_frame.h"

/** Queues; flows whose numbers are equal modulo this share one. */
#define FABRIC_FAIR_FLOWS 1024

typedef struct fabric_fair fabric_fair_t;

/**
 * An empty queue where each flow may send `quantum` bytes at a turn: at least those of the longest
 * frame. NULL if out of memory.
 */
fabric_fair_t *fabric_fair_new(uint32_t quantum);

/** Frees the queue, which must be empty. */
void fabric_fair_free(fabric_fair_t *fair);

/** Adds a frame at the end of its flow's queue. O(1). */
void fabric_fair_push(fabric_fair_t *fair, fabric_frame_t *frame);

/** Takes the frame whose turn it is; there must be one. O(1), as a quantum holds a frame. */
fabric_frame_t *fabric_fair_pop(fabric_fair_t *fair);

/**
 * The flow of an Ethernet frame of `length` bytes: a hash of the IPv4 addresses, the
 * protocol and, for TCP and UDP, the ports; of the Ethernet header for all else.
 * Fragments have no ports. Nothing is read beyond `length`.
 */
uint32_t fabric_flow_of(const unsigned char *data, uint32_t length);

#endif
