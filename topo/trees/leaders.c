#include "topo/trees/leaders.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

/** Entries into a node of the network that is a host or a place. */
typedef struct node_entries {
    int first; /**< where its entries begin */
    int n;     /**< how many there are so far */
} node_entries_t;

typedef struct builder {
    const pb_view_t *view;
    const pb_network_t *network;
    node_entries_t *nodes; /**< by node */
    int *entries;          /**< ranks: of all nodes, those of a node in the order of the view */
    int *parent;           /**< by rank: inside its host; -1 for a leader */
    int *leader;           /**< by rank: of its host */
    int *leaders;          /**< the root first */
    int n_leaders;
    int *key;    /**< by rank: its turn among the children of its parent */
    int *lowest; /**< by host: its lowest rank, which takes frames in; NULL: there are no frames */
} builder_t;

bool pb_leaders_apply(const pb_view_t *view, pb_kind_t kind)
{
    bool has_neighbours = false, has_others = false;
    const int of_root = pb_view_host(view, view->order[0]);
    /* The ranks of a host follow each other in the view, but for the root's, which come first. */
    for (int i = 1; i < view->n_ranks; i++) {
        const int host = pb_view_host(view, view->order[i]);
        has_neighbours |= host == pb_view_host(view, view->order[i - 1]) || host == of_root;
        has_others |= host != of_root;
    }
    return pb_kind_has_leaders(kind) && has_neighbours && has_others;
}

int pb_leaders_height(int n_ranks)
{
    int height = 0;
    while (n_ranks >> height > 1) {
        height++;
    }
    return height;
}

/** Finds who takes frames in on each host. False if out of memory. */
static bool find_lowest(builder_t *b)
{
    const int n_nodes = pb_network_size(b->network);
    b->lowest = malloc((size_t) n_nodes * sizeof(*b->lowest));
    if (b->lowest == NULL) {
        return false;
    }
    for (int node = 0; node < n_nodes; node++) {
        b->lowest[node] = -1;
    }
    for (int i = 0; i < b->view->n_ranks; i++) {
        const int rank = b->view->order[i];
        int *lowest = &b->lowest[pb_view_host(b->view, rank)];
        *lowest = *lowest < 0 || rank < *lowest ? rank : *lowest;
    }
    return true;
}

static bool init(builder_t *b, const pb_view_t *view, pb_kind_t kind)
{
    const size_t n_nodes = (size_t) pb_network_size(view->placement->network);
    const size_t n_ranks = (size_t) view->placement->n_ranks;
    *b = (builder_t){.view = view,
                     .network = view->placement->network,
                     .nodes = calloc(n_nodes + 1, sizeof(*b->nodes)),
                     .entries = malloc((n_ranks + n_nodes) * sizeof(*b->entries)),
                     .parent = malloc(n_ranks * sizeof(*b->parent)),
                     .leader = malloc(n_ranks * sizeof(*b->leader)),
                     .leaders = malloc(n_ranks * sizeof(*b->leaders)),
                     .key = calloc(n_ranks, sizeof(*b->key))};
    return b->nodes != NULL && b->entries != NULL && b->parent != NULL && b->leader != NULL &&
           b->leaders != NULL && b->key != NULL && (!pb_kind_row(kind)->copies || find_lowest(b));
}

static void clear(builder_t *b)
{
    free(b->nodes);
    free(b->entries);
    free(b->parent);
    free(b->leader);
    free(b->leaders);
    free(b->key);
    free(b->lowest);
}

static bool is_host(const builder_t *b, int node)
{
    return pb_network_node(b->network, node)->kind == PB_NODE_HOST;
}

/** Adds an entry into a node: the k-th has the ((k - 1) / 2)-th as its parent. */
static void add_entry(builder_t *b, int node, int rank)
{
    const node_entries_t *of = &b->nodes[node];
    int *entries = &b->entries[of->first];
    entries[of->n] = rank;
    if (of->n > 0) {
        b->parent[rank] = entries[(of->n - 1) / 2];
    } else if (is_host(b, node)) {
        b->leaders[b->n_leaders++] = rank;
    }
}

/** The rank enters the node where it sits and, as long as it is the first there, the one around
 * that, up to the host. `adds`: entries are added; else they are counted. */
static void enter(builder_t *b, int rank, bool adds)
{
    int node = b->view->placement->host[rank];
    for (bool goes_on = true; goes_on; node = pb_network_node(b->network, node)->parent) {
        goes_on = b->nodes[node].n == 0 && !is_host(b, node);
        if (adds) {
            add_entry(b, node, rank);
        }
        b->nodes[node].n++;
    }
}

static bool takes_frames(const builder_t *b, int rank)
{
    return b->lowest != NULL && b->lowest[pb_view_host(b->view, rank)] == rank;
}

/** Tells whether it leads nobody, as the root leads its host and it receives frames. */
static bool is_beside_root(const builder_t *b, int rank)
{
    const int root = b->view->order[0];
    return rank != root && takes_frames(b, rank) &&
           pb_view_host(b->view, root) == pb_view_host(b->view, rank);
}

/** Tells whether it enters its host before others there, whatever its turn in the view. */
static bool enters_first(const builder_t *b, int rank)
{
    return takes_frames(b, rank) &&
           pb_view_host(b->view, rank) != pb_view_host(b->view, b->view->order[0]);
}

static void enter_all(builder_t *b, bool adds)
{
    const pb_view_t *view = b->view;
    for (int i = 0; i < view->n_ranks; i++) {
        if (enters_first(b, view->order[i])) {
            enter(b, view->order[i], adds);
        }
    }
    for (int i = 0; i < view->n_ranks; i++) {
        if (!enters_first(b, view->order[i]) && !is_beside_root(b, view->order[i])) {
            enter(b, view->order[i], adds);
        }
    }
}

/** Fills each rank's leader. On the root's host the rank that receives frames is one more
 * leader. */
static void note_leaders(builder_t *b)
{
    const pb_view_t *view = b->view;
    for (int rank = 0; rank < view->placement->n_ranks; rank++) {
        b->leader[rank] = -1;
    }
    for (int i = 0; i < view->n_ranks; i++) {
        const int rank = view->order[i];
        if (is_beside_root(b, rank)) {
            b->leader[rank] = rank;
            b->leaders[b->n_leaders++] = rank;
        } else {
            b->leader[rank] = b->entries[b->nodes[pb_view_host(view, rank)].first];
        }
    }
}

/** Finds the leaders and the trees below them. */
static void build_inside(builder_t *b)
{
    const pb_view_t *view = b->view;
    int first = 0;
    for (int i = 0; i < view->n_ranks; i++) {
        b->parent[view->order[i]] = -1;
    }
    enter_all(b, false);
    for (int node = 0; node < pb_network_size(b->network); node++) {
        const int n = b->nodes[node].n;
        b->nodes[node] = (node_entries_t){.first = first};
        first += n;
    }
    enter_all(b, true);
    note_leaders(b);
}

/** Between hosts children keep their turns, and come before those inside the host. */
static int link_stream(builder_t *b, const pb_plan_t *between, int s, pb_plan_t *plan)
{
    const pb_view_t *view = b->view;
    const pb_stream_t *from = &between->streams[s];
    for (int i = 0; i < view->n_ranks; i++) {
        const int rank = view->order[i];
        const bool leads = b->leader[rank] == rank;
        plan->streams[s].parent[rank] = leads ? from->parent[rank] : b->parent[rank];
        b->key[rank] = b->n_leaders + i;
    }
    for (int i = 0; i < b->n_leaders; i++) {
        const int rank = b->leaders[i];
        for (int c = from->first_child[rank]; c < from->first_child[rank + 1]; c++) {
            b->key[from->child[c]] = c - from->first_child[rank];
        }
    }
    return pb_plan_link_children(plan, s, view, b->key);
}

/** Joins the plan of the leaders with the trees inside hosts. */
static int join(builder_t *b, const pb_plan_t *between, pb_plan_t **plan_p)
{
    pb_plan_t *plan = pb_plan_new(b->view, between->kind, between->n_streams);
    int rc = plan != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int s = 0; s < between->n_streams && rc == PB_SUCCESS; s++) {
        rc = link_stream(b, between, s, plan);
    }
    if (rc == PB_SUCCESS) {
        plan->leader = b->leader;
        b->leader = NULL;
    }
    return pb_plan_end(plan, rc, plan_p);
}

static int plan_leaders(const builder_t *b, pb_kind_t kind, const pb_plan_options_t *options,
                        pb_plan_t **between_p)
{
    pb_view_t *view = NULL;
    pb_plan_options_t of_leaders = *options;
    of_leaders.leaders = false;
    of_leaders.tables = NULL; /* they are of views of all ranks */
    int rc = pb_view_new(b->view->placement, b->view->order[0], b->leaders, b->n_leaders, &view);
    if (rc == PB_SUCCESS) {
        rc = pb_plan_compute(view, kind, &of_leaders, between_p);
    }
    pb_view_free(view);
    return rc;
}

int pb_plan_by_leaders(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                       pb_plan_t **plan_p)
{
    builder_t b;
    pb_plan_t *between = NULL;
    int rc = init(&b, view, kind) ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    *plan_p = NULL;
    if (rc == PB_SUCCESS) {
        build_inside(&b);
        rc = plan_leaders(&b, kind, options, &between);
    }
    if (rc == PB_SUCCESS) {
        rc = join(&b, between, plan_p);
    }
    pb_plan_free(between);
    clear(&b);
    return rc;
}
