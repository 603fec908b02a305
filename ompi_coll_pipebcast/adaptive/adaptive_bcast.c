/*
 * An adaptive broadcast: down the tree that all ranks know, or down another one that the root
 * announces, as it is advised; and what is measured of it is noted for the advisor.
 *
 * Blocking broadcasts alone are adaptive, as those of paper 4 are: a rank knows all announcements
 * of earlier broadcasts only when those have ended.
 */
#include "adaptive/register.h"

#include <stdlib.h>
#include <string.h>

#include "adaptive/advised.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/advice.h"
#include "communicator/connections.h"
#include "engine/adaptive/adaptive.h"
#include "engine/adaptive/header.h"
#include "operation/kinds.h"
#include "pml/control.h"
#include "pml/transport.h"

struct pb_adaptive_caller {
    coll_pipebcast_module_t *module;   /**< borrowed */
    coll_pipebcast_advised_t *advised; /**< borrowed */
    coll_pipebcast_call_t call;
    pb_kind_t kind;      /**< of the static plan */
    size_t segment_size; /**< of the static plan */
    uint64_t broadcast;  /**< its number on the communicator */
    int64_t begun_at;    /**< ns since the epoch */
    int64_t begun;       /**< the same on the engine's clock */
    bool is_advised;     /**< it goes down an advised tree */
    pb_message_t message[PB_ADAPTIVE_N_TREES];
    bool has_message[PB_ADAPTIVE_N_TREES];
};

typedef struct adaptive {
    coll_pipebcast_operation_t super;
    pb_adaptive_caller_t caller;
    pb_control_t control;
    pb_transport_t transport[PB_ADAPTIVE_N_TREES];
    uint8_t *header; /**< of the root's announcement; NULL: there is none */
    pb_adaptive_t engine;
} adaptive_t;

int64_t pb_adaptive_caller_now(pb_adaptive_caller_t *caller)
{
    (void) caller;
    return coll_pipebcast_now();
}

/** This rank's part in a known tree (NULL: in the static plan). */
static int part_in(pb_adaptive_caller_t *caller, const coll_pipebcast_known_t *known,
                   pb_adaptive_part_t *part)
{
    const size_t segment_size = known != NULL ? known->segment_size : caller->segment_size;
    const size_t total = caller->call.data.total;
    pb_planned_t planned = {.role = known != NULL ? known->role : NULL};
    int rc = PB_SUCCESS;
    if (known == NULL) {
        rc = pb_planner_role(caller->module->planner, caller->call.root, caller->kind, NULL, 0,
                             &planned);
        coll_pipebcast_count_role(caller->module, &planned);
    }
    caller->is_advised = known != NULL;
    *part = (pb_adaptive_part_t){.role = planned.role,
                                 .segment_size = segment_size < total ? segment_size : total};
    return rc;
}

int pb_adaptive_caller_learn(pb_adaptive_caller_t *caller, const uint8_t *bytes, size_t length,
                             pb_adaptive_part_t *part)
{
    const coll_pipebcast_known_t *known;
    const int rc = coll_pipebcast_advised_learn(caller->advised, caller->call.root,
                                                caller->call.data.total, bytes, length, &known);
    return rc != PB_SUCCESS ? rc : part_in(caller, known, part);
}

static void drop_message(pb_adaptive_caller_t *caller, int tree)
{
    if (caller->has_message[tree]) {
        coll_pipebcast_message_fini(&caller->message[tree]);
        caller->has_message[tree] = false;
    }
}

pb_message_t *pb_adaptive_caller_message(pb_adaptive_caller_t *caller, pb_adaptive_tree_t tree,
                                         const pb_adaptive_part_t *part,
                                         pb_transfer_limits_t *limits_p)
{
    pb_message_t *message = &caller->message[tree];
    drop_message(caller, tree);
    const int rc = coll_pipebcast_windows_cut(message, &caller->call.data, part->segment_size,
                                              part->role, limits_p);
    caller->has_message[tree] = rc == OMPI_SUCCESS;
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_message_fail(message, rc);
    }
    return message;
}

/** Whether the tree of this header is the one that all ranks know. */
static bool is_known(const coll_pipebcast_known_t *known, const pb_advice_tree_t *advised,
                     const uint8_t *header, size_t length)
{
    if (known == NULL || advised == NULL) {
        return known == NULL && advised == NULL;
    }
    return known->length == length && memcmp(known->header, header, length) == 0;
}

/** At verbose 10 the root logs that it announces another tree. */
static void log_announcement(const pb_adaptive_caller_t *caller, const pb_advice_tree_t *tree)
{
    const coll_pipebcast_call_t *call = &caller->call;
    char text[96] = "the static plan";
    if (tree != NULL) {
        snprintf(text, sizeof(text), "advised trees of %d %s, segments of %u bytes",
                 tree->n_streams, tree->n_streams == 1 ? "stream" : "streams", tree->segment);
    }
    coll_pipebcast_log(10, "communicator %s: %zu bytes from root %d: announces %s",
                       caller->module->comm->c_name, call->data.total, call->root, text);
}

/** Decides which tree it is, and begins in it. */
static int start_as_root(adaptive_t *adaptive, const pb_adaptive_env_t *env,
                         const coll_pipebcast_known_t *known)
{
    pb_adaptive_caller_t *caller = &adaptive->caller;
    pb_adaptive_part_t part;
    const pb_advice_tree_t *tree =
        coll_pipebcast_advised_look(caller->advised, caller->call.data.total);
    adaptive->header = malloc(env->room);
    if (adaptive->header == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    size_t length = pb_adaptive_header_write(tree, caller->advised->hosts->n, adaptive->header);
    bool changes = !is_known(known, tree, adaptive->header, length);
    if (changes && tree != NULL && !coll_pipebcast_advised_fits(caller->advised, tree)) {
        tree = NULL;
        length = pb_adaptive_header_write(tree, caller->advised->hosts->n, adaptive->header);
        changes = known != NULL;
    }
    if (changes) {
        log_announcement(caller, tree);
    }
    const int rc = changes ? pb_adaptive_caller_learn(caller, adaptive->header, length, &part)
                           : part_in(caller, known, &part);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    const uint8_t *header = changes ? adaptive->header : NULL;
    /* Tried again here, as another call would find that the tree is known already. */
    return pb_adaptive_start_root(&adaptive->engine, env, &part, header, length) ||
                   pb_adaptive_start_root(&adaptive->engine, env, &part, header, length)
               ? PB_SUCCESS
               : PB_ERR_NO_MEMORY;
}

static int start_as_receiver(adaptive_t *adaptive, const pb_adaptive_env_t *env,
                             const coll_pipebcast_known_t *known)
{
    pb_adaptive_part_t part;
    const int rc = part_in(&adaptive->caller, known, &part);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    return pb_adaptive_start_receiver(&adaptive->engine, env, &part) ? PB_SUCCESS
                                                                     : PB_ERR_NO_MEMORY;
}

static int start_engine(adaptive_t *adaptive)
{
    pb_adaptive_caller_t *caller = &adaptive->caller;
    const coll_pipebcast_call_t *call = &caller->call;
    const pb_adaptive_env_t env = {
        .caller = caller,
        .control = &adaptive->control,
        .transport = {&adaptive->transport[0], &adaptive->transport[1]},
        .room = pb_adaptive_header_room(caller->advised->hosts->n),
        .total = call->data.total,
    };
    const coll_pipebcast_known_t *known =
        coll_pipebcast_advised_known(caller->advised, call->root, call->data.total);
    return ompi_comm_rank(caller->module->comm) == call->root
               ? start_as_root(adaptive, &env, known)
               : start_as_receiver(adaptive, &env, known);
}

/** The communicator and the tags of its messages; see engine/adaptive/adaptive.h. */
static void set_tags(adaptive_t *adaptive, coll_pipebcast_module_t *module,
                     const coll_pipebcast_call_t *call)
{
    adaptive->control = (pb_control_t){.comm = module->comm, .tag = call->tag};
    for (int tree = 0; tree < PB_ADAPTIVE_N_TREES; tree++) {
        adaptive->transport[tree] =
            coll_pipebcast_transport(module->comm, call->tag - 1 - tree, &module->lock);
    }
}

static void give_back(adaptive_t *adaptive)
{
    for (int tree = 0; tree < PB_ADAPTIVE_N_TREES; tree++) {
        drop_message(&adaptive->caller, tree);
    }
    free(adaptive->header);
    adaptive->header = NULL;
}

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    coll_pipebcast_module_t *module = operation->module;
    operation->counted_as = COLL_PIPEBCAST_BY_ADVICE;
    adaptive->caller = (pb_adaptive_caller_t){
        .module = module,
        .advised = module->advised,
        .call = operation->call,
        .kind = planned->kind,
        .segment_size = planned->segment_size,
        .broadcast = module->advised->n_broadcasts,
        .begun_at = pb_advice_now(),
        .begun = coll_pipebcast_now(),
    };
    set_tags(adaptive, module, &operation->call);
    const int rc = start_engine(adaptive);
    if (rc != PB_SUCCESS) {
        give_back(adaptive);
        return rc;
    }
    module->advised->n_broadcasts++; /* alike on all ranks */
    return PB_SUCCESS;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    return pb_adaptive_advance(&((adaptive_t *) operation)->engine);
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const pb_adaptive_t *engine = &((const adaptive_t *) operation)->engine;
    return pb_adaptive_is_broken(engine) ? pb_adaptive_error(engine) : 0;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    pb_adaptive_cancel(&((adaptive_t *) operation)->engine);
}

/** Notes for the advisor the measurements of a broadcast that ended well. */
static void note(const adaptive_t *adaptive)
{
    const pb_adaptive_caller_t *caller = &adaptive->caller;
    const pb_adaptive_t *engine = &adaptive->engine;
    const pb_transfer_t *transfer = &engine->transfer[engine->tree];
    uint64_t bytes;
    int64_t taken;
    coll_pipebcast_count(&coll_pipebcast_counters.advised, caller->is_advised);
    if (ompi_comm_rank(caller->module->comm) == caller->call.root) {
        coll_pipebcast_advised_note_broadcast(caller->advised, caller->broadcast,
                                              caller->call.data.total, caller->begun_at,
                                              coll_pipebcast_now() - caller->begun);
    }
    for (int i = 0; i < transfer->n_parents; i++) {
        if (pb_delivery_rate(&engine->delivery, transfer, i, &bytes, &taken)) {
            coll_pipebcast_advised_note_rate(
                caller->advised, caller->broadcast, transfer->lanes[i].rank, bytes,
                caller->begun_at + engine->delivery.parent[i].first - caller->begun, taken);
        }
    }
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    adaptive_t *adaptive = (adaptive_t *) operation;
    const int error = pb_adaptive_error(&adaptive->engine);
    (void) stays_p;
    if (error == 0) {
        note(adaptive);
    }
    pb_adaptive_finish(&adaptive->engine);
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
        "Directory shared with pipebcast-advisor. Where it is set, advice is followed: the root "
        "finds there the tree for the network as it is now, and ranks write there how fast their "
        "parents delivered. It must be writable on all hosts. Without good advice, and for "
        "nonblocking and persistent broadcasts, algorithm counts. "
        "(default: none)",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_4, MCA_BASE_VAR_SCOPE_READONLY,
        &coll_pipebcast_params.advice_dir);
}
