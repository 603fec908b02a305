/*
 * The message of a broadcast over Open MPI's datatypes; see engine/message.h.
 */
#ifndef COLL_PIPEBCAST_MESSAGE_H
#define COLL_PIPEBCAST_MESSAGE_H

#include "base/compat.h"
#include "engine/message.h"

/** Data that the user broadcasts. */
typedef struct coll_pipebcast_data {
    void *buffer;
    size_t count;
    struct ompi_datatype_t *datatype;
    size_t total; /**< packed bytes */
} coll_pipebcast_data_t;

/**
 * Describes the data of the root or of another rank. With `on_host` the caller reads and writes the
 * bytes itself: then data in a device's memory, as a GPU's, have a packed copy, too. OMPI_SUCCESS
 * or an error: then there are no bytes and no copy, and the call may be repeated. O(1).
 */
int coll_pipebcast_message_init(pb_message_t *message, const coll_pipebcast_data_t *data,
                                bool is_root, bool on_host);

/**
 * Gives the copy back, also of zeros. One that a send or receive given up after an error may still
 * use stays: memory lost is better than memory overwritten.
 */
void coll_pipebcast_message_fini(pb_message_t *message);

#endif
