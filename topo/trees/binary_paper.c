/*
 * Algorithm 2 as printed (papers 1 and 2, section 4), in O(H P log P)
 * instead of O(P^4), H being the height of the tree.
 *
 * tree[i][j] covers positions i .. j of the depth-first order. Its root i sends
 * to i + 1 and to k, the roots of tree[i+1][k-1] and tree[k][j]. Line 17 asks
 * whether i -> k contends with tree[i+1][k-1]. That does not depend on how that
 * tree was chosen: every tree over i+1 .. k-1 leaves a subtree of the network
 * that holds i+1 but not k-1, and enters one that holds k-1 but not i+1, whereas
 * i -> k leaves those that hold i but not k and enters those that hold k but not
 * i. So the two contend if some subtree holds i and i+1 but not k-1, or k-1 and k
 * but not i+1: k is fit for i if and only if
 *     k - 1 <= bounds.last[i]  and  bounds.first[k] <= i + 1.
 * The links of single ranks never matter, since i and k are not in
 * tree[i+1][k-1].
 *
 * The papers have one rank on a host. One of several ranks is a vertex like any
 * other, but that it is entered once (ours; see order_bounds.h): where i + 1 is its
 * first rank and i outside, no k inside it is fit, and if j is inside it, too, then i
 * has one child. Elsewhere i always has a fit k: i + 2, or the rank after the host.
 *
 * For each h, row h holds for each i the set { j : best[i][j] <= h }. It is the
 * union over fit k with k-1 in set(h-1, i+1) of set(h-1, k). Nearly always it is
 * one interval i .. reach[i], but not always: with the printed rule, which gives
 * every root of four ranks or more two children, a longer sub-array can have a
 * lower tree than a shorter one. What lies beyond the first interval is kept as
 * a list of islands, which is empty on most networks.
 *
 * Memory is O(H P). H is near P only if most switches have a single host.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/order_bounds.h"
#include "topo/trees/plan.h"
#include "topo/util/range_max.h"

/* Positions first .. last belong to the set of `owner`. */
typedef struct interval {
    int owner;
    int first;
    int last;
} interval_t;

typedef struct interval_list {
    interval_t *items;
    int n;
    int room;
} interval_list_t;

typedef struct row {
    int *reach;              /* by position: the last of the first interval */
    interval_list_t islands; /* the other intervals, by owner and position */
} row_t;

typedef struct paper {
    const pb_view_t *view;
    int n;
    pb_order_bounds_t bounds;
    int *only;               /* by position i < n - 1: the last j for which i has only one child */
    pb_range_max_t fit;      /* reach of the row below, of those k with first[k] <= i + 1 */
    int *by_first;           /* positions ordered by bounds.first */
    interval_list_t scratch; /* intervals of the set being made */
    row_t *rows;
    int n_rows;
    int room;
} paper_t;

static int interval_add(interval_list_t *list, int owner, int first, int last)
{
    if (list->n == list->room) {
        int room = list->room > 0 ? 2 * list->room : 16;
        interval_t *items = realloc(list->items, (size_t) room * sizeof(*items));
        if (items == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        list->items = items;
        list->room = room;
    }
    list->items[list->n++] = (interval_t){owner, first, last};
    return PB_SUCCESS;
}

/* The index of the first interval of an owner >= `owner`. */
static int interval_find(const interval_list_t *list, int owner)
{
    int low = 0, high = list->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (list->items[middle].owner < owner) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Whether best[i][j] <= the height of the row. */
static bool row_holds(const row_t *row, int i, int j)
{
    if (j <= row->reach[i]) {
        return true;
    }
    const interval_list_t *islands = &row->islands;
    for (int a = interval_find(islands, i); a < islands->n && islands->items[a].owner == i; a++) {
        if (j >= islands->items[a].first && j <= islands->items[a].last) {
            return true;
        }
    }
    return false;
}

static bool is_fit(const paper_t *p, int i, int k)
{
    return k - 1 <= p->bounds.last[i] && p->bounds.first[k] <= i + 1;
}

/*
 * Adds to `scratch` the first intervals of all fit k in [low, high], joined with
 * the interval [first, last], which may be empty (last < first). Each position
 * is asked for once, so that the cost is a few queries where intervals overlap.
 */
static int sweep(paper_t *p, const row_t *below, int i, int low, int high, int first, int last)
{
    int next = low; /* no k before this one is still to be looked at */
    for (;;) {
        while (next <= high && next <= last + 1) {
            int top = last + 1 < high ? last + 1 : high;
            int reach = pb_range_max_query(&p->fit, next, top);
            last = reach > last ? reach : last;
            next = top + 1;
        }
        if (next > high || pb_range_max_query(&p->fit, next, high) < 0) {
            break;
        }
        if (first <= last && interval_add(&p->scratch, i, first, last) != PB_SUCCESS) {
            return PB_ERR_NO_MEMORY;
        }
        while (!is_fit(p, i, next)) {
            next++;
        }
        first = next;
        last = below->reach[next];
        next++;
    }
    return first <= last ? interval_add(&p->scratch, i, first, last) : PB_SUCCESS;
}

static int compare_intervals(const void *a, const void *b)
{
    const interval_t *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Joins the intervals of `scratch` that touch and stores them as i's set. */
static int store_set(paper_t *p, row_t *row, int i)
{
    interval_t *items = p->scratch.items;
    if (p->scratch.n > 1) {
        qsort(items, (size_t) p->scratch.n, sizeof(*items), compare_intervals);
    }
    int n = 0;
    for (int a = 1; a < p->scratch.n; a++) {
        if (items[a].first > items[n].last + 1) {
            items[++n] = items[a];
        } else if (items[a].last > items[n].last) {
            items[n].last = items[a].last;
        }
    }
    row->reach[i] = items[0].last;
    int error = PB_SUCCESS;
    for (int a = 1; a <= n && error == PB_SUCCESS; a++) {
        error = interval_add(&row->islands, i, items[a].first, items[a].last);
    }
    return error;
}

/* Adds the islands of all fit k such that k - 1 is in the set of i + 1. */
static int add_islands(paper_t *p, const row_t *below, int i)
{
    int error = PB_SUCCESS;
    for (int a = interval_find(&below->islands, i + 2); a < below->islands.n && error == PB_SUCCESS;
         a++) {
        interval_t island = below->islands.items[a];
        if (island.owner - 1 > p->bounds.last[i]) {
            break;
        }
        if (is_fit(p, i, island.owner) && row_holds(below, i + 1, island.owner - 1)) {
            error = interval_add(&p->scratch, i, island.first, island.last);
        }
    }
    return error;
}

/* The part of the interval first .. last of the set of i + 1 that i has one child for. */
static int add_only(paper_t *p, int i, int first, int last)
{
    last = last < p->only[i] ? last : p->only[i];
    return first <= last ? interval_add(&p->scratch, i, first, last) : PB_SUCCESS;
}

/* The set of i from the row below: lines 9 to 25. The base case of three ranks is that of k = i +
 * 2, if that is fit. */
static int make_set(paper_t *p, const row_t *below, row_t *row, int i)
{
    int last_fit = p->bounds.last[i] < p->n - 2 ? p->bounds.last[i] + 1 : p->n - 1;
    int reach = below->reach[i + 1] + 1;
    p->scratch.n = 0;
    int error = sweep(p, below, i, i + 2, reach < last_fit ? reach : last_fit, i, i + 1);
    if (error == PB_SUCCESS) {
        error = add_only(p, i, i + 1, below->reach[i + 1]);
    }
    const interval_list_t *islands = &below->islands;
    for (int a = interval_find(islands, i + 1);
         a < islands->n && islands->items[a].owner == i + 1 && error == PB_SUCCESS; a++) {
        int first = islands->items[a].first, last = islands->items[a].last;
        int high = last < last_fit ? last + 1 : last_fit;
        error = sweep(p, below, i, first + 1, high, 0, -1);
        if (error == PB_SUCCESS) {
            error = add_only(p, i, first, last);
        }
    }
    if (error == PB_SUCCESS) {
        error = add_islands(p, below, i);
    }
    return error == PB_SUCCESS ? store_set(p, row, i) : error;
}

/* A row of memory, reach not set. NULL if out of memory. */
static row_t *add_row(paper_t *p)
{
    if (p->n_rows == p->room) {
        int room = p->room > 0 ? 2 * p->room : 32;
        row_t *rows = realloc(p->rows, (size_t) room * sizeof(*rows));
        if (rows == NULL) {
            return NULL;
        }
        p->rows = rows;
        p->room = room;
    }
    row_t *row = &p->rows[p->n_rows];
    *row = (row_t){.reach = malloc((size_t) p->n * sizeof(*row->reach))};
    if (row->reach == NULL) {
        return NULL;
    }
    p->n_rows++;
    return row;
}

/* Row h from row h - 1; row 0 holds single ranks. */
static int make_row(paper_t *p)
{
    row_t *row = add_row(p);
    if (row == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    if (p->n_rows == 1) {
        for (int i = 0; i < p->n; i++) {
            row->reach[i] = i;
        }
        return PB_SUCCESS;
    }
    const row_t *below = row - 1;
    pb_range_max_reset(&p->fit, p->n);
    int next = 0; /* in by_first */
    for (int i = 0; i + 1 < p->n; i++) {
        for (; next < p->n - 1 && p->bounds.first[p->by_first[next]] <= i + 1; next++) {
            pb_range_max_raise(&p->fit, p->by_first[next], below->reach[p->by_first[next]]);
        }
        int error = make_set(p, below, row, i);
        if (error != PB_SUCCESS) {
            return error;
        }
    }
    row->reach[p->n - 1] = p->n - 1;
    return PB_SUCCESS;
}

/* best[i][j], known to be at most `height`. */
static int best_height(const paper_t *p, int i, int j, int height)
{
    int low = 0;
    while (low < height) {
        int middle = low + (height - low) / 2;
        if (row_holds(&p->rows[middle], i, j)) {
            height = middle;
        } else {
            low = middle + 1;
        }
    }
    return height;
}

/* The printed strict comparison keeps the smallest k that attains the minimum. */
static int smallest_index(const paper_t *p, int i, int j, int height)
{
    const row_t *below = &p->rows[height - 1];
    int k = i + 2;
    while (!(is_fit(p, i, k) && row_holds(below, i + 1, k - 1) && row_holds(below, k, j))) {
        k++;
    }
    return k;
}

/* Sets the parents of the whole tree. The sub-arrays still to be cut are kept
 * on a stack, because the tree may be a chain. */
static int cut(const paper_t *p, int *parent)
{
    interval_t *stack = malloc(((size_t) p->n + 1) * sizeof(*stack));
    if (stack == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    const int *order = p->view->order;
    int n_stack = 0;
    stack[n_stack++] = (interval_t){p->n_rows - 1, 0, p->n - 1};
    while (n_stack > 0) {
        interval_t array = stack[--n_stack];
        int i = array.first, j = array.last;
        if (i == j) {
            continue;
        }
        int height = best_height(p, i, j, array.owner); /* owner: a bound on the height */
        int k = j <= p->only[i] ? j + 1 : smallest_index(p, i, j, height);
        parent[order[i + 1]] = order[i];
        stack[n_stack++] = (interval_t){height - 1, i + 1, k - 1};
        if (k <= j) {
            parent[order[k]] = order[i];
            stack[n_stack++] = (interval_t){height - 1, k, j};
        }
    }
    free(stack);
    return PB_SUCCESS;
}

/* For i: i + 1, or the last of the largest host or place of which i + 1 is the first. Each
 * vertex has one first rank, so that all climbs together are O(vertices). */
static int find_only(paper_t *p)
{
    const pb_vertex_t *vertices = p->view->vertices;
    p->only = malloc((size_t) p->n * sizeof(*p->only));
    if (p->only == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i + 1 < p->n; i++) {
        p->only[i] = i + 1;
        for (int v = p->view->attached[i + 1]; vertices[v].first_rank == i + 1;
             v = vertices[v].parent) {
            if (pb_view_enters_host(p->view, v)) {
                p->only[i] = vertices[v].end_rank - 1;
            }
        }
    }
    return PB_SUCCESS;
}

/* Counting sort of the positions 1 .. n-1 by bounds.first. */
static int sort_by_first(paper_t *p)
{
    int *start = calloc((size_t) p->n + 1, sizeof(*start));
    p->by_first = malloc((size_t) p->n * sizeof(*p->by_first));
    if (start == NULL || p->by_first == NULL) {
        free(start);
        return PB_ERR_NO_MEMORY;
    }
    for (int k = 1; k < p->n; k++) {
        start[p->bounds.first[k] + 1]++;
    }
    for (int i = 0; i < p->n; i++) {
        start[i + 1] += start[i];
    }
    for (int k = 1; k < p->n; k++) {
        p->by_first[start[p->bounds.first[k]]++] = k;
    }
    free(start);
    return PB_SUCCESS;
}

static int compute(paper_t *p, pb_plan_t *plan)
{
    int error = pb_order_bounds_init(&p->bounds, p->view);
    if (error == PB_SUCCESS) {
        error = pb_range_max_init(&p->fit, p->n);
    }
    if (error == PB_SUCCESS) {
        error = find_only(p);
    }
    if (error == PB_SUCCESS) {
        error = sort_by_first(p);
    }
    while (error == PB_SUCCESS &&
           (p->n_rows == 0 || !row_holds(&p->rows[p->n_rows - 1], 0, p->n - 1))) {
        error = make_row(p);
    }
    if (error == PB_SUCCESS) {
        error = cut(p, plan->streams[0].parent);
    }
    return error == PB_SUCCESS ? pb_plan_link_children(plan, 0, p->view, NULL) : error;
}

static void paper_clear(paper_t *p)
{
    pb_order_bounds_clear(&p->bounds);
    pb_range_max_clear(&p->fit);
    free(p->only);
    free(p->by_first);
    free(p->scratch.items);
    for (int h = 0; h < p->n_rows; h++) {
        free(p->rows[h].reach);
        free(p->rows[h].islands.items);
    }
    free(p->rows);
}

int pb_plan_binary_paper(const pb_view_t *view, const pb_plan_options_t *options,
                         pb_plan_t **plan_p)
{
    (void) options;
    *plan_p = NULL;
    paper_t paper = {.view = view, .n = view->n_ranks};
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_BINARY_PAPER, 1);
    int error = plan != NULL ? compute(&paper, plan) : PB_ERR_NO_MEMORY;
    paper_clear(&paper);
    if (error != PB_SUCCESS) {
        pb_plan_free(plan);
        return error;
    }
    *plan_p = plan;
    return PB_SUCCESS;
}
