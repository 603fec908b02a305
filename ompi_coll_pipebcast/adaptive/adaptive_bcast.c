/*
 * An adaptive broadcast: down the tree that is advised, which the root announces with each
 * broadcast (paper 4, section 2.5), to the group of all ranks (engine/group.h); and what is
 * measured of it is noted for the advisor.
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
    pb_control_t control;
    pb_transport_t transport;
    pb_message_t message;
    bool is_root;
    uint8_t *header;    /**< at the root */
    pb_group_t group;   /**< at the root */
    pb_member_t member; /**< at a receiver */
    pb_delivery_t delivery;
} adaptive_t;

/** The group, at any rank; it may not run yet. */
static pb_group_t *group_of(adaptive_t *adaptive)
{
    return adaptive->is_root ? &adaptive->group : &adaptive->member.group;
}

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
                              .total = call->data.total,
                              .segment_size =
                                  segment_size < call->data.total ? segment_size : call->data.total,
                              .message = &adaptive->message};
    adaptive->is_advised = known != NULL;
    rc = coll_pipebcast_message_cut(&adaptive->message, &call->data, part->segment_size, part->role,
                                    &part->limits);
    if (rc != OMPI_SUCCESS) { /* this rank still tells its children */
        coll_pipebcast_message_fail(&adaptive->message, rc);
    }
    return PB_SUCCESS;
}

static int start_as_root(adaptive_t *adaptive, size_t room)
{
    pb_group_part_t part;
    adaptive->header = malloc(room);
    if (adaptive->header == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const size_t length = coll_pipebcast_advised_look(
        adaptive->advised, adaptive->super.call.data.total, adaptive->header);
    const int rc = find_part(adaptive, adaptive->header, length, &part);
    return rc != PB_SUCCESS ? rc
                            : pb_group_start(&adaptive->group, &adaptive->control,
                                             &adaptive->transport, &part, adaptive->header, length);
}

static void give_back(adaptive_t *adaptive)
{
    coll_pipebcast_message_fini(&adaptive->message);
    free(adaptive->header);
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
    adaptive->control = (pb_control_t){.comm = module->comm, .tag = call->tag};
    adaptive->transport = coll_pipebcast_module_transport(module, call->tag - 1);
    adaptive->is_root = ompi_comm_rank(module->comm) == call->root;
    const size_t room = pb_adaptive_header_room(module->advised->hosts->n);
    int rc = PB_SUCCESS;
    if (adaptive->is_root) {
        rc = start_as_root(adaptive, room);
    } else if (!pb_member_start(&adaptive->member, &adaptive->control, &adaptive->transport, room,
                                find_part, adaptive)) {
        rc = PB_ERR_NO_MEMORY;
    }
    if (rc != PB_SUCCESS) {
        give_back(adaptive);
        return rc;
    }
    module->advised->n_broadcasts++; /* alike on all ranks */
    return PB_SUCCESS;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    const pb_group_t *group = group_of(adaptive);
    const bool is_through = adaptive->is_root ? pb_group_advance(&adaptive->group)
                                              : pb_member_advance(&adaptive->member);
    adaptive->delivery.waited |= !group->is_running;
    if (group->is_running && pb_delivery_is_behind(&adaptive->delivery, &group->transfer)) {
        pb_delivery_look(&adaptive->delivery, &group->transfer, coll_pipebcast_now());
    }
    return is_through;
}

static int error_of(const adaptive_t *adaptive)
{
    return adaptive->is_root ? pb_group_error(&adaptive->group)
                             : pb_member_error(&adaptive->member);
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const adaptive_t *adaptive = (const adaptive_t *) operation;
    const bool is_broken = adaptive->is_root ? pb_group_is_broken(&adaptive->group)
                                             : pb_member_is_broken(&adaptive->member);
    return is_broken ? error_of(adaptive) : 0;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    if (adaptive->is_root) {
        pb_group_cancel(&adaptive->group);
    } else {
        pb_member_cancel(&adaptive->member);
    }
}

/** Notes for the advisor the measurements of a broadcast that ended well. */
static void note(adaptive_t *adaptive)
{
    const pb_transfer_t *transfer = &group_of(adaptive)->transfer;
    uint64_t bytes;
    int64_t taken;
    coll_pipebcast_count(&coll_pipebcast_counters.advised, adaptive->is_advised);
    if (adaptive->is_root) {
        coll_pipebcast_advised_note_broadcast(adaptive->advised, adaptive->broadcast,
                                              adaptive->super.call.data.total, adaptive->begun_at,
                                              coll_pipebcast_now() - adaptive->begun);
    }
    for (int i = 0; i < transfer->n_parents; i++) {
        if (pb_delivery_rate(&adaptive->delivery, transfer, i, &bytes, &taken)) {
            coll_pipebcast_advised_note_rate(
                adaptive->advised, adaptive->broadcast, transfer->lanes[i].rank, bytes,
                adaptive->begun_at + adaptive->delivery.parent[i].first - adaptive->begun, taken);
        }
    }
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    const int error = error_of(adaptive);
    (void) stays_p;
    if (error == 0 && !operation->is_left) {
        note(adaptive);
    }
    if (adaptive->is_root) {
        pb_group_finish(&adaptive->group);
    } else {
        pb_member_finish(&adaptive->member);
    }
    give_back(adaptive);
    return error;
}

static const coll_pipebcast_kind_t kind = {
    .size = sizeof(adaptive_t),
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
