#include "contrib/adaptive/search/trees.h"

void pb_tree_random(pb_random_t *random, int *nodes, int n, pb_tree_t *tree)
{
    for (int i = 0; i < tree->n_nodes; i++) {
        tree->parent[i] = PB_TREE_OUTSIDE;
        tree->child_index[i] = 0;
    }
    pb_random_shuffle(random, nodes + 1, n - 1);
    tree->root = nodes[0];
    tree->parent[nodes[0]] = -1;
    for (int i = 1; i < n; i++) {
        tree->parent[nodes[i]] = nodes[pb_random_below(random, i)];
    }
}
