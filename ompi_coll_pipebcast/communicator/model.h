/*
 * The model of message costs by which trees and segments are chosen.
 */
#ifndef COLL_PIPEBCAST_MODEL_H
#define COLL_PIPEBCAST_MODEL_H

#include "communicator/shared.h"
#include "topo/model/model.h"

typedef struct coll_pipebcast_model {
    coll_pipebcast_shared_t super;
    uint64_t hash; /**< of the model; 0 if it is faulty */
    uint64_t bits_per_second;
    uint32_t mtu; /**< that an assumed model was made from; 0: it was measured */
    pb_model_t model;
} coll_pipebcast_model_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_model_t);

/**
 * The measured model that the parameter model_file names, retained for the caller.
 * NULL if none is named, or out of memory (see *error_p).
 */
coll_pipebcast_model_t *coll_pipebcast_model_get(int *error_p);

/** Memory for a model that may have to be assumed later; NULL if out of memory. */
coll_pipebcast_model_t *coll_pipebcast_model_blank(void);

/**
 * The model that is assumed for links of this speed and MTU, retained for the caller: one that
 * other communicators have already, or else the blank one, which it takes over and fills. Needs no
 * memory.
 */
coll_pipebcast_model_t *coll_pipebcast_model_assumed(coll_pipebcast_model_t *blank,
                                                     uint64_t bits_per_second, uint32_t mtu);

#endif
