/*
 * Writes advice, as pipebcast-advisor would, for the scripts: one tree for all sizes from
 * one root. SHAPE is "chain" (the hosts in the order of their names, from the root on), "star",
 * "both" (two streams), or "none" (no tree).
 * Usage: write_advice DIR SHAPE ROOT SEGMENT MAX_AGE HOST...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/advice/advice.h"

static pb_tree_t *make_tree(const pb_host_set_t *hosts, int root, int is_chain)
{
    pb_tree_t *tree = pb_tree_new(hosts->n, root);
    for (int i = 0; tree != NULL && i < hosts->n; i++) {
        tree->parent[i] = i == root ? -1 : is_chain ? (i + hosts->n - 1) % hosts->n : root;
        tree->child_index[i] = is_chain ? 0 : i;
    }
    return tree;
}

static int add_tree(pb_advice_t *advice, const char *shape, const char *root, const char *segment)
{
    pb_advice_tree_t tree = {.root = pb_host_set_find(advice->hosts, root),
                             .least = 0,
                             .most = INT64_MAX,
                             .segment = (uint32_t) strtoul(segment, NULL, 10),
                             .n_streams = strcmp(shape, "both") == 0 ? 2 : 1};
    if (tree.root < 0) {
        return PB_ERR_INPUT;
    }
    for (int s = 0; s < tree.n_streams; s++) {
        tree.streams[s] = make_tree(advice->hosts, tree.root, strcmp(shape, "star") != 0 && s == 0);
    }
    const int error = pb_advice_add(advice, &tree);
    for (int s = 0; s < tree.n_streams; s++) {
        pb_tree_free(tree.streams[s]);
    }
    return error;
}

int main(int argc, char **argv)
{
    pb_diag_t diag;
    pb_advice_t *advice = NULL;
    if (argc < 7) {
        fprintf(stderr, "usage: write_advice DIR SHAPE ROOT SEGMENT MAX_AGE HOST...\n");
        return 2;
    }
    pb_diag_init(&diag);
    int error = pb_advice_new((const char *const *) argv + 6, argc - 6, atoi(argv[5]), &advice);
    if (error == PB_SUCCESS && strcmp(argv[2], "none") != 0) {
        error = add_tree(advice, argv[2], argv[3], argv[4]);
    }
    if (error == PB_SUCCESS) {
        error = pb_advice_publish(argv[1], advice, &diag);
    }
    if (error != PB_SUCCESS) {
        fprintf(stderr, "write_advice: %s\n",
                diag.n_errors > 0 ? pb_diag_first(&diag) : pb_error_text(error));
    }
    pb_advice_free(advice);
    pb_diag_clear(&diag);
    return error == PB_SUCCESS ? 0 : 1;
}
