/*
 * The tables that are kept across roots, by shape of the subtree.
 */
#include <stdlib.h>
#include <string.h>

#include "topo/trees/twotree/internal.h"

#define FEWEST_SHAPES 32

/** Frees tables, or NULL. */
static void free_tables(pb_tt_tables_t *tables)
{
    if (tables == NULL) {
        return;
    }
    for (int i = 0; i < PB_TT_ROLES * tables->room; i++) {
        free(tables->configs[i].tables[0].replies);
        free(tables->configs[i].tables[1].replies);
        free(tables->configs[i].options);
    }
    for (int exports = 0; exports <= 2; exports++) {
        free(tables->pairs[exports]);
    }
    free(tables->configs);
    pb_shapes_clear(&tables->shapes);
    free(tables);
}

pb_tt_tables_t *pb_tt_tables_new(void)
{
    pb_tt_tables_t *tables = calloc(1, sizeof(*tables));
    if (tables != NULL && pb_tt_prepare(tables) != PB_SUCCESS) {
        free_tables(tables);
        tables = NULL;
    }
    return tables;
}

size_t pb_tables_memory(const pb_tables_t *tables)
{
    const pb_tt_tables_t *kept = tables->twotree;
    return kept != NULL ? sizeof(*kept) + pb_shapes_memory(&kept->shapes) + kept->memory +
                              PB_TT_ROLES * (size_t) kept->room * sizeof(*kept->configs)
                        : 0;
}

void pb_tables_clear(pb_tables_t *tables)
{
    free_tables(tables->twotree);
    *tables = (pb_tables_t){0};
}

/** Room for the configs of all shapes. */
static int make_room(pb_tt_tables_t *tables)
{
    if (tables->shapes.n <= tables->room) {
        return PB_SUCCESS;
    }
    const int room = tables->room > 0 ? tables->room + tables->room / 2 : FEWEST_SHAPES;
    const size_t old = PB_TT_ROLES * (size_t) tables->room, more = PB_TT_ROLES * (size_t) room;
    pb_tt_config_t *configs = realloc(tables->configs, more * sizeof(*configs));
    if (configs == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    memset(configs + old, 0, (more - old) * sizeof(*configs));
    tables->configs = configs;
    tables->room = room;
    return PB_SUCCESS;
}

/** Room for the options of v's children in each role. */
static int make_options(pb_tt_t *tt, int v)
{
    const size_t n = (size_t) pb_tt_n_children(tt, v);
    for (int role = 0; role < PB_TT_ROLES && n > 0; role++) {
        pb_tt_config_t *config = pb_tt_config(tt, v, role);
        config->options = malloc(n * sizeof(*config->options));
        if (config->options == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        tt->tables->memory += n * sizeof(*config->options);
    }
    return PB_SUCCESS;
}

int pb_tt_find_shape(pb_tt_t *tt, int v, int *key, bool *is_new)
{
    const pb_view_t *view = tt->view;
    int n = 0;
    key[n++] = v == 0;
    key[n++] = pb_tt_n_locals(tt, v);
    for (int c = pb_view_first_child(view, v); c < view->vertices[v].end;
         c = view->vertices[c].end) {
        key[n++] = tt->shape[c];
    }
    const int shape = pb_shapes_find(&tt->tables->shapes, key, n, is_new);
    if (shape < 0) {
        return shape;
    }
    tt->shape[v] = shape;
    int rc = make_room(tt->tables);
    if (rc == PB_SUCCESS && *is_new) {
        rc = make_options(tt, v);
    }
    return rc;
}
