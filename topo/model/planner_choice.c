#include "topo/model/planner_internal.h"

/** The options of the choice among the repeating kinds. */
static pb_choose_options_t repeating_options(const pb_planner_t *planner)
{
    pb_choose_options_t options = planner->options.choose;
    if (options.kind >= 0) {
        options.kind = PB_CHOOSE_OWN; /* a forced kind yields, but not to another component */
    }
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        const bool repeats = pb_ledger_repeats(planner->ledger, (pb_kind_t) kind);
        options.excluded |= (uint32_t) !repeats << kind;
    }
    return options;
}

/** The options of the choice among these. */
static pb_choose_options_t options_among(const pb_planner_t *planner, int among)
{
    pb_choose_options_t options =
        among == PB_AMONG_REPEATING ? repeating_options(planner) : planner->options.choose;
    options.frame = among == PB_AMONG_TREES ? 0 : options.frame;
    return options;
}

pb_chooser_t *pb_planner_chooser(pb_planner_t *planner, int among)
{
    if (planner->choosers[among] == NULL) {
        const pb_choose_options_t options = options_among(planner, among);
        planner->choosers[among] = pb_chooser_new(planner->placement, planner->model, &options);
    }
    return planner->choosers[among];
}

void pb_planner_drop_choosers(pb_planner_t *planner)
{
    for (int i = 0; i < PB_N_AMONG; i++) {
        pb_chooser_free(planner->choosers[i]);
        planner->choosers[i] = NULL;
    }
}

/** Charges the plan of a choice, which *plan_p is or becomes, unless that does not fit. */
static int charge(pb_planner_t *planner, int root, pb_kind_t kind, pb_plan_t **plan_p)
{
    const int rc =
        *plan_p != NULL ? PB_SUCCESS : pb_planner_make_plan(planner, root, kind, NULL, 0, plan_p);
    if (rc == PB_SUCCESS &&
        pb_ledger_charge(planner->ledger, kind, root, pb_plan_most_neighbours(*plan_p))) {
        /* This kind may be in force for them, and a rank that has lost a row would plan it. */
        pb_planner_drop_rows(planner);
    }
    return rc;
}

/** Tells whether the ledger has the chosen plan; the fallback component needs nothing of it. */
static bool is_had(const pb_planner_t *planner, int root, const pb_candidate_t *choice)
{
    return choice->kind == PB_KIND_FALLBACK ||
           pb_ledger_has(planner->ledger, (pb_kind_t) choice->kind, root);
}

static int choose_among(pb_planner_t *planner, int among, int root, uint64_t bytes,
                        pb_planner_made_t *made)
{
    pb_chooser_t *chooser = pb_planner_chooser(planner, among);
    pb_plan_free(made->plan);
    *made = (pb_planner_made_t){.among = among};
    return chooser != NULL ? pb_choose_plan(chooser, root, bytes, &made->choice, &made->plan)
                           : PB_ERR_NO_MEMORY;
}

int pb_planner_choose(pb_planner_t *planner, int kinds, int root, uint64_t bytes, bool charges,
                      pb_planner_made_t *made)
{
    *made = (pb_planner_made_t){.among = kinds};
    int rc = choose_among(planner, kinds, root, bytes, made);
    if (!pb_planner_is_bound(planner)) {
        return rc;
    }
    if (rc == PB_SUCCESS && charges && !is_had(planner, root, &made->choice) &&
        !pb_ledger_is_closed(planner->ledger)) {
        rc = charge(planner, root, (pb_kind_t) made->choice.kind, &made->plan);
    }
    return rc != PB_SUCCESS || is_had(planner, root, &made->choice)
               ? rc
               : choose_among(planner, PB_AMONG_REPEATING, root, bytes, made);
}

size_t pb_planner_piece(const pb_planner_t *planner, int among, const pb_planned_t *planned,
                        uint64_t bytes)
{
    const pb_chooser_t *chooser = planner->choosers[among]; /* that has just chosen */
    return planned->fallback ? 0 : (size_t) pb_choose_piece(chooser, planned->kind, bytes);
}

void pb_planner_take_choice(const pb_planner_t *planner, uint64_t bytes,
                            const pb_planner_made_t *made, pb_planned_t *planned)
{
    *planned = (pb_planned_t){.is_known = true,
                              .begins_to_repeat =
                                  made->among == PB_AMONG_REPEATING && !planner->has_repeated};
    pb_planner_fill(planned, &made->choice, bytes);
}

void pb_planner_fill(pb_planned_t *planned, const pb_candidate_t *candidate, uint64_t bytes)
{
    planned->fallback = candidate->kind == PB_KIND_FALLBACK;
    planned->kind = planned->fallback ? PB_KIND_CHAIN : (pb_kind_t) candidate->kind;
    planned->segment_size = (size_t) pb_candidate_segment(candidate, bytes);
    planned->segment = candidate->segment;
}

uint32_t pb_planner_kinds(const pb_planner_t *planner, int root)
{
    uint32_t kinds = UINT32_MAX;
    for (int kind = 0; pb_planner_is_bound(planner) && kind < PB_KIND_COUNT; kind++) {
        const bool is_there = pb_ledger_has(planner->ledger, (pb_kind_t) kind, root);
        kinds &= ~((uint32_t) !is_there << kind);
    }
    return kinds;
}

bool pb_planner_take_in_force(const pb_planner_t *planner, int root, uint64_t bytes, bool is_tree,
                              pb_candidate_t *candidate)
{
    pb_candidate_t in_force;
    const bool may_be_used =
        pb_planner_learns(planner) && pb_learner_in_force(planner->learner, bytes, &in_force) &&
        pb_planner_is_of(pb_planner_kinds(planner, root), in_force.kind) &&
        !(is_tree && in_force.kind >= 0 && pb_kind_row((pb_kind_t) in_force.kind)->copies);
    if (may_be_used) {
        *candidate = in_force;
    }
    return may_be_used;
}

bool pb_planner_may_pass(const pb_planner_t *planner, uint64_t bytes)
{
    return pb_choose_may_pass(planner->given, &planner->options.choose, bytes) ||
           (pb_planner_learns(planner) && planner->options.choose.kind == PB_CHOOSE_ALL);
}

int pb_planner_explain(pb_planner_t *planner, int root, uint64_t bytes, pb_planner_report_t *report)
{
    pb_planner_made_t made;
    const int rc = pb_planner_choose(planner, PB_AMONG_ALL, root, bytes, false, &made);
    pb_plan_free(made.plan);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    pb_chooser_t *chooser = planner->choosers[made.among];
    pb_candidate_t candidate = made.choice;
    const bool is_measured = pb_planner_take_in_force(planner, root, bytes, false, &candidate);
    *report = (pb_planner_report_t){
        .best = candidate,
        .best_measured = is_measured ? candidate.time : -1,
        .best_time = pb_choose_time(chooser, root, bytes, &candidate),
    };
    return PB_SUCCESS;
}
