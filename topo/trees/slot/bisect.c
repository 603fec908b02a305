/*
 * The first rank of a range sends to the next one and to a cut k; what lies
 * before k and from k on are ranges again (ours). The cut goes to the boundary of
 * subtrees nearest to the root that the height allows. A range crosses the link
 * of a subtree only where it straddles its boundary, and the ranges that do are
 * nested, one for each level: at most height + 1 edges use a link one way, of
 * senders of which each may have two. So a tree as low as the complete one fits
 * any network whose trunks carry about (log2 P + 1) / 2 hosts' streams; for
 * slower trunks it is tried, and its loads are counted.
 *
 * A host is entered once (pb_view_enters_host()): no rank outside sends to
 * both sides of a cut inside it. Such cuts count as the deepest ones; where there
 * is no other, the rank has one child.
 */
#include "topo/trees/slot/bisect.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/order_bounds.h"
#include "topo/trees/slot/speed.h"
#include "topo/util/error.h"

typedef struct bisect {
    const pb_view_t *view;
    pb_order_bounds_t bounds;
    bool *is_host;    /* by vertex: whether it is to be entered once */
    int *above;       /* by position: of the parent, -1 for the first */
    int *n_senders;   /* by directed link: 2 v up from vertex v, 2 v + 1 down to it */
    int *last_sender; /* by directed link: the last position counted */
} bisect_t;

/* Whether ranks on both sides of the cut k are in a host that `first` is not in. */
static bool splits_host(const bisect_t *b, int first, int k)
{
    int v = b->bounds.above[k - 1];
    return b->is_host[v] && first < b->view->vertices[v].first_rank;
}

/* Cuts [first, end) into a tree of height `height`, which is enough. Depth of
 * recursion: the height, at most 32. */
static void cut(bisect_t *b, int first, int end, int height)
{
    assert(0 <= height && height < 32);
    if (end - first < 2) {
        return;
    }
    int most = (1 << height) - 1; /* ranks below each child */
    int low = end - most > first + 2 ? end - most : first + 2;
    int high = first + 1 + most < end ? first + 1 + most : end;
    int k = end;
    if (end - first > 2 && low < end) {
        k = pb_order_bounds_cut(&b->bounds, low, high < end ? high : end - 1);
    }
    if (k < end && splits_host(b, first, k) && end - first - 1 <= most) {
        k = end;
    }
    if (k < end) {
        b->above[k] = first;
    }
    b->above[first + 1] = first;
    cut(b, first + 1, k, height - 1);
    cut(b, k, end, height - 1);
}

/* Counts a sender on a link once, its edges being counted one after the other.
 * False if the link carries no more. */
static bool count_sender(bisect_t *b, int link, int sender, uint32_t speed, uint32_t sender_speed)
{
    if (b->last_sender[link] == sender) {
        return true;
    }
    b->last_sender[link] = sender;
    return ++b->n_senders[link] <= pb_slot_capacity(speed, sender_speed);
}

/* Counts the edge from position `from` to `to`, which is further right. */
static bool count_edge(bisect_t *b, int from, int to, uint32_t sender_speed)
{
    const pb_vertex_t *vertices = b->view->vertices;
    int target = b->view->attached[to], v = b->view->attached[from];
    for (; vertices[v].end <= target; v = vertices[v].parent) {
        if (!count_sender(b, 2 * v, from, vertices[v].speed_out, sender_speed)) {
            return false;
        }
    }
    for (int w = target; w != v; w = vertices[w].parent) {
        if (!count_sender(b, 2 * w + 1, from, vertices[w].speed_in, sender_speed)) {
            return false;
        }
    }
    return true;
}

/* Whether every link carries its senders, and hosts are entered once. A sender's edges have to
 * be counted together: the one to first + 1, then the one to the cut. */
static bool fits(bisect_t *b, uint32_t sender_speed, int *second)
{
    int n = b->view->n_ranks;
    size_t n_links = 2 * (size_t) b->view->n_vertices;
    memset(b->n_senders, 0, n_links * sizeof(int));
    memset(b->last_sender, 0xff, n_links * sizeof(int));
    memset(second, 0, (size_t) n * sizeof(int));
    for (int i = 1; i < n; i++) {
        if (b->above[i] != i - 1) {
            second[b->above[i]] = i;
        }
    }
    for (int i = 0; i + 1 < n; i++) {
        if (b->above[i + 1] == i && !count_edge(b, i, i + 1, sender_speed)) {
            return false;
        }
        if (second[i] > 0 &&
            (splits_host(b, i, second[i]) || !count_edge(b, i, second[i], sender_speed))) {
            return false;
        }
    }
    return true;
}

static void lower(bisect_t *b, int *second, int *parent, int *height_p)
{
    const pb_view_t *view = b->view;
    uint32_t sender_speed = pb_slot_sender_speed(view);
    int height = 0;
    while ((2L << height) - 1 < view->n_ranks) {
        height++;
    }
    /* A few levels more use up the freedom to cut at higher boundaries. */
    int most = height + 3 < *height_p ? height + 3 : *height_p;
    for (; height < most; height++) {
        cut(b, 0, view->n_ranks, height);
        if (fits(b, sender_speed, second)) {
            for (int i = 1; i < view->n_ranks; i++) {
                parent[view->order[i]] = view->order[b->above[i]];
            }
            *height_p = height;
            return;
        }
    }
}

/* Finds the hosts, and puts cuts inside them below all others. */
static void find_hosts(bisect_t *b)
{
    for (int v = 0; v < b->view->n_vertices; v++) {
        b->is_host[v] = v > 0 && pb_view_enters_host(b->view, v);
        b->bounds.depth[v] += b->is_host[v] ? b->view->n_vertices : 0;
    }
}

int pb_slot_bisect_lower(const pb_view_t *view, int *parent, int *height_p)
{
    size_t n = (size_t) view->n_ranks, n_vertices = (size_t) view->n_vertices;
    bisect_t bisect = {.view = view};
    int error = pb_order_bounds_init(&bisect.bounds, view);
    if (error != PB_SUCCESS) {
        return error;
    }
    bisect.is_host = malloc(n_vertices * sizeof(bool));
    bisect.above = malloc(n * sizeof(int));
    bisect.n_senders = malloc(2 * n_vertices * sizeof(int));
    bisect.last_sender = malloc(2 * n_vertices * sizeof(int));
    int *second = malloc(n * sizeof(int));
    error = PB_ERR_NO_MEMORY;
    if (bisect.is_host != NULL && bisect.above != NULL && bisect.n_senders != NULL &&
        bisect.last_sender != NULL && second != NULL) {
        find_hosts(&bisect);
        lower(&bisect, second, parent, height_p);
        error = PB_SUCCESS;
    }
    pb_order_bounds_clear(&bisect.bounds);
    free(bisect.is_host);
    free(bisect.above);
    free(bisect.n_senders);
    free(bisect.last_sender);
    free(second);
    return error;
}
