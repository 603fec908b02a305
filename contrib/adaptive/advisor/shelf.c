#include "shelf.h"

#include <stdlib.h>

int advise_shelf_open(struct advise_shelf *shelf, const char *dir, const pb_host_set_t *hosts,
                      int max_age)
{
    pb_diag_t diag;
    pb_advice_t *old = NULL;
    *shelf = (struct advise_shelf){.found = calloc(PB_ADVICE_MAX_TREES, sizeof(int64_t))};
    if (shelf->found == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    /* Advice that cannot be read is replaced, which is all that can be done about it. */
    pb_diag_init(&diag);
    (void) pb_advice_read(dir, hosts, &old, &diag);
    pb_diag_clear(&diag);
    const int error =
        pb_advice_new((const char *const *) hosts->name, hosts->n, max_age, &shelf->advice);
    if (error == PB_SUCCESS && old != NULL && !pb_advice_is_stale(old, pb_advice_now())) {
        for (int i = 0; i < old->n_trees; i++) {
            (void) advise_shelf_put(shelf, &old->trees[i], old->written);
        }
    }
    pb_advice_free(old);
    return error;
}

void advise_shelf_clear(struct advise_shelf *shelf)
{
    pb_advice_free(shelf->advice);
    free(shelf->found);
    shelf->advice = NULL;
    shelf->found = NULL;
}

static bool holds(const struct advise_shelf *shelf, int i, int64_t now)
{
    return now - shelf->found[i] <= (int64_t) shelf->advice->max_age * 1000000000;
}

const pb_advice_tree_t *advise_shelf_find(const struct advise_shelf *shelf, int root,
                                          uint64_t bytes, int64_t now)
{
    const pb_advice_tree_t *tree = pb_advice_find(shelf->advice, root, bytes);
    return tree != NULL && holds(shelf, (int) (tree - shelf->advice->trees), now) ? tree : NULL;
}

/** A new set of trees while it is made. */
struct making {
    pb_advice_t *advice;
    int64_t *found;
};

static int add_part(struct making *making, const pb_advice_tree_t *tree, uint64_t least,
                    uint64_t most, int64_t found)
{
    pb_advice_tree_t part = *tree;
    if (least > most) {
        return PB_SUCCESS;
    }
    part.least = least;
    part.most = most;
    const int error = pb_advice_add(making->advice, &part);
    if (error == PB_SUCCESS) {
        making->found[making->advice->n_trees - 1] = found;
    }
    return error;
}

/** An old tree keeps the sizes on both sides of the new one's. */
static int add_old(struct making *making, const pb_advice_tree_t *old, const pb_advice_tree_t *tree,
                   int64_t found)
{
    const bool apart =
        old->root != tree->root || old->most < tree->least || tree->most < old->least;
    if (apart) {
        return add_part(making, old, old->least, old->most, found);
    }
    int error = PB_SUCCESS;
    if (old->least < tree->least) {
        error = add_part(making, old, old->least, tree->least - 1, found);
    }
    if (error == PB_SUCCESS && old->most > tree->most) {
        error = add_part(making, old, tree->most + 1, old->most, found);
    }
    return error;
}

int advise_shelf_put(struct advise_shelf *shelf, const pb_advice_tree_t *tree, int64_t now)
{
    const pb_host_set_t *hosts = shelf->advice->hosts;
    struct making making = {.found = calloc(PB_ADVICE_MAX_TREES, sizeof(int64_t))};
    int error = making.found != NULL ? pb_advice_new((const char *const *) hosts->name, hosts->n,
                                                     shelf->advice->max_age, &making.advice)
                                     : PB_ERR_NO_MEMORY;
    if (error == PB_SUCCESS) {
        error = add_part(&making, tree, tree->least, tree->most, now);
    }
    for (int i = 0; error == PB_SUCCESS && i < shelf->advice->n_trees; i++) {
        if (holds(shelf, i, now)) {
            error = add_old(&making, &shelf->advice->trees[i], tree, shelf->found[i]);
        }
    }
    if (error != PB_SUCCESS) {
        pb_advice_free(making.advice);
        free(making.found);
        return error;
    }
    advise_shelf_clear(shelf);
    shelf->advice = making.advice;
    shelf->found = making.found;
    return PB_SUCCESS;
}
