/*
 * A plain broadcast: one transfer down the planned tree.
 */
#include "base/clock.h"
#include "communicator/connections.h"
#include "engine/delivery.h"
#include "operation/kinds.h"
#include "pml/transport.h"

typedef struct plain {
    coll_pipebcast_operation_t super;
    pb_transport_t transport;
    pb_message_t message;
    pb_transfer_t transfer;
    bool opens;                        /**< connections, as this rank's role is new */
    coll_pipebcast_watched_t *watched; /**< what watches it; NULL: nothing does */
    int stream;                        /**< of what is watched, */
    int64_t came;           /**< when its first segment was here, by the clock; 0: it is not */
    pb_delivery_t delivery; /**< of what is watched */
} plain_t;

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    plain_t *plain = (plain_t *) operation;
    const coll_pipebcast_call_t *call = &operation->call;
    pb_transfer_limits_t limits;
    operation->counted_as = (int) planned->kind;
    plain->transport =
        coll_pipebcast_transport(operation->module->comm, call->tag, &operation->module->lock);
    const int rc = coll_pipebcast_windows_cut(&plain->message, &call->data, planned->segment_size,
                                              planned->role, &limits);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (!pb_transfer_start(&plain->transfer, planned->role, &limits, call->data.total,
                           planned->segment_size, &plain->transport, &plain->message)) {
        coll_pipebcast_message_fini(&plain->message);
        return PB_ERR_NO_MEMORY;
    }
    plain->opens = !planned->was_cached;
    if (plain->opens) {
        coll_pipebcast_connections_open(operation->module, planned->role);
    }
    return 0;
}

static void watch(coll_pipebcast_operation_t *operation, const pb_planned_t *planned,
                  coll_pipebcast_watched_t *watched)
{
    plain_t *plain = (plain_t *) operation;
    const coll_pipebcast_call_t *call = &operation->call;
    plain->watched = watched;
    pb_delivery_init(&plain->delivery);
    plain->stream = coll_pipebcast_arrivals_begin(watched, planned, call->root, call->data.total,
                                                  call->tag - 1);
}

/** Looks at what has come. */
static void look(plain_t *plain)
{
    if (!pb_delivery_is_behind(&plain->delivery, &plain->transfer)) {
        return;
    }
    const int64_t now = coll_pipebcast_now();
    pb_delivery_look(&plain->delivery, &plain->transfer, now);
    if (plain->came == 0 && plain->transfer.arrived[plain->stream] > 0) {
        plain->came = now;
    }
}

/** How long this rank's part of a watched broadcast took. */
static pb_fold_times_t times_of(const plain_t *plain, const coll_pipebcast_call_t *call)
{
    const int64_t now = coll_pipebcast_now(), came = plain->came != 0 ? plain->came : now;
    pb_fold_times_t times = {.wait = came - call->arrived, .transfer = now - came};
    const int slowest = pb_delivery_slowest(&plain->delivery, &plain->transfer, &times.receive);
    times.from = slowest >= 0 ? plain->transfer.lanes[slowest].rank : 0;
    return times;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    plain_t *plain = (plain_t *) operation;
    const bool is_through = pb_transfer_advance(&plain->transfer);
    if (plain->watched != NULL) {
        look(plain);
    }
    return is_through;
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const plain_t *plain = (const plain_t *) operation;
    return plain->transfer.broken ? plain->transfer.error : 0;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    pb_transfer_cancel(&((plain_t *) operation)->transfer);
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    plain_t *plain = (plain_t *) operation;
    const int error = plain->transfer.error;
    (void) stays_p;
    if (plain->watched != NULL) {
        const pb_fold_times_t times = times_of(plain, &operation->call);
        coll_pipebcast_arrivals_end(plain->watched, operation->call.arrived, &times);
    }
    if (plain->opens) {
        coll_pipebcast_connections_take(operation->module);
    }
    pb_transfer_finish(&plain->transfer);
    coll_pipebcast_message_fini(&plain->message);
    return error;
}

const coll_pipebcast_kind_t coll_pipebcast_plain = {
    .size = sizeof(plain_t),
    .start = start,
    .watch = watch,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
};
