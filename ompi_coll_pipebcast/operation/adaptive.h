/*
 * One rank's part of a broadcast by the algorithm adaptive, in Open MPI: which tree the
 * root takes, the host of the engine (engine/adaptive/adaptive.h), and what is noted of it for the
 * advisor.
 *
 * Only for broadcasts that follow each other: a rank knows what was announced before only when the
 * broadcasts before have ended.
 */
#ifndef COLL_PIPEBCAST_ADAPTIVE_H
#define COLL_PIPEBCAST_ADAPTIVE_H

#include "engine/adaptive/adaptive.h"
#include "operation/advised.h"
#include "pml/control.h"
#include "pml/message.h"
#include "pml/transport.h"
#include "pml/windows.h"

struct pb_adaptive_host {
    coll_pipebcast_module_t *module;   /**< borrowed */
    coll_pipebcast_advised_t *advised; /**< borrowed */
    coll_pipebcast_data_t data;
    int root;
    coll_pipebcast_choice_t choice; /**< the static plan */
    uint64_t broadcast;             /**< its number on the communicator */
    int64_t begun_at;               /**< ns since the epoch */
    int64_t begun;                  /**< the same on the engine's clock */
    pb_message_t message[PB_ADAPTIVE_N_TREES];
    bool has_message[PB_ADAPTIVE_N_TREES];
};

typedef struct coll_pipebcast_adaptive {
    pb_adaptive_host_t host;
    pb_control_t control;
    pb_transport_t transport[PB_ADAPTIVE_N_TREES];
    uint8_t *header; /**< of the root's announcement; NULL: there is none */
    pb_adaptive_t engine;
} coll_pipebcast_adaptive_t;

/**
 * Starts; the caller gives *adaptive_p back by coll_pipebcast_adaptive_finish().
 * `choice` is the static plan, `tag` the first of its three. Errors as
 * coll_pipebcast_operation_start(): then there is nothing to give back.
 */
int coll_pipebcast_adaptive_start(coll_pipebcast_advised_t *advised,
                                  const coll_pipebcast_data_t *data, int root,
                                  const coll_pipebcast_choice_t *choice, int tag,
                                  coll_pipebcast_adaptive_t **adaptive_p);

/** Gives everything back, and notes what was measured; the result is the engine's first error. */
int coll_pipebcast_adaptive_finish(coll_pipebcast_adaptive_t *adaptive);

#endif
