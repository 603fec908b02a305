/*
 * Connections to a root, opened in advance; see communicator/opening.h.
 */
#include "communicator/opening.h"

#include "communicator/connections.h"
#include "communicator/lost.h"
#include "communicator/module.h"

void coll_pipebcast_opening_construct(coll_pipebcast_opening_t *opening,
                                      coll_pipebcast_module_t *module)
{
    *opening = (coll_pipebcast_opening_t){.module = module};
    OBJ_CONSTRUCT(&opening->task.super, opal_list_item_t);
}

void coll_pipebcast_opening_destruct(coll_pipebcast_opening_t *opening)
{
    OBJ_DESTRUCT(&opening->task.super);
}

static coll_pipebcast_opening_t *opening_of(coll_pipebcast_task_t *task)
{
    return (coll_pipebcast_opening_t *) (void *) ((char *) task -
                                                  offsetof(coll_pipebcast_opening_t, task));
}

/** Takes in the next message; false if none is there, or none can be received any more. */
static bool take_one(coll_pipebcast_opening_t *opening)
{
    int rank, error = 0;
    size_t bytes;
    if (opening->receive == NULL) {
        error = pb_control_receive(&opening->control, NULL, 0, &opening->receive);
    }
    if (error == 0 &&
        !pb_control_received(&opening->control, &opening->receive, &rank, &bytes, &error)) {
        return false;
    }
    if (error != 0) {
        coll_pipebcast_lose(opening->module, error);
        return false;
    }
    opening->n_to_come--;
    return true;
}

/** True when all have come, or this rank is lost: then not all will. */
static bool advance(coll_pipebcast_task_t *task)
{
    coll_pipebcast_opening_t *opening = opening_of(task);
    while (opening->n_to_come > 0 && take_one(opening)) {
    }
    return opening->n_to_come == 0 || coll_pipebcast_is_lost(opening->module);
}

static void end(coll_pipebcast_task_t *task)
{
    coll_pipebcast_opening_t *opening = opening_of(task);
    coll_pipebcast_lock_t *lock = &opening->module->lock;
    int rank;
    coll_pipebcast_lock(lock);
    if (opening->receive != NULL) {
        (void) pb_control_withdraw(&opening->control, &opening->receive, &rank);
    }
    coll_pipebcast_unlock(lock);
}

bool coll_pipebcast_opening_ask(coll_pipebcast_opening_t *opening, int tag)
{
    coll_pipebcast_module_t *module = opening->module;
    if (opening->was_asked) {
        return false;
    }
    opening->was_asked = true;
    opening->control = (pb_control_t){.comm = module->comm, .tag = tag};
    opening->n_to_come = ompi_comm_size(module->comm) - 1;
    opening->task.advance = advance;
    opening->task.end = end;
    return coll_pipebcast_progress_add(module, &opening->task) == OMPI_SUCCESS;
}

void coll_pipebcast_opening_answer(coll_pipebcast_module_t *module, int root, int tag)
{
    static const char nothing;
    ompi_request_t *request;
    coll_pipebcast_connections_count(module, root);
    if (MCA_PML_CALL(isend((void *) &nothing, 0, MPI_BYTE, root, tag, MCA_PML_BASE_SEND_STANDARD,
                           module->comm, &request)) == OMPI_SUCCESS) {
        ompi_request_free(&request);
    } else {
        coll_pipebcast_lose(module, OMPI_ERR_OUT_OF_RESOURCE); /* the root waits for it */
    }
}
