/*
 * Algorithm 2 for k children (papers 1 and 2, section 4; the papers leave the extension open).
 *
 * The root i of a range of the depth-first order sends to i + 1 = k_1 < k_2 < ... < k_m, with m at
 * most k. Child k_b has the positions up to q_b = k_(b+1) - 1 below it, and the last child has the
 * rest. As in Algorithm 2, i -> k_a can contend only with the ranges before k_a, which the
 * network's subtrees show. It contends with k_b .. q_b, b < a, if some subtree holds i and k_b but
 * not q_b, or k_a and q_b but not k_b. The first does not depend on a. The smallest subtree with
 * q_b and k_a grows with a, so the second has to be checked for a = b + 1 only. So each cut between
 * k_b and k_(b+1) obeys
 *     q_b <= last position under LCA(i, k_b)   and   first[k_(b+1)] <= k_b,
 * where first[k] is the first position under LCA(k - 1, k), or the second one inside hosts
 * (order_bounds.h). So a tree enters a host once (ours; the papers have one rank on each host).
 *
 * A root may have fewer than k children. Then leaving out the last position of a range never makes
 * its tree higher, and the furthest reach of each position is enough. Row h has, for each i, the
 * last j such that i .. j has a tree of height h or less. The printed algorithm gives each root
 * of four positions or more two children. So this tree is sometimes lower for k = 2, and never
 * higher.
 *
 * The search for a reach tries the furthest cuts first, and ends where no cut can reach further
 * than the best one so far. Where a cut at k is not allowed, no cut between first[k] and k is.
 *
 * Time is O(height * ranks) times the cuts that are tried for a position, which are few on most
 * networks. Memory is O(height * ranks).
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/order_bounds.h"
#include "topo/trees/plan.h"
#include "topo/util/error.h"

/** Children that a rank may have, also with a larger fanout: calls of try_child() nest so deep. */
#define MOST_CHILDREN 1024

/** A child position that was tried: by which search, as which child, and the child before it. */
typedef struct tried {
    int search; /**< its number; 0: none */
    int n;
    int before;
} tried_t;

typedef struct rows {
    const pb_view_t *view;
    int most_children; /**< of a rank */
    pb_order_bounds_t bounds;
    int **reach;      /**< by height and position */
    int n_rows, room; /**< of `reach` */
    int *furthest;  /**< by position: the largest reach, in the row of the children, from the first
                         position that is of interest to this one */
    tried_t *tried; /**< by position */
    int n_searches; /**< so far */
} rows_t;

/** The search for the children of one root. */
typedef struct search {
    rows_t *rows;
    const int *below; /**< the row of the children */
    int wanted;       /**< the search ends when this position is reached */
    int best;         /**< the furthest reach so far */
    int last_child;   /**< of the children with this reach */
} search_t;

/** Upper bound on the reach of `n` children if the first begins at `position` or before. */
static int reach_bound(const search_t *search, int position, int n)
{
    const int *furthest = search->rows->furthest;
    int reach = furthest[position];
    for (; n > 1 && reach < search->wanted; n--) {
        reach = furthest[reach + 1];
    }
    return reach;
}

/** Notes that k is tried as the n-th child; false if that brings nothing new. */
static bool note_tried(search_t *search, int k, int n, int before)
{
    tried_t *tried = &search->rows->tried[k];
    if (tried->search == search->rows->n_searches && tried->n <= n) {
        return false;
    }
    *tried = (tried_t){.search = search->rows->n_searches, .n = n, .before = before};
    return true;
}

/** Tries p as the n-th child of the root; `common` is LCA(root, the child before it). */
static void try_child(search_t *search, int p, int n, int common)
{
    const rows_t *rows = search->rows;
    const pb_vertex_t *vertices = rows->view->vertices;
    const int reach = search->below[p];
    while (vertices[common].end_rank <= p) {
        common = vertices[common].parent;
    }
    if (reach > search->best) {
        search->best = reach;
        search->last_child = p;
    }
    if (n == rows->most_children || reach >= search->wanted) {
        return;
    }
    int k = reach < vertices[common].end_rank ? reach + 1 : vertices[common].end_rank;
    while (k > p && search->best < search->wanted &&
           reach_bound(search, k, rows->most_children - n) > search->best) {
        const int first = rows->bounds.first[k];
        if (first > p) {
            k = first < k ? first : k - 1;
            continue;
        }
        if (note_tried(search, k, n + 1, p)) {
            try_child(search, k, n + 1, common);
        }
        k--;
    }
}

/** Children of `root` from the row below `height` that reach `wanted`, or else the furthest beyond
 * `known`. */
static search_t find_children(rows_t *rows, int root, int height, int known, int wanted)
{
    search_t search = {
        .rows = rows, .below = rows->reach[height - 1], .wanted = wanted, .best = known};
    rows->n_searches++;
    note_tried(&search, root + 1, 1, root);
    try_child(&search, root + 1, 1, rows->bounds.common[root + 1]);
    return search;
}

/* ---- rows ---- */

/** Adds a row without contents; NULL if out of memory. */
static int *add_row(rows_t *rows)
{
    if (rows->n_rows == rows->room) {
        const int room = rows->room > 0 ? 2 * rows->room : 32;
        int **reach = realloc(rows->reach, (size_t) room * sizeof(*reach));
        if (reach == NULL) {
            return NULL;
        }
        rows->reach = reach;
        rows->room = room;
    }
    int *row = malloc((size_t) rows->view->n_ranks * sizeof(*row));
    if (row != NULL) {
        rows->reach[rows->n_rows++] = row;
    }
    return row;
}

static void find_furthest(rows_t *rows, int height, int first, int last)
{
    const int *row = rows->reach[height];
    int furthest = 0;
    for (int p = first; p <= last; p++) {
        furthest = row[p] > furthest ? row[p] : furthest;
        rows->furthest[p] = furthest;
    }
}

static int make_row(rows_t *rows)
{
    const int n = rows->view->n_ranks, height = rows->n_rows;
    int *row = add_row(rows);
    if (row == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < n; i++) {
        const int known = height > 0 ? rows->reach[height - 1][i] : i;
        row[i] = height == 0 || i == n - 1 ? i : find_children(rows, i, height, known, n - 1).best;
        if (row[0] == n - 1) {
            return PB_SUCCESS; /* no other tree of this height is asked for */
        }
    }
    find_furthest(rows, height, 0, n - 1);
    return PB_SUCCESS;
}

/* ---- the tree ---- */

typedef struct range {
    int first, last;
    int height; /**< the range has a tree of at most this height */
} range_t;

static int least_height(const rows_t *rows, range_t range)
{
    while (range.height > 0 && rows->reach[range.height - 1][range.first] >= range.last) {
        range.height--;
    }
    return range.height;
}

/** Makes the tree from the top. Ranges still to be cut are on a stack, as the tree may be a chain.
 */
static int cut(rows_t *rows, int *parent)
{
    const int *order = rows->view->order;
    const int n = rows->view->n_ranks;
    int n_stack = 0;
    range_t *stack = malloc((size_t) n * sizeof(*stack));
    if (stack == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    stack[n_stack++] = (range_t){0, n - 1, rows->n_rows - 1};
    while (n_stack > 0) {
        const range_t range = stack[--n_stack];
        const int root = range.first, height = least_height(rows, range);
        if (height == 0) {
            continue;
        }
        find_furthest(rows, height - 1, root, range.last);
        int child = find_children(rows, root, height, -1, range.last).last_child;
        for (int last = range.last; child > root; child = rows->tried[child].before) {
            parent[order[child]] = order[root];
            stack[n_stack++] = (range_t){child, last, height - 1};
            last = child - 1;
        }
    }
    free(stack);
    return PB_SUCCESS;
}

/** Makes the chain that the tree is with one child for each rank; rows would take O(ranks^2). */
static void make_chain(const pb_view_t *view, int *parent)
{
    for (int i = 1; i < view->n_ranks; i++) {
        parent[view->order[i]] = view->order[i - 1];
    }
}

static int make_tree(rows_t *rows, int *parent)
{
    if (rows->most_children == 1) {
        make_chain(rows->view, parent);
        return PB_SUCCESS;
    }
    const size_t n = (size_t) rows->view->n_ranks;
    int rc = pb_order_bounds_init(&rows->bounds, rows->view);
    rows->furthest = malloc(n * sizeof(*rows->furthest));
    rows->tried = calloc(n, sizeof(*rows->tried));
    if (rows->furthest == NULL || rows->tried == NULL) {
        rc = PB_ERR_NO_MEMORY;
    }
    do {
        rc = rc == PB_SUCCESS ? make_row(rows) : rc;
    } while (rc == PB_SUCCESS && rows->reach[rows->n_rows - 1][0] < (int) n - 1);
    return rc == PB_SUCCESS ? cut(rows, parent) : rc;
}

static void rows_clear(rows_t *rows)
{
    pb_order_bounds_clear(&rows->bounds);
    free(rows->furthest);
    free(rows->tried);
    for (int h = 0; h < rows->n_rows; h++) {
        free(rows->reach[h]);
    }
    free(rows->reach);
}

static int plan_tree(const pb_view_t *view, pb_kind_t kind, int most_children, pb_plan_t **plan_p)
{
    rows_t rows = {.view = view,
                   .most_children = most_children < MOST_CHILDREN ? most_children : MOST_CHILDREN};
    pb_plan_t *plan = pb_plan_new(view, kind, 1);
    int rc = plan != NULL ? make_tree(&rows, plan->streams[0].parent) : PB_ERR_NO_MEMORY;
    rc = rc == PB_SUCCESS ? pb_plan_link_children(plan, 0, view, NULL) : rc;
    rows_clear(&rows);
    return pb_plan_end(plan, rc, plan_p);
}

int pb_plan_binary(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    (void) options;
    return plan_tree(view, PB_KIND_BINARY, 2, plan_p);
}

int pb_plan_kary(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    *plan_p = NULL;
    return options->fanout >= 1 ? plan_tree(view, PB_KIND_KARY, options->fanout, plan_p)
                                : PB_ERR_UNFIT;
}
