/*
 * Control messages over the PML; see engine/control.h.
 */
#ifndef COLL_PIPEBCAST_CONTROL_H
#define COLL_PIPEBCAST_CONTROL_H

#include "base/compat.h"
#include "engine/control.h"

struct pb_control {
    struct ompi_communicator_t *comm;
    int tag; /**< of this operation's control messages, and of nothing else */
};

#endif
