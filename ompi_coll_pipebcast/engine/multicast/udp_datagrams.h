/*
 * Datagrams over UDP and IPv4 multicast; see engine/multicast/datagrams.h. Linux.
 *
 * Frames are never fragmented, and go no further than the network of the interface (a TTL of
 * 1). Where the kernel has them, batches of frames pass it as one (UDP_SEGMENT, UDP_GRO): what it
 * has is found by trying.
 */
#ifndef PB_MULTICAST_UDP_DATAGRAMS_H
#define PB_MULTICAST_UDP_DATAGRAMS_H

#include <netinet/in.h>

#include "engine/multicast/datagrams.h"

/** Bytes of the headers of IP and UDP, before a frame in its packet. */
#define PB_UDP_HEADER_BYTES 28

typedef struct pb_udp_options {
    struct in_addr group;   /**< a multicast address */
    uint16_t port;          /**< host byte order, > 0; may be shared with other sockets */
    unsigned int interface; /**< index of the interface that frames leave and come by, > 0 */
    bool only_sends;        /**< it hears nothing */
    bool loops;             /**< frames also reach the sockets of this host, its sender's too */
    size_t frame_bytes;     /**< of the largest frame with its header, > 0 */
    size_t buffer_bytes;    /**< that the receive buffer should have; the kernel may give less */
    bool one_by_one;        /**< without UDP_SEGMENT and UDP_GRO, even if the kernel has them */
} pb_udp_options_t;

/**
 * Joins the group. *datagrams_p is given back by pb_udp_datagrams_close(). Returns 0,
 * PB_ERR_NO_MEMORY, or PB_ERR_IO with errno where the system refuses: no permission, no such
 * interface, no multicast.
 */
int pb_udp_datagrams_open(const pb_udp_options_t *options, pb_datagrams_t **datagrams_p);

/** Leaves the group and gives all back; NULL is allowed. */
void pb_udp_datagrams_close(pb_datagrams_t *datagrams);

#endif
