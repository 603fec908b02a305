/*
 * Cache of one rank's roles, by kind of tree and root; the least recently used give way to others.
 */
#ifndef PB_ROLE_CACHE_H
#define PB_ROLE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "topo/trees/role.h"

struct pb_cached_role;

/** Zeros: an empty one. */
typedef struct pb_role_cache {
    size_t memory;                 /**< bytes of all that is kept */
    struct pb_cached_role *newest; /**< most recently used, the first of a list */
} pb_role_cache_t;

/** The role for a kind and root, borrowed until the cache changes; NULL: none is kept. O(roles
 * used since). */
const pb_role_t *pb_role_cache_find(pb_role_cache_t *cache, pb_kind_t kind, int root);

/**
 * Keeps a role that is not kept yet, and owns it from now on. PB_ERR_NO_MEMORY: it is still
 * the caller's. O(1).
 */
int pb_role_cache_add(pb_role_cache_t *cache, pb_kind_t kind, int root, pb_role_t *role);

/** Drops the oldest roles until the memory is at most `bytes`; the newest role stays. Whether it
 * dropped one. O(roles). */
bool pb_role_cache_trim(pb_role_cache_t *cache, size_t bytes);

/** Gives everything back; the cache is empty then. */
void pb_role_cache_clear(pb_role_cache_t *cache);

#endif
