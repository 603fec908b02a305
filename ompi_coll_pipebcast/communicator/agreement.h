/*
 * The ranks of a communicator agree, once, whether pipebcast serves it: from what their processes
 * have published, without a message, or else by messages. That goes
 * on beside everything else, as a task: a nonblocking broadcast that needs its result is
 * one that waits for it, a blocking one makes progress.
 */
#ifndef COLL_PIPEBCAST_AGREEMENT_H
#define COLL_PIPEBCAST_AGREEMENT_H

#include "communicator/module.h"

/** The number of all that ranks of different builds would not understand alike. */
int coll_pipebcast_agreement_protocol(void);

/** Memory for the agreement of one communicator; NULL if out of memory. */
struct coll_pipebcast_agreement *coll_pipebcast_agreement_new(void);

/**
 * Begins, at the communicator's first broadcast of any kind and size, alike on all ranks. With the
 * module's lock held, which is given up in between. From then on module->state is AGREEING,
 * and the progress function goes on, until it is SERVING or PASSING; or it is one of these at once:
 * PASSING where a rank is without the component and would not take part, either where all ranks are
 * known to be alike. A rank without memory takes part
 * as the others do. An error of the communication, also in module->agreed: this rank is lost.
 */
int coll_pipebcast_agreement_start(coll_pipebcast_module_t *module);

/**
 * Begins unless it was begun, and waits until the ranks have agreed; or until it turns out that the
 * caller is a part of it itself, and module->state is ASKING. With the module's lock held, which is
 * given up while it waits. An error, that of module->agreed, if it is not known what the ranks have
 * agreed on.
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
void coll_pipebcast_agreement_free(struct coll_pipebcast_agreement *agreement);

#endif
