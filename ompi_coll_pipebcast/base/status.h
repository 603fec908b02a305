/*
 * Status of the communicator whose ranks agreed last, as performance variables of MPI_T for
 * pipebcast-doctor. The texts are for people, "" before. Numbers are in base/counters.h.
 */
#ifndef COLL_PIPEBCAST_STATUS_H
#define COLL_PIPEBCAST_STATUS_H

#include "base/compat.h"

/** Bytes of each text, its end included. */
#define COLL_PIPEBCAST_STATUS_SIZE 512

/** Each is a text of its own. */
typedef enum {
    COLL_PIPEBCAST_STATUS_TOPOLOGY, /**< how many hosts and switches, and where it came from */
    COLL_PIPEBCAST_STATUS_COSTS,    /**< by which broadcasts are planned: where they came from */
    COLL_PIPEBCAST_STATUS_WHY,      /**< why this rank cannot serve */
    COLL_PIPEBCAST_STATUS_TEXTS,
} coll_pipebcast_status_t;

/** Replaces a text; one that is too long is cut. For any thread. */
void coll_pipebcast_status_set(coll_pipebcast_status_t which, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Makes them known to MPI_T; called whenever Open MPI registers the component. */
int coll_pipebcast_status_register(const mca_base_component_t *component);

#endif
