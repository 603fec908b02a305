#include "topo/trees/shapes.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"
#include "topo/util/hash.h"
#include "topo/util/kit.h"

#define FEWEST_BUCKETS 64

static size_t start_of(const pb_shapes_t *shapes, int shape)
{
    return shape > 0 ? shapes->end[shape - 1] : 0;
}

static uint64_t hash_key(const int *key, size_t n)
{
    return pb_hash_end(pb_hash_bytes(PB_HASH_START, key, n * sizeof(*key)));
}

static bool is_key(const pb_shapes_t *shapes, int shape, const int *key, size_t n)
{
    const size_t start = start_of(shapes, shape);
    return shapes->end[shape] - start == n &&
           memcmp(shapes->keys + start, key, n * sizeof(*key)) == 0;
}

/** The bucket of the list, or the free one where it belongs; there is a free one. */
static int *find_bucket(const pb_shapes_t *shapes, const int *key, size_t n)
{
    size_t at = (size_t) hash_key(key, n) & (shapes->n_buckets - 1);
    while (shapes->buckets[at] >= 0 && !is_key(shapes, shapes->buckets[at], key, n)) {
        at = (at + 1) & (shapes->n_buckets - 1);
    }
    return &shapes->buckets[at];
}

static int grow_buckets(pb_shapes_t *shapes)
{
    const size_t n = shapes->n_buckets > 0 ? 2 * shapes->n_buckets : FEWEST_BUCKETS;
    int *buckets = malloc(n * sizeof(*buckets));
    if (buckets == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    memset(buckets, 0xff, n * sizeof(*buckets));
    free(shapes->buckets);
    shapes->buckets = buckets;
    shapes->n_buckets = n;
    for (int shape = 0; shape < shapes->n; shape++) {
        const size_t start = start_of(shapes, shape);
        *find_bucket(shapes, shapes->keys + start, shapes->end[shape] - start) = shape;
    }
    return PB_SUCCESS;
}

/** Room for one more shape with a list of n numbers. */
static int make_room(pb_shapes_t *shapes, size_t n)
{
    const size_t n_keys = start_of(shapes, shapes->n) + n;
    if (n_keys > shapes->keys_room) {
        const size_t room = n_keys > 2 * shapes->keys_room ? n_keys : 2 * shapes->keys_room;
        int *keys = realloc(shapes->keys, room * sizeof(*keys));
        if (keys == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        shapes->keys = keys;
        shapes->keys_room = room;
    }
    size_t *end = pb_grow(shapes->end, shapes->n, &shapes->room, sizeof(*end));
    if (end == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    shapes->end = end;
    return 2 * ((size_t) shapes->n + 1) > shapes->n_buckets ? grow_buckets(shapes) : PB_SUCCESS;
}

int pb_shapes_find(pb_shapes_t *shapes, const int *key, int n, bool *is_new)
{
    const int rc = make_room(shapes, (size_t) n);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    int *bucket = find_bucket(shapes, key, (size_t) n);
    *is_new = *bucket < 0;
    if (*is_new) {
        const size_t start = start_of(shapes, shapes->n);
        memcpy(shapes->keys + start, key, (size_t) n * sizeof(*key));
        shapes->end[shapes->n] = start + (size_t) n;
        *bucket = shapes->n++;
    }
    return *bucket;
}

size_t pb_shapes_memory(const pb_shapes_t *shapes)
{
    return shapes->keys_room * sizeof(*shapes->keys) +
           (size_t) shapes->room * sizeof(*shapes->end) +
           shapes->n_buckets * sizeof(*shapes->buckets);
}

void pb_shapes_clear(pb_shapes_t *shapes)
{
    free(shapes->keys);
    free(shapes->end);
    free(shapes->buckets);
    *shapes = (pb_shapes_t){0};
}
