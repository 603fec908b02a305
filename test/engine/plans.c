/*
 * Hand-made plans.
 */
#include "plans.h"

#include <stdlib.h>
#include <string.h>

#include "test/must.h"

static int *new_ints(int n)
{
    return must_zeroed((size_t) n + 1, sizeof(int));
}

static void link_children(pb_stream_t *stream, int n_ranks)
{
    int n = 0;
    for (int rank = 0; rank < n_ranks; rank++) {
        stream->first_child[rank] = n;
        for (int child = 0; child < n_ranks; child++) {
            if (stream->parent[child] == rank) {
                stream->child[n++] = child;
            }
        }
    }
    stream->first_child[n_ranks] = n;
}

/** Each rank is put below a random one of those that are there, of the last `depth` if > 0. */
static void random_parents(pb_random_t *random, int n_ranks, int root, int depth, int *parent)
{
    int *order = new_ints(n_ranks);
    for (int i = 0; i < n_ranks; i++) {
        order[i] = i;
    }
    order[root] = order[0];
    order[0] = root;
    pb_random_shuffle(random, order + 1, n_ranks - 1);
    parent[root] = -1;
    for (int i = 1; i < n_ranks; i++) {
        const int choices = depth > 0 && depth < i ? depth : i;
        parent[order[i]] = order[i - 1 - pb_random_below(random, choices)];
    }
    free(order);
}

static pb_plan_t *plan_new(int n_ranks, int root, int n_streams)
{
    pb_plan_t *plan = must_zeroed(1, sizeof(*plan));
    plan->n_ranks = n_ranks;
    plan->n_members = n_ranks;
    plan->root = root;
    plan->n_streams = n_streams;
    for (int s = 0; s < n_streams; s++) {
        plan->streams[s].parent = new_ints(n_ranks);
        plan->streams[s].first_child = new_ints(n_ranks);
        plan->streams[s].child = new_ints(n_ranks);
    }
    return plan;
}

pb_plan_t *plans_random(pb_random_t *random, int n_ranks, int root, int n_streams)
{
    pb_plan_t *plan = plan_new(n_ranks, root, n_streams);
    for (int s = 0; s < n_streams; s++) {
        pb_stream_t *stream = &plan->streams[s];
        if (s > 0 && pb_random_below(random, 4) == 0) {
            const pb_stream_t *like = &plan->streams[pb_random_below(random, s)];
            memcpy(stream->parent, like->parent, (size_t) n_ranks * sizeof(int));
        } else {
            random_parents(random, n_ranks, root, pb_random_below(random, 4), stream->parent);
        }
        link_children(stream, n_ranks);
    }
    return plan;
}

pb_plan_t *plans_flat(int n_ranks, int root)
{
    pb_plan_t *plan = plan_new(n_ranks, root, 1);
    for (int rank = 0; rank < n_ranks; rank++) {
        plan->streams[0].parent[rank] = rank == root ? -1 : root;
    }
    link_children(&plan->streams[0], n_ranks);
    return plan;
}

pb_plan_t *plans_chain(int n_ranks, int root)
{
    pb_plan_t *plan = plans_flat(n_ranks, root);
    for (int i = 1; i < n_ranks; i++) {
        plan->streams[0].parent[(root + i) % n_ranks] = (root + i - 1) % n_ranks;
    }
    link_children(&plan->streams[0], n_ranks);
    return plan;
}

pb_plan_t *plans_two_chains(int n_ranks)
{
    pb_plan_t *plan = plan_new(n_ranks, 0, 2);
    for (int rank = 0; rank < n_ranks; rank++) {
        plan->streams[0].parent[rank] = rank - 1;
        plan->streams[1].parent[rank] = rank == 0 ? -1 : (rank + 1) % n_ranks;
    }
    link_children(&plan->streams[0], n_ranks);
    link_children(&plan->streams[1], n_ranks);
    return plan;
}

void plans_free(pb_plan_t *plan)
{
    for (int s = 0; s < plan->n_streams; s++) {
        free(plan->streams[s].parent);
        free(plan->streams[s].first_child);
        free(plan->streams[s].child);
    }
    free(plan);
}
