/*
 * One rank's part of a plan; see topo/trees/role.h.
 */
#include "topo/trees/role.h"

#include <stdlib.h>

/** Adds stream `stream` to the peer `rank`. It is appended unless it is among those from `i` to
 * `end`. */
static void add_peer(int *ranks, uint32_t *masks, int *n, int i, int end, int rank, int stream)
{
    while (i < end && ranks[i] != rank) {
        i++;
    }
    if (i == end) {
        i = *n;
        ranks[i] = rank;
        masks[i] = 0;
        (*n)++;
    }
    masks[i] |= UINT32_C(1) << stream;
}

static bool is_inside(const pb_plan_t *plan, int rank, int child)
{
    return plan->leader != NULL && plan->leader[rank] == plan->leader[child];
}

/** Adds the children inside the rank's host, or those that are not. A stream has each once. */
static void add_children(pb_role_t *role, const pb_plan_t *plan, int rank, bool inside)
{
    const int first = role->n_children;
    for (int s = 0; s < plan->n_streams; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        const int end = role->n_children;
        for (int c = stream->first_child[rank]; c < stream->first_child[rank + 1]; c++) {
            if (is_inside(plan, rank, stream->child[c]) == inside) {
                add_peer(role->child, role->child_mask, &role->n_children, first, end,
                         stream->child[c], s);
            }
        }
    }
}

pb_role_t *pb_role_new(const pb_plan_t *plan, int rank)
{
    size_t most_children = 0;
    for (int s = 0; s < plan->n_streams; s++) {
        const int *first_child = plan->streams[s].first_child;
        most_children += (size_t) (first_child[rank + 1] - first_child[rank]);
    }
    const size_t most_peers = most_children + (size_t) plan->n_streams;
    const size_t memory = sizeof(pb_role_t) + most_peers * (sizeof(int) + sizeof(uint32_t));
    pb_role_t *role = calloc(1, memory);
    if (role == NULL) {
        return NULL;
    }
    role->memory = memory;
    role->n_streams = plan->n_streams;
    role->parent = (int *) (role + 1);
    role->child = role->parent + plan->n_streams;
    role->parent_mask = (uint32_t *) (role->child + most_children);
    role->child_mask = role->parent_mask + plan->n_streams;

    for (int s = 0; s < plan->n_streams; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        if (stream->parent[rank] >= 0) {
            add_peer(role->parent, role->parent_mask, &role->n_parents, 0, role->n_parents,
                     stream->parent[rank], s);
        }
    }
    add_children(role, plan, rank, false);
    const int n_between = role->n_children;
    add_children(role, plan, rank, true);
    role->n_inside = role->n_children - n_between;
    role->is_led = plan->leader != NULL && role->n_parents > 0 && plan->leader[rank] != rank;
    return role;
}

pb_role_t pb_role_between_hosts(const pb_role_t *role)
{
    pb_role_t between = *role;
    between.n_parents = role->is_led ? 0 : role->n_parents;
    between.n_children = role->n_children - role->n_inside;
    between.n_inside = 0;
    return between;
}

pb_role_t pb_role_inside_host(const pb_role_t *role)
{
    const int n_between = role->n_children - role->n_inside;
    pb_role_t inside = *role;
    inside.n_streams = 1;
    inside.n_parents = role->is_led ? 1 : 0;
    inside.n_children = role->n_inside;
    inside.child = role->child + n_between;
    inside.child_mask = role->child_mask + n_between;
    return inside;
}
