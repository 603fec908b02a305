#include "topo/trees/tables.h"

#include "topo/trees/twotree/internal.h"

size_t pb_tables_memory(const pb_tables_t *tables)
{
    return tables->twotree != NULL ? pb_tt_tables_memory(tables->twotree) : 0;
}

void pb_tables_clear(pb_tables_t *tables)
{
    pb_tt_tables_free(tables->twotree);
    *tables = (pb_tables_t){0};
}
