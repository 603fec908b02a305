/*
 * Steps as the control socket reads them: a line of words, separated by spaces.
 *
 *   NS link FROM TO MEMBER RATE LATENCY QUEUE LOSS   changes one directed link, all its members
 *                                                    (MEMBER -1) or one, to RATE bit/s (0: as it
 *                                                    is), LATENCY ns, QUEUE bytes and LOSS frames
 *                                                    in a million (-1: as it is)
 *   NS switch NAME MULTICAST                         0: from now on it drops all multicast frames
 *   NS load FROM TO RATE DURATION LENGTH             synthetic frames between two nodes; LENGTH is
 *                                                    a frame's, with its Ethernet header
 *
 * NS is when, from the request on.
 */
#ifndef FABRIC_WORDS_H
#define FABRIC_WORDS_H

#include "contrib/testbed/fabric_step.h"
#include "topo/network/network.h"

/**
 * Reads a line, which it changes, for frames of at most `max_length` bytes. Returns NULL, or what
 * is wrong (static storage).
 */
const char *fabric_read_step(const pb_network_t *network, uint32_t max_length, char *line,
                             fabric_step_t *step);

#endif
