/*
 * Two contention-free trees: the steps in order, and the memory they share.
 */
#include <stdlib.h>

#include "topo/trees/twotree/internal.h"

static int size(const pb_view_t *view, int v)
{
    return view->vertices[v].end_rank - view->vertices[v].first_rank;
}

typedef struct sized {
    int size;
    int vertex;
} sized_t;

static int compare_sizes(const void *a, const void *b)
{
    const sized_t *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : x->vertex - y->vertex;
}

/** Lists the children of every vertex by falling size. */
static int list_children(pb_tt_t *tt)
{
    const pb_view_t *view = tt->view;
    sized_t *children = malloc((size_t) view->n_vertices * sizeof(*children));
    int n = 0;
    if (children == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int v = 0; v < view->n_vertices; v++) {
        int n_here = 0;
        for (int c = pb_view_first_child(view, v); c < view->vertices[v].end;
             c = view->vertices[c].end) {
            children[n_here++] = (sized_t){.size = size(view, c), .vertex = c};
        }
        if (n_here > 1) {
            qsort(children, (size_t) n_here, sizeof(*children), compare_sizes);
        }
        tt->first_child[v] = n;
        for (int i = 0; i < n_here; i++) {
            tt->child[n++] = children[i].vertex;
        }
    }
    tt->first_child[view->n_vertices] = n;
    free(children);
    return PB_SUCCESS;
}

static void tt_clear(pb_tt_t *tt)
{
    free(tt->first_child);
    free(tt->child);
    free(tt->shape);
    free(tt->option);
    free(tt->rank_option);
    for (int tree = 0; tree < 2; tree++) {
        free(tt->parent[tree]);
        free(tt->order[tree]);
    }
}

static int tt_init(pb_tt_t *tt, const pb_view_t *view, pb_tt_tables_t *tables)
{
    const size_t n_vertices = (size_t) view->n_vertices, n_ranks = (size_t) view->n_ranks;
    *tt = (pb_tt_t){.view = view, .tables = tables};
    tt->first_child = malloc((n_vertices + 1) * sizeof(int));
    tt->child = malloc(n_vertices * sizeof(int));
    tt->shape = malloc(n_vertices * sizeof(int));
    tt->option = calloc(n_vertices, sizeof(*tt->option));
    tt->rank_option = calloc(n_ranks, sizeof(*tt->rank_option));
    bool complete = tt->first_child != NULL && tt->child != NULL && tt->shape != NULL &&
                    tt->option != NULL && tt->rank_option != NULL;
    for (int tree = 0; tree < 2; tree++) {
        tt->parent[tree] = malloc(n_ranks * sizeof(int));
        tt->order[tree] = calloc(n_ranks, sizeof(int));
        complete = complete && tt->parent[tree] != NULL && tt->order[tree] != NULL;
    }
    return complete ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

/** The steps of the construction; see internal.h. */
static int construct(pb_tt_t *tt, bool is_merged)
{
    pb_tt_maker_t maker;
    if (tt->view->n_ranks == 1) {
        tt->parent[0][0] = tt->parent[1][0] = -1;
        return PB_SUCCESS;
    }
    int rc = list_children(tt);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    rc = pb_tt_maker_init(&maker, tt);
    if (rc == PB_SUCCESS) {
        rc = pb_tt_choose_roles(tt, &maker);
    }
    if (rc == PB_SUCCESS) {
        rc = pb_tt_replay(tt, &maker);
    }
    pb_tt_maker_clear(&maker);
    if (rc == PB_SUCCESS && is_merged) {
        rc = pb_tt_settle_near(tt);
    }
    return rc;
}

static int fill_plan(const pb_tt_t *tt, pb_plan_t *plan)
{
    const pb_view_t *view = tt->view;
    int *rank_order = calloc((size_t) plan->n_ranks, sizeof(*rank_order));
    int rc = rank_order != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int tree = 0; tree < 2 && rc == PB_SUCCESS; tree++) {
        for (int p = 1; p < view->n_ranks; p++) {
            plan->streams[tree].parent[view->order[p]] = view->order[tt->parent[tree][p]];
            rank_order[view->order[p]] = tt->order[tree][p];
        }
        rc = pb_plan_link_children(plan, tree, view, rank_order);
    }
    free(rank_order);
    return rc;
}

/** Makes a plan as pb_tt_make_plan() does, with tables that exist. */
static int make_plan(const pb_view_t *view, bool is_merged, pb_tt_tables_t *tables,
                     pb_plan_t **plan_p)
{
    pb_tt_t tt;
    pb_plan_t *plan = NULL;
    int rc = tt_init(&tt, view, tables);
    if (rc == PB_SUCCESS) {
        rc = construct(&tt, is_merged);
    }
    if (rc == PB_SUCCESS) {
        plan = pb_plan_new(view, PB_KIND_TWOTREE, 2);
        rc = plan != NULL ? fill_plan(&tt, plan) : PB_ERR_NO_MEMORY;
    }
    tt_clear(&tt);
    return pb_plan_end(plan, rc, plan_p);
}

int pb_tt_make_plan(const pb_view_t *view, bool is_merged, pb_tables_t *tables, pb_plan_t **plan_p)
{
    *plan_p = NULL;
    if (tables->twotree == NULL) {
        tables->twotree = pb_tt_tables_new();
    }
    const int rc = tables->twotree != NULL ? make_plan(view, is_merged, tables->twotree, plan_p)
                                           : PB_ERR_NO_MEMORY;
    if (rc != PB_SUCCESS) {
        /* There may be a shape whose tables are not complete. */
        pb_tables_clear(tables);
    }
    return rc;
}

int pb_plan_twotree(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    pb_tables_t own = {0}, *tables = options->tables != NULL ? options->tables : &own;
    int rc = pb_tt_make_plan(view, false, tables, plan_p);
    if (rc == PB_SUCCESS) {
        rc = pb_tt_use_fast_trunks(view, tables, plan_p);
    }
    pb_tables_clear(&own);
    return pb_plan_end(*plan_p, rc, plan_p);
}
