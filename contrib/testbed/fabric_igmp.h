/*
 * Group frames: what a switch reads of a frame that is not for one host, and IGMP, by which hosts
 * report the IPv4 groups that they are in (RFC 1112, RFC 2236, RFC 3376).
 *
 * Of sources (SSM) nothing is kept: whoever wants a group from some sources only is a member.
 * IPv6 groups (MLD) are not read.
 */
#ifndef FABRIC_IGMP_H
#define FABRIC_IGMP_H

#include <stdbool.h>
#include <stdint.h>

#include "contrib/testbed/fabric_frame.h"

/**
 * To whom an Ethernet frame of `length` bytes goes (at least FABRIC_HEADER) whose first byte is
 * odd; *group_p is the IPv4 group of a FABRIC_CAST_GROUP, else 0. Nothing is read beyond `length`.
 */
fabric_cast_t fabric_igmp_cast(const unsigned char *data, uint32_t length, uint32_t *group_p);

/** Calls `found` with the context for a group that a host is in, or is in no more. */
typedef void fabric_igmp_found_t(void *context, uint32_t group, bool is_member);

/**
 * Reads a FABRIC_CAST_REPORT of any version, up to the first record that is cut off. Groups outside
 * 224.0.0.0/4, and those of 224.0.0.0/24, which are flooded anyway, are left out.
 */
void fabric_igmp_read(const unsigned char *data, uint32_t length, fabric_igmp_found_t *found,
                      void *context);

/** Bytes of a query. */
#define FABRIC_IGMP_QUERY FABRIC_MIN_FRAME

/**
 * Writes a general query of version 3 from switch `node`, to be answered within `response` ns, with
 * `interval` ns from query to query. It has the address 0.0.0.0, as a switch without one sends it
 * (RFC 4541, section 2.1.1).
 */
void fabric_igmp_query(int node, int64_t interval, int64_t response,
                       unsigned char frame[FABRIC_IGMP_QUERY]);

#endif
