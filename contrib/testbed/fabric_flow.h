/*
 * The flow of a frame: what belongs together takes one of parallel links.
 */
#ifndef FABRIC_FLOW_H
#define FABRIC_FLOW_H

#include <stdint.h>

/**
 * The flow of an Ethernet frame of `length` bytes: a hash of the IPv4 addresses, the
 * protocol and, for TCP and UDP, the ports; of the Ethernet header for all else.
 * Fragments have no ports. Nothing is read beyond `length`.
 */
uint32_t fabric_flow_of(const unsigned char *data, uint32_t length);

#endif
