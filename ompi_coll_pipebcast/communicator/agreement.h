/*
 * The ranks of a communicator agree, once, whether pipebcast serves it. It goes
 * on beside everything else: a nonblocking broadcast that needs its result waits
 * for it in the list of what is outstanding, a blocking one makes progress.
 */
#ifndef COLL_PIPEBCAST_AGREE_H
#define COLL_PIPEBCAST_AGREE_H

#include "component/component.h"

/** Memory for the agreement of one communicator; NULL if out of memory. */
coll_pipebcast_agreement_t *coll_pipebcast_agreement_new(void);

/**
 * Begins, at the communicator's first broadcast of any kind and size, alike on all ranks. With the
 * module's lock held, which is given up in between. From then on module->state is AGREEING,
 * and the progress function goes on; or PASSING, where a rank is without the component and would
 * not take part. A rank without memory takes part as the others do. An error of the communication,
 * also in module->agreed: this rank is lost.
 */
int coll_pipebcast_agreement_start(coll_pipebcast_module_t *module);

/**
 * Does what can be done without waiting; sets module->state to SERVING or PASSING when the ranks
 * have agreed, alike on all of them, and says why where it is PASSING. If the communication failed,
 * this rank is lost, with the error in module->agreed; AGREEING is its state if it does not know
 * what the others agree on. With the module's lock held.
 */
void coll_pipebcast_agreement_advance(coll_pipebcast_module_t *module);

/**
 * Begins unless it was begun, and waits until the ranks have agreed; or until it turns out that the
 * caller is a part of it itself, and module->state is ASKING. An error, that of module->agreed, if
 * it is not known what the ranks have agreed on.
 */
int coll_pipebcast_agree(coll_pipebcast_module_t *module);

/**
 * Whether broadcasts have to wait for the agreement. Not where this rank has left it and does not
 * know what the others agreed on: its state stays AGREEING then.
 */
static inline bool coll_pipebcast_is_agreeing(const coll_pipebcast_module_t *module)
{
    return module->state == COLL_PIPEBCAST_AGREEING && module->agreement != NULL;
}

/** Gives an agreement's memory back, when nothing goes on any more; NULL: there is none. */
void coll_pipebcast_agreement_free(coll_pipebcast_agreement_t *agreement);

#endif
