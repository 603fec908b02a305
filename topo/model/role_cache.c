#include "topo/model/role_cache.h"

#include <stdlib.h>

#include "topo/util/error.h"
#include "topo/util/hash.h"

#define FEWEST_BUCKETS 16

typedef struct pb_cached_role {
    struct pb_cached_role *next;          /**< in the chain of its bucket */
    struct pb_cached_role *newer, *older; /**< in the order of use; NULL at the ends */
    pb_kind_t kind;
    int root;
    pb_role_t *role;
} cached_t;

static size_t memory_of(const cached_t *cached)
{
    return sizeof(*cached) + cached->role->memory;
}

static cached_t **bucket_of(const pb_role_cache_t *cache, pb_kind_t kind, int root)
{
    const uint64_t hash = pb_hash_end(
        pb_hash_number(pb_hash_number(PB_HASH_START, (uint64_t) kind), (uint64_t) root));
    return &cache->buckets[(size_t) hash & (cache->n_buckets - 1)];
}

static void unlink_use(pb_role_cache_t *cache, const cached_t *cached)
{
    *(cached->newer != NULL ? &cached->newer->older : &cache->newest) = cached->older;
    *(cached->older != NULL ? &cached->older->newer : &cache->oldest) = cached->newer;
}

static void link_newest(pb_role_cache_t *cache, cached_t *cached)
{
    cached->newer = NULL;
    cached->older = cache->newest;
    *(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = cached;
    cache->newest = cached;
}

const pb_role_t *pb_role_cache_find(pb_role_cache_t *cache, pb_kind_t kind, int root)
{
    if (cache->n_buckets == 0) {
        return NULL;
    }
    for (cached_t *at = *bucket_of(cache, kind, root); at != NULL; at = at->next) {
        if (at->kind == kind && at->root == root) {
            unlink_use(cache, at);
            link_newest(cache, at);
            return at->role;
        }
    }
    return NULL;
}

static void link_bucket(const pb_role_cache_t *cache, cached_t *cached)
{
    cached_t **bucket = bucket_of(cache, cached->kind, cached->root);
    cached->next = *bucket;
    *bucket = cached;
}

/** A table as large as there are roles. Without memory for it, chains are longer. */
static void make_room(pb_role_cache_t *cache)
{
    if (cache->n_roles < cache->n_buckets) {
        return;
    }
    const size_t n_buckets = cache->n_buckets > 0 ? 2 * cache->n_buckets : FEWEST_BUCKETS;
    cached_t **buckets = calloc(n_buckets, sizeof(*buckets));
    if (buckets == NULL) {
        return;
    }
    cache->memory += (n_buckets - cache->n_buckets) * sizeof(*buckets);
    free(cache->buckets);
    cache->buckets = buckets;
    cache->n_buckets = n_buckets;
    for (cached_t *at = cache->newest; at != NULL; at = at->older) {
        link_bucket(cache, at);
    }
}

int pb_role_cache_add(pb_role_cache_t *cache, pb_kind_t kind, int root, pb_role_t *role)
{
    make_room(cache);
    cached_t *cached = malloc(sizeof(*cached));
    if (cached == NULL || cache->n_buckets == 0) {
        free(cached);
        return PB_ERR_NO_MEMORY;
    }
    *cached = (cached_t){.kind = kind, .root = root, .role = role};
    link_bucket(cache, cached);
    link_newest(cache, cached);
    cache->n_roles++;
    cache->memory += memory_of(cached);
    return PB_SUCCESS;
}

static void drop_oldest(pb_role_cache_t *cache)
{
    cached_t *cached = cache->oldest;
    cached_t **at = bucket_of(cache, cached->kind, cached->root);
    while (*at != cached) {
        at = &(*at)->next;
    }
    *at = cached->next;
    unlink_use(cache, cached);
    cache->n_roles--;
    cache->memory -= memory_of(cached);
    free(cached->role);
    free(cached);
}

void pb_role_cache_trim(pb_role_cache_t *cache, size_t bytes)
{
    while (cache->memory > bytes && cache->n_roles > 1) {
        drop_oldest(cache);
    }
}

void pb_role_cache_clear(pb_role_cache_t *cache)
{
    while (cache->n_roles > 0) {
        drop_oldest(cache);
    }
    free(cache->buckets);
    *cache = (pb_role_cache_t){0};
}
