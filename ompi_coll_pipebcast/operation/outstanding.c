/*
 * The progress function; see operation/outstanding.h.
 */
#include "operation/outstanding.h"

#include "communicator/agreement.h"
#include "component/component.h"
#include "operation/operation.h"
#include "operation/request.h"

/** Modules that one call finds to be through, at most; others stay for the next call. */
#define MAX_IDLE 16

static void outstanding_construct(coll_pipebcast_outstanding_t *outstanding)
{
    outstanding->module = NULL;
    outstanding->is_listed = false;
    OBJ_CONSTRUCT(&outstanding->requests, opal_list_t);
}
static void outstanding_destruct(coll_pipebcast_outstanding_t *outstanding)
{
    OBJ_DESTRUCT(&outstanding->requests);
}
OBJ_CLASS_INSTANCE(coll_pipebcast_outstanding_t, opal_list_item_t, outstanding_construct,
                   outstanding_destruct);

void coll_pipebcast_busy_init(coll_pipebcast_busy_t *busy)
{
    OBJ_CONSTRUCT(&busy->lock, opal_mutex_t);
    OBJ_CONSTRUCT(&busy->modules, opal_list_t);
}

void coll_pipebcast_busy_fini(coll_pipebcast_busy_t *busy)
{
    OBJ_DESTRUCT(&busy->modules);
    OBJ_DESTRUCT(&busy->lock);
}

static coll_pipebcast_busy_t *get_busy(void)
{
    return &mca_coll_pipebcast_component.busy;
}

/** Advances the requests of a module; those that are through move to `ended`. */
static void advance_requests(coll_pipebcast_outstanding_t *outstanding, opal_list_t *ended)
{
    opal_list_item_t *item, *next;
    for (item = opal_list_get_first(&outstanding->requests);
         item != opal_list_get_end(&outstanding->requests); item = next) {
        next = opal_list_get_next(item);
        if (coll_pipebcast_request_advance((coll_pipebcast_request_t *) item)) {
            opal_list_remove_item(&outstanding->requests, item);
            opal_list_append(ended, item);
        }
    }
}

/** Advances what a module has; true if nothing is left. */
static bool advance_module(coll_pipebcast_module_t *module, opal_list_t *ended)
{
    coll_pipebcast_agreement_advance(module);
    if (module->state >= COLL_PIPEBCAST_SERVING || module->agreement == NULL) {
        advance_requests(&module->outstanding, ended);
    }
    coll_pipebcast_operation_listen(module);
    return module->agreement == NULL && opal_list_is_empty(&module->outstanding.requests) &&
           opal_list_is_empty(&module->lingering);
}

/** Advances every module that no one else is at; returns how many are through, in `idle`. */
static int advance_modules(coll_pipebcast_busy_t *busy, opal_list_t *ended,
                           struct ompi_communicator_t **idle)
{
    coll_pipebcast_outstanding_t *outstanding, *next;
    int n_idle = 0;
    OPAL_LIST_FOREACH_SAFE(outstanding, next, &busy->modules, coll_pipebcast_outstanding_t)
    {
        coll_pipebcast_module_t *module = outstanding->module;
        if (opal_mutex_trylock(&module->lock) != 0) {
            continue;
        }
        if (advance_module(module, ended) && n_idle < MAX_IDLE) {
            opal_list_remove_item(&busy->modules, &outstanding->super);
            outstanding->is_listed = false;
            idle[n_idle++] = module->comm;
        }
        opal_mutex_unlock(&module->lock);
    }
    return n_idle;
}

/** Called by Open MPI; returns the number of broadcasts that have ended. */
static int progress(void)
{
    coll_pipebcast_busy_t *busy = get_busy();
    struct ompi_communicator_t *idle[MAX_IDLE];
    opal_list_item_t *item;
    opal_list_t ended;
    int n_ended = 0;
    if (opal_mutex_trylock(&busy->lock) != 0) {
        return 0;
    }
    OBJ_CONSTRUCT(&ended, opal_list_t);
    const int n_idle = advance_modules(busy, &ended, idle);
    if (n_idle > 0 && opal_list_is_empty(&busy->modules)) {
        opal_progress_unregister(progress);
    }
    opal_mutex_unlock(&busy->lock);
    /* Without the locks: a completion may free what the user does not hold any more, and a
     * communicator with it. */
    while ((item = opal_list_remove_first(&ended)) != NULL) {
        coll_pipebcast_request_complete((coll_pipebcast_request_t *) item);
        OBJ_RELEASE(item);
        n_ended++;
    }
    for (int i = 0; i < n_idle; i++) {
        OBJ_RELEASE(idle[i]);
    }
    OBJ_DESTRUCT(&ended);
    return n_ended;
}

void coll_pipebcast_outstanding_list(coll_pipebcast_module_t *module)
{
    coll_pipebcast_busy_t *busy = get_busy();
    if (module->outstanding.is_listed) {
        return;
    }
    OBJ_RETAIN(module->comm);
    opal_mutex_lock(&busy->lock);
    if (opal_list_is_empty(&busy->modules) && opal_progress_register(progress) != OPAL_SUCCESS &&
        coll_pipebcast_reserve_spend()) {
        (void) opal_progress_register(progress);
    }
    opal_list_append(&busy->modules, &module->outstanding.super);
    module->outstanding.is_listed = true;
    opal_mutex_unlock(&busy->lock);
}

void coll_pipebcast_outstanding_add(coll_pipebcast_module_t *module,
                                    coll_pipebcast_request_t *request)
{
    OBJ_RETAIN(request);
    opal_list_append(&module->outstanding.requests, (opal_list_item_t *) request);
    coll_pipebcast_outstanding_list(module);
}

void coll_pipebcast_settle(coll_pipebcast_module_t *module)
{
    bool is_settled;
    do {
        opal_mutex_lock(&module->lock);
        coll_pipebcast_operation_listen(module);
        is_settled = !module->outstanding.is_listed && opal_list_is_empty(&module->lingering);
        opal_mutex_unlock(&module->lock);
        if (!is_settled) {
            opal_progress();
        }
    } while (!is_settled);
}
