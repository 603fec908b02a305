/*
 * Algorithm 2 extended to k children (papers 1 and 2, section 4, which leave the
 * details open).
 *
 * The root i of a sub-array sends to i + 1 = k_1 < k_2 < ... < k_m, m at most the
 * fanout; child k_b has the ranks up to q_b = k_(b+1) - 1 below it, the last child
 * the rest. As in Algorithm 2 (binary_paper.c), i -> k_a can only contend with
 * the sub-arrays before k_a, and whether it does follows from subtrees of the
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
 *
 * The second rule lets a cut k follow p only if LCA(k - 1, k) is a subtree that p is in. With i + 1
 * the first child, the next cut lies between parts of LCA(i, i + 1) or of the part that
 * i + 1 begins, the one after it at most one subtree further down, and so on. So each group needs
 * only the cuts up to fanout - 2 subtrees down, its *members*: together no more than fanout - 1 for
 * each rank.
 *
 * The best cut behind p is looked for from the last one that is allowed backwards. Where a cut k is
 * not allowed, none between bounds.first[k] and k is; from any other cut the search goes on to the
 * nearest one before it that leads further, whether it is allowed or not. As reaches do not get
 * less from row to row, only what leads further than in the row before is looked for: nearly always
 * that is the last cut, or none.
 */
#include "topo/trees/kary.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/order_bounds.h"
#include "topo/trees/plan.h"

typedef struct group {
    int last;      /* position at which its subtrees end */
    int above;     /* the group of the subtree above it, -1 if none */
    size_t offset; /* of its first member */
    size_t beyond; /* the member last + 1 of the group above */
    int n_members;
} group_t;

typedef struct kary {
    const pb_view_t *view;
    int n;
    int fanout;
    pb_order_bounds_t bounds;
    int *further;     /* by position, or index in a group: the last one before it that reaches
                         further; -1: none does */
    int n_groups;     /* 0 if the fanout is 2: then none is needed */
    group_t *groups;  /* groups above come first */
    int *group_of;    /* by vertex */
    size_t n_members; /* of all groups together */
    int *position;    /* by member, rising in each group */
    bool *is_own;     /* by member: in the group of LCA(position - 1, position) */
    int *outer;       /* by member: the last one of the group before it that is no further than
                         bounds.first[position], counted from the group's first; -1: none is */
    int *last_cut;    /* by member: the last member that was allowed behind it in the row before */
    size_t *first_of; /* by position, n + 1 entries: it is the member of_position[first_of[p]] .. */
    size_t *of_position;
    int *member_group; /* by index in of_position */
    int *with_cut;     /* by member: reach with a second child in its group, in the row before */
    int *layer[2];     /* by member: reach with so many children more */
    int **rows;        /* by height and position: the furthest reach */
    int n_rows;
    int room;
} kary_t;

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

/* further[i]: the last index before i of which `reach` is more; -1 if there is none. */
static void find_further(const int *reach, int n, int *further)
{
    for (int i = 0; i < n; i++) {
        int before = i - 1;
        while (before >= 0 && reach[before] <= reach[i]) {
            before = further[before];
        }
        further[i] = before;
    }
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* The furthest reach of a cut behind p, no later than `last`; `least` if that is further. `further`
 * is that of `reach`. */
static int reach_of_cut(const kary_t *t, const int *reach, int p, int last, int least)
{
    const int *first = t->bounds.first;
    int furthest = least;
    for (int k = last; k > p;) {
        if (reach[k] <= furthest) {
            k = t->further[k];
        } else if (first[k] > p) {
            k = first[k] < k ? first[k] : k - 1;
        } else {
            furthest = reach[k];
            k = t->further[k];
        }
    }
    return furthest;
}

/* Fanout 2: i sends to i + 1, which reaches below[i + 1], and to a cut. */
static void make_row_of_two(kary_t *t, const int *below, int *row)
{
    find_further(below, t->n, t->further);
    for (int i = 0; i + 1 < t->n; i++) {
        if (below[i + 1] == t->n - 1) {
            row[i] = below[i + 1];
            continue;
        }
        int last = below[i + 1] < t->bounds.last[i] ? below[i + 1] : t->bounds.last[i];
        last = last + 1 < t->n ? last + 1 : t->n - 1;
        row[i] = reach_of_cut(t, below, i + 1, last, larger(below[i], below[i + 1]));
    }
}

/* The last member of a group that is no further than a position; `from` is one of those. */
static int last_until(const kary_t *t, const group_t *g, int from, int position)
{
    const int *positions = t->position + g->offset;
    int low = from, step = 1;
    while (low + step < g->n_members && positions[low + step] <= position) {
        low += step;
        step *= 2;
    }
    int high = low + step < g->n_members ? low + step : g->n_members;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (positions[middle] <= position) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The furthest of two reaches: with one child or a cut in the group, and with a cut at its end. */
static int furthest(const group_t *g, int below, int with_cut, int beyond)
{
    return below >= g->last && g->above >= 0 ? larger(with_cut, beyond) : with_cut;
}

/* The last position at which p may be followed by a cut in the group. */
static int last_cut(const group_t *g, int below)
{
    return below < g->last ? below + 1 : g->last;
}

/* Layer 2, for all members: two children, the first of which begins at p. */
static void add_second_child(kary_t *t, const int *below, int *after)
{
    find_further(below, t->n, t->further);
    for (int p = 1; p < t->n; p++) {
        int last = -1, with_cut = -1;
        for (size_t i = t->first_of[p]; i < t->first_of[p + 1]; i++) {
            const group_t *g = &t->groups[t->member_group[i]];
            const size_t member = t->of_position[i];
            if (below[p] == t->n - 1) {
                after[member] = below[p];
                continue;
            }
            if (last_cut(g, below[p]) != last) {
                last = last_cut(g, below[p]);
                with_cut = reach_of_cut(t, below, p, last, larger(below[p], t->with_cut[member]));
            }
            t->with_cut[member] = with_cut;
            const int beyond = g->above >= 0 ? below[g->last + 1] : -1;
            after[member] = furthest(g, below[p], with_cut, beyond);
        }
    }
}

/* The furthest reach of a member of the group behind `index`, no later than `last`; `least` if that
 * is further. */
static int reach_of_member(const kary_t *t, const group_t *g, const int *reach, int index, int last,
                           int least)
{
    const int *position = t->position + g->offset, *outer = t->outer + g->offset;
    const int p = position[index];
    int furthest = least;
    for (int k = last; k > index;) {
        if (reach[k] <= furthest) {
            k = t->further[k];
        } else if (t->bounds.first[position[k]] > p) {
            k = outer[k];
        } else {
            furthest = reach[k];
            k = t->further[k];
        }
    }
    return furthest;
}

/* One more child for all members p of a group: its sub-array begins at p, and the rest is
 * what the layer before says, or what the row below says for the last child. The last layer is
 * needed of the group's own members alone. */
static bool add_child(kary_t *t, const group_t *g, bool is_last, const int *below,
                      const int *before, int *after)
{
    const int *position = t->position + g->offset, *reach = before + g->offset;
    bool changed = false;
    find_further(reach, g->n_members, t->further);
    for (int index = 0; index < g->n_members; index++) {
        const int p = position[index];
        const size_t member = g->offset + (size_t) index;
        if (is_last && !t->is_own[member]) {
            continue;
        }
        if (reach[index] == t->n - 1) {
            after[member] = reach[index];
            continue;
        }
        /* Reaches do not get less from row to row. */
        const int last = last_until(t, g, t->last_cut[member], last_cut(g, below[p]));
        t->last_cut[member] = last;
        /* The last layer's is row[p - 1], and below[p - 1] what it was in the row before. */
        const int least = is_last ? larger(below[p], below[p - 1]) : below[p];
        const int with_cut = reach_of_member(t, g, reach, index, last, least);
        const int beyond = g->above >= 0 ? before[g->beyond] : -1;
        after[member] = furthest(g, below[p], with_cut, beyond);
        changed = changed || after[member] != before[member];
    }
    return changed;
}

/* Any fanout: layer m allows m children from p on. */
static void make_row_of_many(kary_t *t, const int *below, int *row)
{
    int *before = t->layer[0], *after = t->layer[1];
    bool changed = true;
    add_second_child(t, below, before);
    for (int m = 3; m <= t->fanout && changed; m++) {
        changed = false;
        for (int a = 0; a < t->n_groups; a++) {
            if (t->groups[a].n_members > 0) {
                changed =
                    add_child(t, &t->groups[a], m == t->fanout, below, before, after) || changed;
            }
        }
        int *swap = before;
        before = after;
        after = swap;
    }
    for (int i = 0; i + 1 < t->n; i++) {
        /* The first member that i + 1 is: of the group of LCA(i, i + 1). */
        row[i] = before[t->of_position[t->first_of[i + 1]]];
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
        for (int k = p + 1; k <= high && k <= range.last && c->need[p] > 2;) {
            if (t->bounds.first[k] > p) {
                k = t->bounds.last[k - 1] + 1; /* p is not in LCA(k - 1, k), nor in what is below */
                continue;
            }
            if (c->need[k] < c->need[p] - 1) {
                c->need[p] = c->need[k] + 1;
                c->next[p] = k;
            }
            k++;
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
static void number_groups(kary_t *t)
{
    const pb_vertex_t *vertices = t->view->vertices;
    for (int v = 0; v < t->view->n_vertices; v++) {
        int above = v > 0 ? t->group_of[vertices[v].parent] : -1;
        if (v > 0 && t->groups[above].last == vertices[v].end_rank - 1) {
            t->group_of[v] = above;
            continue;
        }
        t->groups[t->n_groups] = (group_t){.last = vertices[v].end_rank - 1, .above = above};
        t->group_of[v] = t->n_groups++;
    }
}

/* The groups that position k is a member of, from that of LCA(k - 1, k) on upwards. */
static int list_groups(const kary_t *t, int k, int *groups)
{
    const pb_vertex_t *vertices = t->view->vertices;
    int v = t->bounds.above[k - 1], n = 0;
    for (int down = 0; v >= 0 && down <= t->fanout - 2; down++) {
        if (n == 0 || groups[n - 1] != t->group_of[v]) {
            groups[n++] = t->group_of[v];
        }
        while (v > 0 && vertices[vertices[v].parent].first_rank == vertices[v].first_rank) {
            v = vertices[v].parent;
        }
        v = vertices[v].parent;
    }
    return n;
}

/* Counts the members of all groups, and those that each position is. */
static void count_members(kary_t *t, int *groups)
{
    t->first_of[0] = t->first_of[1] = 0;
    for (int k = 1; k < t->n; k++) {
        const int n = list_groups(t, k, groups);
        for (int i = 0; i < n; i++) {
            t->groups[groups[i]].n_members++;
        }
        t->first_of[k + 1] = t->first_of[k] + (size_t) n;
    }
    for (int a = 0; a < t->n_groups; a++) {
        t->groups[a].offset = t->n_members;
        t->n_members += (size_t) t->groups[a].n_members;
        t->groups[a].n_members = 0;
    }
}

/* Lists them, in order of position. */
static void list_members(kary_t *t, int *groups)
{
    for (int k = 1; k < t->n; k++) {
        const int n = list_groups(t, k, groups);
        for (int i = 0; i < n; i++) {
            group_t *g = &t->groups[groups[i]];
            const size_t member = g->offset + (size_t) g->n_members++;
            t->position[member] = k;
            t->is_own[member] = i == 0;
            t->member_group[t->first_of[k] + (size_t) i] = groups[i];
            t->of_position[t->first_of[k] + (size_t) i] = member;
        }
    }
    for (int a = 0; a < t->n_groups; a++) {
        group_t *g = &t->groups[a];
        g->beyond = g->above >= 0 ? t->of_position[t->first_of[g->last + 1]] : 0;
    }
}

/* The last member of a group before `index` that is no further than position k; -1 if none is. */
static int find_outer(const kary_t *t, int group, int index, int k)
{
    const group_t *g = &t->groups[group];
    for (size_t i = t->first_of[k]; i < t->first_of[k + 1]; i++) {
        const int found = (int) (t->of_position[i] - g->offset);
        if (t->member_group[i] == group && found < index) {
            return found;
        }
    }
    int found = index - 1;
    while (found >= 0 && t->position[g->offset + (size_t) found] > k) {
        found--;
    }
    return found;
}

static void link_members(kary_t *t)
{
    for (int k = 1; k < t->n; k++) {
        for (size_t i = t->first_of[k]; i < t->first_of[k + 1]; i++) {
            const int a = t->member_group[i];
            const size_t member = t->of_position[i];
            const int index = (int) (member - t->groups[a].offset);
            t->last_cut[member] = index;
            t->with_cut[member] = -1;
            t->outer[member] = find_outer(t, a, index, t->bounds.first[k]);
        }
    }
}

static int make_members(kary_t *t, int *groups)
{
    count_members(t, groups);
    const size_t n = t->n_members + 1;
    t->position = malloc(n * sizeof(*t->position));
    t->is_own = malloc(n * sizeof(*t->is_own));
    t->outer = malloc(n * sizeof(*t->outer));
    t->last_cut = malloc(n * sizeof(*t->last_cut));
    t->member_group = malloc(n * sizeof(*t->member_group));
    t->of_position = malloc(n * sizeof(*t->of_position));
    t->with_cut = malloc(n * sizeof(*t->with_cut));
    t->layer[0] = malloc(n * sizeof(*t->layer[0]));
    t->layer[1] = malloc(n * sizeof(*t->layer[1]));
    if (t->position == NULL || t->is_own == NULL || t->outer == NULL || t->last_cut == NULL ||
        t->member_group == NULL || t->of_position == NULL || t->with_cut == NULL ||
        t->layer[0] == NULL || t->layer[1] == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    list_members(t, groups);
    link_members(t);
    return PB_SUCCESS;
}

static int make_groups(kary_t *t)
{
    const size_t n_vertices = (size_t) t->view->n_vertices;
    int *groups = malloc(n_vertices * sizeof(*groups));
    int error = PB_ERR_NO_MEMORY;
    t->groups = malloc(n_vertices * sizeof(*t->groups));
    t->group_of = malloc(n_vertices * sizeof(*t->group_of));
    t->first_of = malloc(((size_t) t->n + 1) * sizeof(*t->first_of));
    if (groups != NULL && t->groups != NULL && t->group_of != NULL && t->first_of != NULL) {
        number_groups(t);
        error = make_members(t, groups);
    }
    free(groups);
    return error;
}

static int kary_init(kary_t *t)
{
    int error = pb_order_bounds_init(&t->bounds, t->view);
    t->further = malloc((size_t) t->n * sizeof(*t->further));
    if (error == PB_SUCCESS && t->further == NULL) {
        error = PB_ERR_NO_MEMORY;
    }
    return error == PB_SUCCESS && t->fanout > 2 ? make_groups(t) : error;
}

static void kary_clear(kary_t *t)
{
    pb_order_bounds_clear(&t->bounds);
    free(t->further);
    free(t->groups);
    free(t->group_of);
    free(t->position);
    free(t->is_own);
    free(t->outer);
    free(t->last_cut);
    free(t->member_group);
    free(t->of_position);
    free(t->first_of);
    free(t->with_cut);
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

/* Whether all ranks may still be reached by a row of at most this height: a tree that is one level
 * higher is a root and at most `fanout` trees of the last row. */
static bool can_reach(const kary_t *t, int height)
{
    const int levels = height + 1 - t->n_rows;
    if (t->n_rows == 0 || levels > complete_height(t->n, t->fanout)) {
        return true;
    }
    long most = 0;
    for (int i = 0; i < t->n; i++) {
        const long size = t->rows[t->n_rows - 1][i] - i + 1;
        most = size > most ? size : most;
    }
    for (int level = 0; level < levels && most < t->n; level++) {
        most = 1 + t->fanout * most;
    }
    return most >= t->n;
}

/* Makes rows until one says that there is a tree lower than `height`, or it is sure that none will.
 */
static int make_rows(kary_t *t, int height, bool *found_p)
{
    int error = kary_init(t);
    *found_p = false;
    while (error == PB_SUCCESS && !*found_p && t->n_rows < height && can_reach(t, height - 1)) {
        error = make_row(t);
        *found_p = error == PB_SUCCESS && t->rows[t->n_rows - 1][0] == t->n - 1;
    }
    return error;
}

int pb_kary_is_higher(const pb_view_t *view, int children, int height, bool *is_higher_p)
{
    kary_t t = {.view = view, .n = view->n_ranks, .fanout = children};
    bool found;
    const int error = make_rows(&t, height + 1, &found);
    *is_higher_p = !found;
    kary_clear(&t);
    return error;
}

int pb_kary_lower(const pb_view_t *view, int fanout, int *parent, int *height_p)
{
    if (*height_p <= complete_height(view->n_ranks, fanout)) {
        return PB_SUCCESS;
    }
    kary_t t = {.view = view, .n = view->n_ranks, .fanout = fanout};
    bool found;
    int error = make_rows(&t, *height_p, &found);
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
    /* Where nothing else is found, and for fanout 1: a chain in the view's order. */
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
