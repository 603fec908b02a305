/*
 * The message of a broadcast over Open MPI's datatypes; see engine/message.h.
 */
#ifndef COLL_PIPEBCAST_MESSAGE_H
#define COLL_PIPEBCAST_MESSAGE_H

#include "base/compat.h"
#include "engine/message.h"
#include "engine/transfer.h"

/**
 * Bytes of a segment for a rank that may not have arrived, at most. Two TCP segments hold it with
 * the headers, and it is below the eager limits of all common transports: so it goes without its
 * receiver.
 */
#define COLL_PIPEBCAST_EAGER_SEGMENT 2874

/** Data that the user broadcasts. */
typedef struct coll_pipebcast_data {
    void *buffer;
    size_t count;
    struct ompi_datatype_t *datatype;
    size_t total; /**< packed bytes */
} coll_pipebcast_data_t;

/** The data as a call of MPI describes them. */
coll_pipebcast_data_t coll_pipebcast_data_of(void *buffer, size_t count,
                                             struct ompi_datatype_t *datatype);

struct pb_packing; /* of data that are not contiguous: pml/message.c */

struct pb_message {
    int error;        /**< if not 0, the answer to every question; there is nothing else */
    char *contiguous; /**< first byte of contiguous data; NULL if they are not */
    struct pb_packing *packing; /**< NULL for contiguous data */
};

/**
 * Cuts the user's data into segments for a transfer of this role, and fills the transfer's limits,
 * by the parameters. For data that are not contiguous, bounce buffers are made as they are needed,
 * and bound the windows. OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE, also at a second try.
 */
int coll_pipebcast_message_cut(pb_message_t *message, const coll_pipebcast_data_t *data,
                               size_t segment_size, const pb_role_t *role,
                               pb_transfer_limits_t *limits_p);

/**
 * Describes the data as one segment, which the caller reads and writes itself. A bounce buffer has
 * them if they are not contiguous, or in a device's memory, as a GPU's.
 */
int coll_pipebcast_message_init_on_host(pb_message_t *message, const coll_pipebcast_data_t *data);

/** A message that cannot be had: every question for a buffer gets `error`. */
void coll_pipebcast_message_fail(pb_message_t *message, int error);

/**
 * Gives the bounce buffers back, also of zeros or a message that has an error. It leaves those that
 * a send or receive given up after an error still holds: memory lost is better than memory
 * overwritten.
 */
void coll_pipebcast_message_fini(pb_message_t *message);

#endif
