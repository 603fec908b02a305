/*
 * The root's part of an arrival-aware broadcast.
 *
 * Where data were sent to ranks that had not arrived, their ARRIVED may still be to come when the
 * broadcast ends. Then the operation outlives its result: it lingers as a task of its own until all
 * of them have come, as the receive that is posted would keep the communicator alive even if it
 * were freed, and with it the number: someone has to take the message in.
 */
#include "engine/arrival/root.h"

#include <stdlib.h>

#include "base/log.h"
#include "communicator/lost.h"
#include "operation/arrival/caller.h"
#include "operation/kinds.h"

typedef struct root {
    coll_pipebcast_arrival_t super;
    coll_pipebcast_task_t lingering;
    pb_arrival_root_t engine;
} root_t;

static root_t *lingering_root(coll_pipebcast_task_t *task)
{
    return (root_t *) (void *) ((char *) task - offsetof(root_t, lingering));
}

static bool linger(coll_pipebcast_task_t *task)
{
    root_t *root = lingering_root(task);
    return pb_arrival_root_linger(&root->engine) ||
           coll_pipebcast_is_lost(root->super.super.module); /* then not all will be heard of */
}

static void end_lingering(coll_pipebcast_task_t *task)
{
    root_t *root = lingering_root(task);
    pb_arrival_root_finish(&root->engine);
    OBJ_DESTRUCT(&root->lingering.super);
    free(root);
}

/** Takes in what earlier broadcasts of this root are still to hear, which gives credit back. */
static void take_in(coll_pipebcast_module_t *module)
{
    coll_pipebcast_task_t *task;
    OPAL_LIST_FOREACH(task, &module->tasks.list, coll_pipebcast_task_t)
    {
        if (task->advance == linger) {
            (void) pb_arrival_root_linger(&lingering_root(task)->engine);
        }
    }
}

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    root_t *root = (root_t *) operation;
    coll_pipebcast_module_t *module = operation->module;
    pb_arrival_env_t env;
    (void) planned; /* each group is planned when it is formed */
    if (!coll_pipebcast_arrival_init(&root->super, &env)) {
        return PB_ERR_NO_MEMORY;
    }
    take_in(module);
    /* Until it is known how long a message takes, too many could be sent unasked. */
    env.credit = module->ns_per_byte > 0 ? coll_pipebcast_arrival_credit(&root->super) : NULL;
    if (env.credit != NULL && !pb_arrival_credit_reserve(env.credit, env.n_ranks)) {
        env.credit = NULL;
    }
    const double expected = (double) env.total * root->super.caller.ns_per_byte;
    if (!pb_arrival_root_start(&root->engine, &env, (int64_t) expected)) {
        coll_pipebcast_arrival_fini(&root->super);
        return PB_ERR_NO_MEMORY;
    }
    return PB_SUCCESS;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    return pb_arrival_root_advance(&((root_t *) operation)->engine);
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const root_t *root = (const root_t *) operation;
    return pb_arrival_root_is_broken(&root->engine) ? pb_arrival_root_error(&root->engine) : 0;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    pb_arrival_root_cancel(&((root_t *) operation)->engine);
}

/** At verbose 20 the root logs what it saw of a broadcast's arrivals. */
static void log_arrivals(const root_t *root)
{
    const pb_arrival_root_t *engine = &root->engine;
    const coll_pipebcast_operation_t *operation = &root->super.super;
    coll_pipebcast_log(
        20,
        "communicator %s: %zu bytes from root %d in %d groups; the last rank came "
        "%.3f ms after the root, the mean rank %.3f ms; a group takes %.3f ms",
        operation->module->comm->c_name, operation->call.data.total, operation->call.root,
        engine->n_groups, (double) (engine->last_arrival - engine->started) / 1e6,
        engine->sum_of_arrivals / engine->env.n_ranks / 1e6, (double) engine->expected / 1e6);
}

static void count(const pb_arrival_root_t *engine)
{
    coll_pipebcast_counters_t *counters = &coll_pipebcast_counters;
    coll_pipebcast_count(&counters->groups_served, engine->n_groups);
    coll_pipebcast_count(&counters->waited_as_root, engine->last_arrival - engine->started);
}

/** What this broadcast's groups took changes what is expected of the next, slowly. */
static void learn_speed(root_t *root)
{
    double *known = &root->super.super.module->ns_per_byte;
    const double seen = (double) root->engine.expected / (double) root->super.super.call.data.total;
    if (root->engine.is_measured) {
        *known = *known > 0 ? (3 * *known + seen) / 4 : seen;
    }
}

/** Whether the operation lingers from now on; not if there is nothing to take in, or no way to. */
static bool begin_to_linger(root_t *root)
{
    if (root->engine.n_to_come == 0 || pb_arrival_root_is_broken(&root->engine)) {
        return false;
    }
    OBJ_CONSTRUCT(&root->lingering.super, opal_list_item_t);
    root->lingering.advance = linger;
    root->lingering.end = end_lingering;
    const bool lingers =
        coll_pipebcast_progress_add(root->super.super.module, &root->lingering) == OMPI_SUCCESS;
    if (!lingers) {
        OBJ_DESTRUCT(&root->lingering.super);
    }
    return lingers;
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    root_t *root = (root_t *) operation;
    const int error = root->engine.error;
    log_arrivals(root);
    count(&root->engine);
    learn_speed(root);
    coll_pipebcast_arrival_end_mode(&root->super, root->engine.mode,
                                    pb_arrival_root_report(&root->engine));
    *stays_p = begin_to_linger(root);
    if (!*stays_p) {
        pb_arrival_root_finish(&root->engine);
    }
    coll_pipebcast_arrival_fini(&root->super);
    return error;
}

const coll_pipebcast_kind_t coll_pipebcast_arrival_root = {
    .size = sizeof(root_t),
    .start = start,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
};
