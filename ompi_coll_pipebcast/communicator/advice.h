/*
 * Following advice (paper 4), as the communicator sees it. The room adaptive/ does it; a plugin of
 * configure --disable-adaptive is built without it. component/ registers that room; the others know
 * it by this alone.
 */
#ifndef COLL_PIPEBCAST_ADVICE_H
#define COLL_PIPEBCAST_ADVICE_H

#include "communicator/module.h"

struct coll_pipebcast_method; /* operation/operation.h */

typedef struct coll_pipebcast_advice {
    /**
     * Prepares a communicator whose placement is known, before its first broadcast. It stays
     * without if its hosts cannot be advised, alike on all ranks. OMPI_ERR_OUT_OF_RESOURCE.
     */
    int (*prepare)(coll_pipebcast_module_t *module);
    /** Gives back what a communicator has of it; NULL: nothing. */
    void (*give_back)(struct coll_pipebcast_advised *advised);
    const struct coll_pipebcast_method *method; /**< of broadcasts that follow advice */
} coll_pipebcast_advice_t;

/** Set when adaptive/ is registered; NULL: the plugin is built without it. */
extern const coll_pipebcast_advice_t *coll_pipebcast_advice;

#endif
