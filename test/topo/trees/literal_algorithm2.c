#include "test/topo/trees/literal_algorithm2.h"
#include "test/must.h"
#include "test/topo/trees/tree_case.h"

#include <assert.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* tree[i][j]: above[k] is the parent of position k, i < k <= j. */
typedef struct sub_tree {
    int best;
    int *above;
} sub_tree_t;

typedef struct literal {
    const pb_view_t *view;
    int n;
    sub_tree_t *trees; /* i * n + j */
    int *path;
    char *on_path; /* by directed link */
    int n_links;
} literal_t;

static sub_tree_t *tree_at(const literal_t *l, int i, int j)
{
    return &l->trees[(size_t) i * (size_t) l->n + (size_t) j];
}

/* The links of m_i -> m_k into l->path. */
static int path_of(const literal_t *l, int i, int k)
{
    const pb_placement_t *placement = l->view->placement;
    return pb_network_path(placement->network, placement->host[l->view->order[i]],
                           placement->host[l->view->order[k]], l->path);
}

/* Line 17: whether m_i -> m_k shares a directed link with tree[i+1][k-1]. */
static bool contends(const literal_t *l, int i, int k)
{
    const sub_tree_t *tree = tree_at(l, i + 1, k - 1);
    memset(l->on_path, 0, (size_t) l->n_links);
    int n = path_of(l, i, k);
    for (int a = 0; a < n; a++) {
        l->on_path[l->path[a]] = 1;
    }
    for (int b = i + 2; b <= k - 1; b++) {
        n = path_of(l, tree->above[b], b);
        for (int a = 0; a < n; a++) {
            if (l->on_path[l->path[a]]) {
                return true;
            }
        }
    }
    return false;
}

/* Ours: whether m_i would send into a host twice, to m_{i+1} and to m_k. */
static bool enters_twice(const literal_t *l, int i, int k)
{
    const int *order = l->view->order;
    return tree_case_together(l->view->placement, order[i + 1], order[k], order[i]);
}

static int max(int a, int b)
{
    return a > b ? a : b;
}

/* The tree gets a part that has been made before, but for that part's root. */
static void inherit(const literal_t *l, sub_tree_t *tree, int i, int j)
{
    const sub_tree_t *part = tree_at(l, i, j);
    assert(i >= j || part->above != NULL);
    for (int k = i + 1; k <= j; k++) {
        tree->above[k] = part->above[k];
    }
}

/* Line 24. With index > j there is no right child (line 7). */
static void unite(const literal_t *l, int i, int j, int index, int best)
{
    sub_tree_t *tree = tree_at(l, i, j);
    tree->best = best;
    tree->above = must_have(malloc((size_t) l->n * sizeof(int)));
    if (i + 2 < index) {
        inherit(l, tree, i + 1, index - 1);
    }
    if (index < j) {
        inherit(l, tree, index, j);
    }
    if (j > i) {
        tree->above[i + 1] = i;
    }
    if (index <= j) {
        tree->above[index] = i;
    }
}

static void compute(const literal_t *l)
{
    for (int i = 0; i < l->n; i++) {
        unite(l, i, i, i + 1, 0);
    }
    for (int i = 0; i < l->n - 1; i++) {
        unite(l, i, i + 1, i + 2, 1);
    }
    for (int i = 0; i < l->n - 2; i++) {
        bool one_child = enters_twice(l, i, i + 2);
        unite(l, i, i + 2, one_child ? i + 3 : i + 2, one_child ? 2 : 1);
    }
    for (int j = 3; j < l->n; j++) {
        for (int i = 0; i < l->n - j; i++) {
            int best = INT_MAX, index = -1;
            for (int k = i + 2; k <= i + j; k++) {
                int height = max(tree_at(l, i + 1, k - 1)->best, tree_at(l, k, i + j)->best) + 1;
                if (!contends(l, i, k) && !enters_twice(l, i, k) && best > height) {
                    best = height;
                    index = k;
                }
            }
            if (index < 0) {
                index = i + j + 1;
                best = tree_at(l, i + 1, i + j)->best + 1;
            }
            unite(l, i, i + j, index, best);
        }
    }
}

int literal_algorithm2(const pb_view_t *view, int *parent)
{
    const pb_network_t *network = view->placement->network;
    literal_t l = {.view = view, .n = view->n_ranks, .n_links = 2 * pb_network_size(network)};
    l.trees = must_zeroed((size_t) l.n * (size_t) l.n, sizeof(*l.trees));
    l.path = must_zeroed((size_t) pb_network_max_path(network) + 1, sizeof(int));
    l.on_path = must_zeroed((size_t) l.n_links, 1);
    compute(&l);
    const sub_tree_t *tree = tree_at(&l, 0, l.n - 1);
    assert(tree->above != NULL);
    for (int rank = 0; rank < view->placement->n_ranks; rank++) {
        int position = view->position[rank];
        parent[rank] = position > 0 ? view->order[tree->above[position]] : -1;
    }
    int best = tree->best;
    for (int a = 0; a < l.n * l.n; a++) {
        free(l.trees[a].above);
    }
    free(l.trees);
    free(l.path);
    free(l.on_path);
    return best;
}
