/*
 * One rank's part of a plan; see topo/trees/role.h.
 */
#include "topo/trees/role.h"

#include <stdlib.h>

/** Adds stream `stream` to the peer `rank`, which is appended if it is new. */
static void add_peer(int *ranks, uint32_t *masks, int *n, int rank, int stream)
{
    int i = 0;
    while (i < *n && ranks[i] != rank) {
        i++;
    }
    if (i == *n) {
        ranks[i] = rank;
        masks[i] = 0;
        (*n)++;
    }
    masks[i] |= UINT32_C(1) << stream;
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
            add_peer(role->parent, role->parent_mask, &role->n_parents, stream->parent[rank], s);
        }
        for (int c = stream->first_child[rank]; c < stream->first_child[rank + 1]; c++) {
            add_peer(role->child, role->child_mask, &role->n_children, stream->child[c], s);
        }
    }
    return role;
}

void pb_role_by_rank(pb_role_by_rank_t *by_rank, int rank, int root, int n_ranks)
{
    const int position = (rank - root + n_ranks) % n_ranks;
    *by_rank = (pb_role_by_rank_t){.parent = ((position - 1) / 2 + root) % n_ranks, .mask = {1, 1}};
    by_rank->role = (pb_role_t){.n_streams = 1,
                                .n_parents = position > 0,
                                .parent = &by_rank->parent,
                                .child = by_rank->child,
                                .parent_mask = by_rank->mask,
                                .child_mask = by_rank->mask};
    for (int child = 2 * position + 1; child <= 2 * position + 2 && child < n_ranks; child++) {
        by_rank->child[by_rank->role.n_children++] = (child + root) % n_ranks;
    }
}
