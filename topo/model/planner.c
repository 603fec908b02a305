#include "topo/model/planner.h"

#include <stdlib.h>

#include "topo/model/group_kind.h"
#include "topo/model/role_cache.h"

struct pb_planner {
    pb_planner_options_t options;
    const pb_placement_t *placement;
    const pb_model_t *model;
    pb_chooser_t *chooser; /**< NULL: nothing was chosen yet, or memory ran out */
    pb_role_cache_t roles; /**< in the trees of all ranks */
    pb_role_t *group_role; /**< in the tree of the last group; NULL: none */
    uint64_t classes[8];   /**< bit k of entry i: of the class 2^k (8 + i) / 8 one was planned */
};

pb_planner_t *pb_planner_new(void)
{
    return calloc(1, sizeof(pb_planner_t));
}

void pb_planner_begin(pb_planner_t *planner, const pb_placement_t *placement,
                      const pb_model_t *model, const pb_planner_options_t *options)
{
    planner->placement = placement;
    planner->model = model;
    planner->options = *options;
}

/** Gives back all that is kept. */
static void forget(pb_planner_t *planner)
{
    pb_chooser_free(planner->chooser);
    planner->chooser = NULL;
    pb_role_cache_clear(&planner->roles);
    free(planner->group_role);
    planner->group_role = NULL;
}

void pb_planner_free(pb_planner_t *planner)
{
    if (planner != NULL) {
        forget(planner);
        free(planner);
    }
}

size_t pb_planner_memory(const pb_planner_t *planner)
{
    return planner->roles.memory +
           (planner->chooser != NULL ? pb_chooser_memory(planner->chooser) : 0);
}

/** Keeps the bound on memory; the newest role stays. */
static void trim(pb_planner_t *planner)
{
    const size_t bound = planner->options.memory;
    if (pb_planner_memory(planner) <= bound) {
        return;
    }
    if (planner->chooser != NULL && pb_chooser_memory(planner->chooser) > bound) {
        pb_chooser_forget(planner->chooser);
    }
    const size_t chosen = planner->chooser != NULL ? pb_chooser_memory(planner->chooser) : 0;
    pb_role_cache_trim(&planner->roles, bound - chosen);
}

/** This rank's role in the tree of `kind` over the ranks (NULL: all), to be freed. */
static int make_role(const pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                     int n_ranks, pb_role_t **role_p)
{
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    int rc = pb_view_new(planner->placement, root, ranks, n_ranks, &view);
    if (rc == PB_SUCCESS) {
        rc = pb_plan_compute(view, kind, &planner->options.choose.plan, &plan);
    }
    if (rc == PB_SUCCESS) {
        *role_p = pb_role_new(plan, planner->options.rank);
        rc = *role_p != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    }
    pb_plan_free(plan);
    pb_view_free(view);
    return rc;
}

/** The role among all ranks, from `plan` if that is not NULL, is made and kept. */
static int add_role(pb_planner_t *planner, int root, pb_kind_t kind, const pb_plan_t *plan,
                    pb_planned_t *planned)
{
    pb_role_t *role = plan != NULL ? pb_role_new(plan, planner->options.rank) : NULL;
    int rc = plan == NULL   ? make_role(planner, root, kind, NULL, 0, &role)
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

/** The role among all ranks: one that is kept, or a new one as above. */
static int get_role(pb_planner_t *planner, int root, pb_kind_t kind, const pb_plan_t *plan,
                    pb_planned_t *planned)
{
    planned->role = pb_role_cache_find(&planner->roles, kind, root);
    planned->was_cached = planned->role != NULL;
    return planned->was_cached ? PB_SUCCESS : add_role(planner, root, kind, plan, planned);
}

/** The role in a group; it is not kept, as the next group is another one. */
static int get_group_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                          int n_ranks, pb_planned_t *planned)
{
    free(planner->group_role);
    planner->group_role = NULL;
    const int rc = make_role(planner, root, kind, ranks, n_ranks, &planner->group_role);
    planned->role = planner->group_role;
    return rc;
}

static pb_chooser_t *get_chooser(pb_planner_t *planner)
{
    if (planner->chooser == NULL) {
        planner->chooser =
            pb_chooser_new(planner->placement, planner->model, &planner->options.choose);
    }
    return planner->chooser;
}

/** Fills *planned but for the role; *plan_p is as pb_choose_plan() has it. */
static int choose(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned,
                  pb_plan_t **plan_p)
{
    pb_choice_t choice;
    pb_chooser_t *chooser = get_chooser(planner);
    *plan_p = NULL;
    const int rc =
        chooser != NULL ? pb_choose_plan(chooser, root, bytes, &choice, plan_p) : PB_ERR_NO_MEMORY;
    *planned = (pb_planned_t){.is_known = rc == PB_SUCCESS};
    if (rc == PB_ERR_UNFIT) {
        planned->kind = (pb_kind_t) planner->options.choose.kind;
    }
    if (rc != PB_SUCCESS) {
        return rc;
    }
    const pb_candidate_t *best = &choice.best;
    planned->fallback = best->kind == PB_KIND_FALLBACK;
    planned->kind = planned->fallback ? PB_KIND_CHAIN : (pb_kind_t) best->kind;
    planned->segment_size =
        (size_t) (best->segment != 0 && best->segment < bytes ? best->segment : bytes);
    return PB_SUCCESS;
}

/** Whether this is the first message of its size class; notes it. */
static bool note_class(pb_planner_t *planner, uint64_t bytes)
{
    int octave = 0;
    while (bytes >> octave > 1) {
        octave++;
    }
    const uint64_t bit = UINT64_C(1) << octave;
    const uint64_t top = octave >= 3 ? bytes >> (octave - 3) : bytes << (3 - octave);
    uint64_t *classes = &planner->classes[top & 7];
    const bool is_new = (*classes & bit) == 0;
    *classes |= bit;
    return is_new;
}

static int plan_for_all(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned)
{
    pb_plan_t *plan;
    int rc = choose(planner, root, bytes, planned, &plan);
    if (rc == PB_SUCCESS && !planned->fallback) {
        rc = get_role(planner, root, planned->kind, plan, planned);
    }
    pb_plan_free(plan);
    return rc;
}

int pb_planner_plan(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned)
{
    int rc = plan_for_all(planner, root, bytes, planned);
    if (rc == PB_ERR_NO_MEMORY) {
        forget(planner);
        rc = plan_for_all(planner, root, bytes, planned);
    }
    planned->is_new_class = rc == PB_SUCCESS && note_class(planner, bytes);
    trim(planner);
    return rc;
}

static int find_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks, int n_ranks,
                     pb_planned_t *planned)
{
    return ranks == NULL ? get_role(planner, root, kind, NULL, planned)
                         : get_group_role(planner, root, kind, ranks, n_ranks, planned);
}

int pb_planner_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks, int n_ranks,
                    pb_planned_t *planned)
{
    *planned = (pb_planned_t){.is_known = true, .kind = kind};
    int rc = find_role(planner, root, kind, ranks, n_ranks, planned);
    if (rc == PB_ERR_NO_MEMORY) {
        forget(planner);
        rc = find_role(planner, root, kind, ranks, n_ranks, planned);
    }
    trim(planner);
    return rc;
}

/** The kind of tree for a group, where `planned` is for all ranks. */
static pb_kind_t kind_for_group(const pb_planner_t *planner, uint64_t bytes,
                                const pb_planner_group_t *group, const pb_planned_t *planned)
{
    const bool is_forced = planner->options.choose.kind >= 0;
    if (is_forced || (group->ranks == NULL && !planned->fallback)) {
        return planned->kind;
    }
    const int n_ranks = group->ranks != NULL ? group->n_ranks : planner->placement->n_ranks;
    return pb_group_kind(n_ranks, (bytes - 1) / planned->segment_size + 1, group->message_ns);
}

static int plan_for_group(pb_planner_t *planner, int root, uint64_t bytes,
                          const pb_planner_group_t *group, pb_planned_t *planned)
{
    pb_plan_t *plan;
    int rc = choose(planner, root, bytes, planned, &plan);
    pb_plan_free(plan);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    if (planned->fallback && planned->segment_size > PB_CHOOSE_ASSUMED_SEGMENT) {
        planned->segment_size = PB_CHOOSE_ASSUMED_SEGMENT;
    }
    if (planned->segment_size > group->max_segment) {
        planned->segment_size = group->max_segment;
    }
    planned->kind = kind_for_group(planner, bytes, group, planned);
    planned->fallback = false;
    rc = find_role(planner, root, planned->kind, group->ranks, group->n_ranks, planned);
    if (rc == PB_ERR_UNFIT) {
        planned->kind = PB_KIND_CHAIN; /* which fits every group */
        rc = find_role(planner, root, planned->kind, group->ranks, group->n_ranks, planned);
    }
    return rc;
}

int pb_planner_plan_group(pb_planner_t *planner, int root, uint64_t bytes,
                          const pb_planner_group_t *group, pb_planned_t *planned)
{
    int rc = plan_for_group(planner, root, bytes, group, planned);
    if (rc == PB_ERR_NO_MEMORY) {
        forget(planner);
        rc = plan_for_group(planner, root, bytes, group, planned);
    }
    trim(planner);
    return rc;
}

bool pb_planner_may_pass(const pb_planner_t *planner, uint64_t bytes)
{
    return pb_choose_may_pass(planner->model, &planner->options.choose, bytes);
}

int pb_planner_explain(pb_planner_t *planner, int root, uint64_t bytes, pb_planner_report_t *report)
{
    pb_choice_t choice;
    pb_chooser_t *chooser = get_chooser(planner);
    const int rc = chooser != NULL ? pb_choose(chooser, root, bytes, &choice) : PB_ERR_NO_MEMORY;
    if (rc != PB_SUCCESS) {
        return rc;
    }
    *report = (pb_planner_report_t){
        .best = choice.best,
        .next = choice.next,
        .best_time = pb_choose_time(chooser, root, bytes, &choice.best),
        .next_time =
            choice.next.time >= 0 ? pb_choose_time(chooser, root, bytes, &choice.next) : -1,
    };
    return PB_SUCCESS;
}
