/*
 * A rank is *lost* if it left a broadcast with which the others go on: it is out of memory or the
 * transport refuses. Others may wait for it. So it notifies all others of the communicator, and
 * they leave the broadcast too. Each tells its two neighbors again, as the lost rank may not reach
 * one of them. A rank that waits for a message that no one will send ends with an error instead.
 *
 * Only a rank that finds nothing to do looks, now and then, whether such a message is there. All of
 * them have one tag, the communicator's own. Ours; the effect is the same as for a revoked
 * communicator of ULFM, for our broadcasts alone.
 *
 * A lost rank keeps the communicator to the end of the job, even when the user frees it. Messages
 * to it may still be on their way: the next communicator with the same number would take them. A
 * rank that has ended all its broadcasts well may free the communicator before it hears of the lost
 * one. No communicator with the lost rank gets the number then. In one without it the report would
 * be a message of an unknown sequence.
 *
 * A lost rank keeps in step: it draws the tags that the others draw. It also takes part in
 * broadcasts of the fallback component, whose messages are never mistaken for ours.
 */
#ifndef COLL_PIPEBCAST_LOST_H
#define COLL_PIPEBCAST_LOST_H

#include "communicator/module.h"

/**
 * This rank leaves a broadcast that the others go on with, for `error`: reports it once, and
 * notifies the other ranks. All further ones of ours end with an error here. With the module's lock
 * held. O(ranks) at the first call, O(1) later.
 */
void coll_pipebcast_lose(coll_pipebcast_module_t *module, int error);

/**
 * Looks, now and then, whether another rank is lost or has failed, or the communicator was revoked:
 * then this rank is lost, too. Returns whether it is. Call it when a broadcast has found nothing to
 * do, with the module's lock held.
 */
bool coll_pipebcast_look_for_lost(coll_pipebcast_module_t *module);

/**
 * The same for a task between broadcasts that is not through. Also true where the user has just
 * excluded the communicator (base/compat.h): what is still to come may never be matched. The
 * communicator then stays to the end of the job, too. The task ends.
 */
bool coll_pipebcast_look_between(coll_pipebcast_module_t *module);

/**
 * Returns Open MPI's error for a broadcast that this rank left, or that had an `error` (0: none of
 * its own). It is ULFM's where a process has failed or the communicator is revoked.
 */
int coll_pipebcast_lost_error(const coll_pipebcast_module_t *module, int error);

/**
 * Ends the job where a connection could not be made since there were `n_then` of these, and then
 * for ten seconds. *since_p, 0 at first, is for this function. For a rank that waits. With Open MPI
 * 4.1 alone: later series end the job themselves.
 */
void coll_pipebcast_end_if_unconnected(struct ompi_communicator_t *comm, int n_then,
                                       int64_t *since_p);

/**
 * Ends the job, where this rank can neither take part nor notify the others that it does not.
 * Reports `what` it cannot do and, by `error`, why.
 */
void coll_pipebcast_end_job(struct ompi_communicator_t *comm, const char *what, int error);

#endif
