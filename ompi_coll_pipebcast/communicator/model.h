/*
 * The model of message costs by which trees and segments are chosen.
 */
#ifndef COLL_PIPEBCAST_MODEL_H
#define COLL_PIPEBCAST_MODEL_H

#include "base/compat.h"
#include "topo/model/model.h"

typedef struct coll_pipebcast_model {
    opal_object_t super;
    char *source;             /**< for people: where it came from */
    char *why;                /**< for people: what is wrong with its file; NULL: nothing */
    uint64_t bits_per_second; /**< of links, from which it was assumed; 0: it was measured */
    uint32_t mtu;             /**< in bytes, the same */
    pb_model_t model;
} coll_pipebcast_model_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_model_t);

/**
 * Reads the measured model that the parameter model_file names into coll_pipebcast_process.model,
 * which stays NULL if it names none. Called once. OMPI_ERR_OUT_OF_RESOURCE.
 */
int coll_pipebcast_model_read(void);

/**
 * Returns the model that is assumed for links of this speed and MTU, retained for the caller. It is
 * the one assumed last, or a new one that replaces that. NULL if out of memory.
 */
coll_pipebcast_model_t *coll_pipebcast_model_assumed(uint64_t bits_per_second, uint32_t mtu);

#endif
