#include "topo/trees/slot/kept.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

#define FEWEST_SHAPES 32

pb_slot_tables_t *pb_slot_tables_new(void)
{
    return calloc(1, sizeof(pb_slot_tables_t));
}

static void free_table(pb_slot_table_t *table)
{
    for (int i = 0; table != NULL && i < PB_SLOT_WAYS_IN * PB_SLOT_WAYS_OUT; i++) {
        free((*table)[i / PB_SLOT_WAYS_OUT][i % PB_SLOT_WAYS_OUT].entries);
    }
    free(table);
}

void pb_slot_tables_free(pb_slot_tables_t *tables)
{
    if (tables == NULL) {
        return;
    }
    for (int shape = 0; shape < tables->room; shape++) {
        free_table(tables->kept[shape].table);
    }
    free(tables->kept);
    pb_shapes_clear(&tables->shapes);
    free(tables);
}

size_t pb_slot_tables_memory(const pb_slot_tables_t *tables)
{
    return sizeof(*tables) + pb_shapes_memory(&tables->shapes) + tables->memory +
           (size_t) tables->room * sizeof(*tables->kept);
}

/** Room for what is kept of all shapes. */
static int make_room(pb_slot_tables_t *tables)
{
    if (tables->shapes.n <= tables->room) {
        return PB_SUCCESS;
    }
    const int room = tables->room > 0 ? tables->room + tables->room / 2 : FEWEST_SHAPES;
    pb_slot_kept_t *kept = realloc(tables->kept, (size_t) room * sizeof(*kept));
    if (kept == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    memset(kept + tables->room, 0, (size_t) (room - tables->room) * sizeof(*kept));
    tables->kept = kept;
    tables->room = room;
    return PB_SUCCESS;
}

int pb_slot_find_shape(pb_slot_tables_t *tables, const int *key, int n, bool is_root, bool *is_new)
{
    const int shape = pb_shapes_find(&tables->shapes, key, n, is_new);
    const int rc = shape >= 0 ? make_room(tables) : shape;
    if (rc != PB_SUCCESS) {
        return rc;
    }
    if (*is_new && !is_root) {
        pb_slot_table_t *table = calloc(1, sizeof(*table));
        if (table == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        tables->kept[shape].table = table;
        tables->memory += sizeof(*table);
    }
    return shape;
}

int pb_slot_keep(pb_slot_tables_t *tables, pb_slot_ways_t *ways, const pb_slot_entry_t *entries,
                 int n)
{
    ways->entries = malloc(((size_t) n + 1) * sizeof(*entries));
    if (ways->entries == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    memcpy(ways->entries, entries, (size_t) n * sizeof(*entries));
    ways->n = n;
    tables->memory += ((size_t) n + 1) * sizeof(*entries);
    return PB_SUCCESS;
}
