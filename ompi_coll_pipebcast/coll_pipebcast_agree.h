/*
 * The ranks of a communicator agree, once, whether pipebcast serves it. It goes
 * on beside everything else: a nonblocking broadcast that needs its result waits
 * for it in the list of what is outstanding, a blocking one makes progress.
 */
#ifndef COLL_PIPEBCAST_AGREE_H
#define COLL_PIPEBCAST_AGREE_H

#include "coll_pipebcast.h"

/**
 * Begins, at the communicator's first broadcast of any kind and size, alike on all ranks. With the
 * module's lock held, which is given up in between. From then on module->state is AGREEING,
 * and the progress function goes on; or PASSING, where a rank is without the component and would
 * not take part. OMPI_ERR_OUT_OF_RESOURCE, or an error of the communication: this rank is LOST.
 */
int coll_pipebcast_agreement_start(coll_pipebcast_module_t *module);

/**
 * Does what can be done without waiting; sets module->state to SERVING or PASSING when the ranks
 * have agreed, alike on all of them, and says why where it is PASSING. If the communication failed,
 * or memory is out, this rank is LOST, with the error in module->agreed, as the others may serve.
 * With the module's lock held.
 */
void coll_pipebcast_agreement_advance(coll_pipebcast_module_t *module);

/**
 * Begins unless it was begun, and waits until the ranks have agreed; or until it turns out that the
 * caller is a part of it itself, and module->state is ASKING. The result is module->agreed, or an
 * error as above.
 */
int coll_pipebcast_agree(coll_pipebcast_module_t *module);

/** Gives up an agreement that has not ended, because of an error; NULL: there is none. */
void coll_pipebcast_agreement_free(coll_pipebcast_agreement_t *agreement);

#endif
