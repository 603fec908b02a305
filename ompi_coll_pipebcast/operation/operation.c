/*
 * Operations by all methods: by which one a broadcast goes, its start, its end, and what happens
 * where a rank is lost.
 */
#include "operation/operation.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "communicator/advice.h"
#include "communicator/connections.h"
#include "communicator/lost.h"

/**
 * Seconds that a rank that leaves waits for those of its requests that still run. The others leave
 * too, and cancel what they wait for; what does not end then never will.
 */
#define LEAVE_SECONDS 1

/** Times that a broadcast is started where memory runs out: see the header. */
#define N_TRIES 2

/**
 * Number of remainders of sizes, by which tags of segments differ. A prime: a size and its multiple
 * by a power of two, up to 2^27, have different remainders.
 */
#define N_REMAINDERS (COLL_PIPEBCAST_TAG_OF_CONTROL / 2)

const coll_pipebcast_method_t *coll_pipebcast_method_of(const coll_pipebcast_module_t *module,
                                                        const coll_pipebcast_call_t *call)
{
    const bool is_blocking = call->way == COLL_PIPEBCAST_BLOCKING;
    if (coll_pipebcast_follows_advice()) {
        return module->advised != NULL && is_blocking ? coll_pipebcast_advice->method
                                                      : &coll_pipebcast_plain;
    }
    if (module->settings.arrival == COLL_PIPEBCAST_ARRIVAL_AUTO) {
        /* The mode is alike on all ranks only between broadcasts, so one that may overlap others
         * neither asks nor changes it. */
        return is_blocking && pb_arrival_mode_is_aware(&module->arrival_mode)
                   ? &coll_pipebcast_arrival
                   : &coll_pipebcast_plain;
    }
    if (coll_pipebcast_all_are_aware(module)) {
        return &coll_pipebcast_arrival;
    }
    return coll_pipebcast_goes_in_turn(&module->settings) && coll_pipebcast_may_reach_all(module)
               ? &coll_pipebcast_flat_nb
               : &coll_pipebcast_plain;
}

/**
 * Returns the distance of the segments' tag from the first one. It depends on the message's size,
 * and on whether the plan has several streams. So ranks that give different sizes to a broadcast do
 * not take each other's segments for their own, and lose_if_astray() finds those.
 */
static int segment_tag(const coll_pipebcast_call_t *call, const pb_planned_t *planned)
{
    const bool has_streams = planned->role != NULL && planned->role->n_streams > 1;
    return 2 * (int) (call->data.total % N_REMAINDERS) + has_streams;
}

/** Returns the method of a planned call. Multicast is no candidate where it does not work, and a
 * tree that is tried serves no groups. */
static const coll_pipebcast_method_t *method_for(const coll_pipebcast_call_t *call,
                                                 const pb_planned_t *planned)
{
    return planned->kind == PB_KIND_MULTICAST ? &coll_pipebcast_by_multicast
           : call->is_swept                   ? &coll_pipebcast_plain
                                              : call->usual_method;
}

static int try_to_start(coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call,
                        const pb_planned_t *planned, coll_pipebcast_operation_t **operation_p)
{
    const coll_pipebcast_method_t *method = method_for(call, planned);
    coll_pipebcast_operation_t *operation = calloc(1, method->size);
    if (operation == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    operation->method = method;
    operation->module = module;
    operation->call = *call;
    operation->is_root = ompi_comm_rank(module->comm) == call->root;
    operation->transport = module->transport;
    operation->next_look = segment_tag(call, planned); /* its own: the first look costs nothing */
    operation->transport.tag = call->tag - operation->next_look;
    operation->n_unconnected = coll_pipebcast_n_unconnected();
    const int rc = coll_pipebcast_error(method->start(operation, planned));
    if (rc != OMPI_SUCCESS) {
        free(operation);
        return rc;
    }
    *operation_p = operation;
    return OMPI_SUCCESS;
}

static void begin_sweep(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    const coll_pipebcast_call_t *call = &operation->call;
    operation->transport.stream = coll_pipebcast_sweep_begin(
        operation->module, planned, call->data.total, call->tag - COLL_PIPEBCAST_TAG_OF_SWEEP);
    if (operation->method == &coll_pipebcast_plain && planned->piece_size == 0) {
        operation->transport.came_p = &operation->came;
    }
}

int coll_pipebcast_operation_start(coll_pipebcast_module_t *module,
                                   const coll_pipebcast_call_t *call, const pb_planned_t *planned,
                                   coll_pipebcast_operation_t **operation_p)
{
    if (module->is_lost) {
        return coll_pipebcast_lost_error(module, 0);
    }
    int rc = OMPI_ERR_OUT_OF_RESOURCE;
    for (int n = 0; n < N_TRIES && rc == OMPI_ERR_OUT_OF_RESOURCE; n++) {
        rc = try_to_start(module, call, planned, operation_p);
    }
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_lose(module, rc); /* the others go on */
    } else if (call->is_swept) {
        begin_sweep(*operation_p, planned);
    }
    return rc;
}

/** Declares this rank lost if the transport has refused, so that others do not wait for it. */
static void lose_if_refused(const coll_pipebcast_operation_t *operation)
{
    const int error = operation->method->refused(operation);
    if (error != 0) {
        coll_pipebcast_lose(operation->module, coll_pipebcast_error(error));
    }
}

/**
 * Declares this rank lost if ranks give different sizes to the broadcast: a message with a tag that
 * this rank does not use. Looks at the next tag.
 */
static void lose_if_astray(coll_pipebcast_operation_t *operation)
{
    int rank;
    const int tag = operation->call.tag - operation->next_look;
    operation->next_look = (operation->next_look + 1) % COLL_PIPEBCAST_TAG_OF_SWEEP;
    const bool is_used = tag == operation->transport.tag || tag == operation->control.tag;
    if (!is_used && coll_pipebcast_take(operation->module->comm, MPI_ANY_SOURCE, tag, &rank)) {
        coll_pipebcast_lose(operation->module, MPI_ERR_TRUNCATE);
    }
}

/** Leaves an operation without progress that will not end by itself; returns whether it is left. */
static bool end_if_stuck(coll_pipebcast_operation_t *operation)
{
    const int64_t last_look = operation->module->last_look;
    if (operation->is_left) {
        return true;
    }
    lose_if_refused(operation);
    coll_pipebcast_end_if_unconnected(operation->module->comm, operation->n_unconnected,
                                      &operation->held_since);
    operation->is_left = coll_pipebcast_look_for_lost(operation->module);
    if (operation->module->last_look != last_look) {
        lose_if_astray(operation);
    }
    if (operation->is_left) {
        operation->method->cancel(operation);
    }
    return operation->is_left;
}

/** Looks whether an operation that waits still has a chance; returns whether it is given up. */
__attribute__((noinline)) static bool give_up_if_stuck(coll_pipebcast_operation_t *operation)
{
    if (!end_if_stuck(operation)) {
        return false;
    }
    if (operation->stuck_since == 0) {
        operation->stuck_since = coll_pipebcast_now();
    }
    return coll_pipebcast_seconds_since(operation->stuck_since) > LEAVE_SECONDS;
}

bool coll_pipebcast_operation_advance(coll_pipebcast_operation_t *operation)
{
    const bool is_through = operation->method->advance(operation);
    if (operation->call.is_swept && operation->came == 0 &&
        operation->method->has_come(operation)) {
        operation->came = coll_pipebcast_now();
    }
    if (is_through) {
        return true;
    }
    if (!operation->has_waited) { /* most need to wait once, and nobody is lost */
        operation->has_waited = true;
        return false;
    }
    return give_up_if_stuck(operation);
}

/** Reports to the sweep how long this rank's part of a swept broadcast took. */
static void end_swept(const coll_pipebcast_operation_t *operation)
{
    const int64_t arrived = operation->call.arrived;
    const int64_t now = operation->through != 0 ? operation->through : coll_pipebcast_now();
    /* The last bytes may have come with the first, and `came` was noted after them. */
    const int64_t came = operation->came != 0 && operation->came < now ? operation->came : now;
    const pb_sweep_times_t times = {.wait = came - arrived, .transfer = now - came};
    coll_pipebcast_sweep_end(operation->module, arrived, &times);
}

static coll_pipebcast_operation_t *operation_of(coll_pipebcast_task_t *task)
{
    return (
        coll_pipebcast_operation_t *) (void *) ((char *) task -
                                                offsetof(coll_pipebcast_operation_t, lingering));
}

/** As a task; a rank that is lost does not get all that is to come. */
static bool linger(coll_pipebcast_task_t *task)
{
    coll_pipebcast_operation_t *operation = operation_of(task);
    const bool is_over = operation->method->linger(operation);
    lose_if_refused(operation);
    return is_over || coll_pipebcast_look_between(operation->module);
}

static void end_lingering(coll_pipebcast_task_t *task)
{
    coll_pipebcast_operation_t *operation = operation_of(task);
    coll_pipebcast_lock_t *lock = &operation->module->lock;
    coll_pipebcast_lock(lock);
    operation->method->end(operation);
    coll_pipebcast_unlock(lock);
    OBJ_DESTRUCT(&task->super);
    free(operation);
}

/** Goes on as a task; where it cannot, this rank is lost. */
static void begin_to_linger(coll_pipebcast_operation_t *operation)
{
    coll_pipebcast_task_t *task = &operation->lingering;
    OBJ_CONSTRUCT(&task->super, opal_list_item_t);
    task->advance = linger;
    task->end = end_lingering;
    const int rc = coll_pipebcast_progress_add(operation->module, task);
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_lose(operation->module, rc);
        operation->method->end(operation);
        OBJ_DESTRUCT(&task->super);
        free(operation);
    }
}

int coll_pipebcast_operation_finish(coll_pipebcast_operation_t *operation)
{
    bool stays = false;
    int error = OMPI_SUCCESS;
    if (operation->call.is_swept) {
        end_swept(operation);
    }
    const int own_error = operation->method->finish(operation, &stays);
    if (operation->is_left || own_error != 0) {
        lose_if_refused(operation);
        error = coll_pipebcast_lost_error(operation->module, own_error);
    } else {
        coll_pipebcast_counters_t *counters = &coll_pipebcast_counters;
        coll_pipebcast_count(&counters->broadcasts[operation->counted_as], 1);
        coll_pipebcast_count(&counters->bytes[operation->counted_as],
                             (int64_t) operation->call.data.total);
    }
    if (stays) {
        begin_to_linger(operation);
    } else {
        free(operation);
    }
    return error;
}
