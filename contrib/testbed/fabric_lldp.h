/*
 * LLDP of the fabric's switches (IEEE 802.1AB): the frames by which each announces itself out of
 * the ports of its hosts, and the addresses that no switch forwards.
 *
 * A switch has as chassis ID the hardware address 02:70:73 followed by its node's number in three
 * bytes, and as system name its name; a port is called as the one of the fabric's interface. The
 * speed is announced as the type of a transceiver, where there is one of that speed.
 */
#ifndef FABRIC_LLDP_H
#define FABRIC_LLDP_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/network/network.h"

/** Bytes of the longest frame: one of the longest system name. */
#define FABRIC_LLDP_MAX 400

/** What a frame announces. */
typedef struct fabric_announced {
    int node;         /**< the switch */
    const char *name; /**< its name; at most 255 bytes of it are announced */
    int port;         /**< number of the host's port */
    uint64_t rate;    /**< bit/s of the link */
    int64_t lifetime; /**< for which it is to be remembered, ns */
} fabric_announced_t;

/** Writes a frame without check sequence; returns its length. */
uint32_t fabric_lldp_frame(const fabric_announced_t *announced,
                           unsigned char frame[FABRIC_LLDP_MAX]);

/**
 * Whether an address is one of those that end at the next switch, 01:80:c2:00:00:00 to 0f
 * (IEEE 802.1Q, table 8-1).
 */
bool fabric_lldp_is_local(const unsigned char *address);

#endif
