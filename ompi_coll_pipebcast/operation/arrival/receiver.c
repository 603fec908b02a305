/*
 * A receiver's part of an arrival-aware broadcast.
 */
#include "engine/arrival/receiver.h"

#include "operation/arrival/caller.h"
#include "operation/kinds.h"

typedef struct receiver {
    coll_pipebcast_arrival_t super;
    pb_arrival_receiver_t engine;
} receiver_t;

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    receiver_t *receiver = (receiver_t *) operation;
    pb_arrival_env_t env;
    (void) planned; /* the header says which group this rank is in */
    if (!coll_pipebcast_arrival_init(&receiver->super, &env)) {
        return PB_ERR_NO_MEMORY;
    }
    if (!pb_arrival_receiver_start(&receiver->engine, &env)) {
        coll_pipebcast_arrival_fini(&receiver->super);
        return PB_ERR_NO_MEMORY;
    }
    pb_arrival_credit_t *credit = coll_pipebcast_arrival_credit(&receiver->super);
    if (credit != NULL) {
        pb_arrival_credit_other(credit, env.total);
    }
    return PB_SUCCESS;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    return pb_arrival_receiver_advance(&((receiver_t *) operation)->engine);
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const pb_arrival_receiver_t *engine = &((const receiver_t *) operation)->engine;
    return pb_arrival_receiver_is_broken(engine) ? pb_arrival_receiver_error(engine) : 0;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    pb_arrival_receiver_cancel(&((receiver_t *) operation)->engine);
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    receiver_t *receiver = (receiver_t *) operation;
    pb_arrival_receiver_t *engine = &receiver->engine;
    const int error = pb_arrival_receiver_error(engine);
    (void) stays_p;
    coll_pipebcast_count(&coll_pipebcast_counters.waited_as_receiver, engine->waited);
    if (engine->length > 0) {
        coll_pipebcast_arrival_end_mode(&receiver->super, engine->header.mode, PB_ARRIVAL_UNKNOWN);
    }
    pb_arrival_receiver_finish(engine);
    coll_pipebcast_arrival_fini(&receiver->super);
    return error;
}

const coll_pipebcast_kind_t coll_pipebcast_arrival_receiver = {
    .size = sizeof(receiver_t),
    .start = start,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
};
