#include "shelf.h"

int advise_shelf_open(const char *dir, const pb_host_set_t *hosts, int max_age,
                      pb_advice_t **shelf_p)
{
    pb_diag_t diag;
    /* Advice that cannot be read is replaced, which is all that can be done about it. */
    pb_diag_init(&diag);
    (void) pb_advice_read(dir, hosts, shelf_p, &diag);
    pb_diag_clear(&diag);
    if (*shelf_p == NULL || pb_advice_is_stale(*shelf_p, pb_advice_now())) {
        pb_advice_free(*shelf_p);
        return pb_advice_new((const char *const *) hosts->name, hosts->n, max_age, shelf_p);
    }
    (*shelf_p)->max_age = max_age;
    for (int i = 0; i < (*shelf_p)->n_trees; i++) {
        (*shelf_p)->trees[i].found = (*shelf_p)->written;
    }
    return PB_SUCCESS;
}

static bool holds(const pb_advice_t *shelf, const pb_advice_tree_t *tree, int64_t now)
{
    return now - tree->found <= (int64_t) shelf->max_age * 1000000000;
}

const pb_advice_tree_t *advise_shelf_find(const pb_advice_t *shelf, int root, uint64_t bytes,
                                          int64_t now)
{
    const pb_advice_tree_t *tree = pb_advice_find(shelf, root, bytes);
    return tree != NULL && holds(shelf, tree, now) ? tree : NULL;
}

/** Adds a tree for some of its sizes, if there are any. */
static int add_part(pb_advice_t *shelf, const pb_advice_tree_t *tree, uint64_t least, uint64_t most)
{
    pb_advice_tree_t part = *tree;
    part.least = least;
    part.most = most;
    return pb_advice_add(shelf, &part);
}

/** An old tree keeps the sizes on both sides of the new one's. */
static int add_old(pb_advice_t *shelf, const pb_advice_tree_t *old, const pb_advice_tree_t *tree)
{
    if (old->root != tree->root || old->most < tree->least || tree->most < old->least) {
        return pb_advice_add(shelf, old);
    }
    int error = PB_SUCCESS;
    if (old->least < tree->least) {
        error = add_part(shelf, old, old->least, tree->least - 1);
    }
    if (error == PB_SUCCESS && old->most > tree->most) {
        error = add_part(shelf, old, tree->most + 1, old->most);
    }
    return error;
}

int advise_shelf_put(pb_advice_t **shelf_p, const pb_advice_tree_t *tree)
{
    const pb_advice_t *old = *shelf_p;
    pb_advice_t *shelf;
    int error =
        pb_advice_new((const char *const *) old->hosts->name, old->hosts->n, old->max_age, &shelf);
    if (error == PB_SUCCESS) {
        error = pb_advice_add(shelf, tree);
    }
    for (int i = 0; error == PB_SUCCESS && i < old->n_trees; i++) {
        if (holds(old, &old->trees[i], tree->found)) {
            error = add_old(shelf, &old->trees[i], tree);
        }
    }
    if (error != PB_SUCCESS) {
        pb_advice_free(shelf);
        return error;
    }
    pb_advice_free(*shelf_p);
    *shelf_p = shelf;
    return PB_SUCCESS;
}
