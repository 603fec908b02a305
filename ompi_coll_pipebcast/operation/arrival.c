/*
 * An arrival-aware broadcast: the root serves groups of ranks as they arrive, and a receiver takes
 * part in its group. The answers to their engine (engine/arrival/arrival.h) come before both
 * methods.
 *
 * Where data were sent to ranks that had not arrived, their ARRIVED may still be to come when the
 * broadcast ends. Then the root's operation outlives its result: it lingers as a task of its own
 * until all of them have come. A posted receive would keep the communicator alive even if it were
 * freed, and its number with it. So someone has to take the message in.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/placement.h"
#include "engine/arrival/receiver.h"
#include "engine/arrival/root.h"
#include "operation/operation.h"
#include "pml/transport.h"

/**
 * Parts of the message that the root may have under way without a sign from the
 * receivers. Otherwise the sockets' buffers would swallow the whole, and the root
 * could not tell when its port is free for the next group.
 */
#define UNDER_WAY_PART 4

struct pb_arrival_caller {
    coll_pipebcast_module_t *module;   /**< borrowed */
    const coll_pipebcast_call_t *call; /**< borrowed */
    int *members;                      /**< of a group; room for all ranks */
    pb_view_t *view;                   /**< of all ranks; NULL: their order was not asked for */
    pb_message_t message;
};

/** Stays where it is until the end. */
typedef struct arrival {
    coll_pipebcast_operation_t super;
    pb_arrival_caller_t caller;
    union {
        pb_arrival_root_t root;
        pb_arrival_receiver_t receiver;
    };
} arrival_t;

/* Answers to the engine. */

int64_t pb_arrival_caller_now(pb_arrival_caller_t *caller)
{
    (void) caller;
    return coll_pipebcast_now();
}

/** The members of a group as the planner wants them: NULL if they are all ranks. */
static const int *list_members(pb_arrival_caller_t *caller, const pb_arrival_header_t *header,
                               int *n_p)
{
    const int n_ranks = ompi_comm_size(caller->module->comm);
    *n_p = header->all ? n_ranks : pb_arrival_members(header, n_ranks, caller->members);
    return header->all ? NULL : caller->members;
}

int pb_arrival_caller_choose(pb_arrival_caller_t *caller, pb_arrival_header_t *header)
{
    const size_t total = caller->call->data.total;
    pb_planner_group_t group = {
        .max_segment = header->unasked ? COLL_PIPEBCAST_EAGER_SEGMENT : COLL_PIPEBCAST_MAX_SEGMENT,
    };
    pb_planned_t planned;
    group.ranks = list_members(caller, header, &group.n_ranks);
    const int rc =
        pb_planner_plan_group(caller->module->planner, caller->call->root, total, &group, &planned);
    if (rc == PB_SUCCESS) {
        header->kind = planned.kind;
        header->segment_size = (uint32_t) planned.segment_size;
    }
    return rc;
}

/** Returns the bytes that the root may have under way to each child without an acknowledgement. */
static size_t root_ahead(const pb_arrival_caller_t *caller, const pb_arrival_header_t *header,
                         size_t ahead)
{
    if (header->unasked) {
        return 0; /* no bound: there is no one to give a sign */
    }
    const size_t under_way = caller->call->data.total / UNDER_WAY_PART + 1;
    return ahead == 0 || under_way < ahead ? under_way : ahead;
}

int pb_arrival_caller_part(pb_arrival_caller_t *caller, const pb_arrival_header_t *header,
                           pb_group_part_t *part)
{
    int n;
    pb_planned_t planned;
    const int *ranks = list_members(caller, header, &n);
    const int rc = pb_planner_role(caller->module->planner, caller->call->root, header->kind, ranks,
                                   n, &planned);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    coll_pipebcast_count_role(planned.was_cached);
    if (header->total != caller->message.total) { /* this rank still tells its children */
        coll_pipebcast_message_fini(&caller->message);
        caller->message =
            (pb_message_t){.total = (size_t) header->total, .error = MPI_ERR_TRUNCATE};
    }
    *part = (pb_group_part_t){.role = planned.role,
                              .segment_size = header->segment_size,
                              .message = &caller->message,
                              .limits = coll_pipebcast_params.limits};
    if (part->role->n_parents == 0) {
        part->limits.ahead = root_ahead(caller, header, part->limits.ahead);
    }
    return PB_SUCCESS;
}

const int *pb_arrival_caller_order(pb_arrival_caller_t *caller)
{
    if (caller->view == NULL) {
        (void) pb_view_new(caller->module->placed->placement, caller->call->root, NULL, 0,
                           &caller->view);
    }
    return caller->view != NULL ? caller->view->order + 1 : NULL;
}

/* The root and receivers. */

/** Returns whether broadcasts are arrival-aware because the communicator's mode has it so. */
static bool is_by_mode(const coll_pipebcast_module_t *module)
{
    return module->settings.arrival == COLL_PIPEBCAST_ARRIVAL_AUTO;
}

/** Prepares all but the engine's part, for which it fills *env. False if out of memory. */
static bool arrival_init(arrival_t *arrival, pb_arrival_env_t *env)
{
    coll_pipebcast_operation_t *operation = &arrival->super;
    coll_pipebcast_module_t *module = operation->module;
    struct ompi_communicator_t *comm = module->comm;
    const coll_pipebcast_call_t *call = &operation->call;
    operation->counted_as = module->settings.arrival == COLL_PIPEBCAST_ARRIVAL_B
                                ? COLL_PIPEBCAST_BY_ARRIVAL_B
                                : COLL_PIPEBCAST_BY_ARRIVAL_NB;
    arrival->caller = (pb_arrival_caller_t){.module = module, .call = call};
    coll_pipebcast_operation_control(operation);
    *env = (pb_arrival_env_t){
        .caller = &arrival->caller,
        .control = &arrival->super.control,
        .transport = &arrival->super.transport,
        .n_ranks = ompi_comm_size(comm),
        .rank = ompi_comm_rank(comm),
        .root = call->root,
        .total = call->data.total,
        .mode = is_by_mode(module) ? &module->arrival_mode : NULL,
    };
    arrival->caller.members = malloc((size_t) env->n_ranks * sizeof(*arrival->caller.members));
    return arrival->caller.members != NULL &&
           coll_pipebcast_message_init(&arrival->caller.message, &call->data, operation->is_root,
                                       false) == OMPI_SUCCESS;
}

/** Gives back what the groups needed. */
static void arrival_fini(arrival_t *arrival)
{
    pb_arrival_caller_t *caller = &arrival->caller;
    coll_pipebcast_message_fini(&caller->message);
    free(caller->members);
    pb_view_free(caller->view);
    caller->members = NULL;
    caller->view = NULL;
}

/** Returns the credit at other ranks; NULL: only ranks that have arrived are sent to. */
static pb_arrival_credit_t *credit_of(arrival_t *arrival)
{
    coll_pipebcast_module_t *module = arrival->super.module;
    pb_arrival_credit_t *credit = &module->credit;
    return module->settings.arrival != COLL_PIPEBCAST_ARRIVAL_B && credit->bound > 0 &&
                   arrival->super.call.way != COLL_PIPEBCAST_PERSISTENT
               ? credit
               : NULL;
}

/**
 * With arrival = auto, the communicator's mode takes in what this broadcast's header had as `mode`;
 * rank 0 logs at verbose 10 what changes.
 */
static void end_mode(const arrival_t *arrival, uint8_t mode, pb_arrival_report_t report)
{
    const coll_pipebcast_module_t *module = arrival->super.module;
    pb_arrival_mode_t *of_module = &arrival->super.module->arrival_mode;
    const bool was_uneven = of_module->uneven;
    if (!is_by_mode(module)) {
        return;
    }
    pb_arrival_mode_end(of_module, mode, arrival->super.call.root, report);
    if (ompi_comm_rank(module->comm) == 0 && of_module->uneven != was_uneven) {
        coll_pipebcast_log(10, "communicator %s: ranks arrive %s now", module->comm->c_name,
                           of_module->uneven ? "unevenly, and broadcasts are arrival-aware"
                                             : "evenly, and broadcasts are plain");
    }
}

/* The root. */

static bool linger(coll_pipebcast_operation_t *operation)
{
    return pb_arrival_root_linger(&((arrival_t *) operation)->root);
}

static void end(coll_pipebcast_operation_t *operation)
{
    pb_arrival_root_finish(&((arrival_t *) operation)->root);
}

/** False if out of memory. */
static bool start_root(arrival_t *arrival, pb_arrival_env_t *env)
{
    const coll_pipebcast_module_t *module = arrival->super.module;
    const double modelled = (double) pb_model_message_time(&module->model->model, env->total);
    const double expected = modelled * (module->slowness > 0 ? module->slowness : 1);
    /* Until it is known how long a message takes, too many could be sent unasked. */
    env->credit = module->slowness > 0 ? credit_of(arrival) : NULL;
    if (env->credit != NULL && !pb_arrival_credit_reserve(env->credit, env->n_ranks)) {
        env->credit = NULL;
    }
    return pb_arrival_root_start(&arrival->root, env, (int64_t) expected);
}

static void count_root(const pb_arrival_root_t *root)
{
    coll_pipebcast_counters_t *counters = &coll_pipebcast_counters;
    coll_pipebcast_count(&counters->groups_served, root->n_groups);
    coll_pipebcast_count(&counters->waited_as_root, root->last_arrival - root->started);
}

/** Learns from this broadcast's groups, smoothed over broadcasts. Sizes share what is learned: the
 * model knows that a short message costs more for each byte. */
static void learn_slowness(arrival_t *arrival)
{
    coll_pipebcast_module_t *module = arrival->super.module;
    const int64_t modelled =
        pb_model_message_time(&module->model->model, arrival->super.call.data.total);
    const double seen = (double) arrival->root.expected / (double) (modelled > 0 ? modelled : 1);
    /* A root that computes meanwhile finds its groups' ends when it comes back. */
    const bool is_sure = arrival->super.call.way == COLL_PIPEBCAST_BLOCKING ||
                         module->slowness <= 0 || seen < module->slowness;
    if (arrival->root.is_measured && is_sure) {
        module->slowness = module->slowness > 0 ? (3 * module->slowness + seen) / 4 : seen;
    }
}

/** Gives back what does not outlive the result; returns the first error. */
static int finish_root(arrival_t *arrival, bool *stays_p)
{
    pb_arrival_root_t *root = &arrival->root;
    const int error = pb_arrival_root_error(root);
    count_root(root);
    learn_slowness(arrival);
    end_mode(arrival, root->mode, pb_arrival_root_report(root));
    *stays_p = root->n_to_come > 0 && !pb_arrival_root_is_broken(root);
    if (!*stays_p) {
        pb_arrival_root_finish(root);
    }
    return error;
}

/* A receiver. */

/** False if out of memory. */
static bool start_receiver(arrival_t *arrival, const pb_arrival_env_t *env)
{
    pb_arrival_credit_t *credit = credit_of(arrival);
    if (!pb_arrival_receiver_start(&arrival->receiver, env)) {
        return false;
    }
    if (credit != NULL) {
        pb_arrival_credit_other(credit, env->total);
    }
    return true;
}

static int finish_receiver(arrival_t *arrival)
{
    pb_arrival_receiver_t *receiver = &arrival->receiver;
    const int error = pb_member_error(&receiver->member);
    coll_pipebcast_count(&coll_pipebcast_counters.waited_as_receiver, receiver->waited);
    if (receiver->has_header) {
        end_mode(arrival, receiver->header.mode, PB_ARRIVAL_UNKNOWN);
    }
    pb_member_finish(&receiver->member);
    return error;
}

/* The operation. */

static int start(coll_pipebcast_operation_t *operation, const pb_planned_t *planned)
{
    arrival_t *arrival = (arrival_t *) operation;
    pb_arrival_env_t env;
    (void) planned; /* each group is planned when it is formed */
    if (arrival_init(arrival, &env) &&
        (arrival->super.is_root ? start_root(arrival, &env) : start_receiver(arrival, &env))) {
        return PB_SUCCESS;
    }
    arrival_fini(arrival);
    return PB_ERR_NO_MEMORY;
}

static bool advance(coll_pipebcast_operation_t *operation)
{
    arrival_t *arrival = (arrival_t *) operation;
    return arrival->super.is_root ? pb_arrival_root_advance(&arrival->root)
                                  : pb_member_advance(&arrival->receiver.member);
}

static int refused(const coll_pipebcast_operation_t *operation)
{
    const arrival_t *arrival = (const arrival_t *) operation;
    const pb_member_t *member = &arrival->receiver.member;
    if (arrival->super.is_root) {
        return pb_arrival_root_is_broken(&arrival->root) ? pb_arrival_root_error(&arrival->root)
                                                         : 0;
    }
    return pb_member_is_broken(member) ? pb_member_error(member) : 0;
}

static void cancel(coll_pipebcast_operation_t *operation)
{
    arrival_t *arrival = (arrival_t *) operation;
    if (arrival->super.is_root) {
        pb_arrival_root_cancel(&arrival->root);
    } else {
        pb_member_cancel(&arrival->receiver.member);
    }
}

static int finish(coll_pipebcast_operation_t *operation, bool *stays_p)
{
    arrival_t *arrival = (arrival_t *) operation;
    const int error =
        arrival->super.is_root ? finish_root(arrival, stays_p) : finish_receiver(arrival);
    arrival_fini(arrival);
    return error;
}

const coll_pipebcast_method_t coll_pipebcast_arrival = {
    .size = sizeof(arrival_t),
    .start = start,
    .advance = advance,
    .refused = refused,
    .cancel = cancel,
    .finish = finish,
    .linger = linger,
    .end = end,
};
