/*
 * Algorithm 2 extended to k children (papers 1 and 2, section 4, which leave the
 * details open).
 *
 * The root i of a sub-array sends to i + 1 = k_1 < k_2 < ... < k_m, m at most the
 * fanout; child k_b has the ranks up to q_b = k_(b+1) - 1 below it, the last child
 * the rest. As in Algorithm 2 (binary_paper.c), i -> k_a can only contend with
 * the sub-arrays before k_a, and whether it does is told by subtrees of the
 * network: it contends with k_b .. q_b, b < a, if some subtree holds i and k_b but
 * not q_b, or k_a and q_b but not k_b. The first does not depend on a. As for the
 * second, the smallest subtree with q_b and k_a grows with a, so that a = b + 1
 * is the only one to be asked. So every cut between k_b and k_(b+1) has to obey
 *     q_b <= last position under LCA(i, k_b)   and   first[k_(b+1)] <= k_b.
 *
 * Fewer than m children are allowed. Then every sub-array that begins with i and
 * is shorter is no higher (leave out the last rank), and rows of the furthest
 * reach from each i say everything. Since a root of four ranks may have one child
 * here, the tree for fanout 2 is sometimes lower than Algorithm 2's, and never
 * higher.
 *
 * LCA(i, k_b) is a subtree above i, and only its end matters. Subtrees with the
 * same end that lie in each other are one *group*, the largest of them. While
 * cuts stay in the group of LCA(i, i + 1), nothing else about i matters; a cut at
 * its end leads to the group above.
 */
#include "topo/trees/kary.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/order_bounds.h"
#include "topo/trees/plan.h"
#include "topo/util/range_max.h"

typedef struct group {
    int first, last;    /* positions of the largest subtree */
    int above;          /* the group of the subtree above it, -1 if none */
    size_t offset;      /* of position `first` in the layers */
    const int *members; /* positions first + 1 .. last ordered by bounds.first */
} group_t;

typedef struct kary {
    const pb_view_t *view;
    int n;
    int fanout;
    pb_order_bounds_t bounds;
    pb_range_max_t fit;
    int *sorted;     /* positions 1 .. n-1 by bounds.first, for the whole order */
    int n_groups;    /* 0 if the fanout is 2: then none is needed */
    group_t *groups; /* groups above come first */
    int *group_of;   /* by vertex */
    size_t n_layer;  /* positions of all groups together */
    int *layer[2];   /* reach with so many children more, by group and position */
    int **rows;      /* by height and position: the furthest reach */
    int n_rows;
    int room;
} kary_t;

/* Orders positions low .. high by bounds.first into `sorted`. Those are at least
 * `base`. `start` has room for high - base + 2 zeros, and is zero again after. */
static void sort_range(const kary_t *t, int low, int high, int base, int *start, int *sorted)
{
    for (int k = low; k <= high; k++) {
        start[t->bounds.first[k] - base + 1]++;
    }
    for (int i = 0; i <= high - base; i++) {
        start[i + 1] += start[i];
    }
    for (int k = low; k <= high; k++) {
        sorted[start[t->bounds.first[k] - base]++] = k;
    }
    memset(start, 0, ((size_t) (high - base) + 2) * sizeof(*start));
}

/* A new row without contents. NULL if out of memory. */
static int *add_row(kary_t *t)
{
    if (t->n_rows == t->room) {
        int room = t->room > 0 ? 2 * t->room : 32;
        int **rows = realloc(t->rows, (size_t) room * sizeof(*rows));
        if (rows == NULL) {
            return NULL;
        }
        t->rows = rows;
        t->room = room;
    }
    int *row = malloc((size_t) t->n * sizeof(*row));
    if (row != NULL) {
        t->rows[t->n_rows++] = row;
    }
    return row;
}

/* Fanout 2: i sends to i + 1, which reaches below[i + 1], and to a cut. */
static void make_row_of_two(kary_t *t, const int *below, int *row)
{
    int next = 0;
    pb_range_max_reset(&t->fit, t->n);
    for (int i = 0; i + 1 < t->n; i++) {
        for (; next < t->n - 1 && t->bounds.first[t->sorted[next]] <= i + 1; next++) {
            pb_range_max_raise(&t->fit, t->sorted[next], below[t->sorted[next]]);
        }
        int last = below[i + 1] < t->bounds.last[i] ? below[i + 1] : t->bounds.last[i];
        last = last + 1 < t->n ? last + 1 : t->n - 1;
        int reach = pb_range_max_query(&t->fit, i + 2, last);
        row[i] = reach > below[i + 1] ? reach : below[i + 1];
    }
}

/* One more child for all p in a group: its sub-array begins at p, and the rest is
 * what the layer before says, or what the row below says for the last child. */
static bool add_child(kary_t *t, const group_t *g, const int *below, const int *before, int *after)
{
    bool changed = false;
    int next = 0, n = g->last - g->first + 1;
    pb_range_max_reset(&t->fit, n);
    for (int p = g->first + 1; p <= g->last; p++) {
        for (; next < n - 1 && t->bounds.first[g->members[next]] <= p; next++) {
            int k = g->members[next] - g->first;
            pb_range_max_raise(&t->fit, k, before[g->offset + (size_t) k]);
        }
        int last = below[p] < g->last ? below[p] + 1 : g->last;
        int reach = pb_range_max_query(&t->fit, p + 1 - g->first, last - g->first);
        reach = reach > below[p] ? reach : below[p];
        if (below[p] >= g->last && g->above >= 0) {
            const group_t *above = &t->groups[g->above];
            int beyond = before[above->offset + (size_t) (g->last + 1 - above->first)];
            reach = beyond > reach ? beyond : reach;
        }
        size_t index = g->offset + (size_t) (p - g->first);
        changed = changed || reach != before[index];
        after[index] = reach;
    }
    return changed;
}

/* Any fanout: layer 1 is the row below, layer m allows m children from p on. */
static void make_row_of_many(kary_t *t, const int *below, int *row)
{
    int *before = t->layer[0], *after = t->layer[1];
    for (int a = 0; a < t->n_groups; a++) {
        const group_t *g = &t->groups[a];
        memcpy(before + g->offset, below + g->first,
               (size_t) (g->last - g->first + 1) * sizeof(*below));
    }
    bool changed = true;
    for (int m = 2; m <= t->fanout && changed; m++) {
        changed = false;
        for (int a = 0; a < t->n_groups; a++) {
            changed = add_child(t, &t->groups[a], below, before, after) || changed;
        }
        int *swap = before;
        before = after;
        after = swap;
    }
    for (int i = 0; i + 1 < t->n; i++) {
        const group_t *g = &t->groups[t->group_of[t->bounds.above[i]]];
        row[i] = before[g->offset + (size_t) (i + 1 - g->first)];
    }
}

static int make_row(kary_t *t)
{
    int *row = add_row(t);
    if (row == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    if (t->n_rows == 1) {
        for (int i = 0; i < t->n; i++) {
            row[i] = i;
        }
        return PB_SUCCESS;
    }
    const int *below = t->rows[t->n_rows - 2];
    if (t->fanout == 2) {
        make_row_of_two(t, below, row);
    } else {
        make_row_of_many(t, below, row);
    }
    row[t->n - 1] = t->n - 1;
    return PB_SUCCESS;
}

/* --- Cutting --- */

typedef struct range {
    int first, last;
    int height; /* a bound */
} range_t;

typedef struct cutter {
    const kary_t *t;
    const int *order;
    int *parent;
    int *limit; /* by position: the last under LCA(i, position) */
    int *need;  /* by position: children needed from here on */
    int *next;  /* by position: the next child; 0: none */
    range_t *stack;
    int n_stack;
} cutter_t;

/* The children of the root of a range, right to left, as few as possible; of
 * equally few the one with the earliest cuts. */
static void plan_cuts(cutter_t *c, range_t range, const int *below)
{
    const kary_t *t = c->t;
    int i = range.first, v = t->bounds.above[i];
    for (int p = i + 1; p <= range.last; p++) {
        while (t->view->vertices[v].end_rank <= p) {
            v = t->view->vertices[v].parent;
        }
        c->limit[p] = t->view->vertices[v].end_rank - 1;
    }
    for (int p = range.last; p > i; p--) {
        c->need[p] = below[p] >= range.last ? 1 : INT_MAX;
        c->next[p] = 0;
        int high = below[p] < c->limit[p] ? below[p] + 1 : c->limit[p] + 1;
        for (int k = p + 1; k <= high && k <= range.last && c->need[p] > 2; k++) {
            if (t->bounds.first[k] <= p && c->need[k] < c->need[p] - 1) {
                c->need[p] = c->need[k] + 1;
                c->next[p] = k;
            }
        }
    }
}

static int lowest(const kary_t *t, range_t range)
{
    int low = 0, high = range.height;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t->rows[middle][range.first] >= range.last) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return high;
}

static void cut(cutter_t *c)
{
    c->stack[c->n_stack++] = (range_t){0, c->t->n - 1, c->t->n_rows - 1};
    while (c->n_stack > 0) {
        range_t range = c->stack[--c->n_stack];
        if (range.first == range.last) {
            continue;
        }
        int height = lowest(c->t, range);
        plan_cuts(c, range, c->t->rows[height - 1]);
        for (int p = range.first + 1; p > 0; p = c->next[p]) {
            int last = c->next[p] > 0 ? c->next[p] - 1 : range.last;
            c->parent[c->order[p]] = c->order[range.first];
            c->stack[c->n_stack++] = (range_t){p, last, height - 1};
        }
    }
}

static int cut_all(const kary_t *t, int *parent)
{
    size_t n = (size_t) t->n;
    cutter_t cutter = {.t = t, .order = t->view->order, .parent = parent};
    int error = PB_ERR_NO_MEMORY;
    cutter.limit = malloc(n * sizeof(int));
    cutter.need = malloc(n * sizeof(int));
    cutter.next = malloc(n * sizeof(int));
    cutter.stack = malloc((n + 1) * sizeof(*cutter.stack));
    if (cutter.limit != NULL && cutter.need != NULL && cutter.next != NULL &&
        cutter.stack != NULL) {
        cut(&cutter);
        error = PB_SUCCESS;
    }
    free(cutter.limit);
    free(cutter.need);
    free(cutter.next);
    free(cutter.stack);
    return error;
}

/* --- Setting up --- */

/* Numbers the groups from the top. A vertex is in its parent's group if both
 * have the same end. */
static int make_groups(kary_t *t)
{
    const pb_vertex_t *vertices = t->view->vertices;
    int n_vertices = t->view->n_vertices;
    t->groups = malloc((size_t) n_vertices * sizeof(*t->groups));
    t->group_of = malloc((size_t) n_vertices * sizeof(*t->group_of));
    if (t->groups == NULL || t->group_of == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int v = 0; v < n_vertices; v++) {
        int above = v > 0 ? t->group_of[vertices[v].parent] : -1;
        if (v > 0 && t->groups[above].last == vertices[v].end_rank - 1) {
            t->group_of[v] = above;
            continue;
        }
        t->groups[t->n_groups] = (group_t){.first = vertices[v].first_rank,
                                           .last = vertices[v].end_rank - 1,
                                           .above = above,
                                           .offset = t->n_layer};
        t->n_layer += (size_t) (vertices[v].end_rank - vertices[v].first_rank);
        t->group_of[v] = t->n_groups++;
    }
    t->layer[0] = malloc(t->n_layer * sizeof(int));
    t->layer[1] = malloc(t->n_layer * sizeof(int));
    return t->layer[0] != NULL && t->layer[1] != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static int sort_positions(kary_t *t)
{
    int *start = calloc((size_t) t->n + 1, sizeof(*start));
    t->sorted = malloc(((size_t) t->n + t->n_layer) * sizeof(*t->sorted));
    if (start == NULL || t->sorted == NULL) {
        free(start);
        return PB_ERR_NO_MEMORY;
    }
    sort_range(t, 1, t->n - 1, 0, start, t->sorted);
    for (int a = 0; a < t->n_groups; a++) {
        group_t *g = &t->groups[a];
        int *members = t->sorted + t->n + g->offset;
        sort_range(t, g->first + 1, g->last, g->first, start, members);
        g->members = members;
    }
    free(start);
    return PB_SUCCESS;
}

static int kary_init(kary_t *t)
{
    int error = pb_order_bounds_init(&t->bounds, t->view);
    if (error == PB_SUCCESS) {
        error = pb_range_max_init(&t->fit, t->n);
    }
    if (error == PB_SUCCESS && t->fanout > 2) {
        error = make_groups(t);
    }
    return error == PB_SUCCESS ? sort_positions(t) : error;
}

static void kary_clear(kary_t *t)
{
    pb_order_bounds_clear(&t->bounds);
    pb_range_max_clear(&t->fit);
    free(t->sorted);
    free(t->groups);
    free(t->group_of);
    free(t->layer[0]);
    free(t->layer[1]);
    for (int h = 0; h < t->n_rows; h++) {
        free(t->rows[h]);
    }
    free(t->rows);
}

/* The height of the complete tree, below which there is nothing. */
static int complete_height(int n, int fanout)
{
    int height = 0;
    for (long level = 1, room = 1; room < n; room += level) {
        level *= fanout;
        height++;
    }
    return height;
}

int pb_kary_lower(const pb_view_t *view, int fanout, int *parent, int *height_p)
{
    if (*height_p <= complete_height(view->n_ranks, fanout)) {
        return PB_SUCCESS;
    }
    kary_t t = {.view = view, .n = view->n_ranks, .fanout = fanout};
    int error = kary_init(&t);
    bool found = false;
    while (error == PB_SUCCESS && !found && t.n_rows < *height_p) {
        error = make_row(&t);
        found = error == PB_SUCCESS && t.rows[t.n_rows - 1][0] == t.n - 1;
    }
    if (found) {
        error = cut_all(&t, parent);
        *height_p = t.n_rows - 1;
    }
    kary_clear(&t);
    return error;
}

static int compute(const pb_view_t *view, int fanout, pb_plan_t *plan)
{
    int *parent = plan->streams[0].parent;
    int height = view->n_ranks;
    /* Where nothing else is found, and for fanout 1: the chain. */
    for (int i = 1; i < view->n_ranks; i++) {
        parent[view->order[i]] = view->order[i - 1];
    }
    if (fanout > 1) {
        int error = pb_kary_lower(view, fanout, parent, &height);
        if (error != PB_SUCCESS) {
            return error;
        }
    }
    return pb_plan_link_children(plan, 0, view, NULL);
}

int pb_plan_kary(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    *plan_p = NULL;
    if (options->fanout < 1) {
        return PB_ERR_UNFIT;
    }
    int most = view->n_ranks > 2 ? view->n_ranks - 1 : 2;
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_KARY, 1);
    int error = plan != NULL ? compute(view, options->fanout < most ? options->fanout : most, plan)
                             : PB_ERR_NO_MEMORY;
    if (error != PB_SUCCESS) {
        pb_plan_free(plan);
        return error;
    }
    *plan_p = plan;
    return PB_SUCCESS;
}
