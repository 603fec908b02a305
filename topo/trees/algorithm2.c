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
 * (find_bounds()). So a tree enters a host once (ours; the papers have one rank on each host).
 *
 * A root may have fewer than k children. Then leaving out the last position of a range never makes
 * its tree higher, and the furthest reach of each position is enough. Row h has, for each i, the
 * last j such that i .. j has a tree of height h or less. The printed algorithm gives each root
 * of four positions or more two children. So this tree is sometimes lower for k = 2, and never
 * higher.
 *
 * The furthest reach of n children of a root, the first at p, depends on p, n and one position.
 * This is the end of the smallest subtree that holds the root and p. So roots share their searches
 * in a row. A search tries the furthest cuts first, and ends where no cut can reach further than
 * the best one so far. Where a cut at k is not allowed, no cut between first[k] and k is. Such gaps
 * do not depend on the row, so the longest one behind each child is kept for all rows.
 *
 * Time is O(height * ranks * k) times two numbers that are small on most networks. These are the
 * cuts that are tried for a position, and the subtree ends that it has. Memory is
 * O((height + k) * ranks).
 */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/plan.h"
#include "topo/util/error.h"
#include "topo/util/kit.h"

/** Children that a rank may have, also with a larger fanout: memory is in proportion. */
#define MOST_CHILDREN 128

/** The best children of a root from one position on, with at most some number of them. */
typedef struct best {
    int search; /**< that has found it; 0: none */
    int limit;  /**< the last position where the next child may begin */
    int reach;  /**< of the last child */
    int next;   /**< the second child; 0: none */
} best_t;

/** Positions after the first child's in (from, to], where no cut is allowed. */
typedef struct gap {
    int from, to;
} gap_t;

typedef struct rows {
    const pb_view_t *view;
    int most_children; /**< of a rank */
    int *common; /**< by position k, but 0: the vertex of the smallest subtree that holds k - 1 and
                    k */
    int *first;  /**< by position k, but 0: the first position in that subtree. The second one if a
                      tree enters it once (pb_view_enters_host()): no cut then separates its first
                      rank, by which it is entered, from the others */
    int **reach; /**< by height and position */
    int n_rows, room; /**< of `reach` */
    int *furthest;  /**< by position: the largest reach, in the row of the children, from the first
                         position that is of interest to this one */
    gap_t *gaps;    /**< by position of the first child: the longest gap that was found */
    best_t *best;   /**< by position and number of children */
    int n_searches; /**< so far */
} rows_t;

/** A search for children of roots. */
typedef struct search {
    rows_t *rows;
    const int *below; /**< the row of the children */
    int wanted;       /**< no reach beyond this position is of interest */
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

static best_t *best_at(const rows_t *rows, int p, int n)
{
    return &rows->best[(size_t) p * (size_t) rows->most_children + (size_t) n - 1];
}

/** The last position up to k where a cut is allowed behind a child at p; p if there is none. */
static int last_cut(const rows_t *rows, int p, int k)
{
    gap_t *gap = &rows->gaps[p];
    const int *first = rows->first, to = k;
    while (k > p && first[k] > p) {
        k = k > gap->from && k <= gap->to ? gap->from : first[k] < k ? first[k] : k - 1;
    }
    if (to - k > gap->to - gap->from) {
        *gap = (gap_t){.from = k, .to = to};
    }
    return k;
}

/** The best of at most `n` children of a root, the first at p; `common` is LCA(root, p - 1) or
 * LCA(root, the child before). */
static const best_t *find_best(const search_t *search, int p, int n, int common)
{
    const rows_t *rows = search->rows;
    const pb_vertex_t *vertices = rows->view->vertices;
    best_t *best = best_at(rows, p, n);
    while (vertices[common].end_rank <= p) {
        common = vertices[common].parent;
    }
    const int limit = vertices[common].end_rank;
    if (best->search == rows->n_searches && best->limit == limit) {
        return best;
    }
    *best = (best_t){.search = rows->n_searches, .limit = limit, .reach = search->below[p]};
    int k = best->reach < limit ? best->reach + 1 : limit;
    while (n > 1 && k > p && best->reach < search->wanted &&
           reach_bound(search, k, n - 1) > best->reach) {
        const int cut = last_cut(rows, p, k);
        if (cut < k) {
            k = cut;
            continue;
        }
        const int reach = find_best(search, k, n - 1, common)->reach;
        if (reach > best->reach) {
            best->reach = reach;
            best->next = k;
        }
        k--;
    }
    return best;
}

/** Begins a search among the trees below `height`. */
static search_t begin_search(rows_t *rows, int height, int wanted)
{
    rows->n_searches++;
    return (search_t){.rows = rows, .below = rows->reach[height - 1], .wanted = wanted};
}

/** The furthest reach of the children of `root`, which are then in rows->best. */
static int find_children(const search_t *search, int root)
{
    const rows_t *rows = search->rows;
    return find_best(search, root + 1, rows->most_children, rows->common[root + 1])->reach;
}

/* ---- rows ---- */

/** Finds where the depth-first order can be cut. O(ranks + vertices). */
static int find_bounds(rows_t *rows)
{
    const pb_view_t *view = rows->view;
    const size_t n = (size_t) view->n_ranks;
    rows->common = malloc(n * sizeof(*rows->common));
    rows->first = malloc(n * sizeof(*rows->first));
    if (rows->common == NULL || rows->first == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    /* Each climb leaves subtrees that the order never enters again, so that all
     * climbs together are O(vertices). */
    for (int k = 1; k < view->n_ranks; k++) {
        int v = view->attached[k - 1];
        while (view->vertices[v].end <= view->attached[k]) {
            v = view->vertices[v].parent;
        }
        rows->common[k] = v;
        rows->first[k] = view->vertices[v].first_rank + (v > 0 && pb_view_enters_host(view, v));
    }
    return PB_SUCCESS;
}

/** Adds a row without contents; NULL if out of memory. */
static int *add_row(rows_t *rows)
{
    int **reach = pb_grow(rows->reach, rows->n_rows, &rows->room, sizeof(*reach));
    if (reach == NULL) {
        return NULL;
    }
    rows->reach = reach;
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
    if (height == 0) {
        for (int i = 0; i < n; i++) {
            row[i] = i;
        }
    } else {
        const search_t search = begin_search(rows, height, n - 1);
        row[0] = find_children(&search, 0);
        if (row[0] == n - 1) {
            return PB_SUCCESS; /* no other tree of this height is asked for */
        }
        for (int i = n - 1; i > 0; i--) {
            row[i] = search.below[i] == n - 1 ? n - 1 : find_children(&search, i);
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
    const int n_ranks = rows->view->n_ranks;
    int n_stack = 0;
    range_t *stack = malloc((size_t) n_ranks * sizeof(*stack));
    if (stack == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    stack[n_stack++] = (range_t){0, n_ranks - 1, rows->n_rows - 1};
    while (n_stack > 0) {
        const range_t range = stack[--n_stack];
        const int root = range.first, height = least_height(rows, range);
        if (height == 0) {
            continue;
        }
        find_furthest(rows, height - 1, root, range.last);
        const search_t search = begin_search(rows, height, range.last);
        find_children(&search, root);
        for (int child = root + 1, n = rows->most_children, next; child > 0; child = next, n--) {
            next = best_at(rows, child, n)->next;
            parent[order[child]] = order[root];
            stack[n_stack++] = (range_t){child, next > 0 ? next - 1 : range.last, height - 1};
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
    int rc = find_bounds(rows);
    rows->furthest = malloc(n * sizeof(*rows->furthest));
    rows->gaps = calloc(n, sizeof(*rows->gaps));
    rows->best = calloc(n * (size_t) rows->most_children, sizeof(*rows->best));
    if (rows->furthest == NULL || rows->gaps == NULL || rows->best == NULL) {
        rc = PB_ERR_NO_MEMORY;
    }
    do {
        rc = rc == PB_SUCCESS ? make_row(rows) : rc;
    } while (rc == PB_SUCCESS && rows->reach[rows->n_rows - 1][0] < (int) n - 1);
    return rc == PB_SUCCESS ? cut(rows, parent) : rc;
}

static void rows_clear(rows_t *rows)
{
    free(rows->common);
    free(rows->first);
    free(rows->furthest);
    free(rows->gaps);
    free(rows->best);
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
    assert(options->fanout >= 1);
    return plan_tree(view, PB_KIND_KARY, options->fanout, plan_p);
}
