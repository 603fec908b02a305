#include "topo/model/planner.h"

#include <stdlib.h>
#include <string.h>

#include "topo/model/group_kind.h"
#include "topo/model/ledger.h"
#include "topo/model/role_cache.h"
#include "topo/model/threshold.h"
#include "topo/trees/tables.h"

/** Among which kinds is chosen. */
enum {
    ALL_KINDS,       /**< what the options have, which the ledger may refuse */
    REPEATING_KINDS, /**< those that the ledger never refuses */
    TREES,           /**< what the options have but for multicast */
    N_CHOICES
};

/** What was planned for a broadcast. */
typedef struct last {
    int root; /**< -1: none */
    uint64_t bytes;
    pb_candidate_t candidate;
} last_t;

/** A group of ranks. */
typedef struct group {
    int root;
    pb_kind_t kind;
    int n_ranks;
    int *ranks; /**< owned; NULL: out of memory */
} group_t;

struct pb_planner {
    pb_planner_options_t options;
    const pb_placement_t *placement;
    const pb_model_t *model;
    pb_chooser_t *choosers[N_CHOICES]; /**< NULL: nothing was chosen yet, or memory ran out */
    pb_tables_t tables;                /**< of trees of all ranks */
    pb_role_cache_t roles;             /**< in the trees of all ranks */
    pb_role_t *group_role;             /**< in the tree of the last group; NULL: none */
    group_t group;                     /**< which that was */
    uint64_t classes[8];     /**< bit k of entry i: of the class 2^k (8 + i) / 8 one was planned */
    pb_ledger_t *ledger;     /**< NULL: there can be no bound on connections */
    bool ledger_is_lost;     /**< a plan was not charged here that the others may have charged */
    bool threshold_is_lost;  /**< the others know which broadcasts are considered, this rank not */
    bool has_repeated;       /**< a broadcast was restricted to the repeating kinds */
    pb_learning_t *reserved; /**< owned; NULL: nothing can be learnt */
    pb_learning_t *learning; /**< the same; NULL: nothing is learnt */
    pb_threshold_t threshold;
    last_t last;      /**< what was planned last by what is learnt */
    int watched_root; /**< of the last one that is watched; -1: none was */
    uint64_t watched_bytes;
    int64_t watched_time; /**< predicted by the model of it; -1: not known */
    int64_t watched_fill;
};

pb_planner_t *pb_planner_new(void)
{
    return calloc(1, sizeof(pb_planner_t));
}

int pb_planner_reserve(pb_planner_t *planner, int n_ranks)
{
    if (planner->ledger == NULL) {
        planner->ledger = pb_ledger_new(n_ranks);
    }
    return planner->ledger != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

int pb_planner_reserve_learning(pb_planner_t *planner)
{
    if (planner->reserved == NULL) {
        planner->reserved = pb_learning_new();
    }
    return planner->reserved != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static bool is_bound(const pb_planner_t *planner)
{
    return planner->ledger != NULL && pb_ledger_is_bounding(planner->ledger);
}

/** Where there is a bound, neighbours repeat if they can, and no plan needs all connections. */
static void bind(pb_planner_t *planner)
{
    pb_choose_options_t *choose = &planner->options.choose;
    pb_ledger_begin(planner->ledger, planner->options.connections);
    choose->plan.repeats = is_bound(planner);
    choose->plan.leaders = choose->plan.leaders && !is_bound(planner);
    for (int kind = 0; is_bound(planner) && kind < PB_KIND_COUNT; kind++) {
        const bool reaches_all = pb_kind_row((pb_kind_t) kind)->reaches_all;
        choose->excluded |= (uint32_t) reaches_all << kind;
    }
}

/** Gives the choosers back, of which what is learnt borrows one. */
static void drop_choosers(pb_planner_t *planner)
{
    if (planner->learning != NULL) {
        pb_learning_predict_beside(planner->learning, NULL);
    }
    for (int i = 0; i < N_CHOICES; i++) {
        pb_chooser_free(planner->choosers[i]);
        planner->choosers[i] = NULL;
    }
}

/** Nothing is known of broadcasts by these options. The choosers are gone. */
static void begin_anew(pb_planner_t *planner, bool learns)
{
    planner->options.choose.frame = 0;
    memset(planner->classes, 0, sizeof(planner->classes));
    planner->last.root = -1;
    planner->watched_root = -1;
    planner->watched_time = planner->watched_fill = -1;
    planner->learning = learns ? planner->reserved : NULL;
    pb_threshold_begin(&planner->threshold, planner->options.min_size);
    planner->threshold_is_lost = false;
    if (planner->learning != NULL) {
        pb_learning_begin(planner->learning, planner->placement, planner->model,
                          &planner->options.choose);
    }
}

void pb_planner_begin(pb_planner_t *planner, const pb_placement_t *placement,
                      const pb_model_t *model, const pb_planner_options_t *options)
{
    drop_choosers(planner);
    planner->placement = placement;
    planner->model = model;
    planner->options = *options;
    planner->options.choose.plan.tables = &planner->tables;
    if (planner->ledger != NULL) {
        bind(planner);
    }
    begin_anew(planner, !options->learns_nothing);
}

static void drop_group(pb_planner_t *planner)
{
    free(planner->group_role);
    free(planner->group.ranks);
    planner->group_role = NULL;
    planner->group.ranks = NULL;
}

/** Whether a broadcast may turn out to be the fallback component's, by what is learnt. */
static bool learns_to_pass(const pb_planner_t *planner)
{
    return pb_planner_learns(planner) && planner->options.choose.kind == PB_CHOOSE_ALL;
}

static void raise_threshold(pb_planner_t *planner)
{
    if (learns_to_pass(planner)) {
        pb_threshold_raise(&planner->threshold, pb_learning_learner(planner->learning));
    }
}

void pb_planner_allow_multicast(pb_planner_t *planner, uint32_t payload)
{
    pb_choose_options_t *choose = &planner->options.choose;
    const uint64_t frame = pb_choose_may_multicast(choose) ? payload : 0;
    if (choose->frame == frame) {
        return;
    }
    choose->frame = frame;
    drop_choosers(planner);
    planner->last.root = -1;
    if (planner->learning != NULL) {
        pb_learning_set_frame(planner->learning, frame);
    }
    raise_threshold(planner);
}

void pb_planner_begin_with(pb_planner_t *planner, const pb_learner_t *kept)
{
    if (pb_planner_learns(planner)) {
        pb_learning_begin_with(planner->learning, kept);
        raise_threshold(planner);
    }
}

const pb_learner_t *pb_planner_learner(const pb_planner_t *planner)
{
    return pb_planner_learns(planner) ? pb_learning_learner(planner->learning) : NULL;
}

/** Gives back all that is kept. */
static void forget(pb_planner_t *planner)
{
    drop_choosers(planner);
    if (planner->learning != NULL) {
        pb_learning_forget(planner->learning);
    }
    pb_role_cache_clear(&planner->roles);
    pb_tables_clear(&planner->tables);
    drop_group(planner);
}

void pb_planner_free(pb_planner_t *planner)
{
    if (planner != NULL) {
        forget(planner);
        pb_learning_free(planner->reserved);
        free(planner->ledger);
        free(planner);
    }
}

bool pb_planner_has_room(const pb_planner_t *planner, int n_neighbours)
{
    return planner->ledger == NULL || pb_ledger_has_room(planner->ledger, n_neighbours);
}

void pb_planner_charge_tree(pb_planner_t *planner, int n_neighbours)
{
    if (planner->ledger != NULL) {
        pb_ledger_charge_tree(planner->ledger, n_neighbours);
    }
}

int pb_planner_connections(const pb_planner_t *planner)
{
    return planner->ledger != NULL ? pb_ledger_charged(planner->ledger) : 0;
}

static size_t memory_of_choosers(const pb_planner_t *planner)
{
    size_t memory = planner->learning != NULL ? pb_learning_memory(planner->learning) : 0;
    for (int i = 0; i < N_CHOICES; i++) {
        memory += planner->choosers[i] != NULL ? pb_chooser_memory(planner->choosers[i]) : 0;
    }
    return memory;
}

size_t pb_planner_memory(const pb_planner_t *planner)
{
    return planner->roles.memory + memory_of_choosers(planner) + pb_tables_memory(&planner->tables);
}

/** Keeps the bound on memory; the newest role stays. */
static void trim(pb_planner_t *planner)
{
    const size_t bound = planner->options.memory;
    if (pb_planner_memory(planner) <= bound) {
        return;
    }
    /* First what helps with further roots alone. */
    pb_tables_clear(&planner->tables);
    if (pb_planner_memory(planner) <= bound) {
        return;
    }
    for (int i = 0; i < N_CHOICES && memory_of_choosers(planner) > bound; i++) {
        if (planner->choosers[i] != NULL) {
            pb_chooser_forget(planner->choosers[i]);
        }
    }
    if (planner->learning != NULL && memory_of_choosers(planner) > bound) {
        pb_learning_forget(planner->learning);
    }
    pb_role_cache_trim(&planner->roles, bound - memory_of_choosers(planner));
}

/** The plan of a kind over the ranks (NULL: all), to be freed. */
static int make_plan(const pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                     int n_ranks, pb_plan_t **plan_p)
{
    pb_view_t *view = NULL;
    pb_plan_options_t options = planner->options.choose.plan;
    *plan_p = NULL;
    if (ranks != NULL) {
        options.tables = NULL; /* groups seldom come again */
        options.leaders = false;
    }
    int rc = pb_view_new(planner->placement, root, ranks, n_ranks, &view);
    if (rc == PB_SUCCESS) {
        rc = pb_plan_compute(view, kind, &options, plan_p);
    }
    pb_view_free(view);
    return rc;
}

/** This rank's role in the tree of `kind` over the ranks (NULL: all), to be freed. */
static int make_role(const pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                     int n_ranks, pb_role_t **role_p)
{
    pb_plan_t *plan;
    int rc = make_plan(planner, root, kind, ranks, n_ranks, &plan);
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

static bool is_last_group(const pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                          int n_ranks)
{
    const group_t *group = &planner->group;
    return planner->group_role != NULL && group->ranks != NULL && group->root == root &&
           group->kind == kind && group->n_ranks == n_ranks &&
           memcmp(group->ranks, ranks, (size_t) n_ranks * sizeof(*ranks)) == 0;
}

/** Without memory for that it is computed again. */
static void note_group(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                       int n_ranks)
{
    const size_t size = (size_t) n_ranks * sizeof(*ranks);
    group_t *group = &planner->group;
    *group = (group_t){.root = root, .kind = kind, .n_ranks = n_ranks, .ranks = malloc(size)};
    if (group->ranks != NULL) {
        memcpy(group->ranks, ranks, size);
    }
}

/** The role in a group; that of the last one is kept, as the next one often is the same. */
static int get_group_role(pb_planner_t *planner, int root, pb_kind_t kind, const int *ranks,
                          int n_ranks, pb_planned_t *planned)
{
    int rc = PB_SUCCESS;
    planned->was_cached = is_last_group(planner, root, kind, ranks, n_ranks);
    if (!planned->was_cached) {
        drop_group(planner);
        rc = make_role(planner, root, kind, ranks, n_ranks, &planner->group_role);
    }
    if (rc == PB_SUCCESS && !planned->was_cached) {
        note_group(planner, root, kind, ranks, n_ranks);
    }
    planned->role = planner->group_role;
    return rc;
}

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
        among == REPEATING_KINDS ? repeating_options(planner) : planner->options.choose;
    options.frame = among == TREES ? 0 : options.frame;
    return options;
}

static pb_chooser_t *get_chooser(pb_planner_t *planner, int among)
{
    if (planner->choosers[among] == NULL) {
        const pb_choose_options_t options = options_among(planner, among);
        planner->choosers[among] = pb_chooser_new(planner->placement, planner->model, &options);
        if (among == ALL_KINDS && planner->learning != NULL) {
            pb_learning_predict_beside(planner->learning, planner->choosers[among]);
        }
    }
    return planner->choosers[among];
}

/** Charges the plan of a choice, which *plan_p is or becomes, unless that does not fit. */
static int charge(pb_planner_t *planner, int root, pb_kind_t kind, pb_plan_t **plan_p)
{
    const int rc = *plan_p != NULL ? PB_SUCCESS : make_plan(planner, root, kind, NULL, 0, plan_p);
    if (rc == PB_SUCCESS) {
        (void) pb_ledger_charge(planner->ledger, kind, root, pb_plan_most_neighbours(*plan_p));
    }
    return rc;
}

/** Whether the ledger has what was chosen; the fallback component needs nothing of it. */
static bool is_had(const pb_planner_t *planner, int root, const pb_choice_t *choice)
{
    return choice->best.kind == PB_KIND_FALLBACK ||
           pb_ledger_has(planner->ledger, (pb_kind_t) choice->best.kind, root);
}

/** A choice, and what it was made for. */
typedef struct made {
    pb_choice_t choice;
    int among;       /**< which kinds */
    pb_plan_t *plan; /**< as pb_choose_plan() has it, to be freed, also after an error */
} made_t;

static int choose_among(pb_planner_t *planner, int among, int root, uint64_t bytes, made_t *made)
{
    pb_chooser_t *chooser = get_chooser(planner, among);
    pb_plan_free(made->plan);
    *made = (made_t){.among = among};
    return chooser != NULL ? pb_choose_plan(chooser, root, bytes, &made->choice, &made->plan)
                           : PB_ERR_NO_MEMORY;
}

/**
 * Chooses among `kinds`, and within the bound on connections; only with `charges` the ledger
 * changes. The choice among all kinds comes first also where the ledger is closed: it does not
 * depend on the ledger, and what the ledger has stays had, so that a broadcast that was planned is
 * planned alike ever after.
 */
static int choose(pb_planner_t *planner, int kinds, int root, uint64_t bytes, bool charges,
                  made_t *made)
{
    *made = (made_t){.among = kinds};
    int rc = choose_among(planner, kinds, root, bytes, made);
    if (!is_bound(planner)) {
        return rc;
    }
    if (rc == PB_SUCCESS && charges && !is_had(planner, root, &made->choice) &&
        !pb_ledger_is_closed(planner->ledger)) {
        rc = charge(planner, root, (pb_kind_t) made->choice.best.kind, &made->plan);
    }
    return rc != PB_SUCCESS || is_had(planner, root, &made->choice)
               ? rc
               : choose_among(planner, REPEATING_KINDS, root, bytes, made);
}

/** The pieces of a message in the tree that was planned, all ranks alike. */
static size_t piece_of(pb_planner_t *planner, int among, const pb_planned_t *planned,
                       uint64_t bytes)
{
    const pb_chooser_t *chooser = planner->choosers[among]; /* that has just chosen */
    return planned->fallback ? 0 : (size_t) pb_choose_piece(chooser, planned->kind, bytes);
}

static void fill(pb_planned_t *planned, const pb_candidate_t *candidate, uint64_t bytes)
{
    planned->fallback = candidate->kind == PB_KIND_FALLBACK;
    planned->kind = planned->fallback ? PB_KIND_CHAIN : (pb_kind_t) candidate->kind;
    planned->segment_size = (size_t) pb_candidate_segment(candidate, bytes);
}

/** Fills *planned but for the role by what was chosen with the error `rc`. */
static int plan_by_choice(const pb_planner_t *planner, uint64_t bytes, int rc, const made_t *made,
                          pb_planned_t *planned)
{
    *planned = (pb_planned_t){.is_known = rc == PB_SUCCESS};
    if (rc == PB_ERR_UNFIT) {
        const pb_choose_options_t options = options_among(planner, made->among);
        planned->kind = (pb_kind_t) pb_choose_kind(&options);
    }
    if (rc != PB_SUCCESS) {
        return rc;
    }
    planned->begins_to_repeat = made->among == REPEATING_KINDS && !planner->has_repeated;
    fill(planned, &made->choice.best, bytes);
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

/** How a broadcast is planned: by the choice alone, or by what is learnt. */
typedef enum { BY_CHOICE, BY_TREES, BY_LEARNING, TO_BE_WATCHED } plan_by_t;

static bool learns_by(plan_by_t by)
{
    return by == BY_LEARNING || by == TO_BE_WATCHED;
}

/** The kinds that may be tried: with a bound on connections those that the ledger has. */
static uint32_t kinds_to_try(const pb_planner_t *planner, int root)
{
    uint32_t kinds = UINT32_MAX;
    for (int kind = 0; is_bound(planner) && kind < PB_KIND_COUNT; kind++) {
        const bool is_there = pb_ledger_has(planner->ledger, (pb_kind_t) kind, root);
        kinds &= ~((uint32_t) !is_there << kind);
    }
    return kinds;
}

/** What is predicted of a broadcast that is watched, by the model that was given. */
static int expect(pb_planner_t *planner, int root, uint64_t bytes, const pb_learnt_t *learnt)
{
    pb_chooser_t *chooser = get_chooser(planner, ALL_KINDS);
    const pb_candidate_t *candidate = &learnt->candidate;
    planner->watched_root = root;
    planner->watched_bytes = bytes;
    planner->watched_time = planner->watched_fill = -1;
    if (chooser == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    if (candidate->kind != PB_KIND_FALLBACK) {
        const uint64_t first = pb_choose_first(chooser, candidate, bytes);
        planner->watched_time = pb_choose_time(chooser, root, bytes, candidate);
        planner->watched_fill = pb_choose_time(chooser, root, first, candidate);
    }
    return pb_learning_watch(planner->learning, chooser, root, bytes, learnt);
}

/** This rank's role; of the fallback component's broadcast that is watched, in the fold's tree. */
static int add_planned_role(pb_planner_t *planner, int root, plan_by_t by,
                            const pb_candidate_t *prior, const pb_plan_t *plan,
                            pb_planned_t *planned)
{
    if (planned->fallback && by != TO_BE_WATCHED) {
        return PB_SUCCESS;
    }
    if (planned->fallback) {
        planned->kind = pb_learning_last_kind(planner->learning, prior);
    }
    const bool is_of_prior = plan != NULL && prior->kind == (int) planned->kind;
    return get_role(planner, root, planned->kind, is_of_prior ? plan : NULL, planned);
}

/** Another candidate than the choice, if what is learnt is for that. */
static int learn(pb_planner_t *planner, int root, uint64_t bytes, plan_by_t by,
                 const pb_choice_t *prior, pb_learnt_t *learnt, pb_planned_t *planned)
{
    *learnt = (pb_learnt_t){.candidate = prior->best};
    if (!learns_by(by)) {
        return PB_SUCCESS;
    }
    const int rc = pb_learning_choose(planner->learning, root, bytes, by == TO_BE_WATCHED,
                                      kinds_to_try(planner, root), prior, learnt);
    if (rc == PB_SUCCESS) {
        fill(planned, &learnt->candidate, bytes);
        planned->is_trial = learnt->is_trial;
    }
    return rc;
}

static int plan_for_all(pb_planner_t *planner, int root, uint64_t bytes, plan_by_t by,
                        pb_planned_t *planned)
{
    made_t made;
    pb_learnt_t learnt;
    const pb_choice_t *prior = &made.choice;
    int rc = choose(planner, by == BY_TREES ? TREES : ALL_KINDS, root, bytes, true, &made);
    rc = plan_by_choice(planner, bytes, rc, &made, planned);
    if (rc == PB_SUCCESS) {
        rc = learn(planner, root, bytes, by, prior, &learnt, planned);
        planned->is_known = rc == PB_SUCCESS;
    }
    if (rc == PB_SUCCESS) {
        planned->piece_size = piece_of(planner, made.among, planned, bytes);
        rc = add_planned_role(planner, root, by, &prior->best, made.plan, planned);
    }
    pb_plan_free(made.plan);
    if (rc == PB_SUCCESS && by == TO_BE_WATCHED) {
        rc = expect(planner, root, bytes, &learnt);
    }
    if (rc == PB_SUCCESS && learns_by(by)) {
        pb_learning_count(planner->learning, root, bytes, &learnt.candidate);
        planner->last = (last_t){.root = root, .bytes = bytes, .candidate = learnt.candidate};
    }
    return rc;
}

static int plan(pb_planner_t *planner, int root, uint64_t bytes, plan_by_t by,
                pb_planned_t *planned)
{
    if (planner->ledger_is_lost || planner->threshold_is_lost) {
        *planned = (pb_planned_t){.is_known = false};
        return PB_ERR_NO_MEMORY;
    }
    int rc = plan_for_all(planner, root, bytes, by, planned);
    if (rc == PB_ERR_NO_MEMORY) {
        forget(planner);
        rc = plan_for_all(planner, root, bytes, by, planned);
    }
    planner->has_repeated = planner->has_repeated || planned->begins_to_repeat;
    planner->ledger_is_lost = rc == PB_ERR_NO_MEMORY && !planned->is_known && is_bound(planner) &&
                              !pb_ledger_is_closed(planner->ledger);
    planned->is_new_class = rc == PB_SUCCESS && note_class(planner, bytes);
    if (by == TO_BE_WATCHED) {
        raise_threshold(planner); /* a class may have settled */
    }
    trim(planner);
    return rc;
}

int pb_planner_plan(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned)
{
    return plan(planner, root, bytes, BY_CHOICE, planned);
}

int pb_planner_plan_tree(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned)
{
    return plan(planner, root, bytes, BY_TREES, planned);
}

int pb_planner_plan_learnt(pb_planner_t *planner, int root, uint64_t bytes, bool is_watched,
                           pb_planned_t *planned)
{
    const plan_by_t by = !pb_planner_learns(planner) ? BY_CHOICE
                         : is_watched                ? TO_BE_WATCHED
                                                     : BY_LEARNING;
    return plan(planner, root, bytes, by, planned);
}

bool pb_planner_learns(const pb_planner_t *planner)
{
    const pb_choose_options_t *choose = &planner->options.choose;
    return planner->learning != NULL && (pb_choose_kind(choose) < 0 || choose->segment == 0);
}

bool pb_planner_is_eager(const pb_planner_t *planner, uint64_t bytes)
{
    return pb_planner_learns(planner) &&
           (bytes < planner->threshold.bytes || pb_learning_is_eager(planner->learning, bytes));
}

bool pb_planner_knows_links(const pb_planner_t *planner)
{
    return pb_learner_knows_links(pb_learning_learner(planner->learning));
}

/** By what is known of links now; the predictions for the last root are there. */
static void lower_threshold(pb_planner_t *planner)
{
    pb_threshold_t *threshold = &planner->threshold;
    if (!learns_to_pass(planner) || is_bound(planner) || planner->watched_root < 0) {
        return;
    }
    int rc = pb_threshold_lower(threshold, planner->learning, planner->watched_root);
    if (rc == PB_ERR_NO_MEMORY) {
        forget(planner);
        rc = pb_threshold_lower(threshold, planner->learning, planner->watched_root);
    }
    planner->threshold_is_lost = planner->threshold_is_lost || rc != PB_SUCCESS;
}

pb_lesson_t pb_planner_note(pb_planner_t *planner, int64_t longest, int64_t least_wait)
{
    const pb_lesson_t lesson = pb_learning_note(planner->learning, longest, least_wait);
    lower_threshold(planner);
    raise_threshold(planner);
    return lesson;
}

bool pb_planner_considers(const pb_planner_t *planner, uint64_t bytes)
{
    return bytes >= planner->threshold.bytes || planner->threshold_is_lost;
}

bool pb_planner_considers_next(pb_planner_t *planner, uint64_t bytes)
{
    return !pb_threshold_passes(&planner->threshold, bytes) || planner->threshold_is_lost;
}

uint64_t pb_planner_threshold(const pb_planner_t *planner)
{
    return planner->threshold.bytes;
}

bool pb_planner_may_consider(const pb_planner_t *planner, uint64_t bytes)
{
    return bytes >= pb_threshold_first(planner->options.min_size);
}

void pb_planner_watched(const pb_planner_t *planner, int64_t *time_p, int64_t *fill_p)
{
    *time_p = planner->watched_time;
    *fill_p = planner->watched_fill;
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

int pb_planner_stand_in(pb_planner_t *planner, int root, pb_planned_t *planned)
{
    const bool has_binomial = pb_ledger_repeats(planner->ledger, PB_KIND_BINOMIAL);
    return pb_planner_role(planner, root, has_binomial ? PB_KIND_BINOMIAL : PB_KIND_CHAIN, NULL, 0,
                           planned);
}

/** The kind of tree for a group, where `planned` is for all ranks. */
static pb_kind_t kind_for_group(const pb_planner_t *planner, uint64_t bytes,
                                const pb_planner_group_t *group, const pb_planned_t *planned)
{
    const pb_choose_options_t options = options_among(planner, TREES);
    if (pb_choose_kind(&options) >= 0 || (group->ranks == NULL && !planned->fallback)) {
        return planned->kind;
    }
    const int n_ranks = group->ranks != NULL ? group->n_ranks : planner->placement->n_ranks;
    return pb_group_kind(n_ranks, (bytes - 1) / planned->segment_size + 1, group->message_ns);
}

static int plan_for_group(pb_planner_t *planner, int root, uint64_t bytes,
                          const pb_planner_group_t *group, pb_planned_t *planned)
{
    made_t made;
    const int kinds = planner->options.choose.frame != 0 ? TREES : ALL_KINDS;
    int rc = choose(planner, kinds, root, bytes, false, &made);
    pb_plan_free(made.plan);
    rc = plan_by_choice(planner, bytes, rc, &made, planned);
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

bool pb_planner_may_pass_learnt(const pb_planner_t *planner, uint64_t bytes, bool is_watched)
{
    return pb_planner_may_pass(planner, bytes) ||
           (pb_planner_learns(planner) &&
            pb_learning_may_pass(planner->learning, bytes, is_watched));
}

/** Predicted by what is known of links, or else claimed; -1: not known. */
static int64_t time_of(pb_planner_t *planner, int root, uint64_t bytes,
                       const pb_candidate_t *candidate)
{
    if (pb_planner_knows_links(planner)) {
        return pb_learning_time(planner->learning, root, bytes, candidate);
    }
    pb_chooser_t *chooser = get_chooser(planner, ALL_KINDS);
    return chooser != NULL ? pb_choose_time(chooser, root, bytes, candidate) : -1;
}

/** The same until all ranks have what they wait for first. */
static int64_t fill_of(pb_planner_t *planner, int root, uint64_t bytes,
                       const pb_candidate_t *candidate)
{
    const pb_chooser_t *chooser = get_chooser(planner, ALL_KINDS);
    return chooser != NULL
               ? time_of(planner, root, pb_choose_first(chooser, candidate, bytes), candidate)
               : -1;
}

/** What was planned last, if that was the broadcast that is asked for, instead of the choice. */
static void report_last(pb_planner_t *planner, int root, uint64_t bytes,
                        pb_planner_report_t *report)
{
    const last_t *last = &planner->last;
    if (last->root != root || last->bytes != bytes ||
        (last->candidate.kind == report->best.kind &&
         last->candidate.segment == report->best.segment)) {
        return;
    }
    report->next = report->best;
    report->next_time = report->best_time;
    report->best = last->candidate;
    report->best_time = time_of(planner, root, bytes, &report->best);
    report->best_fill = fill_of(planner, root, bytes, &report->best);
}

/** What is known of the candidate that is reported. */
static void report_measured(const pb_planner_t *planner, uint64_t bytes,
                            pb_planner_report_t *report)
{
    pb_candidate_t in_force;
    if (pb_planner_learns(planner) &&
        pb_learner_in_force(pb_learning_learner(planner->learning), bytes, &in_force) &&
        in_force.kind == report->best.kind && in_force.segment == report->best.segment) {
        report->best_measured = in_force.time;
    }
}

/** The choice without what is learnt. */
static int explain_choice(pb_planner_t *planner, int root, uint64_t bytes,
                          pb_planner_report_t *report)
{
    made_t made;
    const int rc = choose(planner, ALL_KINDS, root, bytes, false, &made);
    pb_plan_free(made.plan);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    pb_chooser_t *chooser = planner->choosers[made.among];
    const pb_choice_t *choice = &made.choice;
    *report = (pb_planner_report_t){
        .best = choice->best,
        .next = choice->next,
        .best_measured = -1,
        .best_time = pb_choose_time(chooser, root, bytes, &choice->best),
        .best_fill = pb_choose_time(chooser, root, pb_choose_first(chooser, &choice->best, bytes),
                                    &choice->best),
        .next_time =
            choice->next.time >= 0 ? pb_choose_time(chooser, root, bytes, &choice->next) : -1,
    };
    return PB_SUCCESS;
}

int pb_planner_explain(pb_planner_t *planner, int root, uint64_t bytes, pb_planner_report_t *report)
{
    const int rc = explain_choice(planner, root, bytes, report);
    if (rc == PB_SUCCESS) {
        report_last(planner, root, bytes, report);
        report_measured(planner, bytes, report);
    }
    return rc;
}

int pb_planner_explain_prior(pb_planner_t *planner, pb_planner_report_t *report)
{
    if (planner->watched_root < 0) {
        return PB_ERR_UNKNOWN;
    }
    const int rc = explain_choice(planner, planner->watched_root, planner->watched_bytes, report);
    if (rc == PB_SUCCESS) {
        report_measured(planner, planner->watched_bytes, report);
    }
    return rc;
}
