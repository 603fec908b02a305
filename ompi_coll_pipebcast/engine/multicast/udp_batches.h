/*
 * The socket options by which runs of datagrams pass the kernel as one. <linux/udp.h> has them, but
 * not on older systems, and it clashes with <netinet/udp.h>.
 */
#ifndef PB_UDP_BATCHES_H
#define PB_UDP_BATCHES_H

#include <netinet/udp.h>

#ifndef UDP_SEGMENT
#define UDP_SEGMENT 103
#endif
#ifndef UDP_GRO
#define UDP_GRO 104
#endif

#endif
