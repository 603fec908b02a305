/*
 * Two trees where trunks are faster than hosts.
 *
 * A trunk of c times the speed of the fastest host's uplink may carry 2c edges of both trees
 * together. Vertices that such trunks join are merged into one (topo/network/view_merge.h), for
 * which the ordinary construction makes lower trees. Ranks take slots of the trees so that few
 * edges cross (near.c). If a trunk is overloaded nevertheless, or the trees are no lower, those
 * without merging stay. A link of one host is never merged, as no link of a host is slower than the
 * speed that counts.
 */
#include <stdlib.h>
#include <string.h>

#include "topo/network/view_merge.h"
#include "topo/trees/twotree/internal.h"

/**
 * The speed of the fastest sender. Senders are the ranks' own uplinks, and the uplinks of hosts
 * with several ranks, which no rank inside can outrun. 1 if there is only one host. O(ranks).
 */
static uint32_t find_sender_speed(const pb_view_t *view)
{
    uint32_t fastest = 1;
    for (int i = 0; i < view->n_ranks; i++) {
        int v = view->attached[i];
        uint32_t speed = view->speed[i];
        if (speed == UINT32_MAX) {
            /* Out of the root's host there is one way: to its only child. */
            const int way_out = v > 0 ? v : 1;
            speed = way_out < view->n_vertices ? view->vertices[way_out].speed : 1;
        }
        fastest = speed > fastest ? speed : fastest;
    }
    return fastest;
}

/** Edges that the uplink of a vertex may carry each way: two for each sender that it carries
 * without contention, at least two. */
static int capacity_of(const pb_view_t *view, int v, uint32_t sender_speed)
{
    const uint32_t n = view->vertices[v].speed / sender_speed;
    return 2 * (n < 1 ? 1 : n > 1 << 20 ? 1 << 20 : (int) n);
}

/** Adds the edge between two vertices to the loads of links, by 2 * vertex + (1: outwards). */
static void add_edge(const pb_view_t *view, int from, int to, int *load)
{
    while (from != to) {
        if (from > to) {
            load[2 * from + 1]++;
            from = view->vertices[from].parent;
        } else {
            load[2 * to]++;
            to = view->vertices[to].parent;
        }
    }
}

/** Tells whether no link carries more edges than it may. `load` has room for two of each vertex. */
static bool fits(const pb_view_t *view, const pb_plan_t *plan, int *load)
{
    const uint32_t sender_speed = find_sender_speed(view);
    bool good = true;
    memset(load, 0, 2 * (size_t) view->n_vertices * sizeof(*load));
    for (int tree = 0; tree < 2; tree++) {
        for (int p = 1; p < view->n_ranks; p++) {
            const int parent = view->position[plan->streams[tree].parent[view->order[p]]];
            add_edge(view, view->attached[parent], view->attached[p], load);
        }
    }
    for (int v = 1; v < view->n_vertices; v++) {
        const int capacity = capacity_of(view, v, sender_speed);
        good = good && load[2 * v] <= capacity && load[2 * v + 1] <= capacity;
    }
    return good;
}

/** Finds the vertices whose uplinks are fast; returns how many. */
static int find_fast(const pb_view_t *view, bool *fast)
{
    const uint32_t sender_speed = find_sender_speed(view);
    int n = 0;
    fast[0] = false;
    for (int v = 1; v < view->n_vertices; v++) {
        fast[v] = capacity_of(view, v, sender_speed) > 2;
        n += fast[v];
    }
    return n;
}

/** Puts the plan of the merged view in the place of *plan_p if it is lower and no link of `view` is
 * overloaded. */
static int try_merged(const pb_view_t *view, const bool *fast, int *load, pb_tables_t *tables,
                      pb_plan_t **plan_p)
{
    pb_view_t *merged;
    pb_plan_t *plan = NULL;
    int rc = pb_view_merge(view, fast, &merged);
    if (rc == PB_SUCCESS) {
        rc = pb_tt_make_plan(merged, true, tables, &plan);
    }
    if (rc == PB_SUCCESS && pb_tt_height(plan) < pb_tt_height(*plan_p) && fits(view, plan, load)) {
        pb_plan_t *higher = *plan_p;
        *plan_p = plan;
        plan = higher;
    }
    pb_plan_free(plan);
    pb_view_free(merged);
    return rc;
}

int pb_tt_use_fast_trunks(const pb_view_t *view, pb_tables_t *tables, pb_plan_t **plan_p)
{
    const size_t n = (size_t) view->n_vertices;
    bool *fast = malloc(n * sizeof(*fast));
    int *load = malloc(2 * n * sizeof(*load));
    int rc = fast != NULL && load != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    if (rc == PB_SUCCESS) {
        const int n_fast = find_fast(view, fast);
        /* Where most vertices are hosts with several ranks, one with all of these takes long. */
        if (n_fast > 0 && view->n_vertices - n_fast <= view->n_vertices / 2 + 1) {
            rc = try_merged(view, fast, load, tables, plan_p);
        }
    }
    free(fast);
    free(load);
    return rc;
}
