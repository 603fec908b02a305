#include "topo/model/planner_internal.h"

#include <stdlib.h>

int pb_planner_make_plan(const pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                         int n_ranks, pb_plan_t **plan_p)
{
    pb_view_t *view = NULL;
    pb_plan_options_t options = planner->options.choose.plan;
    *plan_p = NULL;
    if (ranks != NULL) {
        options.tables = NULL; /* groups seldom come again */
    }
    int rc = pb_view_new(planner->placement, root, ranks, n_ranks, &view);
    if (rc == PB_SUCCESS) {
        rc = pb_plan_compute(view, kind, &options, plan_p);
    }
    pb_view_free(view);
    return rc;
}

int pb_planner_make_role(const pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                         int n_ranks, pb_role_t **role_p)
{
    pb_plan_t *plan;
    int rc = pb_planner_make_plan(planner, root, kind, ranks, n_ranks, &plan);
    if (rc == PB_SUCCESS) {
        *role_p = pb_role_new(plan, planner->options.rank);
        rc = *role_p != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    }
    pb_plan_free(plan);
    return rc;
}

/** The role among all ranks, from `plan` if that is not NULL, is made and kept. */
static int add_role(pb_planner_t *planner, int root, pb_kind_t kind, const pb_plan_t *plan,
                    pb_planned_t *planned)
{
    pb_role_t *role = plan != NULL ? pb_role_new(plan, planner->options.rank) : NULL;
    int rc = plan == NULL   ? pb_planner_make_role(planner, root, kind, NULL, 0, &role)
             : role != NULL ? PB_SUCCESS
                            : PB_ERR_NO_MEMORY;
    if (rc == PB_SUCCESS) {
        rc = pb_role_cache_add(&planner->roles, kind, root, role);
    }
    if (rc != PB_SUCCESS) {
        free(role);
        return rc;
    }
    planned->role = role;
    return PB_SUCCESS;
}

int pb_planner_get_role(pb_planner_t *planner, int root, pb_kind_t kind, const pb_plan_t *plan,
                        pb_planned_t *planned)
{
    planned->role = pb_role_cache_find(&planner->roles, kind, root);
    planned->was_cached = planned->role != NULL;
    return planned->was_cached ? PB_SUCCESS : add_role(planner, root, kind, plan, planned);
}

int pb_planner_find_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                         int n_ranks, pb_planned_t *planned)
{
    return ranks == NULL ? pb_planner_get_role(planner, root, kind, NULL, planned)
                         : pb_planner_group_role(planner, root, kind, ranks, n_ranks, planned);
}

int pb_planner_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks, int n_ranks,
                    pb_planned_t *planned)
{
    *planned = (pb_planned_t){.is_known = true, .kind = kind};
    int rc = pb_planner_find_role(planner, root, kind, ranks, n_ranks, planned);
    if (rc == PB_ERR_NO_MEMORY) {
        pb_planner_forget(planner);
        rc = pb_planner_find_role(planner, root, kind, ranks, n_ranks, planned);
    }
    pb_planner_trim(planner);
    return rc;
}
