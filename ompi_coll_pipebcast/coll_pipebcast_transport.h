/*
 * The transport of segments over the PML; see transport.h.
 */
#ifndef COLL_PIPEBCAST_TRANSPORT_H
#define COLL_PIPEBCAST_TRANSPORT_H

#include "coll_pipebcast_compat.h"
#include "transport.h"

struct pb_transport {
    struct ompi_communicator_t *comm;
    int tag; /**< of all segments of the broadcast */
};

#endif
