#include "communicator/progress.h"

#include "base/clock.h"
#include "base/log.h"
#include "communicator/module.h"
#include "pml/transport.h"

/** Communicators whose tasks one call ends, at most; others wait for the next call. */
#define MAX_KEPT 16

/** Time limit for tasks when MPI ends. */
#define MOST_SECONDS_AT_END 5

static void tasks_construct(coll_pipebcast_tasks_t *tasks)
{
    tasks->module = NULL;
    tasks->is_listed = false;
    OBJ_CONSTRUCT(&tasks->list, opal_list_t);
}
static void tasks_destruct(coll_pipebcast_tasks_t *tasks)
{
    OBJ_DESTRUCT(&tasks->list);
}
OBJ_CLASS_INSTANCE(coll_pipebcast_tasks_t, opal_list_item_t, tasks_construct, tasks_destruct);

/** The communicators with tasks. */
static struct {
    coll_pipebcast_lock_t lock;
    opal_list_t communicators; /**< of coll_pipebcast_tasks_t */
    bool settles_at_end;       /**< the end of the last session calls settle_at_end() */
} busy;

/** Advances a communicator's tasks; those that are through move to `ended`. True if some are. */
static bool advance_tasks(coll_pipebcast_tasks_t *tasks, opal_list_t *ended)
{
    coll_pipebcast_task_t *task, *next;
    bool some_ended = false;
    OPAL_LIST_FOREACH_SAFE(task, next, &tasks->list, coll_pipebcast_task_t)
    {
        if (task->advance(task)) {
            opal_list_remove_item(&tasks->list, &task->super);
            opal_list_append(ended, &task->super);
            some_ended = true;
        }
    }
    return some_ended;
}

/** Advances communicators that no one else is at. Returns how many have ended tasks, with a
 * reference to each in `kept`: another thread may end the last task of one that stays listed. */
static int advance_all(opal_list_t *ended, struct ompi_communicator_t **kept)
{
    coll_pipebcast_tasks_t *tasks, *next;
    int n_kept = 0;
    OPAL_LIST_FOREACH_SAFE(tasks, next, &busy.communicators, coll_pipebcast_tasks_t)
    {
        coll_pipebcast_module_t *module = tasks->module;
        if (n_kept == MAX_KEPT || !coll_pipebcast_try_lock(&module->lock)) {
            continue;
        }
        if (advance_tasks(tasks, ended)) {
            kept[n_kept++] = module->comm;
            if (opal_list_is_empty(&tasks->list)) {
                opal_list_remove_item(&busy.communicators, &tasks->super);
                tasks->is_listed = false; /* the list's reference is in `kept` now */
            } else {
                OBJ_RETAIN(module->comm);
            }
        }
        coll_pipebcast_unlock(&module->lock);
    }
    return n_kept;
}

/** Called by Open MPI; returns the number of tasks that have ended. */
static int progress(void)
{
    struct ompi_communicator_t *kept[MAX_KEPT];
    coll_pipebcast_task_t *task;
    opal_list_t ended;
    int n_ended = 0;
    if (!coll_pipebcast_try_lock(&busy.lock)) {
        return 0;
    }
    OBJ_CONSTRUCT(&ended, opal_list_t);
    const int n_kept = advance_all(&ended, kept);
    if (n_kept > 0 && opal_list_is_empty(&busy.communicators)) {
        opal_progress_unregister(progress);
    }
    coll_pipebcast_unlock(&busy.lock);
    while ((task = (coll_pipebcast_task_t *) opal_list_remove_first(&ended)) != NULL) {
        task->end(task);
        n_ended++;
    }
    for (int i = 0; i < n_kept; i++) {
        OBJ_RELEASE(kept[i]);
    }
    OBJ_DESTRUCT(&ended);
    return n_ended;
}

void coll_pipebcast_progress_open(void)
{
    coll_pipebcast_lock_init(&busy.lock);
    OBJ_CONSTRUCT(&busy.communicators, opal_list_t);
}

void coll_pipebcast_progress_close(void)
{
    if (!opal_list_is_empty(&busy.communicators)) { /* of ranks that were lost, for one */
        coll_pipebcast_log(10, "broadcasts are not through, and the component closes");
    }
    while (!opal_list_is_empty(&busy.communicators)) {
        coll_pipebcast_progress_forget(
            (coll_pipebcast_tasks_t *) opal_list_get_first(&busy.communicators));
    }
    busy.settles_at_end = false;
    OBJ_DESTRUCT(&busy.communicators);
    coll_pipebcast_lock_fini(&busy.lock);
}

static void settle_at_end(void *unused)
{
    (void) unused;
    if (busy.settles_at_end) { /* not yet closed, as in some releases */
        coll_pipebcast_progress_settle();
    }
}

/** Puts a communicator into the list. */
static int list_communicator(coll_pipebcast_tasks_t *tasks)
{
    int rc = OMPI_SUCCESS;
    coll_pipebcast_lock(&busy.lock);
    if (opal_list_is_empty(&busy.communicators) &&
        opal_progress_register(progress) != OPAL_SUCCESS) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    } else {
        if (!busy.settles_at_end) { /* what Open MPI began later ends earlier */
            coll_pipebcast_call_at_end(settle_at_end);
            busy.settles_at_end = true;
        }
        OBJ_RETAIN(tasks->module->comm);
        opal_list_append(&busy.communicators, &tasks->super);
        tasks->is_listed = true;
    }
    coll_pipebcast_unlock(&busy.lock);
    return rc;
}

int coll_pipebcast_progress_add(coll_pipebcast_module_t *module, coll_pipebcast_task_t *task)
{
    coll_pipebcast_tasks_t *tasks = &module->tasks;
    const int rc = tasks->is_listed ? OMPI_SUCCESS : list_communicator(tasks);
    if (rc == OMPI_SUCCESS) {
        opal_list_append(&tasks->list, &task->super);
    }
    return rc;
}

void coll_pipebcast_progress_forget(coll_pipebcast_tasks_t *tasks)
{
    if (!tasks->is_listed) {
        return;
    }
    coll_pipebcast_lock(&busy.lock);
    opal_list_remove_item(&busy.communicators, &tasks->super);
    tasks->is_listed = false;
    if (opal_list_is_empty(&busy.communicators)) {
        opal_progress_unregister(progress);
    }
    coll_pipebcast_unlock(&busy.lock);
}

void coll_pipebcast_progress_settle(void)
{
    const int64_t begin = coll_pipebcast_now();
    bool is_settled;
    do {
        coll_pipebcast_lock(&busy.lock);
        is_settled = opal_list_is_empty(&busy.communicators);
        coll_pipebcast_unlock(&busy.lock);
        if (!is_settled) {
            opal_progress();
        }
    } while (!is_settled && coll_pipebcast_seconds_since(begin) < MOST_SECONDS_AT_END);
    coll_pipebcast_free_given_up();
}
