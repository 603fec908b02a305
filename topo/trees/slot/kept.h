/*
 * What the slot method keeps across roots, by shape (topo/trees/shapes.h).
 *
 * A shape's list is the ranks attached to the vertex, the ways in and out that its link allows
 * and the shapes of its children. The root's list has -1 instead of the ways in, and instead of
 * those out the height below which a tree is looked for.
 */
#ifndef PB_SLOT_KEPT_H
#define PB_SLOT_KEPT_H

#include <stddef.h>

#include "topo/trees/shapes.h"
#include "topo/trees/slot/fill.h"

typedef struct pb_slot_kept {
    pb_slot_table_t *table;  /**< owned, with its entries; NULL: of the root's */
    pb_slot_demand_t demand; /**< of the root's: that was met with the least height */
    int height;              /**< of the root's: that height */
} pb_slot_kept_t;

typedef struct pb_slot_tables {
    pb_shapes_t shapes;
    pb_slot_kept_t *kept; /**< by shape */
    int room;             /**< of `kept`; zeros behind the last shape */
    size_t memory;        /**< bytes of the tables and their entries */
} pb_slot_tables_t;

/** Tables without a shape. NULL if out of memory. */
pb_slot_tables_t *pb_slot_tables_new(void);

/** NULL: there are none. */
void pb_slot_tables_free(pb_slot_tables_t *tables);

/** Bytes that are kept. O(1). */
size_t pb_slot_tables_memory(const pb_slot_tables_t *tables);

/**
 * The shape of a list; *is_new is set if it is to be filled, and has an empty table then unless
 * `is_root`. PB_ERR_NO_MEMORY. O(n).
 */
int pb_slot_find_shape(pb_slot_tables_t *tables, const int *key, int n, bool is_root, bool *is_new);

/** Keeps a copy of the n entries for one way in and out of a table. PB_ERR_NO_MEMORY. */
int pb_slot_keep(pb_slot_tables_t *tables, pb_slot_ways_t *ways, const pb_slot_entry_t *entries,
                 int n);

#endif
