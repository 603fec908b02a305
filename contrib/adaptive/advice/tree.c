#include "contrib/adaptive/advice/tree.h"

#include <stdlib.h>
#include <string.h>

pb_tree_t *pb_tree_new(int n_nodes, int root)
{
    pb_tree_t *tree = calloc(1, sizeof(*tree));
    if (tree == NULL) {
        return NULL;
    }
    tree->n_nodes = n_nodes;
    tree->root = root;
    tree->parent = malloc((size_t) n_nodes * sizeof(*tree->parent));
    tree->child_index = calloc((size_t) n_nodes, sizeof(*tree->child_index));
    if (tree->parent == NULL || tree->child_index == NULL) {
        pb_tree_free(tree);
        return NULL;
    }
    for (int i = 0; i < n_nodes; i++) {
        tree->parent[i] = i == root ? -1 : PB_TREE_OUTSIDE;
    }
    return tree;
}

void pb_tree_free(pb_tree_t *tree)
{
    if (tree != NULL) {
        free(tree->parent);
        free(tree->child_index);
        free(tree);
    }
}

pb_tree_t *pb_tree_copy(const pb_tree_t *tree)
{
    const size_t n = (size_t) tree->n_nodes;
    pb_tree_t *copy = pb_tree_new(tree->n_nodes, tree->root);
    if (copy != NULL) {
        memcpy(copy->parent, tree->parent, n * sizeof(*copy->parent));
        memcpy(copy->child_index, tree->child_index, n * sizeof(*copy->child_index));
    }
    return copy;
}

static bool are_parents(const int *parent, int n_nodes, int root)
{
    for (int i = 0; i < n_nodes; i++) {
        const int p = parent[i];
        const bool is_node = p >= 0 && p < n_nodes && parent[p] != PB_TREE_OUTSIDE;
        if (i == root ? p != -1 : p != PB_TREE_OUTSIDE && !is_node) {
            return false;
        }
    }
    return true;
}

/* Each walk up ends at a node that is known to lead to the root, and makes its own nodes known. One
 * that meets itself is a cycle. */
static bool all_lead_to_root(const int *parent, int n_nodes, int root, int *walk_of)
{
    for (int i = 0; i < n_nodes; i++) {
        walk_of[i] = -1;
    }
    walk_of[root] = n_nodes;
    for (int i = 0; i < n_nodes; i++) {
        int at = i;
        while (parent[i] != PB_TREE_OUTSIDE && walk_of[at] == -1) {
            walk_of[at] = i;
            at = parent[at];
        }
        if (parent[i] != PB_TREE_OUTSIDE && walk_of[at] == i) {
            return false;
        }
    }
    return true;
}

int pb_tree_check(const int *parent, int n_nodes, int root)
{
    if (root < 0 || root >= n_nodes || !are_parents(parent, n_nodes, root)) {
        return PB_ERR_INPUT;
    }
    int *walk_of = malloc((size_t) n_nodes * sizeof(*walk_of));
    if (walk_of == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    bool good = all_lead_to_root(parent, n_nodes, root, walk_of);
    free(walk_of);
    return good ? PB_SUCCESS : PB_ERR_INPUT;
}

int pb_tree_check_all(const pb_tree_t *tree, int n_nodes, int root)
{
    bool good = tree->n_nodes == n_nodes && tree->root == root;
    for (int i = 0; good && i < n_nodes; i++) {
        good = tree->parent[i] != PB_TREE_OUTSIDE;
    }
    return good ? pb_tree_check(tree->parent, n_nodes, root) : PB_ERR_INPUT;
}

int pb_tree_from_plan(const pb_plan_t *plan, int stream, pb_tree_t **tree_p)
{
    *tree_p = NULL;
    if (stream < 0 || stream >= plan->n_streams) {
        return PB_ERR_INPUT;
    }
    const pb_stream_t *s = &plan->streams[stream];
    pb_tree_t *tree = pb_tree_new(plan->n_ranks, plan->root);
    if (tree == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        for (int i = s->first_child[rank]; i < s->first_child[rank + 1]; i++) {
            tree->parent[s->child[i]] = rank;
            tree->child_index[s->child[i]] = i - s->first_child[rank];
        }
    }
    *tree_p = tree;
    return PB_SUCCESS;
}
