/*
 * Four trees, each with a quarter of the segments (ours; after the interior-disjoint trees of
 * SplitStream: Castro et al., SOSP 2003, made for switch trees).
 *
 * A rank that sends four times in all can have four children in one of four trees, and none in the
 * others, as in two trees it has two in one of two. The trees are half as high, and a rank's last
 * child waits for three segments instead of one: that pays where a hop takes much longer than a
 * segment, as with processors and switches on the way.
 *
 * As with two trees (twotree/internal.h), a subtree of the network is to its surroundings what a
 * rank is: each tree enters it once, and all together leave it at most four times. So each vertex
 * with its ranks and child vertices, its *items*, is a problem of its own. With m items and x[t]
 * edges that are to leave the vertex's subtree in tree t, the items must *give* m - 1 + x[t] edges
 * in tree t: one for each item but the first, which the entry serves, and those that leave. No item
 * gives more than four in all, and the needs of all trees together are at most 4 m. Child vertices
 * give four in one tree, the trees in turn, as long as there are enough ranks to give the rest,
 * four each in one tree after the other; where a tree's need ends, an item gives in two.
 *
 * With that settled, top-down, the trees are independent, and each is filled in order of time, from
 * queues of slots, one for each time to come. A slot is a chance to receive from one sender, at
 * some time, inside one vertex. It goes to an item of the vertex, those that give first, or, of
 * those that are to leave, to the vertex above. A child vertex that takes a slot has it inside; a
 * rank opens those that it gives. No slot is missing in the end: what is opened in a vertex is what
 * it needs, so that, as long as something is not placed, a slot is open or will come back from a
 * child vertex.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/plan.h"

/** Trees, and edges that a rank sends in all. */
#define TREES 4

/** What an edge is taken to cost, in segment times: as for two trees (twotree/shape.c). */
enum { FIRST = 7, STEP = 1 };

/** Slots are opened less than so many segment times ahead. */
enum { AHEAD = 16 };

_Static_assert(FIRST + (TREES - 1) * STEP < AHEAD, "a slot's time has a queue of its own");

/** A child vertex with more than 1/LARGE of the ranks below its parent goes first. */
#define LARGE 4

/** Classes of items by urgency. */
enum {
    LARGE_GIVING_CHILD,
    LARGE_CHILD,
    GIVING_CHILD, /* all its edges in this tree */
    GIVING_RANK,
    PARTLY_GIVING_RANK, /* some */
    PARTLY_GIVING_CHILD,
    OTHER_CHILD,
    OTHER_RANK,
    N_CLASSES
};

typedef struct gives {
    unsigned char in[TREES]; /**< edges in each tree, at most TREES in all */
} gives_t;

/** A vertex while one tree is filled. */
typedef struct scope {
    int n_left;          /**< items that are not placed */
    int n_leaving;       /**< slots that are still to go to the vertex above */
    int n_open;          /**< slots in the queues */
    int next[N_CLASSES]; /**< in its part of `items`, the next of each class */
    int end[N_CLASSES];
} scope_t;

/** A queue of slots of one time, as they were opened. */
typedef struct queue {
    int first, last; /**< -1: none */
} queue_t;

typedef struct slot {
    int edge; /**< what it becomes: TREES * sender + index among the sender's children */
    int vertex;
    int next; /**< in its queue, -1: none */
} slot_t;

typedef struct fourtree {
    const pb_view_t *view;
    int *first_item;       /**< by vertex: of its items in `items` */
    int *items;            /**< child vertices as n_ranks + vertex, and positions; by class */
    gives_t *gives;        /**< by item, numbered as in `items` */
    scope_t *scopes;       /**< by vertex */
    int *parent;           /**< by position, of the tree that is filled */
    int *order;            /**< by position: index among the sender's children there */
    slot_t *slots;         /**< one for each rank but the root: so many edges a tree has */
    int n_opened;          /**< of these, in the tree that is filled */
    queue_t queues[AHEAD]; /**< by time, modulo AHEAD */
    int n_slots;           /**< in all queues */
    int time;              /**< that of the slot which is used */
    int tree;
} fourtree_t;

static int n_items(const fourtree_t *f, int v)
{
    return f->first_item[v + 1] - f->first_item[v];
}

/* ---- what items give ---- */

/** Lists the items of v: child vertices, and ranks but for the root. Returns the children. */
static int list_items(fourtree_t *f, int v, int at)
{
    const pb_view_t *view = f->view;
    const pb_vertex_t *vertex = &view->vertices[v];
    int n_children = 0;
    for (int c = pb_view_first_child(view, v); c < vertex->end; c = view->vertices[c].end) {
        f->items[at++] = view->n_ranks + c;
        n_children++;
    }
    for (int p = vertex->first_rank + (v == 0); p < vertex->end_local; p++) {
        f->items[at++] = p;
    }
    f->first_item[v] = at - n_children - (vertex->end_local - vertex->first_rank - (v == 0));
    f->first_item[v + 1] = at;
    return n_children;
}

/** Settles what the items of v give, of which the vertex above has settled what leaves it. */
static void settle_gives(fourtree_t *f, int v, int n_children)
{
    const int first = f->first_item[v], n = n_items(f, v), above = f->view->n_ranks + v;
    int need[TREES], at = 0, tree = 0;
    for (int t = 0; t < TREES; t++) {
        need[t] = n - 1 + f->gives[above].in[t];
    }
    /* The turn begins elsewhere in each vertex. */
    for (; at < n_children && n - n_children >= TREES; at++) {
        const int t = (v + at) % TREES;
        if (need[t] < TREES) {
            break;
        }
        f->gives[f->items[first + at]].in[t] = TREES;
        need[t] -= TREES;
    }
    for (; at < n; at++) {
        gives_t *gives = &f->gives[f->items[first + at]];
        for (int left = TREES; left > 0 && tree < TREES;) {
            const int part = need[tree] < left ? need[tree] : left;
            gives->in[tree] = (unsigned char) (gives->in[tree] + part);
            need[tree] -= part;
            left -= part;
            tree += need[tree] == 0;
        }
    }
}

static void settle_all(fourtree_t *f)
{
    int at = 0;
    for (int v = 0; v < f->view->n_vertices; v++) {
        const int n_children = list_items(f, v, at);
        at = f->first_item[v + 1];
        settle_gives(f, v, n_children);
    }
}

/* ---- filling a tree ---- */

static int class_of(const fourtree_t *f, int item)
{
    const int gives = f->gives[item].in[f->tree];
    const bool is_child = item >= f->view->n_ranks;
    if (is_child) {
        const pb_vertex_t *vertex = &f->view->vertices[item - f->view->n_ranks];
        const pb_vertex_t *above = &f->view->vertices[vertex->parent];
        if (LARGE * (vertex->end_rank - vertex->first_rank) > above->end_rank - above->first_rank) {
            return gives > 0 ? LARGE_GIVING_CHILD : LARGE_CHILD;
        }
    }
    if (gives == TREES) {
        return is_child ? GIVING_CHILD : GIVING_RANK;
    }
    if (gives > 0) {
        return is_child ? PARTLY_GIVING_CHILD : PARTLY_GIVING_RANK;
    }
    return is_child ? OTHER_CHILD : OTHER_RANK;
}

/** Sorts the items of v by class, and begins with it. */
static void begin_scope(fourtree_t *f, int v, int *sorted)
{
    scope_t *scope = &f->scopes[v];
    int *items = f->items + f->first_item[v];
    const int n = n_items(f, v);
    *scope =
        (scope_t){.n_left = n, .n_leaving = v > 0 ? f->gives[f->view->n_ranks + v].in[f->tree] : 0};
    for (int i = 0; i < n; i++) {
        scope->end[class_of(f, items[i])]++;
    }
    for (int class = 0, at = 0; class < N_CLASSES; class ++) {
        scope->next[class] = at;
        at += scope->end[class];
        scope->end[class] = scope->next[class];
    }
    for (int i = 0; i < n; i++) {
        sorted[scope->end[class_of(f, items[i])]++] = items[i];
    }
    memcpy(items, sorted, (size_t) n * sizeof(*items));
}

/** Puts a slot into a vertex. */
static void put_slot(fourtree_t *f, int number, int v, int time)
{
    queue_t *queue = &f->queues[time % AHEAD];
    f->slots[number].vertex = v;
    f->slots[number].next = -1;
    if (queue->first < 0) {
        queue->first = number;
    } else {
        f->slots[queue->last].next = number;
    }
    queue->last = number;
    f->n_slots++;
    f->scopes[v].n_open++;
}

static void open_slot(fourtree_t *f, int v, int time, int edge)
{
    const int number = f->n_opened++;
    assert(number < f->view->n_ranks - 1);
    f->slots[number].edge = edge;
    put_slot(f, number, v, time);
}

/** Takes the first slot of the earliest time, if there is one in any queue. */
static int take_slot(fourtree_t *f)
{
    while (f->queues[f->time % AHEAD].first < 0) {
        f->time++;
    }
    queue_t *queue = &f->queues[f->time % AHEAD];
    const int number = queue->first;
    queue->first = f->slots[number].next;
    f->n_slots--;
    f->scopes[f->slots[number].vertex].n_open--;
    return number;
}

/** The next item of one of the classes, from that of highest urgency; -1 if there is none. */
static int take_item(fourtree_t *f, int v, const unsigned char *classes, int n)
{
    scope_t *scope = &f->scopes[v];
    for (int i = 0; i < n; i++) {
        const int class = classes[i];
        if (scope->next[class] < scope->end[class]) {
            return f->items[f->first_item[v] + scope->next[class]++];
        }
    }
    return -1;
}

/** The item that is to be placed next in the vertex. */
static int next_item(fourtree_t *f, int v)
{
    static const unsigned char all[] = {LARGE_GIVING_CHILD, LARGE_CHILD,        GIVING_CHILD,
                                        GIVING_RANK,        PARTLY_GIVING_RANK, PARTLY_GIVING_CHILD,
                                        OTHER_CHILD,        OTHER_RANK};
    static const unsigned char giving[] = {GIVING_RANK, PARTLY_GIVING_RANK, LARGE_GIVING_CHILD,
                                           GIVING_CHILD, PARTLY_GIVING_CHILD};
    /* The last slot goes to what opens others, best at once. */
    const int item = f->scopes[v].n_open == 0 ? take_item(f, v, giving, sizeof(giving)) : -1;
    return item >= 0 ? item : take_item(f, v, all, sizeof(all));
}

/** A rank takes a slot, and opens those that it gives. */
static void place_rank(fourtree_t *f, int v, int position, int number)
{
    f->parent[position] = f->slots[number].edge / TREES;
    f->order[position] = f->slots[number].edge % TREES;
    for (int i = 0; i < f->gives[position].in[f->tree]; i++) {
        open_slot(f, v, f->time + FIRST + i * STEP, TREES * position + i);
    }
}

/** A slot goes to an item of its vertex, or to the vertex above. */
static void use_slot(fourtree_t *f, int number)
{
    const int v = f->slots[number].vertex;
    scope_t *scope = &f->scopes[v];
    /* Not what came in; and two slots stay while something is to be placed. */
    const bool may_leave = scope->n_leaving > 0 && scope->n_left < n_items(f, v) &&
                           (scope->n_left == 0 || scope->n_open > 1);
    if (may_leave) {
        scope->n_leaving--;
        put_slot(f, number, f->view->vertices[v].parent, f->time);
        return;
    }
    if (scope->n_left == 0) {
        return;
    }
    const int item = next_item(f, v);
    scope->n_left--;
    if (item < f->view->n_ranks) {
        place_rank(f, v, item, number);
    } else {
        put_slot(f, number, item - f->view->n_ranks, f->time);
    }
}

/** Fills one tree: the root, to begin with, sends once in each. */
static void fill_tree(fourtree_t *f, int tree, int *sorted)
{
    f->tree = tree;
    for (int v = 0; v < f->view->n_vertices; v++) {
        begin_scope(f, v, sorted);
    }
    for (int i = 0; i < AHEAD; i++) {
        f->queues[i] = (queue_t){.first = -1, .last = -1};
    }
    f->time = f->n_opened = 0;
    open_slot(f, 0, FIRST + tree * STEP, 0);
    while (f->n_slots > 0) {
        use_slot(f, take_slot(f));
    }
    for (int v = 0; v < f->view->n_vertices; v++) {
        assert(f->scopes[v].n_left == 0);
    }
}

static int fill_plan(fourtree_t *f, pb_plan_t *plan, int *sorted, int *rank_order)
{
    const pb_view_t *view = f->view;
    int rc = PB_SUCCESS;
    for (int tree = 0; tree < TREES && rc == PB_SUCCESS; tree++) {
        fill_tree(f, tree, sorted);
        for (int p = 1; p < view->n_ranks; p++) {
            plan->streams[tree].parent[view->order[p]] = view->order[f->parent[p]];
            rank_order[view->order[p]] = f->order[p];
        }
        rc = pb_plan_link_children(plan, tree, view, rank_order);
    }
    return rc;
}

static int construct(const pb_view_t *view, pb_plan_t *plan)
{
    const size_t n_ranks = (size_t) view->n_ranks, n_vertices = (size_t) view->n_vertices;
    const size_t n = n_ranks + n_vertices;
    fourtree_t f = {.view = view};
    int *sorted = malloc(n * sizeof(*sorted));
    int *rank_order = calloc((size_t) plan->n_ranks, sizeof(*rank_order));
    f.first_item = malloc((n_vertices + 1) * sizeof(*f.first_item));
    f.items = malloc(n * sizeof(*f.items));
    f.gives = calloc(n, sizeof(*f.gives));
    f.scopes = malloc(n_vertices * sizeof(*f.scopes));
    f.parent = calloc(n_ranks, sizeof(*f.parent));
    f.order = calloc(n_ranks, sizeof(*f.order));
    f.slots = malloc(n_ranks * sizeof(*f.slots));
    int rc = PB_ERR_NO_MEMORY;
    if (sorted != NULL && rank_order != NULL && f.first_item != NULL && f.items != NULL &&
        f.gives != NULL && f.scopes != NULL && f.parent != NULL && f.order != NULL &&
        f.slots != NULL) {
        settle_all(&f);
        rc = fill_plan(&f, plan, sorted, rank_order);
    }
    free(sorted);
    free(rank_order);
    free(f.first_item);
    free(f.items);
    free(f.gives);
    free(f.scopes);
    free(f.parent);
    free(f.order);
    free(f.slots);
    return rc;
}

/** O(ranks), and as many steps more as subtrees that edges enter and leave. */
int pb_plan_fourtree(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    (void) options;
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_FOURTREE, TREES);
    int rc = plan != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    if (rc == PB_SUCCESS && view->n_ranks > 1) {
        rc = construct(view, plan);
    } else if (rc == PB_SUCCESS) {
        for (int tree = 0; tree < TREES && rc == PB_SUCCESS; tree++) {
            rc = pb_plan_link_children(plan, tree, view, NULL);
        }
    }
    if (rc != PB_SUCCESS) {
        pb_plan_free(plan);
        plan = NULL;
    }
    *plan_p = plan;
    return rc;
}

/** Whether a rank of v gives in the first tree. */
static bool has_giving_rank(const fourtree_t *f, int v)
{
    bool gives = false;
    for (int i = f->first_item[v]; i < f->first_item[v + 1] && !gives; i++) {
        gives = f->items[i] < f->view->n_ranks && f->gives[f->items[i]].in[0] > 0;
    }
    return gives;
}

/**
 * The slot by which a tree enters a vertex is the only one there, and so goes to a rank that gives
 * if there is one (next_item()). All slots that the vertex's children get are then opened below
 * this rank: a child is entered one hop later, or more. Where no rank gives, it is entered no
 * sooner. Sets, by vertex, after how many hops a rank in its subtree is reached at least.
 */
static void count_hops(const fourtree_t *f, int *hops)
{
    hops[0] = 1;
    for (int v = 0; v < f->view->n_vertices; v++) {
        const int below = hops[v] + has_giving_rank(f, v);
        for (int c = pb_view_first_child(f->view, v); c < f->view->vertices[v].end;
             c = f->view->vertices[c].end) {
            hops[c] = below;
        }
    }
}

/** O(ranks). */
int pb_fourtree_look_deep(const pb_view_t *view, int *vertex_p, int *hops_p)
{
    const size_t n_vertices = (size_t) view->n_vertices;
    const size_t n = (size_t) view->n_ranks + n_vertices;
    fourtree_t f = {.view = view};
    int *hops = calloc(n_vertices, sizeof(*hops));
    int rc = PB_ERR_NO_MEMORY;
    f.first_item = malloc((n_vertices + 1) * sizeof(*f.first_item));
    f.items = malloc(n * sizeof(*f.items));
    f.gives = calloc(n, sizeof(*f.gives));
    *vertex_p = *hops_p = 0;
    if (hops != NULL && f.first_item != NULL && f.items != NULL && f.gives != NULL) {
        settle_all(&f);
        count_hops(&f, hops);
        rc = PB_SUCCESS;
    }
    for (int v = 0; v < view->n_vertices && rc == PB_SUCCESS && view->n_ranks > 1; v++) {
        *vertex_p = hops[v] > *hops_p ? v : *vertex_p;
        *hops_p = hops[v] > *hops_p ? hops[v] : *hops_p;
    }
    free(hops);
    free(f.first_item);
    free(f.items);
    free(f.gives);
    return rc;
}
