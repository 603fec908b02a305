/*
 * What an arrival-aware broadcast asks of the plugin: the clock, roles in groups, the user's data.
 */
#include "operation/arrival/caller.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/connections.h"
#include "communicator/ranks.h"

/**
 * Parts of the message that the root may have under way without a sign from the
 * receivers. Otherwise the sockets' buffers would swallow the whole, and the root
 * could not tell when its port is free for the next group.
 */
#define UNDER_WAY_PART 4

/** Of a message between two ranks, until the first group has been measured: 1 Gbit/s. */
#define ASSUMED_NS_PER_BYTE 8

/** Every rank reports to the root, and the root answers. */
static void count_connections(coll_pipebcast_module_t *module, int root)
{
    if (module->has_counted_all) {
        return;
    }
    if (ompi_comm_rank(module->comm) != root) {
        coll_pipebcast_connections_count(module, root);
        return;
    }
    module->has_counted_all = true;
    for (int rank = 0; rank < ompi_comm_size(module->comm); rank++) {
        if (rank != root) {
            coll_pipebcast_connections_count(module, rank);
        }
    }
}

bool coll_pipebcast_arrival_init(coll_pipebcast_arrival_t *arrival, pb_arrival_env_t *env)
{
    coll_pipebcast_operation_t *operation = &arrival->super;
    coll_pipebcast_module_t *module = operation->module;
    struct ompi_communicator_t *comm = module->comm;
    const coll_pipebcast_call_t *call = &operation->call;
    operation->counted_as = call->settings.arrival == COLL_PIPEBCAST_ARRIVAL_NB
                                ? COLL_PIPEBCAST_BY_ARRIVAL_NB
                                : COLL_PIPEBCAST_BY_ARRIVAL_B;
    arrival->is_auto = call->settings.arrival == COLL_PIPEBCAST_ARRIVAL_AUTO;
    arrival->transport = coll_pipebcast_transport(comm, call->tag, &module->lock);
    arrival->control = (pb_control_t){.comm = comm, .tag = call->tag - 1};
    arrival->caller = (pb_arrival_caller_t){
        .module = module,
        .call = *call,
        .ns_per_byte = module->ns_per_byte > 0 ? module->ns_per_byte : ASSUMED_NS_PER_BYTE,
    };
    *env = (pb_arrival_env_t){
        .caller = &arrival->caller,
        .control = &arrival->control,
        .transport = &arrival->transport,
        .n_ranks = ompi_comm_size(comm),
        .rank = ompi_comm_rank(comm),
        .root = call->root,
        .total = call->data.total,
        .mode = arrival->is_auto ? &module->arrival_mode : NULL,
        .is_patient = arrival->is_auto,
    };
    count_connections(module, call->root);
    arrival->caller.members = malloc((size_t) env->n_ranks * sizeof(*arrival->caller.members));
    return arrival->caller.members != NULL;
}

pb_arrival_credit_t *coll_pipebcast_arrival_credit(coll_pipebcast_arrival_t *arrival)
{
    pb_arrival_credit_t *credit = &arrival->super.module->credit;
    return coll_pipebcast_may_send_unasked(&arrival->super.call.settings) && credit->bound > 0 &&
                   !arrival->super.call.repeats
               ? credit
               : NULL;
}

void coll_pipebcast_arrival_end_mode(const coll_pipebcast_arrival_t *arrival, uint8_t mode,
                                     pb_arrival_report_t report)
{
    const coll_pipebcast_module_t *module = arrival->super.module;
    pb_arrival_mode_t *of_module = &arrival->super.module->arrival_mode;
    const bool was_uneven = of_module->uneven;
    if (!arrival->is_auto) {
        return;
    }
    pb_arrival_mode_end(of_module, mode, arrival->super.call.root, report);
    if (ompi_comm_rank(module->comm) == 0 && of_module->uneven != was_uneven) {
        coll_pipebcast_log(10, "communicator %s: ranks arrive %s now", module->comm->c_name,
                           of_module->uneven ? "unevenly, and broadcasts are arrival-aware"
                                             : "evenly, and broadcasts are plain");
    }
}

static void drop_message(pb_arrival_caller_t *caller, int which)
{
    if (caller->has_message[which]) {
        coll_pipebcast_message_fini(&caller->message[which]);
        caller->has_message[which] = false;
    }
}

void coll_pipebcast_arrival_fini(coll_pipebcast_arrival_t *arrival)
{
    pb_arrival_caller_t *caller = &arrival->caller;
    drop_message(caller, false);
    drop_message(caller, true);
    free(caller->members);
    free(caller->order);
    caller->members = caller->order = NULL;
}

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

int pb_arrival_caller_role(pb_arrival_caller_t *caller, const pb_arrival_header_t *header,
                           const pb_role_t **role_p)
{
    int n;
    pb_planned_t planned;
    const int *ranks = list_members(caller, header, &n);
    const int rc = pb_planner_role(caller->module->planner, caller->call.root, header->kind, ranks,
                                   n, &planned);
    if (rc == PB_SUCCESS) {
        coll_pipebcast_count_role(caller->module, &planned);
        *role_p = planned.role;
    }
    return rc;
}

int pb_arrival_caller_choose(pb_arrival_caller_t *caller, pb_arrival_header_t *header,
                             const pb_role_t **role_p)
{
    const size_t total = caller->call.data.total;
    pb_planner_group_t group = {
        .max_segment = header->unasked ? COLL_PIPEBCAST_EAGER_SEGMENT : COLL_PIPEBCAST_MAX_SEGMENT,
    };
    pb_planned_t planned;
    group.ranks = list_members(caller, header, &group.n_ranks);
    const int rc =
        pb_planner_plan_group(caller->module->planner, caller->call.root, total, &group, &planned);
    if (rc == PB_SUCCESS) {
        coll_pipebcast_count_role(caller->module, &planned);
        header->kind = planned.kind;
        header->segment_size = (uint32_t) planned.segment_size;
        *role_p = planned.role;
    }
    return rc;
}

/** What the root may have under way to each child, without a sign of it. */
static size_t root_ahead(const pb_arrival_caller_t *caller, const pb_arrival_header_t *header,
                         size_t ahead)
{
    if (header->unasked) {
        return 0; /* no bound: there is no one to give a sign */
    }
    const size_t part = caller->call.data.total / UNDER_WAY_PART + 1;
    return ahead == 0 || part < ahead ? part : ahead;
}

pb_message_t *pb_arrival_caller_message(pb_arrival_caller_t *caller,
                                        const pb_arrival_header_t *header, const pb_role_t *role,
                                        pb_transfer_limits_t *limits_p)
{
    const int which = header->unasked;
    const coll_pipebcast_data_t *data = &caller->call.data;
    pb_message_t *message = &caller->message[which];
    drop_message(caller, which);
    int rc = coll_pipebcast_windows_cut(message, data, header->segment_size, role, limits_p);
    caller->has_message[which] = rc == OMPI_SUCCESS;
    if (rc == OMPI_SUCCESS && header->total != data->total) {
        drop_message(caller, which);
        rc = MPI_ERR_TRUNCATE;
    }
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_message_fail(message, rc);
    }
    if (role->n_parents == 0) {
        limits_p->ahead = root_ahead(caller, header, limits_p->ahead);
    }
    return message;
}

const int *pb_arrival_caller_order(pb_arrival_caller_t *caller)
{
    const size_t n = (size_t) ompi_comm_size(caller->module->comm);
    pb_view_t *view = NULL;
    if (caller->order == NULL && pb_view_new(caller->module->ranks->placement, caller->call.root,
                                             NULL, 0, &view) == PB_SUCCESS) {
        caller->order = malloc(n * sizeof(*caller->order));
    }
    if (caller->order != NULL && view != NULL) {
        memcpy(caller->order, view->order + 1, (n - 1) * sizeof(*caller->order));
    }
    pb_view_free(view);
    return caller->order;
}
