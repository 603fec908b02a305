#include "topo/model/planner_internal.h"

#include <stdlib.h>
#include <string.h>

/** Members of a group that gets two trees, at most: more take long (doc/design/candidates.md). */
#define MOST_IN_TWO_TREES 128

void pb_planner_drop_group(pb_planner_t *planner)
{
    free(planner->group_role);
    free(planner->group.ranks);
    planner->group_role = NULL;
    planner->group.ranks = NULL;
}

static bool is_last_group(const pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                          int n_ranks)
{
    const pb_planner_members_t *group = &planner->group;
    return planner->group_role != NULL && group->ranks != NULL && group->root == root &&
           group->kind == kind && group->n_ranks == n_ranks &&
           memcmp(group->ranks, ranks, (size_t) n_ranks * sizeof(*ranks)) == 0;
}

/** Without memory for that it is computed again. */
static void note_group(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                       int n_ranks)
{
    const size_t size = (size_t) n_ranks * sizeof(*ranks);
    pb_planner_members_t *group = &planner->group;
    *group = (pb_planner_members_t){
        .root = root, .kind = kind, .n_ranks = n_ranks, .ranks = malloc(size)};
    if (group->ranks != NULL) {
        memcpy(group->ranks, ranks, size);
    }
}

int pb_planner_group_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                          int n_ranks, pb_planned_t *planned)
{
    int rc = PB_SUCCESS;
    planned->was_cached = is_last_group(planner, root, kind, ranks, n_ranks);
    if (!planned->was_cached) {
        pb_planner_drop_group(planner);
        rc = pb_planner_make_role(planner, root, kind, ranks, n_ranks, &planner->group_role);
    }
    if (rc == PB_SUCCESS && !planned->was_cached) {
        note_group(planner, root, kind, ranks, n_ranks);
    }
    planned->role = planner->group_role;
    return rc;
}

/** The kind of tree for a group, where `planned` is for all ranks. Each member computes the tree of
 * a group, which is used once, before it passes the header on. */
static pb_kind_t kind_for_group(const pb_planner_group_t *group, const pb_planned_t *planned)
{
    const bool takes_long = group->ranks != NULL && planned->kind == PB_KIND_TWOTREE &&
                            group->n_ranks > MOST_IN_TWO_TREES;
    return planned->fallback || takes_long ? PB_KIND_BINARY : planned->kind;
}

static int plan_for_group(pb_planner_t *planner, int root, uint64_t bytes,
                          const pb_planner_group_t *group, pb_planned_t *planned)
{
    pb_planner_made_t made;
    const int kinds = planner->options.choose.frame != 0 ? PB_AMONG_TREES : PB_AMONG_ALL;
    const int rc = pb_planner_choose(planner, kinds, root, bytes, false, &made);
    pb_plan_free(made.plan);
    *planned = (pb_planned_t){.is_known = false};
    if (rc != PB_SUCCESS) {
        return rc;
    }
    pb_planner_take_choice(planner, bytes, &made, planned);
    if (planned->fallback && planned->segment_size > PB_CHOOSE_ASSUMED_SEGMENT) {
        planned->segment_size = PB_CHOOSE_ASSUMED_SEGMENT;
    }
    if (planned->segment_size > group->max_segment) {
        planned->segment_size = group->max_segment;
    }
    planned->kind = kind_for_group(group, planned);
    planned->fallback = false;
    return pb_planner_find_role(planner, root, planned->kind, group->ranks, group->n_ranks,
                                planned);
}

int pb_planner_plan_group(pb_planner_t *planner, int root, uint64_t bytes,
                          const pb_planner_group_t *group, pb_planned_t *planned)
{
    int rc = plan_for_group(planner, root, bytes, group, planned);
    if (rc == PB_ERR_NO_MEMORY) {
        pb_planner_forget(planner);
        rc = plan_for_group(planner, root, bytes, group, planned);
    }
    pb_planner_trim(planner);
    return rc;
}
