/*
 * Shapes: subtrees of views that are alike for a construction.
 *
 * A construction reads a subtree as a list of numbers. These are the vertex's own ranks and
 * the shapes of its child vertices in the view's order. Subtrees with the same list have one
 * number, their shape, by which the construction keeps tables. A subtree depends on the directed
 * link that it hangs from alone. So over all roots each link has at most two shapes, and each
 * switch one as the root's; fewer where switches are alike. A subtree of a group of ranks, or of
 * vertices that were merged, is found in the same way. (Ours; known as hash consing.)
 */
#ifndef PB_SHAPES_H
#define PB_SHAPES_H

#include <stdbool.h>
#include <stddef.h>

/** All zeros: there is none. */
typedef struct pb_shapes {
    int n;            /**< shapes are 0 .. n - 1 */
    int *keys;        /**< the lists, one behind the other */
    size_t *end;      /**< by shape: of its list in `keys` */
    int *buckets;     /**< an open hash table of shapes, -1: free */
    size_t n_buckets; /**< a power of two, or 0 */
    size_t keys_room;
    int room; /**< of `end` */
} pb_shapes_t;

/**
 * The shape of this list; *is_new is set if it was not known before. PB_ERR_NO_MEMORY. O(n) on
 * average.
 */
int pb_shapes_find(pb_shapes_t *shapes, const int *key, int n, bool *is_new);

/** Bytes that are kept. O(1). */
size_t pb_shapes_memory(const pb_shapes_t *shapes);

/** Gives everything back; there is no shape then. */
void pb_shapes_clear(pb_shapes_t *shapes);

#endif
