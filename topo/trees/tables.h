/*
 * What constructions keep across roots: tables of subtrees, by shape (shapes.h). A plan that is
 * made with what is kept is the same as one that is made without it.
 *
 * Whoever plans for many roots owns one and hands it in as pb_plan_options_t.tables. Not
 * thread-safe. It grows with what plans need that have not been made before, so that its owner
 * looks at its memory between them; after an error of a plan it is empty or complete.
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
