/*
 * Connections between a root and every other rank, opened before broadcasts are served as ranks
 * arrive (ours).
 *
 * There every rank reports to the root directly. If the connection had to be opened for that, all
 * at once and over the root's one link, reports would come so far apart that the root could not
 * tell who is late; and to a rank that is late none could be opened before it comes. So where a
 * fold's conclusion (engine/arrival/fold.h) is the first that may lead to such broadcasts, it also
 * asks each rank for an empty message to the root. No broadcast waits for these; the root takes
 * them in as a task (communicator/progress.h), so that none is left over when the communicator
 * ends.
 *
 * All functions with the module's lock held, but the first two.
 */
#ifndef COLL_PIPEBCAST_OPENING_H
#define COLL_PIPEBCAST_OPENING_H

#include "communicator/progress.h"
#include "pml/control.h"

typedef struct coll_pipebcast_opening {
    struct coll_pipebcast_module *module; /**< of which this is a part */
    coll_pipebcast_task_t task;
    bool was_asked; /**< by this rank; once is enough */
    pb_control_t control;
    pb_request_t receive; /**< of the next message; NULL: none is posted */
    int n_to_come;        /**< messages that are */
} coll_pipebcast_opening_t;

/** As a module is made, and goes. */
void coll_pipebcast_opening_construct(coll_pipebcast_opening_t *opening,
                                      struct coll_pipebcast_module *module);
void coll_pipebcast_opening_destruct(coll_pipebcast_opening_t *opening);

/**
 * At a root that has all reports of a fold, and can still add to its conclusion: whether that asks
 * for messages. Then they are taken in, by the fold's tag.
 */
bool coll_pipebcast_opening_ask(coll_pipebcast_opening_t *opening, int tag);

/** The conclusion has asked this rank, which is not the root. If it cannot be sent, this rank is
 * lost. */
void coll_pipebcast_opening_answer(struct coll_pipebcast_module *module, int root, int tag);

#endif
