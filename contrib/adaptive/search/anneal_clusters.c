/*
 * clusteredSA: driverSA on pools, then the same on the pools' roots.
 *
 * The paper leaves two things open. Pools' roots may be no fewer than the nodes they come from, if
 * no two nodes are alike. Then, and after PB_ANNEAL_MAX_LEVELS divisions, the nodes are one pool.
 * And pool sets that are the same for two percentages are tried once.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/search/anneal_internal.h"

typedef struct clusters {
    pb_anneal_run_t *run;
    bool counting;    /* no driverSA yet, only how often it will be run */
    int64_t duration; /* of each driverSA; PB_ANNEAL_NEVER: as long as it needs */
    int64_t deadline; /* of all */
    int n_pools;      /* pools counted */
} clusters_t;

/* One set of nodes that is divided. */
typedef struct level {
    clusters_t *all;
    int depth;  /* 0: all nodes */
    int *nodes; /* the caller's */
    int n;
    int *pools;                             /* n_sets times n: the pool of each node */
    int n_pools[PB_ANNEAL_N_POOL_PERCENTS]; /* by set */
    int n_sets;
    int *members; /* of one pool */
    int *roots;   /* by pool of a set */
    int *trial;   /* by node: parents of the set's tree */
    int *upper;   /* by node: parents among the roots */
    int64_t best; /* the least cost of a set's tree */
} level_t;

static int solve(clusters_t *all, int *nodes, int n, int depth, int *parent);

static int64_t deadline_of_pool(const clusters_t *all)
{
    if (all->duration == PB_ANNEAL_NEVER) {
        return PB_ANNEAL_NEVER;
    }
    const int64_t now = pb_anneal_elapsed(all->run);
    return all->duration < all->deadline - now ? now + all->duration : all->deadline;
}

/* driverSA on one pool, or only its count and a tree as a place-holder. */
static int drive(clusters_t *all, int *nodes, int n, int *parent)
{
    pb_anneal_run_t *run = all->run;
    int root = -1;
    for (int i = 0; i < n; i++) {
        root = nodes[i] == run->root ? run->root : root;
    }
    if (!all->counting) {
        return pb_anneal_drive(run, nodes, n, root, deadline_of_pool(all), parent);
    }
    all->n_pools += n > 2;
    root = root >= 0 ? root : nodes[0];
    for (int i = 0; i < n; i++) {
        parent[nodes[i]] = nodes[i] == root ? -1 : root;
    }
    return root;
}

/* ---- pool sets ---- */

static bool is_new_set(const level_t *l, const int *pools)
{
    for (int i = 0; i < l->n_sets; i++) {
        if (memcmp(l->pools + (size_t) i * (size_t) l->n, pools, (size_t) l->n * sizeof(int)) ==
            0) {
            return false;
        }
    }
    return true;
}

static int largest_pool(const level_t *l, const int *pools)
{
    int largest = 0;
    memset(l->members, 0, (size_t) l->n * sizeof(int));
    for (int i = 0; i < l->n; i++) {
        const int size = ++l->members[pools[i]];
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Drops sets with pools that are too large, unless all have such. */
static void drop_large_sets(level_t *l)
{
    const size_t n = (size_t) l->n;
    int n_kept = 0;
    for (int i = 0; i < l->n_sets; i++) {
        if (largest_pool(l, l->pools + (size_t) i * n) <= PB_ANNEAL_MAX_POOL) {
            memmove(l->pools + (size_t) n_kept * n, l->pools + (size_t) i * n, n * sizeof(int));
            l->n_pools[n_kept++] = l->n_pools[i];
        }
    }
    l->n_sets = n_kept > 0 ? n_kept : l->n_sets;
}

static void form_sets(level_t *l)
{
    static const int percents[] = PB_ANNEAL_POOL_PERCENTS;
    for (int i = 0; i < PB_ANNEAL_N_POOL_PERCENTS; i++) {
        int *pools = l->pools + (size_t) l->n_sets * (size_t) l->n;
        const int n_pools =
            pb_pools_form(l->all->run->costs->matrix, l->nodes, l->n, percents[i], pools);
        if (n_pools < l->n && is_new_set(l, pools)) {
            l->n_pools[l->n_sets++] = n_pools;
        }
    }
    drop_large_sets(l);
}

/* ---- trees of a set ---- */

static int members_of(level_t *l, const int *pools, int pool)
{
    int n = 0;
    for (int i = 0; i < l->n; i++) {
        if (pools[i] == pool) {
            l->members[n++] = l->nodes[i];
        }
    }
    return n;
}

/* Makes the tree of a pool set in `trial`. */
static int solve_set(level_t *l, int set)
{
    const int n_all = l->all->run->costs->matrix->n_nodes;
    const int *pools = l->pools + (size_t) set * (size_t) l->n;
    for (int i = 0; i < n_all; i++) {
        l->trial[i] = PB_TREE_OUTSIDE;
    }
    for (int pool = 0; pool < l->n_pools[set]; pool++) {
        const int n = members_of(l, pools, pool);
        l->roots[pool] = drive(l->all, l->members, n, l->trial);
    }
    if (l->n_pools[set] == 1) {
        return PB_SUCCESS;
    }
    int error = solve(l->all, l->roots, l->n_pools[set], l->depth + 1, l->upper);
    for (int pool = 0; pool < l->n_pools[set] && error == PB_SUCCESS; pool++) {
        l->trial[l->roots[pool]] = l->upper[l->roots[pool]];
    }
    return error;
}

/* The cost of a tree over a level's nodes; one over all nodes is offered. */
static int64_t judge(clusters_t *all, const int *parent, int depth)
{
    pb_anneal_run_t *run = all->run;
    pb_tree_state_load(run->state, parent, run->root);
    const int64_t cost = pb_tree_state_cost(run->state);
    if (depth == 0) {
        pb_good_trees_offer(run->whole, run->state, cost);
    }
    return cost;
}

static int solve_sets(level_t *l, int *parent)
{
    for (int set = 0; set < l->n_sets; set++) {
        int error = solve_set(l, set);
        if (error != PB_SUCCESS) {
            return error;
        }
        const int64_t cost = l->all->counting ? 0 : judge(l->all, l->trial, l->depth);
        if (cost < l->best || set == 0) {
            l->best = cost;
            for (int i = 0; i < l->n; i++) {
                parent[l->nodes[i]] = l->trial[l->nodes[i]];
            }
        }
    }
    return PB_SUCCESS;
}

/* Without division; parents of other nodes than these stay as they are. */
static void solve_undivided(level_t *l, int *parent)
{
    const int n_all = l->all->run->costs->matrix->n_nodes;
    for (int i = 0; i < n_all; i++) {
        l->trial[i] = PB_TREE_OUTSIDE;
    }
    drive(l->all, l->nodes, l->n, l->trial);
    if (l->depth == 0 && !l->all->counting) {
        judge(l->all, l->trial, 0);
    }
    for (int i = 0; i < l->n; i++) {
        parent[l->nodes[i]] = l->trial[l->nodes[i]];
    }
}

static bool alloc_level(level_t *l)
{
    const size_t n = (size_t) l->n, n_all = (size_t) l->all->run->costs->matrix->n_nodes;
    l->pools = malloc(((PB_ANNEAL_N_POOL_PERCENTS + 2) * n + 2 * n_all) * sizeof(int));
    if (l->pools == NULL) {
        return false;
    }
    l->members = l->pools + PB_ANNEAL_N_POOL_PERCENTS * n;
    l->roots = l->members + n;
    l->trial = l->roots + n;
    l->upper = l->trial + n_all;
    return true;
}

/* Finds the best tree over `n` nodes, one of them the broadcast's root, as parent[] by node.
 * Reorders the nodes. */
static int solve(clusters_t *all, int *nodes, int n, int depth, int *parent)
{
    level_t level = {.all = all, .depth = depth, .nodes = nodes, .n = n};
    int error = alloc_level(&level) ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    if (error == PB_SUCCESS && n > PB_ANNEAL_MAX_POOL && depth < PB_ANNEAL_MAX_LEVELS) {
        form_sets(&level);
    }
    if (error == PB_SUCCESS && level.n_sets > 0) {
        error = solve_sets(&level, parent);
    } else if (error == PB_SUCCESS) {
        solve_undivided(&level, parent);
    }
    free(level.pools);
    return error;
}

static int solve_all(clusters_t *all, int *nodes, int *parent)
{
    const int n = all->run->costs->matrix->n_nodes;
    for (int i = 0; i < n; i++) {
        nodes[i] = i;
    }
    return solve(all, nodes, n, 0, parent);
}

int pb_anneal_clusters(pb_anneal_run_t *run, int64_t deadline)
{
    clusters_t all = {
        .run = run, .counting = true, .duration = PB_ANNEAL_NEVER, .deadline = deadline};
    const size_t n = (size_t) run->costs->matrix->n_nodes;
    int *nodes = calloc(n, sizeof(int));
    int *parent = malloc(n * sizeof(int));
    int error = nodes != NULL && parent != NULL ? solve_all(&all, nodes, parent) : PB_ERR_NO_MEMORY;
    if (error == PB_SUCCESS) {
        all.counting = false;
        if (deadline != PB_ANNEAL_NEVER) {
            const int64_t left = deadline - pb_anneal_elapsed(run);
            all.duration = left > 0 ? left / (all.n_pools > 0 ? all.n_pools : 1) : 0;
        }
        run->n_pools = all.n_pools;
        error = solve_all(&all, nodes, parent);
    }
    free(nodes);
    free(parent);
    return error;
}
