/*
 * Two contention-free trees: the steps in order, and the memory they share.
 */
#include <stdlib.h>

#include "topo/trees/twotree/internal.h"

static int size(const pb_view_t *view, int v)
{
    return view->vertices[v].end_rank - view->vertices[v].first_rank;
}

/** Inserts c into the children of a vertex that begin at `first`, by falling size. */
static void insert_child(pb_tt_t *tt, int first, int n, int c)
{
    int at = first + n;
    for (; at > first && size(tt->view, tt->child[at - 1]) < size(tt->view, c); at--) {
        tt->child[at] = tt->child[at - 1];
    }
    tt->child[at] = c;
}

static void list_children(pb_tt_t *tt)
{
    const pb_view_t *view = tt->view;
    int n = 0;
    for (int v = 0; v < view->n_vertices; v++) {
        tt->first_child[v] = n;
        for (int c = pb_view_first_child(view, v); c < view->vertices[v].end;
             c = view->vertices[c].end) {
            insert_child(tt, tt->first_child[v], n - tt->first_child[v], c);
            n++;
        }
    }
    tt->first_child[view->n_vertices] = n;
}

static void tt_clear(pb_tt_t *tt)
{
    free(tt->first_child);
    free(tt->child);
    for (int i = 0; i < PB_TT_ROLES * tt->view->n_vertices && tt->configs != NULL; i++) {
        free(tt->configs[i].tables[0].replies);
        free(tt->configs[i].tables[1].replies);
    }
    free(tt->configs);
    free(tt->options);
    free(tt->option);
    free(tt->rank_option);
    for (int tree = 0; tree < 2; tree++) {
        free(tt->parent[tree]);
        free(tt->time[tree]);
        free(tt->order[tree]);
    }
}

static int tt_init(pb_tt_t *tt, const pb_view_t *view)
{
    const size_t n_vertices = (size_t) view->n_vertices, n_ranks = (size_t) view->n_ranks;
    *tt = (pb_tt_t){.view = view};
    tt->first_child = malloc((n_vertices + 1) * sizeof(int));
    tt->child = malloc(n_vertices * sizeof(int));
    tt->configs = calloc(PB_TT_ROLES * n_vertices, sizeof(*tt->configs));
    tt->options = calloc(PB_TT_ROLES * n_vertices, sizeof(*tt->options));
    tt->option = calloc(n_vertices, sizeof(*tt->option));
    tt->rank_option = calloc(n_ranks, sizeof(*tt->rank_option));
    bool complete = tt->first_child != NULL && tt->child != NULL && tt->configs != NULL &&
                    tt->options != NULL && tt->option != NULL && tt->rank_option != NULL;
    for (int tree = 0; tree < 2; tree++) {
        tt->parent[tree] = malloc(n_ranks * sizeof(int));
        tt->time[tree] = calloc(n_ranks, sizeof(int));
        tt->order[tree] = calloc(n_ranks, sizeof(int));
        complete = complete && tt->parent[tree] != NULL && tt->time[tree] != NULL &&
                   tt->order[tree] != NULL;
    }
    return complete ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

/** The steps of the construction; see internal.h. */
static int construct(pb_tt_t *tt, pb_tt_near_t *near)
{
    pb_tt_maker_t maker;
    if (tt->view->n_ranks == 1) {
        tt->parent[0][0] = tt->parent[1][0] = -1;
        return PB_SUCCESS;
    }
    list_children(tt);
    int rc = pb_tt_maker_init(&maker, tt);
    if (rc == PB_SUCCESS) {
        rc = pb_tt_choose_roles(tt, &maker);
    }
    if (rc == PB_SUCCESS) {
        rc = pb_tt_replay(tt, &maker);
    }
    pb_tt_maker_clear(&maker);
    if (rc == PB_SUCCESS && near != NULL) {
        rc = pb_tt_settle_near(tt, near);
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

int pb_tt_make_plan(const pb_view_t *view, pb_tt_near_t *near, pb_plan_t **plan_p)
{
    pb_tt_t tt;
    pb_plan_t *plan = NULL;
    int rc = tt_init(&tt, view);
    tt.costs = pb_tt_costs();
    if (rc == PB_SUCCESS) {
        rc = construct(&tt, near);
    }
    if (rc == PB_SUCCESS) {
        plan = pb_plan_new(view, PB_KIND_TWOTREE, 2);
        rc = plan != NULL ? fill_plan(&tt, plan) : PB_ERR_NO_MEMORY;
    }
    tt_clear(&tt);
    if (rc != PB_SUCCESS) {
        pb_plan_free(plan);
        plan = NULL;
    }
    *plan_p = plan;
    return rc;
}

int pb_plan_twotree(const pb_view_t *view, const pb_plan_options_t *options, pb_plan_t **plan_p)
{
    (void) options;
    int rc = pb_tt_make_plan(view, NULL, plan_p);
    if (rc == PB_SUCCESS) {
        rc = pb_tt_use_fast_trunks(view, plan_p);
    }
    if (rc != PB_SUCCESS) {
        pb_plan_free(*plan_p);
        *plan_p = NULL;
    }
    return rc;
}
