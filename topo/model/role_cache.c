#include "topo/model/role_cache.h"

#include <stdlib.h>

#include "topo/util/error.h"

typedef struct pb_cached_role {
    struct pb_cached_role *older; /**< NULL: none */
    pb_kind_t kind;
    int root;
    pb_role_t *role;
} cached_t;

static size_t memory_of(const cached_t *cached)
{
    return sizeof(*cached) + cached->role->memory;
}

static void link_newest(pb_role_cache_t *cache, cached_t *cached)
{
    cached->older = cache->newest;
    cache->newest = cached;
}

const pb_role_t *pb_role_cache_find(pb_role_cache_t *cache, pb_kind_t kind, int root)
{
    for (cached_t **at = &cache->newest; *at != NULL; at = &(*at)->older) {
        cached_t *cached = *at;
        if (cached->kind == kind && cached->root == root) {
            *at = cached->older;
            link_newest(cache, cached);
            return cached->role;
        }
    }
    return NULL;
}

int pb_role_cache_add(pb_role_cache_t *cache, pb_kind_t kind, int root, pb_role_t *role)
{
    cached_t *cached = malloc(sizeof(*cached));
    if (cached == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    *cached = (cached_t){.kind = kind, .root = root, .role = role};
    link_newest(cache, cached);
    cache->memory += memory_of(cached);
    return PB_SUCCESS;
}

/** Drops the roles from *at on. */
static void drop(pb_role_cache_t *cache, cached_t **at)
{
    while (*at != NULL) {
        cached_t *cached = *at;
        *at = cached->older;
        cache->memory -= memory_of(cached);
        free(cached->role);
        free(cached);
    }
}

bool pb_role_cache_trim(pb_role_cache_t *cache, size_t bytes)
{
    if (cache->memory <= bytes || cache->newest == NULL) {
        return false;
    }
    cached_t **at = &cache->newest;
    size_t kept = 0;
    do {
        kept += memory_of(*at);
        at = &(*at)->older;
    } while (*at != NULL && kept + memory_of(*at) <= bytes);
    const bool drops = *at != NULL;
    drop(cache, at);
    return drops;
}

void pb_role_cache_clear(pb_role_cache_t *cache)
{
    drop(cache, &cache->newest);
}
