/*
 * How much a transfer has under way: the windows of its sends and receives, and
 * the bounce buffers behind them.
 */
#ifndef COLL_PIPEBCAST_WINDOWS_H
#define COLL_PIPEBCAST_WINDOWS_H

#include "engine/transfer.h"
#include "pml/message.h"
#include "topo/trees/role.h"

/**
 * Bytes of a segment for one that may not have arrived, at most: two TCP segments
 * with their headers, and below the eager limits of all common transports, so
 * that it goes without its receiver.
 */
#define COLL_PIPEBCAST_EAGER_SEGMENT 2874

/** What the user broadcasts. */
typedef struct coll_pipebcast_data {
    void *buffer;
    size_t count;
    struct ompi_datatype_t *datatype;
    size_t total; /**< packed bytes */
} coll_pipebcast_data_t;

/** The data as a call of MPI describes them. */
coll_pipebcast_data_t coll_pipebcast_data_of(void *buffer, size_t count,
                                             struct ompi_datatype_t *datatype);

/**
 * Cuts the user's data for a transfer of this role, by the parameters; fills the
 * transfer's limits. To be given back by coll_pipebcast_message_fini().
 * OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE.
 */
int coll_pipebcast_windows_cut(pb_message_t *message, const coll_pipebcast_data_t *data,
                               size_t segment_size, const pb_role_t *role,
                               pb_transfer_limits_t *limits_p);

#endif
