/*
 * Tables of subtrees, by shape (shapes.h), that constructions keep across roots. They save time and
 * change no plan.
 *
 * A planner for many roots owns one and passes it as pb_plan_options_t.tables. Not thread-safe. New
 * plans make it grow, so its owner checks its memory between them; after an error of a plan it is
 * empty or complete.
 */
#ifndef PB_TABLES_H
#define PB_TABLES_H

#include <stddef.h>

/** All zeros: nothing is kept. */
typedef struct pb_tables {
    struct pb_tt_tables *twotree; /**< NULL: none */
} pb_tables_t;

/** Bytes that are kept. O(1). */
size_t pb_tables_memory(const pb_tables_t *tables);

/** Gives everything back. */
void pb_tables_clear(pb_tables_t *tables);

#endif
