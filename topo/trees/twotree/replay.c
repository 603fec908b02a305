/*
 * The replay: with the options chosen, every pool is filled once more from the
 * root on, and each rank learns its sender.
 */
#include <assert.h>
#include <stdlib.h>

#include "topo/trees/twotree/internal.h"

/**
 * A source is 2 * position + slot, or PB_TT_ENTRY. Until it is resolved, it is 2 * (n_ranks +
 * vertex) + slot for an export of a vertex.
 */
typedef struct replay {
    pb_tt_t *tt;
    pb_tt_maker_t *maker;
    int *item_base;     /**< by item of the loaded pool: its source for slot 0 */
    int *slack;         /**< by vertex */
    int *entry_source;  /**< by vertex */
    int *export_source; /**< by vertex and export */
    int *rank_source;   /**< by position */
} replay_t;

/** Numbers the items of the loaded pool as the replay does. */
static void number_items(replay_t *b, int tree, int v)
{
    const pb_tt_t *tt = b->tt;
    const pb_tt_pool_t *pool = &b->maker->pool;
    int next[3] = {pool->n_giving[2] + pool->n_giving[1], pool->n_giving[2], 0};
    for (int p = pb_tt_first_local(tt, v); p < tt->view->vertices[v].end_local; p++) {
        b->item_base[next[pb_tt_gives(tt->rank_option[p], tree)]++] = 2 * p;
    }
    for (int g = 0; g < pool->n_guests; g++) {
        b->item_base[pool->n_locals + g] = 2 * (tt->view->n_ranks + pool->guests[g].vertex);
    }
}

static int global_source(const replay_t *b, int source)
{
    return source == PB_TT_ENTRY ? PB_TT_ENTRY : b->item_base[source / 2] + source % 2;
}

/** Loads the pool of v as it was chosen. A turned vertex plays the other tree's part. */
static void load(replay_t *b, int tree, int v)
{
    const pb_tt_t *tt = b->tt;
    const int role = tt->option[v] / 2, turned = tt->option[v] % 2;
    const pb_tt_config_t *config = pb_tt_config(tt, v, role);
    pb_tt_load(b->maker, tree ^ turned, v, (pb_tt_role_t) role, config->locals, config->options);
}

static const pb_tt_table_t *chosen_table(const pb_tt_t *tt, int tree, int v)
{
    const int role = tt->option[v] / 2, turned = tt->option[v] % 2;
    return &pb_tt_config(tt, v, role)->tables[tree ^ turned];
}

/** Fills the pool of v once more as its table says, and keeps who took which slot. */
static int replay_vertex(replay_t *b, int tree, int v)
{
    pb_tt_t *tt = b->tt;
    const pb_tt_pool_t *pool = &b->maker->pool;
    const pb_tt_table_t *table = chosen_table(tt, tree, v);
    int index = b->slack[v] - table->need;
    assert(index >= 0);
    index = index < table->n ? index : table->n - 1;
    const pb_tt_reply_t *reply = &table->replies[index];
    const int rc = pb_tt_reserve(b->maker, reply->slack);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    load(b, tree, v);
    number_items(b, tree, v);
    const bool filled = pb_tt_fill_sources(&b->maker->pool, reply->slack, reply->hold);
    assert(filled);
    (void) filled;
    for (int item = 0; item < pool->n_locals; item++) {
        const int p = b->item_base[item] / 2;
        b->rank_source[p] = global_source(b, pool->source[item]);
    }
    for (int g = 0; g < pool->n_guests; g++) {
        const pb_tt_guest_t *guest = &pool->guests[g];
        const int item = pool->n_locals + g, c = guest->vertex;
        b->entry_source[c] = global_source(b, pool->source[item]);
        b->slack[c] = reply->slack - pool->time[item];
    }
    for (int x = 0; x < pool->n_exports; x++) {
        b->export_source[2 * v + x] = global_source(b, pool->export_source[x]);
    }
    return PB_SUCCESS;
}

static int resolve_export(const replay_t *b, int source)
{
    const int exported = source - 2 * b->tt->view->n_ranks;
    return exported >= 0 ? b->export_source[exported] : source;
}

/** Turns sources into positions: exports bottom-up, then entries top-down. */
static void resolve_sources(replay_t *b)
{
    const pb_view_t *view = b->tt->view;
    for (int v = view->n_vertices - 1; v > 0; v--) {
        for (int x = 0; x < 2; x++) {
            b->export_source[2 * v + x] = resolve_export(b, b->export_source[2 * v + x]);
        }
    }
    b->entry_source[0] = 0;
    for (int v = 0; v < view->n_vertices; v++) {
        if (v > 0) {
            const int source = b->entry_source[v];
            b->entry_source[v] = source == PB_TT_ENTRY ? b->entry_source[view->vertices[v].parent]
                                                       : resolve_export(b, source);
        }
        for (int p = pb_tt_first_local(b->tt, v); p < view->vertices[v].end_local; p++) {
            const int source = b->rank_source[p];
            b->rank_source[p] =
                source == PB_TT_ENTRY ? b->entry_source[v] : resolve_export(b, source);
        }
    }
}

static int replay_tree(replay_t *b, int tree)
{
    pb_tt_t *tt = b->tt;
    const pb_view_t *view = tt->view;
    b->slack[0] = chosen_table(tt, tree, 0)->need;
    int rc = PB_SUCCESS;
    for (int v = 0; v < view->n_vertices && rc == PB_SUCCESS; v++) {
        rc = replay_vertex(b, tree, v);
    }
    if (rc != PB_SUCCESS) {
        return rc;
    }
    resolve_sources(b);
    tt->parent[tree][0] = -1;
    for (int p = 1; p < view->n_ranks; p++) {
        tt->parent[tree][p] = b->rank_source[p] / 2;
        tt->order[tree][p] = b->rank_source[p] % 2;
    }
    return PB_SUCCESS;
}

int pb_tt_replay(pb_tt_t *tt, pb_tt_maker_t *maker)
{
    const size_t n_vertices = (size_t) tt->view->n_vertices, n_ranks = (size_t) tt->view->n_ranks;
    replay_t b = {.tt = tt, .maker = maker};
    b.item_base = malloc((n_ranks + n_vertices) * sizeof(int));
    b.slack = malloc(n_vertices * sizeof(int));
    b.entry_source = malloc(n_vertices * sizeof(int));
    b.export_source = calloc(2 * n_vertices, sizeof(int));
    b.rank_source = malloc(n_ranks * sizeof(int));
    int rc = PB_ERR_NO_MEMORY;
    if (b.item_base != NULL && b.slack != NULL && b.entry_source != NULL &&
        b.export_source != NULL && b.rank_source != NULL) {
        rc = replay_tree(&b, 0);
        rc = rc == PB_SUCCESS ? replay_tree(&b, 1) : rc;
    }
    free(b.item_base);
    free(b.slack);
    free(b.entry_source);
    free(b.export_source);
    free(b.rank_source);
    return rc;
}
