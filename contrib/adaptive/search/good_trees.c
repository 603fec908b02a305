#include "contrib/adaptive/search/anneal_internal.h"

#include <stdlib.h>
#include <string.h>

pb_good_trees_t *pb_good_trees_new(int n_nodes, int capacity, int percent)
{
    pb_good_trees_t *good = calloc(1, sizeof(*good));
    if (good == NULL) {
        return NULL;
    }
    *good = (pb_good_trees_t){.n_nodes = n_nodes, .capacity = capacity, .percent = percent};
    good->trees = calloc((size_t) capacity, sizeof(*good->trees));
    good->parents = malloc((size_t) capacity * (size_t) n_nodes * sizeof(int));
    if (good->trees == NULL || good->parents == NULL) {
        pb_good_trees_free(good);
        return NULL;
    }
    for (int i = 0; i < capacity; i++) {
        good->trees[i].parent = good->parents + (size_t) i * (size_t) n_nodes;
    }
    return good;
}

void pb_good_trees_free(pb_good_trees_t *good)
{
    if (good != NULL) {
        free(good->trees);
        free(good->parents);
        free(good);
    }
}

static int64_t limit(const pb_good_trees_t *good)
{
    const int64_t best = good->trees[0].cost;
    return best + best / 100 * good->percent + best % 100 * good->percent / 100;
}

static bool is_wanted(const pb_good_trees_t *good, int64_t cost)
{
    return good->n == 0 || (cost <= limit(good) &&
                            (good->n < good->capacity || cost < good->trees[good->n - 1].cost));
}

static bool has(const pb_good_trees_t *good, int64_t cost, uint64_t hash)
{
    for (int i = 0; i < good->n; i++) {
        if (good->trees[i].cost == cost && good->trees[i].hash == hash) {
            return true;
        }
    }
    return false;
}

void pb_good_trees_offer(pb_good_trees_t *good, const pb_tree_state_t *state, int64_t cost)
{
    if (!is_wanted(good, cost) || has(good, cost, state->hash)) {
        return;
    }
    /* A new entry at the end, or the worst one's. */
    int at = good->n < good->capacity ? good->n++ : good->n - 1;
    const pb_good_tree_t entry = {
        .cost = cost, .hash = state->hash, .root = state->root, .parent = good->trees[at].parent};
    memcpy(entry.parent, state->parent, (size_t) good->n_nodes * sizeof(int));
    for (; at > 0 && good->trees[at - 1].cost > cost; at--) {
        good->trees[at] = good->trees[at - 1];
    }
    good->trees[at] = entry;
    while (good->trees[good->n - 1].cost > limit(good)) {
        good->n--;
    }
}
