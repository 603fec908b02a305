#include "topo/twotree.h"

#include <stdlib.h>

#include "topo/twotree_internal.h"

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

static int list_children(pb_tt_t *tt)
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
    return PB_SUCCESS;
}

static void tt_clear(pb_tt_t *tt)
{
    free(tt->costs.first);
    free(tt->costs.in);
    free(tt->costs.out);
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
    tt->costs.first = malloc(n_vertices * sizeof(int));
    tt->costs.in = malloc(n_vertices * sizeof(int));
    tt->costs.out = malloc(n_vertices * sizeof(int));
    tt->first_child = malloc((n_vertices + 1) * sizeof(int));
    tt->child = malloc(n_vertices * sizeof(int));
    tt->configs = calloc(PB_TT_ROLES * n_vertices, sizeof(*tt->configs));
    tt->options = calloc(PB_TT_ROLES * n_vertices, sizeof(*tt->options));
    tt->option = calloc(n_vertices, sizeof(*tt->option));
    tt->rank_option = calloc(n_ranks, sizeof(*tt->rank_option));
    bool complete = tt->costs.first != NULL && tt->costs.in != NULL && tt->costs.out != NULL &&
                    tt->first_child != NULL && tt->child != NULL && tt->configs != NULL &&
                    tt->options != NULL && tt->option != NULL && tt->rank_option != NULL;
    for (int tree = 0; tree < 2; tree++) {
        tt->parent[tree] = malloc(n_ranks * sizeof(int));
        tt->time[tree] = calloc(n_ranks, sizeof(int));
        tt->order[tree] = calloc(n_ranks, sizeof(int));
        complete = complete && tt->parent[tree] != NULL && tt->time[tree] != NULL &&
                   tt->order[tree] != NULL;
    }
    return complete ? list_children(tt) : PB_ERR_NO_MEMORY;
}

static int make_plan(const pb_tt_t *tt, unsigned char *const parity[2], pb_plan_t **plan_p)
{
    const pb_view_t *view = tt->view;
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_TWOTREE, 2);
    int *rank_order = calloc((size_t) view->placement->n_ranks, sizeof(int));
    int rc = plan != NULL && rank_order != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int tree = 0; tree < 2 && rc == PB_SUCCESS; tree++) {
        for (int p = 1; p < view->n_ranks; p++) {
            plan->streams[tree].parent[view->order[p]] = view->order[tt->parent[tree][p]];
            rank_order[view->order[p]] = tt->order[tree][p];
        }
        rc = pb_plan_link_children(plan, tree, view, rank_order);
        if (rc == PB_SUCCESS && parity != NULL) {
            plan->streams[tree].parity = calloc((size_t) plan->n_ranks, 1);
            if (plan->streams[tree].parity == NULL) { rc = PB_ERR_NO_MEMORY; break; }
            unsigned char flip = parity[0][0];
            for (int p = 1; p < view->n_ranks; p++) {
                plan->streams[tree].parity[view->order[p]] = parity[tree][p] ^ flip;
            }
        }
    }
    free(rank_order);
    if (rc != PB_SUCCESS) {
        pb_plan_free(plan);
        plan = NULL;
    }
    *plan_p = plan;
    return rc;
}

int pb_tt_shape_env = 0;

int pb_plan_twotree(const pb_view_t *view, pb_plan_t **plan_p)
{
    pb_tt_t tt;
    pb_tt_maker_t maker = {0};
    *plan_p = NULL;
    int *path = malloc(((size_t) pb_network_max_path(view->placement->network) + 1) * sizeof(*path));
    int rc = path != NULL ? tt_init(&tt, view) : PB_ERR_NO_MEMORY;
    if (rc == PB_SUCCESS) {
        pb_tt_set_costs(&tt, (pb_tt_shape_t) pb_tt_shape_env, path);
        rc = pb_tt_maker_init(&maker, &tt);
    }
    if (rc == PB_SUCCESS) {
        rc = pb_tt_choose_roles(&tt, &maker);
    }
    if (rc == PB_SUCCESS) {
        rc = pb_tt_replay(&tt, &maker);
    }
    if (rc == PB_SUCCESS) {
        unsigned char *parity[2] = {calloc((size_t)view->n_ranks,1), calloc((size_t)view->n_ranks,1)};
        bool coloured=false;
        rc = pb_tt_colour(&tt, parity, &coloured);
        for (int p = 1; coloured && p < view->n_ranks; p++) if (tt.parent[0][p]==0) parity[0][0]=parity[0][p];
        if (rc == PB_SUCCESS) rc = make_plan(&tt, coloured ? parity : NULL, plan_p);
        free(parity[0]); free(parity[1]);
    }
    pb_tt_maker_clear(&maker);
    tt_clear(&tt);
    free(path);
    return rc;
}
