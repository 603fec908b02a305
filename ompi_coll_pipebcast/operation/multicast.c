/*
 * A broadcast by multicast: switches copy the root's frames to all hosts, and the planned tree
 * repairs lost ones (engine/multicast/multicast.h). In a plan by leaders (topo/trees/leaders.h) the
 * leaders receive frames, and pass the message on inside their hosts in pieces.
 *
 * When this rank has the message, others may still ask it for frames. Then the operation lingers as
 * a task of its own, with a copy of the message, until they have confirmed that they need nothing.
 * Where frames were lost lately, a call waits for that first, for a while: a rank that leaves and
 * computes serves nobody.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "communicator/multicast.h"
#include "engine/multicast/part.h"
#include "operation/operation.h"
#include "pml/transport.h"

/** Broadcasts for which a frame that a child has asked for counts as lost lately. */
#define LATELY 16

typedef struct multicast {
    coll_pipebcast_operation_t super;
    pb_message_t message;
    pb_multicast_part_t part;
    bool is_led;          /**< this rank gets the message in pieces */
    pb_transfer_t inside; /**< of pieces, from the leader and to ranks of this host, if any */
} multicast_t;

/* Inside this host. */

/** Prepares what goes on inside this host, if anything does. */
static int start_inside(multicast_t *multicast, const pb_planned_t *planned)
{
    const pb_role_t of_host = pb_role_inside_host(planned->role);
    pb_transfer_limits_t limits = coll_pipebcast_params.limits;
    if (of_host.n_parents + of_host.n_children == 0) {
        return OMPI_SUCCESS;
    }
    limits.offered = true;
    return pb_transfer_start(&multicast->inside, &of_host, &limits, planned->piece_size,
                             &multicast->super.transport, &multicast->message)
               ? OMPI_SUCCESS
               : PB_ERR_NO_MEMORY;
}

/** True when that is through. */
static bool advance_inside(multicast_t *multicast)
{
    if (!pb_transfer_is_started(&multicast->inside)) {
        return true;
    }
    if (!multicast->is_led) {
        pb_multicast_part_offer(&multicast->part, &multicast->inside);
    }
    return pb_transfer_advance(&multicast->inside);
}

/* The operation. */

/** Begins this rank's part, and what goes on inside this host; on an error nothing has begun. */
static int start_both(multicast_t *multicast, const pb_planned_t *planned)
{
    const coll_pipebcast_operation_t *operation = &multicast->super;
    pb_message_t *message = &multicast->message;
    const int rc = start_inside(multicast, planned);
    if (rc == OMPI_SUCCESS &&
        !pb_multicast_part_start(&multicast->part, &operation->module->multicast.group,
                                 &multicast->super.control, planned->role,
                                 multicast->is_led ? NULL : message->bytes, message->total)) {
        pb_transfer_finish(&multicast->inside);
        return PB_ERR_NO_MEMORY;
    }
    return rc;
}

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    multicast_t *multicast = (multicast_t *) operation;
    const coll_pipebcast_call_t *call = &operation->call;
    pb_message_t *message = &multicast->message;
    operation->counted_as = (int) planned->kind;
    coll_pipebcast_operation_control(operation);
    multicast->is_led = planned->role->is_led;
    int rc =
        coll_pipebcast_message_init(message, &call->data, operation->is_root, !multicast->is_led);
    if (rc == OMPI_SUCCESS && operation->is_root) {
        rc = pb_message_convert(message, message->total);
    }
    if (rc == OMPI_SUCCESS) {
        rc = start_both(multicast, planned);
    }
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_message_fini(message);
    }
    return rc;
}

/** Returns whether the call stays for ranks that may lack frames: frames were lost lately, and the
 * answer's time has not passed. */
static bool stays_for_others(const multicast_t *multicast, pb_multicast_part_t *part)
{
    const pb_multicast_t *membership = part->multicast;
    return multicast->super.call.way == COLL_PIPEBCAST_BLOCKING &&
           membership->last_asked + LATELY > part->number && membership->last_asked > 0 &&
           pb_multicast_part_may_be_asked(part) &&
           coll_pipebcast_now() - multicast->super.through < membership->config.patience;
}

/** Returns whether the first frame, or piece, is here. */
static bool has_come(const coll_pipebcast_operation_t *operation)
{
    const multicast_t *multicast = (const multicast_t *) operation;
    return multicast->is_led ? multicast->inside.missing[0] > 0
                             : multicast->part.frames.seen_to > 0;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    multicast_t *multicast = (multicast_t *) operation;
    pb_multicast_part_t *part = &multicast->part;
    const bool is_over = pb_multicast_part_advance(part, coll_pipebcast_now());
    if (!advance_inside(multicast)) {
        return false;
    }
    if (is_over) {
        return true;
    }
    if (!pb_multicast_part_is_through(part)) {
        return false;
    }
    if (multicast->super.through == 0) {
        multicast->super.through = coll_pipebcast_now();
    }
    /* A packed copy stays as long as the operation. */
    return !stays_for_others(multicast, part) &&
           (multicast->message.packing != NULL || pb_multicast_part_detach(part));
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const multicast_t *multicast = (const multicast_t *) operation;
    const pb_multicast_part_t *part = &multicast->part;
    if (part->broken) {
        return part->error;
    }
    return multicast->inside.broken ? multicast->inside.error : 0;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    multicast_t *multicast = (multicast_t *) operation;
    pb_multicast_part_cancel(&multicast->part);
    pb_transfer_cancel(&multicast->inside);
}

/* After its result. */

static bool linger(coll_pipebcast_operation_t *operation)
{
    return pb_multicast_part_advance(&((multicast_t *) operation)->part, coll_pipebcast_now());
}

static void end(coll_pipebcast_operation_t *operation)
{
    multicast_t *multicast = (multicast_t *) operation;
    pb_multicast_part_finish(&multicast->part);
    coll_pipebcast_message_fini(&multicast->message);
    coll_pipebcast_multicast_count(&operation->module->multicast);
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    multicast_t *multicast = (multicast_t *) operation;
    pb_multicast_part_t *part = &multicast->part;
    int error = part->error != 0 ? part->error : multicast->inside.error;
    pb_transfer_finish(&multicast->inside);
    if (error == 0) {
        error = pb_message_convert(&multicast->message, multicast->message.total);
    }
    *stays_p = !part->broken && !operation->is_left && !pb_multicast_part_is_over(part);
    if (!*stays_p) {
        end(operation);
    }
    return error;
}

const coll_pipebcast_method_t coll_pipebcast_by_multicast = {
    .size = sizeof(multicast_t),
    .start = start,
    .has_come = has_come,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
    .linger = linger,
    .end = end,
};
