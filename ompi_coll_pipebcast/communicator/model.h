/*
 * The model of message costs by which trees and segments are chosen.
 */
#ifndef COLL_PIPEBCAST_MODEL_H
#define COLL_PIPEBCAST_MODEL_H

#include <stdbool.h>

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

/**
 * Has the memory for one model that may have to be assumed later, beside the one that is assumed
 * now. It is the process's, as most communicators assume the same one. False if out of memory.
 */
bool coll_pipebcast_model_reserve(void);

/**
 * The model that is assumed for links of this speed and MTU, retained for the caller: one that
 * the last communicator has assumed, or else a new one. Needs no memory after
 * coll_pipebcast_model_reserve(), unless another communicator has assumed one of other links since
 * then; NULL if it does and there is none.
 */
coll_pipebcast_model_t *coll_pipebcast_model_assumed(uint64_t bits_per_second, uint32_t mtu);

#endif
