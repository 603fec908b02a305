/*
 * Adaptive broadcast: down the advised tree to the group of all ranks (engine/group.h). The root
 * announces the tree with each broadcast (paper 4, section 2.5); the measured rates are noted for
 * the advisor.
 *
 * Blocking broadcasts alone are adaptive, as those of paper 4 are.
 */
#include "adaptive/register.h"

#include <stdlib.h>

#include "adaptive/advised.h"
#include "base/clock.h"
#include "base/parameters.h"
#include "communicator/advice.h"
#include "communicator/connections.h"
#include "engine/adaptive/delivery.h"
#include "engine/adaptive/header.h"
#include "engine/group.h"
#include "operation/operation.h"
#include "pml/transport.h"

typedef struct adaptive {
    coll_pipebcast_operation_t super;
    coll_pipebcast_advised_t *advised; /**< borrowed */
    pb_kind_t kind;                    /**< of the static plan */
    size_t segment_size;               /**< of the static plan */
    uint64_t broadcast;                /**< its number on the communicator */
    int64_t begun_at;                  /**< ns since the epoch */
    int64_t begun;                     /**< the same on the engine's clock */
    bool is_advised;                   /**< it goes down an advised tree */
    pb_message_t message;
    pb_member_t member;
    pb_delivery_t delivery;
} adaptive_t;

/** This rank's part in the tree of a header. */
static int find_part(void *caller, uint8_t *header, size_t length, pb_group_part_t *part)
{
    adaptive_t *adaptive = caller;
    coll_pipebcast_module_t *module = adaptive->super.module;
    const coll_pipebcast_call_t *call = &adaptive->super.call;
    const coll_pipebcast_known_t *known;
    pb_planned_t planned;
    int rc = coll_pipebcast_advised_learn(adaptive->advised, call->root, header, length, &known);
    if (rc == PB_SUCCESS && known == NULL) {
        rc = pb_planner_role(module->planner, call->root, adaptive->kind, NULL, 0, &planned);
        coll_pipebcast_count_role(module, &planned);
    }
    if (rc != PB_SUCCESS) {
        return rc;
    }
    const size_t segment_size = known != NULL ? known->segment_size : adaptive->segment_size;
    *part = (pb_group_part_t){.role = known != NULL ? known->role : planned.role,
                              .segment_size =
                                  segment_size < call->data.total ? segment_size : call->data.total,
                              .message = &adaptive->message,
                              .limits = coll_pipebcast_params.limits};
    adaptive->is_advised = known != NULL;
    return PB_SUCCESS;
}

static int start_as_root(adaptive_t *adaptive, size_t room)
{
    uint8_t *header = malloc(room);
    if (header == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const size_t length =
        coll_pipebcast_advised_look(adaptive->advised, adaptive->super.call.data.total, header);
    return pb_member_start_as_root(&adaptive->member, &adaptive->super.control,
                                   &adaptive->super.transport, header, length, find_part, adaptive);
}

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    coll_pipebcast_module_t *module = operation->module;
    const coll_pipebcast_call_t *call = &operation->call;
    operation->counted_as = COLL_PIPEBCAST_BY_ADVICE;
    adaptive->advised = module->advised;
    adaptive->kind = planned->kind;
    adaptive->segment_size = planned->segment_size;
    adaptive->broadcast = module->advised->n_broadcasts;
    adaptive->begun_at = pb_advice_now();
    adaptive->begun = coll_pipebcast_now();
    const size_t room = pb_adaptive_header_room(module->advised->hosts->n);
    int rc =
        coll_pipebcast_message_init(&adaptive->message, &call->data, operation->is_root, false);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (operation->is_root) {
        rc = start_as_root(adaptive, room);
    } else if (!pb_member_start(&adaptive->member, &adaptive->super.control,
                                &adaptive->super.transport, room, find_part, adaptive)) {
        rc = PB_ERR_NO_MEMORY;
    }
    if (rc != PB_SUCCESS) {
        coll_pipebcast_message_fini(&adaptive->message);
        return rc;
    }
    module->advised->n_broadcasts++; /* alike on all ranks */
    return PB_SUCCESS;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    const pb_transfer_t *transfer = &adaptive->member.transfer;
    const bool is_through = pb_member_advance(&adaptive->member);
    adaptive->delivery.waited |= !pb_transfer_is_started(transfer);
    if (pb_transfer_is_started(transfer)) {
        pb_delivery_look(&adaptive->delivery, transfer, coll_pipebcast_now());
    }
    return is_through;
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const pb_member_t *member = &((const adaptive_t *) operation)->member;
    return pb_member_is_broken(member) ? pb_member_error(member) : 0;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    pb_member_cancel(&((adaptive_t *) operation)->member);
}

/** Notes for the advisor the measurements of a broadcast that ended well. */
static void note(adaptive_t *adaptive)
{
    const pb_transfer_t *transfer = &adaptive->member.transfer;
    uint64_t bytes;
    int64_t taken;
    coll_pipebcast_count(&coll_pipebcast_counters.advised, adaptive->is_advised);
    if (transfer->n_parents == 0) {
        coll_pipebcast_advised_note(adaptive->advised, PB_HISTORY_BROADCASTS, adaptive->broadcast,
                                    adaptive->super.call.root, adaptive->super.call.data.total,
                                    adaptive->begun_at, coll_pipebcast_now() - adaptive->begun);
    }
    for (int i = 0; i < transfer->n_parents; i++) {
        if (pb_delivery_rate(&adaptive->delivery, transfer, i, &bytes, &taken)) {
            const int64_t first = adaptive->delivery.parent[i].first - adaptive->begun;
            coll_pipebcast_advised_note(adaptive->advised, PB_HISTORY_RATES, adaptive->broadcast,
                                        transfer->lanes[i].rank, bytes, adaptive->begun_at + first,
                                        taken);
        }
    }
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    const int error = pb_member_error(&adaptive->member);
    (void) stays_p;
    if (error == 0 && !operation->is_left) {
        note(adaptive);
    }
    pb_member_finish(&adaptive->member);
    coll_pipebcast_message_fini(&adaptive->message);
    return error;
}

static const coll_pipebcast_kind_t kind = {
    .size = sizeof(adaptive_t),
    .has_control = true,
    .start = start,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
};

void coll_pipebcast_adaptive_register(const mca_base_component_t *component)
{
    static const coll_pipebcast_advice_t advice = {
        .prepare = coll_pipebcast_advised_prepare,
        .give_back = coll_pipebcast_advised_free,
        .kind = &kind,
    };
    coll_pipebcast_advice = &advice;
    (void) mca_base_component_var_register(
        component, "advice_dir",
        "Directory shared with pipebcast advise. Where it is set, advice is followed: the root "
        "finds there the tree for the network as it is now, and ranks write there how fast their "
        "parents delivered. It must be writable on all hosts. Without good advice, and for "
        "nonblocking and persistent broadcasts, algorithm counts. "
        "(default: none)",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY,
        &coll_pipebcast_params.advice_dir);
}
