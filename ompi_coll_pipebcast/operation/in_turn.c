/*
 * A broadcast in turn: the root of a flat tree sends the whole message to one child after another,
 * in segments that are so small that they go without their receivers. For comparison with
 * arrival-aware ones (paper 3, section 3.3). For receivers it is a plain transfer from the root.
 */
#include "operation/kinds.h"

#include "engine/turns.h"
#include "pml/transport.h"

typedef struct in_turn {
    coll_pipebcast_operation_t super;
    pb_transport_t transport;
    pb_message_t message;
    bool is_root;
    union {
        pb_turns_t turns;       /**< at the root */
        pb_transfer_t transfer; /**< at a receiver */
    };
} in_turn_t;

static bool start_part(in_turn_t *in_turn, const pb_role_t *role,
                       const pb_transfer_limits_t *limits, size_t segment_size)
{
    const size_t total = in_turn->super.call.data.total;
    return in_turn->is_root
               ? pb_turns_start(&in_turn->turns, role, limits, total, segment_size,
                                &in_turn->transport, &in_turn->message)
               : pb_transfer_start(&in_turn->transfer, role, limits, total, segment_size,
                                   &in_turn->transport, &in_turn->message);
}

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    in_turn_t *in_turn = (in_turn_t *) operation;
    const coll_pipebcast_call_t *call = &operation->call;
    const size_t segment_size = planned->segment_size < COLL_PIPEBCAST_EAGER_SEGMENT
                                    ? planned->segment_size
                                    : COLL_PIPEBCAST_EAGER_SEGMENT;
    pb_transfer_limits_t limits;
    operation->counted_as = COLL_PIPEBCAST_BY_FLAT_NB;
    in_turn->is_root = planned->role->n_parents == 0;
    in_turn->transport =
        coll_pipebcast_transport(operation->module->comm, call->tag, &operation->module->lock);
    const int rc = coll_pipebcast_windows_cut(&in_turn->message, &call->data, segment_size,
                                              planned->role, &limits);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (!start_part(in_turn, planned->role, &limits, segment_size)) {
        coll_pipebcast_message_fini(&in_turn->message);
        return PB_ERR_NO_MEMORY;
    }
    return 0;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    in_turn_t *in_turn = (in_turn_t *) operation;
    return in_turn->is_root ? pb_turns_advance(&in_turn->turns)
                            : pb_transfer_advance(&in_turn->transfer);
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const in_turn_t *in_turn = (const in_turn_t *) operation;
    if (!in_turn->is_root) {
        return in_turn->transfer.broken ? in_turn->transfer.error : 0;
    }
    const pb_turns_t *turns = &in_turn->turns;
    const bool is_broken = turns->turn < turns->n_transfers && turns->transfers[turns->turn].broken;
    return !is_broken ? 0 : turns->error != 0 ? turns->error : turns->transfers[turns->turn].error;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    in_turn_t *in_turn = (in_turn_t *) operation;
    if (in_turn->is_root) {
        pb_turns_cancel(&in_turn->turns);
    } else {
        pb_transfer_cancel(&in_turn->transfer);
    }
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    in_turn_t *in_turn = (in_turn_t *) operation;
    const int error = in_turn->is_root ? in_turn->turns.error : in_turn->transfer.error;
    (void) stays_p;
    if (in_turn->is_root) {
        pb_turns_finish(&in_turn->turns);
    } else {
        pb_transfer_finish(&in_turn->transfer);
    }
    coll_pipebcast_message_fini(&in_turn->message);
    return error;
}

const coll_pipebcast_kind_t coll_pipebcast_in_turn = {
    .size = sizeof(in_turn_t),
    .start = start,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
};
