/*
 * Walks over the network twice, without recursion. The first walk numbers all nodes in preorder as
 * the root sees them, the second makes vertices of those that stay. Between them, sums over
 * subtrees are taken in reverse preorder.
 */
#include "topo/network/view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* State of a network node while the view is made. "Above" and "below" are meant as seen from the
 * root's host, not from the top of the network. */
typedef struct node_state {
    int above;       /* next node towards the start; -1 for the start */
    int first_rank;  /* the lowest participating rank that sits right here, -1 if none */
    int n_here;      /* participating ranks that sit right here */
    int n_inside;    /* participating ranks of this host or place, those of its places too */
    int only_inside; /* a rank of them */
    int n_ranks;     /* participating ranks here and below */
    int n_local;     /* ranks that this vertex attaches itself */
    int n_branches;  /* nodes right below that lead to a vertex */
    int vertex;      /* own vertex, or the one above if this node is none */
    uint32_t speed;  /* slowest link on the way from the vertex above */
} node_state_t;

typedef struct builder {
    const pb_network_t *network;
    pb_view_t *view;
    int root;
    int start; /* node of vertex 0 */
    int n_nodes;
    node_state_t *states; /* by node */
    int *preorder;        /* all nodes as seen from the start */
    int *next_rank;       /* by rank: the next higher one at the same node, -1 if none */
} builder_t;

static int network_parent(const builder_t *b, int node)
{
    return pb_network_node(b->network, node)->parent;
}

static bool is_switch(const builder_t *b, int node)
{
    return pb_network_node(b->network, node)->kind == PB_NODE_SWITCH;
}

/* A host or place, below the start, whose only rank is attached above. */
static bool is_leaf(const builder_t *b, int node)
{
    return node != b->start && !is_switch(b, node) && b->states[node].n_inside == 1;
}

/* Nodes list their ranks upwards because ranks enter downwards. */
static int place_ranks(builder_t *b, const char *taken)
{
    const pb_placement_t *placement = b->view->placement;
    for (int node = 0; node < b->n_nodes; node++) {
        b->states[node] =
            (node_state_t){.above = -1, .first_rank = -1, .only_inside = -1, .vertex = -1};
    }
    for (int rank = placement->n_ranks - 1; rank >= 0; rank--) {
        if (!taken[rank]) {
            continue;
        }
        int node = placement->host[rank];
        if (node < 0 || node >= b->n_nodes || is_switch(b, node)) {
            return PB_ERR_INPUT;
        }
        node_state_t *state = &b->states[node];
        b->next_rank[rank] = state->first_rank;
        state->first_rank = rank;
        state->n_here++;
        for (int at = node; at >= 0 && !is_switch(b, at); at = network_parent(b, at)) {
            b->states[at].n_inside++;
            b->states[at].only_inside = rank;
        }
    }
    return PB_SUCCESS;
}

/* The lowest node on the way up from the root where it is not alone. */
static void find_start(builder_t *b)
{
    b->start = b->view->placement->host[b->root];
    while (b->states[b->start].n_inside == 1 && network_parent(b, b->start) >= 0) {
        b->start = network_parent(b, b->start);
    }
}

/* The neighbor of `node` to visit after `done` (-1: none yet). These are its children in the
 * network's order, then its network parent, but never the node above. -1 if there is no more. */
static int next_below(const builder_t *b, int node, int done)
{
    int above = b->states[node].above, up = network_parent(b, node);
    if (done >= 0 && done == up) {
        return -1;
    }
    int next = done < 0 ? pb_network_node(b->network, node)->first_child
                        : pb_network_node(b->network, done)->next_sibling;
    if (next >= 0 && next == above) {
        next = pb_network_node(b->network, next)->next_sibling;
    }
    if (next < 0 && up != above) {
        next = up;
    }
    return next;
}

static void number_preorder(builder_t *b)
{
    int n = 0, at = b->start;
    b->preorder[n++] = at;
    for (int done = -1; at >= 0;) {
        int next = next_below(b, at, done);
        if (next >= 0) {
            b->states[next].above = at;
            b->preorder[n++] = next;
            at = next;
            done = -1;
        } else {
            done = at;
            at = b->states[at].above;
        }
    }
}

static void sum_subtrees(builder_t *b)
{
    for (int i = b->n_nodes - 1; i >= 0; i--) {
        int node = b->preorder[i];
        node_state_t *state = &b->states[node];
        bool leaf = is_leaf(b, node);
        state->n_ranks += state->n_here;
        if (!leaf) {
            state->n_local += state->n_here;
        }
        if (state->above < 0) {
            continue;
        }
        node_state_t *above = &b->states[state->above];
        above->n_ranks += state->n_ranks;
        above->n_local += leaf;
        above->n_branches += !leaf && state->n_ranks > 0;
    }
}

/* The link between a node and the node above it as seen from the start. */
static uint32_t uplink_speed(const builder_t *b, int node)
{
    int above = b->states[node].above;
    int lower = network_parent(b, node) == above ? node : above;
    return pb_network_node(b->network, lower)->speed;
}

static void attach(builder_t *b, int rank, int vertex, uint32_t speed, int *n_positions)
{
    int position = (*n_positions)++;
    b->view->order[position] = rank;
    b->view->position[rank] = position;
    b->view->attached[position] = vertex;
    b->view->speed[position] = speed;
}

/* Attaches the ranks that sit at the node itself, but for the root. */
static void attach_ranks_here(builder_t *b, int node, int vertex, int *n_positions)
{
    for (int rank = b->states[node].first_rank; rank >= 0; rank = b->next_rank[rank]) {
        if (rank != b->root) {
            attach(b, rank, vertex, UINT32_MAX, n_positions);
        }
    }
}

/* The uplink of a leaf that is attached to the node above it: memory has none. */
static uint32_t leaf_speed(const builder_t *b, int leaf)
{
    return is_switch(b, b->states[leaf].above) ? uplink_speed(b, leaf) : UINT32_MAX;
}

/* Attaches the ranks that are alone on a host or place right below the node,
 * but for the root. */
static void attach_leaves(builder_t *b, int node, int vertex, int *n_positions)
{
    int child = pb_network_node(b->network, node)->first_child;
    for (; child >= 0; child = pb_network_node(b->network, child)->next_sibling) {
        const node_state_t *state = &b->states[child];
        if (is_leaf(b, child) && state->only_inside != b->root) {
            attach(b, state->only_inside, vertex, leaf_speed(b, child), n_positions);
        }
    }
}

static void attach_root(builder_t *b, int *n_positions)
{
    uint32_t speed = UINT32_MAX;
    if (is_switch(b, b->start)) {
        int host = pb_placement_host(b->view->placement, b->root);
        speed = uplink_speed(b, host);
    }
    attach(b, b->root, 0, speed, n_positions);
}

/* Makes a vertex of the node, whose state holds the vertex above it in
 * `vertex`. */
static void add_vertex(builder_t *b, int node, int *n_positions)
{
    node_state_t *state = &b->states[node];
    int v = b->view->n_vertices++;
    pb_vertex_t *vertex = &b->view->vertices[v];
    *vertex = (pb_vertex_t){.node = node,
                            .parent = state->vertex,
                            .end = v + 1,
                            .first_rank = *n_positions,
                            .end_rank = *n_positions + state->n_ranks,
                            .speed = state->speed};
    state->vertex = v;
    if (v == 0) {
        attach_root(b, n_positions);
    }
    attach_ranks_here(b, node, v, n_positions);
    attach_leaves(b, node, v, n_positions);
    vertex->end_local = *n_positions;
}

static void make_vertices(builder_t *b)
{
    int n_positions = 0;
    for (int i = 0; i < b->n_nodes; i++) {
        int node = b->preorder[i];
        node_state_t *state = &b->states[node];
        if (state->n_ranks == 0 || is_leaf(b, node)) {
            continue;
        }
        state->speed = UINT32_MAX;
        if (node != b->start) {
            const node_state_t *above = &b->states[state->above];
            bool contracted = b->view->vertices[above->vertex].node != state->above;
            uint32_t speed = uplink_speed(b, node);
            state->speed = contracted && above->speed < speed ? above->speed : speed;
            state->vertex = above->vertex;
        }
        if (state->n_local > 0 || state->n_branches > 1) {
            add_vertex(b, node, &n_positions);
        }
    }
    for (int v = b->view->n_vertices - 1; v > 0; v--) {
        pb_vertex_t *vertices = b->view->vertices;
        pb_vertex_t *parent = &vertices[vertices[v].parent];
        if (parent->end < vertices[v].end) {
            parent->end = vertices[v].end;
        }
    }
}

/* Flags the participating ranks. */
static int take_ranks(const pb_placement_t *placement, int root, const int *subset, int n_subset,
                      char *taken)
{
    if (root < 0 || root >= placement->n_ranks) {
        return PB_ERR_INPUT;
    }
    if (subset == NULL) {
        memset(taken, 1, (size_t) placement->n_ranks);
        return PB_SUCCESS;
    }
    memset(taken, 0, (size_t) placement->n_ranks);
    for (int i = 0; i < n_subset; i++) {
        if (subset[i] < 0 || subset[i] >= placement->n_ranks || taken[subset[i]]) {
            return PB_ERR_INPUT;
        }
        taken[subset[i]] = 1;
    }
    return taken[root] ? PB_SUCCESS : PB_ERR_INPUT;
}

pb_view_t *pb_view_alloc(const pb_placement_t *placement, int n_ranks)
{
    pb_view_t *view = calloc(1, sizeof(*view));
    if (view == NULL) {
        return NULL;
    }
    size_t n = (size_t) n_ranks;
    view->placement = placement;
    view->n_ranks = n_ranks;
    /* A vertex that is not a branching has a rank of its own, so that there
     * are fewer than two vertices for each rank. */
    view->vertices = malloc(2 * n * sizeof(*view->vertices));
    view->order = malloc(n * sizeof(*view->order));
    view->position = malloc((size_t) placement->n_ranks * sizeof(*view->position));
    view->attached = malloc(n * sizeof(*view->attached));
    view->speed = malloc(n * sizeof(*view->speed));
    if (view->vertices == NULL || view->order == NULL || view->position == NULL ||
        view->attached == NULL || view->speed == NULL) {
        pb_view_free(view);
        return NULL;
    }
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        view->position[rank] = -1;
    }
    return view;
}

void pb_view_free(pb_view_t *view)
{
    if (view == NULL) {
        return;
    }
    free(view->vertices);
    free(view->order);
    free(view->position);
    free(view->attached);
    free(view->speed);
    free(view);
}

/* Tells whether the path from node `from` to the host or place `to` ends downwards. */
static bool comes_down(const pb_network_t *network, int from, int to)
{
    if (pb_network_node(network, to)->kind == PB_NODE_SWITCH) {
        return false;
    }
    while (from >= 0 && from != to) {
        from = pb_network_node(network, from)->parent;
    }
    return from < 0;
}

bool pb_view_enters_host(const pb_view_t *view, int v)
{
    const pb_vertex_t *vertex = &view->vertices[v];
    return comes_down(view->placement->network, view->vertices[vertex->parent].node, vertex->node);
}

/* Builds into b->view, whose memory is ready, from the flagged ranks. */
static int build(builder_t *b, const char *taken)
{
    b->states = malloc((size_t) b->n_nodes * sizeof(*b->states));
    b->preorder = malloc((size_t) b->n_nodes * sizeof(*b->preorder));
    b->next_rank = malloc((size_t) b->view->placement->n_ranks * sizeof(*b->next_rank));
    int error = PB_ERR_NO_MEMORY;
    if (b->states != NULL && b->preorder != NULL && b->next_rank != NULL) {
        error = place_ranks(b, taken);
    }
    if (error == PB_SUCCESS) {
        find_start(b);
        number_preorder(b);
        sum_subtrees(b);
        make_vertices(b);
    }
    free(b->states);
    free(b->preorder);
    free(b->next_rank);
    return error;
}

int pb_view_new(const pb_placement_t *placement, int root, const int *subset, int n_subset,
                pb_view_t **view_p)
{
    *view_p = NULL;
    char *taken = malloc((size_t) placement->n_ranks + 1);
    if (taken == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int error = take_ranks(placement, root, subset, n_subset, taken);
    if (error == PB_SUCCESS) {
        pb_view_t *view = pb_view_alloc(placement, subset == NULL ? placement->n_ranks : n_subset);
        builder_t builder = {.network = placement->network,
                             .view = view,
                             .root = root,
                             .n_nodes = pb_network_size(placement->network)};
        error = view != NULL ? build(&builder, taken) : PB_ERR_NO_MEMORY;
        if (error == PB_SUCCESS) {
            *view_p = view;
        } else {
            pb_view_free(view);
        }
    }
    free(taken);
    return error;
}
