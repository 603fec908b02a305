/*
 * The message of a broadcast over Open MPI's datatypes; see engine/message.h.
 */
#ifndef COLL_PIPEBCAST_MESSAGE_H
#define COLL_PIPEBCAST_MESSAGE_H

#include "base/compat.h"
#include "engine/message.h"

/** One bounce buffer: the packed bytes of a segment, kept while someone may want them. */
typedef struct pb_bounce {
    uint64_t segment;
    int users;         /**< sends and receives that hold it */
    bool sending;      /**< it was taken for a send */
    bool whole;        /**< it holds the segment's bytes (not: a receive into it is under way) */
    uint64_t released; /**< when the last user gave it back, by n_releases */
    char *memory;
    char *bytes; /**< the segment's first byte, inside memory */
} pb_bounce_t;

struct pb_message {
    int error;        /**< if not 0, the answer to every question; there is nothing else */
    char *contiguous; /**< first byte of contiguous data; NULL if they are not */
    void *buffer;     /**< the user's, for the convertor */
    struct ompi_datatype_t *datatype;
    size_t count;
    size_t segment_size;
    bool has_large_elements; /**< some are too large for Open MPI to unpack in parts */
    int n_bounces;           /**< bounce buffers made so far */
    int max_bounces;         /**< and at most */
    int max_sending; /**< of them those that sends may hold, so that they leave some to receives */
    int n_sending;   /**< of them held by sends now */
    uint64_t n_releases;
    pb_bounce_t *bounces;  /**< max_bounces entries; NULL for contiguous data */
    opal_convertor_t pack; /**< where the last packing ended */
    opal_convertor_t unpack;
};

/**
 * Describes `count` elements of `datatype` at `buffer` for segments of
 * `segment_size` bytes. For data that are not contiguous, bounce buffers are
 * made as they are needed: as many as `max_receiving` receives (the caller has no
 * more under way) and `max_sending` sent segments hold at a time, at least 1.
 * OMPI_SUCCESS or OMPI_ERR_OUT_OF_RESOURCE.
 */
int coll_pipebcast_message_init(pb_message_t *message, void *buffer, size_t count,
                                struct ompi_datatype_t *datatype, size_t segment_size,
                                int max_receiving, int max_sending);

/**
 * Whether the user's data are in the host's memory, so that the processor may read and write them;
 * else they are on a device, as a GPU's: then only the PML and convertors may. Ranks may differ.
 * Without support for devices in Open MPI this is true and costs nothing.
 */
bool coll_pipebcast_is_on_host(const void *buffer, size_t count, struct ompi_datatype_t *datatype);

/**
 * The same as coll_pipebcast_message_init() for a message in one segment of all its `total` bytes,
 * which the caller reads and writes itself: where the data are not contiguous, or not on the host,
 * a bounce buffer has them.
 */
int coll_pipebcast_message_init_on_host(pb_message_t *message, void *buffer, size_t count,
                                        struct ompi_datatype_t *datatype, size_t total);

/** A message that cannot be had: every question for a buffer gets `error`. */
void coll_pipebcast_message_fail(pb_message_t *message, int error);

/**
 * Gives the bounce buffers back, also of zeros or a message that cannot be had, but for those that
 * a send or receive still holds: it was given up after an error, and memory lost is better than
 * memory overwritten.
 */
void coll_pipebcast_message_fini(pb_message_t *message);

#endif
