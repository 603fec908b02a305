#include "contrib/adaptive/search/tree_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/** The next n of a block. */
static int *take(int **at, size_t n)
{
    int *part = *at;
    *at += n;
    return part;
}

static bool alloc(pb_tree_state_t *s, size_t n, size_t n_links)
{
    const size_t n_uses = n * (size_t) s->max_path;
    int *at = s->ints = malloc((8 * n + 2 * n_links + 2 * n_uses) * sizeof(int));
    s->y = calloc(3 * n, sizeof(*s->y));
    s->is_changed = calloc(2 * n, sizeof(*s->is_changed));
    if (s->ints == NULL || s->y == NULL || s->is_changed == NULL) {
        return false;
    }
    s->tail = s->y + n;
    s->label = s->tail + n;
    s->is_queued = s->is_changed + n;
    s->parent = take(&at, n);
    s->first_child = take(&at, n);
    s->next = take(&at, n);
    s->previous = take(&at, n);
    s->n_children = take(&at, n);
    s->critical = take(&at, n);
    s->changed = take(&at, n);
    s->queue = take(&at, n);
    s->n_edges = take(&at, n_links);
    s->first_use = take(&at, n_links);
    s->next_use = take(&at, n_uses);
    s->previous_use = take(&at, n_uses);
    return true;
}

pb_tree_state_t *pb_tree_state_new(const pb_tree_costs_t *costs)
{
    const size_t n = (size_t) costs->matrix->n_nodes;
    const size_t n_links = costs->share != NULL ? (size_t) costs->share->n_links : 0;
    pb_tree_state_t *state = calloc(1, sizeof(*state));
    if (state == NULL) {
        return NULL;
    }
    state->costs = costs;
    state->max_path = costs->share != NULL ? costs->share->max_path : 0;
    if (!alloc(state, n, n_links)) {
        pb_tree_state_free(state);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        state->parent[i] = PB_TREE_OUTSIDE;
    }
    for (size_t i = 0; i < n_links; i++) {
        state->n_edges[i] = 0;
        state->first_use[i] = -1;
    }
    return state;
}

void pb_tree_state_free(pb_tree_state_t *state)
{
    if (state != NULL) {
        free(state->ints);
        free(state->y);
        free(state->is_changed);
        free(state);
    }
}

/* ---- the period ---- */

static int64_t starts(const pb_tree_state_t *s, int node)
{
    return s->n_children[node] * s->costs->matrix->startup[node];
}

static void raise_period(pb_tree_state_t *s, int64_t period, int slowest, int busiest)
{
    if (period > s->period) {
        s->period = period;
        s->slowest = slowest;
        s->busiest = busiest;
        s->period_stale = false;
    }
}

static void find_period(pb_tree_state_t *s)
{
    s->period = -1;
    for (int i = 0; i < s->costs->matrix->n_nodes; i++) {
        if (s->parent[i] != PB_TREE_OUTSIDE) {
            raise_period(s, starts(s, i), -1, i);
        }
        if (s->parent[i] >= 0) {
            raise_period(s, s->y[i], i, -1);
        }
    }
    s->period_stale = false;
}

/* ---- lists of children ---- */

static bool goes_before(const pb_tree_state_t *s, int a, int b)
{
    return s->tail[a] > s->tail[b] || (s->tail[a] == s->tail[b] && a < b);
}

static void unlink_child(pb_tree_state_t *s, int node)
{
    const int before = s->previous[node], after = s->next[node];
    if (before >= 0) {
        s->next[before] = after;
    } else {
        s->first_child[s->parent[node]] = after;
    }
    if (after >= 0) {
        s->previous[after] = before;
    }
}

static void link_child(pb_tree_state_t *s, int node, int before)
{
    int *place = before >= 0 ? &s->next[before] : &s->first_child[s->parent[node]];
    s->previous[node] = before;
    s->next[node] = *place;
    if (*place >= 0) {
        s->previous[*place] = node;
    }
    *place = node;
}

/* Puts a node into its parent's list behind `before` or further back. */
static void insert_child(pb_tree_state_t *s, int node, int before)
{
    int after = before >= 0 ? s->next[before] : s->first_child[s->parent[node]];
    while (after >= 0 && goes_before(s, after, node)) {
        before = after;
        after = s->next[after];
    }
    link_child(s, node, before);
}

static void set_tail(pb_tree_state_t *s, int node)
{
    const int64_t tail =
        pb_link_latency(s->costs->matrix, s->parent[node], node) + s->y[node] + s->label[node];
    if (tail == s->tail[node]) {
        return;
    }
    int before = s->previous[node];
    s->tail[node] = tail;
    unlink_child(s, node);
    while (before >= 0 && goes_before(s, node, before)) {
        before = s->previous[before];
    }
    insert_child(s, node, before);
}

/* ---- labels ---- */

static int64_t find_label(pb_tree_state_t *s, int node)
{
    const int64_t startup = s->costs->matrix->startup[node];
    int64_t label = 0, sent = 0;
    s->critical[node] = -1;
    for (int c = s->first_child[node]; c >= 0; c = s->next[c]) {
        sent += startup;
        if (sent + s->tail[c] > label || s->critical[node] < 0) {
            label = sent + s->tail[c];
            s->critical[node] = c;
        }
    }
    return label;
}

static void enqueue(pb_tree_state_t *s, int node)
{
    if (!s->is_queued[node]) {
        const int n = s->costs->matrix->n_nodes;
        int at = s->queue_head + s->n_queued++;
        s->queue[at < n ? at : at - n] = node;
        s->is_queued[node] = true;
    }
}

static int dequeue(pb_tree_state_t *s)
{
    const int node = s->queue[s->queue_head++];
    s->queue_head = s->queue_head < s->costs->matrix->n_nodes ? s->queue_head : 0;
    s->n_queued--;
    s->is_queued[node] = false;
    return node;
}

static void settle_labels(pb_tree_state_t *s)
{
    while (s->n_queued > 0) {
        const int node = dequeue(s);
        const int64_t label = find_label(s, node);
        if (label != s->label[node]) {
            s->label[node] = label;
            if (node != s->root) {
                set_tail(s, node);
                enqueue(s, s->parent[node]);
            }
        }
    }
}

/* ---- links ---- */

static const int *path_of(const pb_tree_state_t *s, int node, int *n_p)
{
    *n_p = 0;
    return s->costs->share != NULL ? pb_link_share_path(s->costs->share, s->parent[node], node, n_p)
                                   : NULL;
}

/* Time of a segment over a link as shared now. */
static int64_t shared_time(const pb_tree_state_t *s, int link)
{
    const int64_t time = s->n_edges[link] * s->costs->link_time[link];
    return time < PB_LINK_LONGEST ? time : PB_LINK_LONGEST;
}

static int64_t find_y(const pb_tree_state_t *s, int node)
{
    int n;
    const int *path = path_of(s, node, &n);
    int64_t y = pb_tree_costs_transfer(s->costs, s->parent[node], node);
    for (int i = 0; i < n; i++) {
        const int64_t time = shared_time(s, path[i]);
        y = time > y ? time : y;
    }
    return y;
}

static void mark_changed(pb_tree_state_t *s, int edge)
{
    if (!s->is_changed[edge]) {
        s->is_changed[edge] = true;
        s->changed[s->n_changed++] = edge;
    }
}

static void add_use(pb_tree_state_t *s, int link, int use)
{
    const int first = s->first_use[link];
    s->previous_use[use] = -1;
    s->next_use[use] = first;
    if (first >= 0) {
        s->previous_use[first] = use;
    }
    s->first_use[link] = use;
    s->n_edges[link]++;
}

static void remove_use(pb_tree_state_t *s, int link, int use)
{
    const int before = s->previous_use[use], after = s->next_use[use];
    if (before >= 0) {
        s->next_use[before] = after;
    } else {
        s->first_use[link] = after;
    }
    if (after >= 0) {
        s->previous_use[after] = before;
    }
    s->n_edges[link]--;
}

static void add_path(pb_tree_state_t *s, int node)
{
    int n;
    const int *path = path_of(s, node, &n);
    for (int i = 0; i < n; i++) {
        add_use(s, path[i], node * s->max_path + i);
    }
}

/* Takes an edge off its links; those whose time came from one of them have changed. */
static void leave_links(pb_tree_state_t *s, int node)
{
    int n;
    const int *path = path_of(s, node, &n);
    for (int i = 0; i < n; i++) {
        const int64_t time = shared_time(s, path[i]);
        remove_use(s, path[i], node * s->max_path + i);
        for (int use = s->first_use[path[i]]; use >= 0; use = s->next_use[use]) {
            if (s->y[use / s->max_path] == time) {
                mark_changed(s, use / s->max_path);
            }
        }
    }
}

/* Puts an edge onto its links; those whose time is now longer have changed. */
static void enter_links(pb_tree_state_t *s, int node)
{
    int n;
    const int *path = path_of(s, node, &n);
    add_path(s, node);
    for (int i = 0; i < n; i++) {
        const int64_t time = shared_time(s, path[i]);
        for (int use = s->first_use[path[i]]; use >= 0; use = s->next_use[use]) {
            const int edge = use / s->max_path;
            if (edge != node && s->y[edge] < time) {
                mark_changed(s, edge);
            }
        }
    }
}

static void settle_links(pb_tree_state_t *s)
{
    for (int i = 0; i < s->n_changed; i++) {
        const int edge = s->changed[i];
        const int64_t y = find_y(s, edge);
        s->is_changed[edge] = false;
        if (y == s->y[edge]) {
            continue;
        }
        s->period_stale = s->period_stale || (edge == s->slowest && y < s->y[edge]);
        s->y[edge] = y;
        raise_period(s, y, edge, -1);
        set_tail(s, edge);
        enqueue(s, s->parent[edge]);
    }
    s->n_changed = 0;
}

/* ---- trees ---- */

static uint64_t edge_hash(int node, int parent)
{
    uint64_t x = (uint64_t) (node + 1) << 32 | (uint64_t) (parent + 3);
    x = (x ^ x >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 32;
}

static void detach(pb_tree_state_t *s, int node)
{
    const int parent = s->parent[node];
    unlink_child(s, node);
    leave_links(s, node);
    s->n_children[parent]--;
    s->period_stale = s->period_stale || node == s->slowest || parent == s->busiest;
    s->hash -= edge_hash(node, parent);
    enqueue(s, parent);
}

static void attach(pb_tree_state_t *s, int node, int parent)
{
    s->parent[node] = parent;
    enter_links(s, node);
    s->y[node] = find_y(s, node);
    s->tail[node] = pb_link_latency(s->costs->matrix, parent, node) + s->y[node] + s->label[node];
    insert_child(s, node, -1);
    s->n_children[parent]++;
    raise_period(s, starts(s, parent), -1, parent);
    raise_period(s, s->y[node], node, -1);
    s->hash += edge_hash(node, parent);
    enqueue(s, parent);
}

void pb_tree_state_move(pb_tree_state_t *state, int node, int parent)
{
    assert(node != state->root && !pb_tree_state_is_below(state, parent, node));
    detach(state, node);
    attach(state, node, parent);
    settle_links(state);
    settle_labels(state);
}

bool pb_tree_state_is_below(const pb_tree_state_t *state, int node, int above)
{
    while (node >= 0 && node != above) {
        node = state->parent[node];
    }
    return node == above;
}

/* Forgets the tree: no link has edges. */
static void unload(pb_tree_state_t *s)
{
    for (int i = 0; i < s->costs->matrix->n_nodes; i++) {
        int n = 0;
        const int *path = s->parent[i] >= 0 ? path_of(s, i, &n) : NULL;
        for (int k = 0; k < n; k++) {
            s->n_edges[path[k]] = 0;
            s->first_use[path[k]] = -1;
        }
    }
}

/* The nodes of the tree, each behind its parent, into `order`. Returns their number. */
static int breadth_first(const pb_tree_state_t *s, int *order)
{
    int n = 0;
    order[n++] = s->root;
    for (int i = 0; i < n; i++) {
        for (int c = s->first_child[order[i]]; c >= 0; c = s->next[c]) {
            order[n++] = c;
        }
    }
    return n;
}

/* Takes over the parents; lists of children are in any order, tails unknown. */
static void load_parents(pb_tree_state_t *s, const int *parent)
{
    const int n = s->costs->matrix->n_nodes;
    memcpy(s->parent, parent, (size_t) n * sizeof(*s->parent));
    for (int i = 0; i < n; i++) {
        s->first_child[i] = -1;
        s->n_children[i] = 0;
    }
    s->hash = edge_hash(s->root, -1);
    for (int i = 0; i < n; i++) {
        if (parent[i] >= 0) {
            link_child(s, i, -1);
            s->n_children[parent[i]]++;
            s->hash += edge_hash(i, parent[i]);
            add_path(s, i);
        }
    }
}

void pb_tree_state_load(pb_tree_state_t *state, const int *parent, int root)
{
    pb_tree_state_t *s = state;
    unload(s);
    s->root = root;
    load_parents(s, parent);
    const int n = breadth_first(s, s->queue);
    for (int i = 0; i < n; i++) {
        s->first_child[s->queue[i]] = -1;
    }
    /* From the leaves up: the children of a node are in its list, and in order, when
     * its own label is found. */
    for (int i = n - 1; i >= 0; i--) {
        const int node = s->queue[i];
        s->label[node] = find_label(s, node);
        if (node != root) {
            s->y[node] = find_y(s, node);
            s->tail[node] = pb_link_latency(s->costs->matrix, s->parent[node], node) + s->y[node] +
                            s->label[node];
            insert_child(s, node, -1);
        }
    }
    find_period(s);
}

void pb_tree_state_store(const pb_tree_state_t *state, pb_tree_t *tree)
{
    const int n = state->costs->matrix->n_nodes;
    tree->root = state->root;
    memcpy(tree->parent, state->parent, (size_t) n * sizeof(*tree->parent));
    for (int i = 0; i < n; i++) {
        tree->child_index[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        int place = 0;
        const bool inside = state->parent[i] != PB_TREE_OUTSIDE;
        for (int c = inside ? state->first_child[i] : -1; c >= 0; c = state->next[c]) {
            tree->child_index[c] = place++;
        }
    }
}

int64_t pb_tree_state_cost(pb_tree_state_t *state)
{
    static const int64_t most = INT64_C(1) << 62;
    const int64_t fill = state->label[state->root], further = state->costs->n_segments - 1;
    if (further == 0) {
        return fill;
    }
    if (state->period_stale) {
        find_period(state);
    }
    return state->period <= (most - fill) / further ? fill + further * state->period : most;
}
