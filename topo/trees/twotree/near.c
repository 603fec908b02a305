/*
 * Slots of ranks where vertices were merged: parents and children near each other.
 *
 * In a merged view the ranks of several vertices are alike, and the trees that were made for it say
 * only where a rank stands in a tree, its *slot*, and what it gives there. Ranks of one merged
 * vertex may exchange all they have, or in one tree their slots if these give as much. Neither
 * changes the trees' shapes, nor the edges over links that were not merged.
 *
 * At first the ranks in depth-first order take the slots in in-order: ranks below a slot are nearly
 * a range, and a range, such as the ranks below a link, has about as many edges at its border as
 * the tree has levels. Exchanges follow as long as they reduce the edges over links; edges beyond
 * what a link carries count most.
 */
#include <stdlib.h>
#include <string.h>

#include "topo/trees/twotree/internal.h"

/** Weight of an edge too many over a link, in edges. */
#define OVERLOAD 64

/** Exchanges relieve links only with at most one edge too many for this number of ranks. */
#define RANKS_PER_OVERLOAD 32

typedef struct search {
    pb_tt_t *tt;
    pb_tt_near_t *near;
    int n_ranks;
    int *slot_vertex;       /**< by position of the merged view: the vertex of the real one */
    int *child;             /**< by 2 * (tree * n_ranks + slot) + order: the child's slot, -1 */
    int *who;               /**< by tree * n_ranks + slot: the position that takes it */
    int *slot;              /**< by tree * n_ranks + position: the slot that it takes */
    unsigned char *gives;   /**< by tree * n_ranks + slot */
    pb_tt_option_t *option; /**< by position, to begin with */
    int *load;              /**< by 2 * vertex + (1: outwards) of the real view: edges */
    int *next;              /**< by 3 * merged vertex + gives: the next rank that may take a slot */
    int *stack;
    long cost;
} search_t;

static long weight(const search_t *s, int link)
{
    const int over = s->load[link] - s->near->capacity[link / 2];
    return s->load[link] + (over > 0 ? (long) OVERLOAD * over : 0);
}

static void add_to_link(search_t *s, int link, int n)
{
    s->cost -= weight(s, link);
    s->load[link] += n;
    s->cost += weight(s, link);
}

static int vertex_of(const search_t *s, int tree, int slot)
{
    return s->slot_vertex[s->who[tree * s->n_ranks + slot]];
}

/** Adds the edge into a slot to the loads, or with n = -1 takes it off. */
static void add_edge(search_t *s, int tree, int slot, int n)
{
    const pb_vertex_t *vertices = s->near->view->vertices;
    int from = vertex_of(s, tree, s->tt->parent[tree][slot]), to = vertex_of(s, tree, slot);
    while (from != to) {
        if (from > to) {
            add_to_link(s, 2 * from + 1, n);
            from = vertices[from].parent;
        } else {
            add_to_link(s, 2 * to, n);
            to = vertices[to].parent;
        }
    }
}

/** Adds all edges that end at one of two slots, each once. */
static void add_edges(search_t *s, int tree, int a, int b, int n)
{
    const int *child = s->child + 2 * (size_t) tree * (size_t) s->n_ranks;
    const int edges[6] = {a,
                          b,
                          child[2 * a],
                          child[2 * a + 1],
                          child[2 * b] != a ? child[2 * b] : -1,
                          child[2 * b + 1] != a ? child[2 * b + 1] : -1};
    for (int i = 0; i < 6; i++) {
        if (edges[i] > 0 && (i < 2 || edges[i] != b)) {
            add_edge(s, tree, edges[i], n);
        }
    }
}

static void exchange_in(search_t *s, int tree, int a, int b)
{
    int *who = s->who + (size_t) tree * (size_t) s->n_ranks;
    int *slot = s->slot + (size_t) tree * (size_t) s->n_ranks;
    add_edges(s, tree, a, b, -1);
    const int taker = who[a];
    who[a] = who[b];
    who[b] = taker;
    slot[who[a]] = a;
    slot[who[b]] = b;
    add_edges(s, tree, a, b, 1);
}

/** Exchanges the takers of two slots of a tree, in the other tree too if these give unequally. */
static void exchange(search_t *s, int tree, int a, int b)
{
    const size_t n = (size_t) s->n_ranks, at = (size_t) tree * n, other = (size_t) !tree * n;
    if (s->gives[at + (size_t) a] != s->gives[at + (size_t) b]) {
        exchange_in(s, !tree, s->slot[other + (size_t) s->who[at + (size_t) a]],
                    s->slot[other + (size_t) s->who[at + (size_t) b]]);
    }
    exchange_in(s, tree, a, b);
}

/* ---- to begin with ---- */

/** Deals the options of v's ranks out evenly along their order. */
static void deal_options(search_t *s, int v)
{
    const pb_tt_t *tt = s->tt;
    const int first = pb_tt_first_local(tt, v), n = tt->view->vertices[v].end_local - first;
    int total[PB_TT_OPTIONS] = {0}, dealt[PB_TT_OPTIONS] = {0};
    for (int i = 0; i < n; i++) {
        total[tt->rank_option[first + i]]++;
    }
    for (int i = 0; i < n; i++) {
        int most = 0;
        long most_due = -1;
        for (int option = 0; option < PB_TT_OPTIONS; option++) {
            const long due = (long) total[option] * (i + 1) - (long) dealt[option] * n;
            if (dealt[option] < total[option] && due > most_due) {
                most = option;
                most_due = due;
            }
        }
        dealt[most]++;
        s->option[first + i] = (pb_tt_option_t) most;
    }
}

/** The next rank of v, in order, that gives so much in the tree and has no slot there. */
static int next_taker(search_t *s, int tree, int v, int gives)
{
    int *next = &s->next[3 * v + gives];
    while (pb_tt_gives(s->option[*next], tree) != gives) {
        (*next)++;
    }
    return (*next)++;
}

static void take(search_t *s, int tree, int slot)
{
    const int index = tree * s->n_ranks + slot;
    int taker = 0;
    if (slot > 0) {
        taker = next_taker(s, tree, s->tt->view->attached[slot], s->gives[index]);
    }
    s->who[index] = taker;
    s->slot[tree * s->n_ranks + taker] = slot;
}

static void take_in_order(search_t *s, int tree)
{
    const int *child = s->child + 2 * (size_t) tree * (size_t) s->n_ranks;
    int n = 0;
    for (int v = 0; v < s->tt->view->n_vertices; v++) {
        for (int gives = 0; gives < 3; gives++) {
            s->next[3 * v + gives] = pb_tt_first_local(s->tt, v);
        }
    }
    for (int at = 0; at >= 0 || n > 0;) {
        if (at >= 0) {
            s->stack[n++] = at;
            at = child[2 * at];
        } else {
            at = s->stack[--n];
            take(s, tree, at);
            at = child[2 * at + 1];
        }
    }
}

static void list_slots(search_t *s)
{
    const pb_tt_t *tt = s->tt;
    const pb_view_t *merged = tt->view, *view = s->near->view;
    for (int p = 0; p < s->n_ranks; p++) {
        s->slot_vertex[p] = view->attached[view->position[merged->order[p]]];
    }
    memset(s->child, 0xff, 4 * (size_t) s->n_ranks * sizeof(*s->child));
    for (int tree = 0; tree < 2; tree++) {
        for (int p = 0; p < s->n_ranks; p++) {
            s->gives[tree * s->n_ranks + p] = (unsigned char) pb_tt_gives(tt->rank_option[p], tree);
            if (p > 0) {
                const int parent = tree * s->n_ranks + tt->parent[tree][p];
                s->child[2 * parent + tt->order[tree][p]] = p;
            }
        }
    }
}

static void begin(search_t *s)
{
    list_slots(s);
    s->option[0] = s->tt->rank_option[0];
    for (int v = 0; v < s->tt->view->n_vertices; v++) {
        deal_options(s, v);
    }
    for (int tree = 0; tree < 2; tree++) {
        take_in_order(s, tree);
        for (int p = 1; p < s->n_ranks; p++) {
            add_edge(s, tree, p, 1);
        }
    }
}

/* ---- exchanges ---- */

static bool is_overloaded(const search_t *s, int link)
{
    return s->load[link] > s->near->capacity[link / 2];
}

/** Tells whether the edge into a slot crosses an overloaded link. */
static bool crosses_overload(const search_t *s, int tree, int slot)
{
    const pb_vertex_t *vertices = s->near->view->vertices;
    int from = vertex_of(s, tree, s->tt->parent[tree][slot]), to = vertex_of(s, tree, slot);
    while (from != to) {
        if (is_overloaded(s, from > to ? 2 * from + 1 : 2 * to)) {
            return true;
        }
        if (from > to) {
            from = vertices[from].parent;
        } else {
            to = vertices[to].parent;
        }
    }
    return false;
}

/** Tries to exchange a slot's taker with one of the positions [first, end) of its merged vertex.
 */
static bool exchange_with(search_t *s, int tree, int slot, int first, int end)
{
    for (int p = first; p < end && s->near->tries > 0; p++) {
        const int other = s->slot[tree * s->n_ranks + p];
        const long before = s->cost;
        if (vertex_of(s, tree, other) == vertex_of(s, tree, slot)) {
            continue;
        }
        s->near->tries--;
        exchange(s, tree, slot, other);
        if (s->cost < before) {
            return true;
        }
        exchange(s, tree, slot, other);
    }
    return false;
}

/** Brings the taker of one end of an edge to where the other end's is, if that helps. */
static bool bring_near(search_t *s, int tree, int slot, int other)
{
    const pb_view_t *merged = s->tt->view, *view = s->near->view;
    const int u = vertex_of(s, tree, other);
    const pb_vertex_t *vertex = &view->vertices[u];
    const int first = vertex->first_rank + (u == 0), n = vertex->end_local - first;
    if (slot == 0 || n == 0 || merged->attached[slot] != merged->attached[other]) {
        return false;
    }
    const int position = merged->position[view->order[first]];
    return exchange_with(s, tree, slot, position, position + n);
}

/** Brings the taker of one end of an edge over an overloaded link anywhere else, if that helps. */
static bool bring_away(search_t *s, int tree, int slot)
{
    const int v = s->tt->view->attached[slot];
    return slot > 0 && exchange_with(s, tree, slot, pb_tt_first_local(s->tt, v),
                                     s->tt->view->vertices[v].end_local);
}

static bool crosses(const search_t *s, int tree, int slot)
{
    return vertex_of(s, tree, slot) != vertex_of(s, tree, s->tt->parent[tree][slot]);
}

/** One round of exchanges; whether one helped. */
static bool improve(search_t *s)
{
    bool better = false;
    for (int i = 2; i < 2 * s->n_ranks; i++) {
        const int tree = i % 2, slot = i / 2, parent = s->tt->parent[tree][slot];
        if (crosses(s, tree, slot)) {
            better = bring_near(s, tree, slot, parent) || better;
            better = bring_near(s, tree, parent, slot) || better;
        }
    }
    return better;
}

/** Edges too many, on all links. */
static int total_overload(const search_t *s)
{
    int total = 0;
    for (int link = 2; link < 2 * s->near->view->n_vertices; link++) {
        const int over = s->load[link] - s->near->capacity[link / 2];
        total += over > 0 ? over : 0;
    }
    return total;
}

/** Runs one round of exchanges at overloaded links, and tells whether one helped. A large overload
 * is not tried, as this takes long and seldom helps. */
static bool relieve(search_t *s)
{
    bool better = false;
    if (total_overload(s) > s->n_ranks / RANKS_PER_OVERLOAD) {
        return false;
    }
    for (int i = 2; i < 2 * s->n_ranks; i++) {
        const int tree = i % 2, slot = i / 2;
        if (crosses_overload(s, tree, slot)) {
            better = bring_away(s, tree, slot) || better;
            better = bring_away(s, tree, s->tt->parent[tree][slot]) || better;
        }
    }
    return better;
}

/** Moves ranks to the slots that they take. */
static void apply(search_t *s, int tree)
{
    pb_tt_t *tt = s->tt;
    const int *who = s->who + (size_t) tree * (size_t) s->n_ranks;
    int *parent = s->stack, *order = s->slot;
    for (int slot = 1; slot < s->n_ranks; slot++) {
        parent[who[slot]] = who[tt->parent[tree][slot]];
        order[who[slot]] = tt->order[tree][slot];
    }
    for (int p = 1; p < s->n_ranks; p++) {
        tt->parent[tree][p] = parent[p];
        tt->order[tree][p] = order[p];
    }
}

static void report(search_t *s)
{
    s->near->n_overloaded = 0;
    for (int v = 0; v < s->near->view->n_vertices; v++) {
        int over = 0;
        for (int link = 2 * v; link < 2 * v + 2; link++) {
            const int more = s->load[link] - s->near->capacity[v];
            over = more > over ? more : over;
        }
        s->near->overload[v] = over;
        s->near->n_overloaded += over > 0;
    }
}

int pb_tt_settle_near(pb_tt_t *tt, pb_tt_near_t *near)
{
    const size_t n = (size_t) tt->view->n_ranks, n_vertices = (size_t) tt->view->n_vertices;
    search_t s = {.tt = tt, .near = near, .n_ranks = tt->view->n_ranks};
    int *ints = malloc((10 * n + 3 * n_vertices) * sizeof(*ints));
    s.load = calloc(2 * (size_t) near->view->n_vertices, sizeof(*s.load));
    s.gives = malloc(2 * n * sizeof(*s.gives));
    s.option = malloc(n * sizeof(*s.option));
    int rc = PB_ERR_NO_MEMORY;
    if (ints != NULL && s.load != NULL && s.gives != NULL && s.option != NULL) {
        s.slot_vertex = ints;
        s.child = s.slot_vertex + n;
        s.who = s.child + 4 * n;
        s.slot = s.who + 2 * n;
        s.stack = s.slot + 2 * n;
        s.next = s.stack + n;
        begin(&s);
        while (improve(&s) || relieve(&s)) {
        }
        report(&s);
        apply(&s, 0);
        apply(&s, 1);
        rc = PB_SUCCESS;
    }
    free(ints);
    free(s.load);
    free(s.gives);
    free(s.option);
    return rc;
}
