/*
 * The link by which this host reaches others, as the system describes it.
 */
#ifndef COLL_PIPEBCAST_LINK_H
#define COLL_PIPEBCAST_LINK_H

#include <stdint.h>

typedef struct coll_pipebcast_link {
    uint64_t bits_per_second; /**< as the driver claims; 1 Gbit/s if it does not */
    uint32_t mtu;             /**< 1500 if it is not known */
} coll_pipebcast_link_t;

/**
 * The slowest speed and the least MTU of the interfaces that Open MPI's TCP
 * transport uses: those in the parameter btl_tcp_if_include if it is set, else that
 * of the default route, else the first one that is up and not the loopback.
 */
coll_pipebcast_link_t coll_pipebcast_link_get(void);

#endif
