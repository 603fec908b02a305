#include "topo/model/kept.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"
#include "topo/util/hash.h"

#define MEGA UINT64_C(1000000)

void pb_kept_clear(pb_kept_t *kept)
{
    for (int i = 0; i < kept->n; i++) {
        free(kept->entries[i]);
    }
    *kept = (pb_kept_t){.n = 0};
}

/* ---- keys ---- */

/* A sum, so that the order of ranks does not count. */
uint64_t pb_kept_hosts(const pb_placement_t *placement, bool by_leaders)
{
    const pb_network_t *network = placement->network;
    uint64_t sum = 0;
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        const int host = pb_network_host_of(network, placement->host[rank]);
        sum += pb_hash_end(pb_hash_string(PB_HASH_START, pb_network_node(network, host)->name));
    }
    const uint64_t state = pb_hash_number(PB_HASH_START, sum);
    return pb_hash_end(by_leaders ? pb_hash_number(state, 1) : state);
}

pb_medium_t pb_kept_medium(const pb_medium_t *medium, uint64_t bits_per_second)
{
    pb_medium_t of_key = {.bits_per_second = bits_per_second / MEGA * MEGA};
    memcpy(of_key.pml, medium->pml, sizeof(of_key.pml));
    memcpy(of_key.btls, medium->btls, sizeof(of_key.btls));
    memcpy(of_key.interfaces, medium->interfaces, sizeof(of_key.interfaces));
    return of_key;
}

static bool is_same_key(const pb_kept_key_t *a, const pb_kept_key_t *b)
{
    return a->network == b->network && a->n_hosts == b->n_hosts && a->n_ranks == b->n_ranks &&
           a->hosts == b->hosts && pb_medium_is_alike(&a->medium, &b->medium) &&
           strcmp(a->medium.interfaces, b->medium.interfaces) == 0 &&
           a->medium.bits_per_second == b->medium.bits_per_second && a->model == b->model &&
           a->kind == b->kind && a->segment == b->segment && a->fanout == b->fanout &&
           a->is_bound == b->is_bound;
}

int pb_kept_find(const pb_kept_t *kept, const pb_kept_key_t *key)
{
    for (int i = 0; i < kept->n; i++) {
        if (is_same_key(&kept->entries[i]->key, key)) {
            return i;
        }
    }
    return -1;
}

bool pb_kept_is_worth(const pb_kept_t *kept, const pb_kept_key_t *key, const pb_learner_t *learner)
{
    return learner->has_news || pb_kept_find(kept, key) >= PB_KEPT_MAX / 2;
}

/* ---- merging ---- */

/** Only what counts stays of a class. */
static void clean_class(pb_learner_class_t *class)
{
    pb_learner_class_t clean = *class;
    clean.n_entries = 0;
    for (int i = 0; i < class->n_entries; i++) {
        if (class->in_force == i) {
            clean.in_force = clean.n_entries;
        }
        if (class->entries[i].is_connected && class->entries[i].n > 0) {
            clean.entries[clean.n_entries++] = class->entries[i];
        }
    }
    *class = clean;
}

/** Whether something is known of it that is worth keeping. */
static bool is_known(const pb_learner_class_t *class)
{
    return class->size_class != 0 && class->size_class <= PB_MODEL_MAX_BYTES &&
           class->in_force >= 0 && class->entries[class->in_force].is_connected;
}

/** Classes of which nothing is known are emptied. */
static void clean(pb_learner_t *learner)
{
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        pb_learner_class_t *class = &learner->classes[i];
        if (is_known(class)) {
            clean_class(class);
        } else {
            *class = (pb_learner_class_t){.in_force = -1};
        }
    }
}

static pb_learner_class_t *find_class(pb_learner_t *learner, uint64_t size_class)
{
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        if (learner->classes[i].size_class == size_class) {
            return &learner->classes[i];
        }
    }
    return NULL;
}

/** Whether the class that is there stays, and not the learner's own. */
static bool stays(const pb_learner_class_t *there, const pb_learner_class_t *own)
{
    return own->n_own == 0 || (there->is_settled && !own->is_settled && !own->has_drifted);
}

static void merge_classes(pb_learner_t *learner, const pb_learner_t *there)
{
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        const pb_learner_class_t *class = &there->classes[i];
        if (class->size_class == 0) {
            continue;
        }
        pb_learner_class_t *own = find_class(learner, class->size_class);
        pb_learner_class_t *free_one = own == NULL ? find_class(learner, 0) : NULL;
        if (free_one != NULL || (own != NULL && stays(class, own))) {
            *(free_one != NULL ? free_one : own) = *class;
        }
    }
}

static void merge(pb_learner_t *learner, const pb_learner_t *there)
{
    merge_classes(learner, there);
    if (learner->speed == 0 || (learner->is_guess && !there->is_guess && there->speed != 0)) {
        learner->speed = there->speed;
        learner->is_guess = there->is_guess;
    }
    for (int row = 0; row <= PB_KIND_COUNT; row++) {
        for (int i = 0; i < PB_LEARNER_OCTAVES; i++) {
            int64_t *ratio = &learner->ratio[row][i];
            *ratio = *ratio != 0 ? *ratio : there->ratio[row][i];
        }
    }
}

/** Takes an entry out, to be freed; the last one if there is no room for a new one. */
static pb_kept_entry_t *take_out(pb_kept_t *kept, const pb_kept_key_t *key)
{
    int at = pb_kept_find(kept, key);
    at = at < 0 && kept->n == PB_KEPT_MAX ? PB_KEPT_MAX - 1 : at;
    if (at < 0) {
        return NULL;
    }
    pb_kept_entry_t *entry = kept->entries[at];
    kept->n--;
    memmove(&kept->entries[at], &kept->entries[at + 1],
            (size_t) (kept->n - at) * sizeof(*kept->entries));
    return entry;
}

int pb_kept_put(pb_kept_t *kept, const pb_kept_key_t *key, const pb_learner_t *learner)
{
    pb_kept_entry_t *entry = malloc(sizeof(*entry));
    if (entry == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    entry->key = *key;
    entry->learner = *learner;
    clean(&entry->learner);
    const int at = pb_kept_find(kept, key);
    if (at >= 0) {
        merge(&entry->learner, &kept->entries[at]->learner);
    }
    free(take_out(kept, key));
    memmove(&kept->entries[1], &kept->entries[0], (size_t) kept->n * sizeof(*kept->entries));
    kept->entries[0] = entry;
    kept->n++;
    return PB_SUCCESS;
}
