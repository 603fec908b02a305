/*
 * The group of those who are not usually late; see operation/arrival/order.h.
 */
#include "operation/arrival/order.h"

#include <stdlib.h>

#include "communicator/connections.h"

/** The members in order of rank; returns their number. */
static int list_members(const coll_pipebcast_call_t *call, int n_ranks, int *members)
{
    int n = 0;
    for (int rank = 0; rank < n_ranks; rank++) {
        if (!pb_order_has(call->late, rank)) {
            members[n++] = rank;
        }
    }
    return n;
}

static int plan(coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call, pb_kind_t kind,
                pb_planned_t *own)
{
    const int n_ranks = ompi_comm_size(module->comm);
    int *members = malloc((size_t) n_ranks * sizeof(*members));
    if (members == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const int n = list_members(call, n_ranks, members);
    int rc = pb_planner_role(module->planner, call->root, kind, members, n, own);
    if (rc == PB_ERR_UNFIT) { /* a chain fits every group */
        rc = pb_planner_role(module->planner, call->root, PB_KIND_CHAIN, members, n, own);
    }
    free(members);
    return rc;
}

int coll_pipebcast_plan_in_order(coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call,
                                 const pb_planned_t *planned, pb_planned_t *own)
{
    const size_t segment_size = planned->segment_size;
    const pb_kind_t kind = planned->kind;
    int rc = plan(module, call, kind, own);
    if (rc == PB_ERR_NO_MEMORY) {
        rc = plan(module, call, kind, own); /* see operation/operation.h */
    }
    if (rc == PB_SUCCESS) {
        own->segment_size = segment_size;
        coll_pipebcast_count_role(module, own);
    }
    return rc;
}
