/*
 * Advice in memory; its file is advice_file.c's.
 */
#include "contrib/adaptive/advice/advice.h"

#include <stdlib.h>
#include <time.h>

#include "topo/util/kit.h"

int pb_advice_new(const char *const *hosts, int n_hosts, int max_age, pb_advice_t **advice_p)
{
    *advice_p = NULL;
    if (max_age < 1 || max_age > PB_ADVICE_MAX_AGE) {
        return PB_ERR_INPUT;
    }
    pb_advice_t *advice = calloc(1, sizeof(*advice));
    if (advice == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    advice->max_age = max_age;
    const int error = pb_host_set_new(hosts, n_hosts, &advice->hosts);
    if (error != PB_SUCCESS) {
        pb_advice_free(advice);
        return error;
    }
    *advice_p = advice;
    return PB_SUCCESS;
}

void pb_advice_tree_clear(pb_advice_tree_t *tree)
{
    for (int i = 0; i < PB_ADVICE_MAX_STREAMS; i++) {
        pb_tree_free(tree->streams[i]);
    }
    *tree = (pb_advice_tree_t){.root = -1};
}

void pb_advice_free(pb_advice_t *advice)
{
    if (advice == NULL) {
        return;
    }
    for (int i = 0; i < advice->n_trees; i++) {
        pb_advice_tree_clear(&advice->trees[i]);
    }
    free(advice->trees);
    pb_host_set_free(advice->hosts);
    free(advice);
}

static int check_tree(const pb_advice_t *advice, const pb_advice_tree_t *tree)
{
    int error = PB_SUCCESS;
    if (tree->root < 0 || tree->root >= advice->hosts->n || tree->least > tree->most ||
        tree->segment < 1 || tree->segment > PB_ADVICE_MAX_SEGMENT || tree->n_streams < 1 ||
        tree->n_streams > PB_ADVICE_MAX_STREAMS || advice->n_trees >= PB_ADVICE_MAX_TREES) {
        return PB_ERR_INPUT;
    }
    for (int i = 0; i < advice->n_trees; i++) {
        const pb_advice_tree_t *other = &advice->trees[i];
        if (other->root == tree->root && other->least <= tree->most && tree->least <= other->most) {
            return PB_ERR_INPUT;
        }
    }
    for (int i = 0; i < tree->n_streams && error == PB_SUCCESS; i++) {
        error = pb_tree_check_all(tree->streams[i], advice->hosts->n, tree->root);
    }
    return error;
}

int pb_advice_add(pb_advice_t *advice, const pb_advice_tree_t *tree)
{
    const int error = check_tree(advice, tree);
    if (error != PB_SUCCESS) {
        return error;
    }
    pb_advice_tree_t copy = {.root = tree->root,
                             .least = tree->least,
                             .most = tree->most,
                             .segment = tree->segment,
                             .found = tree->found};
    for (int i = 0; i < tree->n_streams; i++) {
        copy.streams[i] = pb_tree_copy(tree->streams[i]);
        copy.n_streams += copy.streams[i] != NULL;
    }
    pb_advice_tree_t *trees =
        pb_grow(advice->trees, advice->n_trees, &advice->capacity, sizeof(*trees));
    if (trees != NULL) {
        advice->trees = trees;
    }
    if (trees == NULL || copy.n_streams < tree->n_streams) {
        pb_advice_tree_clear(&copy);
        return PB_ERR_NO_MEMORY;
    }
    trees[advice->n_trees++] = copy;
    return PB_SUCCESS;
}

const pb_advice_tree_t *pb_advice_find(const pb_advice_t *advice, int root, uint64_t bytes)
{
    for (int i = 0; i < advice->n_trees; i++) {
        const pb_advice_tree_t *tree = &advice->trees[i];
        if (tree->root == root && tree->least <= bytes && bytes <= tree->most) {
            return tree;
        }
    }
    return NULL;
}

bool pb_advice_is_stale(const pb_advice_t *advice, int64_t now)
{
    const int64_t max_age = (int64_t) advice->max_age * 1000000000;
    const int64_t age = now > advice->written ? now - advice->written : advice->written - now;
    return age > max_age;
}

int64_t pb_advice_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}
