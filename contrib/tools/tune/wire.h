/* TCP's form of messages: the bytes that fit a segment, and those that MPI puts before a
 * message. */
#ifndef TUNE_WIRE_H
#define TUNE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "traffic.h"

struct tune_wire {
    uint32_t payload;  /**< bytes of one full TCP segment */
    uint32_t overhead; /**< bytes that MPI and its transport put before a message */
};

/**
 * The leader's call: finds both by sending two batches that differ in the number of messages. It
 * asks the kernel of each of this process's TCP connections how many more bytes were acknowledged.
 * Other traffic is alike in both. False if the team does not talk over TCP or the kernel does not
 * report it; *wire_p then has the usual values.
 */
bool tune_wire_find(const struct tune_team *team, struct tune_wire *wire_p);

#endif
