#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

int import_table_init(import_table_t *table, const char *owner, const char *file)
{
    *table = (import_table_t){.owner = strdup(owner), .file = strdup(file)};
    return table->owner != NULL && table->file != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static void clear_neighbour(const import_neighbour_t *neighbour)
{
    free(neighbour->interface);
    free(neighbour->chassis);
    free(neighbour->name);
    free(neighbour->port);
}

void import_table_clear(import_table_t *table)
{
    for (int i = 0; i < table->n; i++) {
        clear_neighbour(&table->neighbours[i]);
    }
    free(table->neighbours);
    free(table->owner);
    free(table->file);
    *table = (import_table_t){.n = 0};
}

int import_table_add(import_table_t *table, const import_neighbour_t *neighbour)
{
    if (table->n == table->capacity) {
        const int capacity = table->capacity > 0 ? 2 * table->capacity : 8;
        import_neighbour_t *more =
            realloc(table->neighbours, (size_t) capacity * sizeof(*table->neighbours));
        if (more == NULL) {
            clear_neighbour(neighbour);
            return PB_ERR_NO_MEMORY;
        }
        table->neighbours = more;
        table->capacity = capacity;
    }
    table->neighbours[table->n++] = *neighbour;
    return PB_SUCCESS;
}
