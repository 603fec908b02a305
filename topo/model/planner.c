#include "topo/model/planner.h"

#include <stdlib.h>
#include <string.h>

#include "topo/model/ledger.h"
#include "topo/model/role_cache.h"
#include "topo/trees/tables.h"

/** Among which kinds is chosen. */
enum {
    ALL_KINDS,       /**< what the options have, which the ledger may refuse */
    REPEATING_KINDS, /**< those that the ledger never refuses */
    TREES,           /**< what the options have but for multicast */
    N_CHOICES
};

/** Of a message between two hosts on one switch. */
#define N_LINKS 2

/** Rows of the table, and plans that are remembered as used; powers of two. */
enum { N_ROWS = 64, N_USED = 64 };

/** More than there are kinds and sizes of segments. */
enum { MAX_CANDIDATES = 256 };

/** Bits per second: less is no speed that links have. */
#define LEAST_SPEED UINT64_C(62500)

/** Members of a group that gets two trees, at most: more take long (doc/design/candidates.md). */
#define MOST_IN_TWO_TREES 128

/** Factor by which links may be faster than was assumed. */
#define MOST_TIMES_ASSUMED 4

/** Decision for broadcasts of one root and size class. */
typedef struct row {
    uint64_t size_class; /**< 0: none */
    uint32_t version;    /**< of the planner and its learner: see version_of() */
    int root;
    bool is_tree;  /**< as pb_planner_plan_tree() has it */
    int slot;      /**< of the learner's class; -1: it is not counted */
    uint64_t used; /**< key_of() its plan */
    pb_candidate_t candidate;
    pb_planned_t planned; /**< but for the segment size, which depends on the very size */
} row_t;

/** A broadcast whose time will be noted. */
typedef struct swept {
    int root; /**< -1: none */
    uint64_t bytes;
    pb_learner_trial_t trial;
    int64_t time, fill; /**< predicted nanoseconds; -1: not known */
} swept_t;

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
    pb_ledger_t *ledger;               /**< NULL: there can be no bound on connections */
    bool ledger_is_lost;    /**< a plan was not charged here that the others may have charged */
    bool has_repeated;      /**< a broadcast was restricted to the repeating kinds */
    pb_learner_t *reserved; /**< owned; NULL: nothing can be learned */
    pb_learner_t *learner;  /**< the same; NULL: nothing is learned */
    pb_model_t
        *corrected; /**< owned, of links of another speed; NULL: `model` is as it was given */
    const pb_model_t *given;
    uint32_t version;      /**< changes whenever rows of the table may not count any more */
    row_t *rows;           /**< N_ROWS; NULL: none */
    uint64_t used[N_USED]; /**< keys of plans that were used, the last one of each hash: alike on
                              all ranks, which roles are kept is not */
    swept_t swept;         /**< the last one */
    int swept_kind;        /**< of tree, of the last one that was ours; -1: none was */
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
        planner->reserved = calloc(1, sizeof(*planner->reserved));
    }
    return planner->reserved != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static bool is_bound(const pb_planner_t *planner)
{
    return planner->ledger != NULL && pb_ledger_is_bounding(planner->ledger);
}

/** Binds the options to a bound on connections: neighbors repeat if they can, and no plan needs all
 * connections. */
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

/** Gives the choosers back. */
static void drop_choosers(pb_planner_t *planner)
{
    for (int i = 0; i < N_CHOICES; i++) {
        pb_chooser_free(planner->choosers[i]);
        planner->choosers[i] = NULL;
    }
}

/** Drops all rows of the table. */
static void drop_rows(pb_planner_t *planner)
{
    planner->version++;
}

void pb_planner_begin(pb_planner_t *planner, const pb_placement_t *placement,
                      const pb_model_t *model, const pb_planner_options_t *options)
{
    planner->placement = placement;
    planner->model = planner->given = model;
    planner->options = *options;
    planner->options.choose.plan.tables = &planner->tables;
    if (planner->ledger != NULL) {
        bind(planner);
    }
    planner->options.choose.frame = 0;
    planner->swept = (swept_t){.root = -1, .time = -1, .fill = -1};
    planner->swept_kind = -1;
    planner->learner = options->learns_nothing ? NULL : planner->reserved;
    if (planner->learner != NULL) {
        pb_learner_init(planner->learner, !model->measured);
    }
}

static void drop_group(pb_planner_t *planner)
{
    free(planner->group_role);
    free(planner->group.ranks);
    planner->group_role = NULL;
    planner->group.ranks = NULL;
}

/** Tells whether `kinds` has a kind's bit, or it is the fallback component. */
static bool is_of(uint32_t kinds, int kind)
{
    return kind == PB_KIND_FALLBACK || (kinds >> kind & 1) != 0;
}

/** Bits of the kinds whose frames switches copy, and, where one of them is forced, of those that
 * have stood in for it. */
static uint32_t kinds_of_frames(const pb_planner_t *planner)
{
    uint32_t kinds = 0;
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        kinds |= (uint32_t) pb_kind_row((pb_kind_t) kind)->copies << kind;
    }
    const int only = planner->options.choose.kind;
    return only >= 0 && (kinds >> only & 1) != 0 ? UINT32_MAX : kinds;
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
    drop_rows(planner);
    const uint32_t kinds = kinds_of_frames(planner);
    if (planner->swept.trial.candidate.kind != PB_KIND_FALLBACK &&
        is_of(kinds, planner->swept.trial.candidate.kind)) {
        planner->swept.root = -1; /* its time is of no use */
    }
    if (planner->learner != NULL) {
        pb_learner_renew(planner->learner, kinds);
    }
}

/** Gives back all that is kept. */
static void forget(pb_planner_t *planner)
{
    drop_choosers(planner);
    drop_rows(planner);
    free(planner->rows);
    planner->rows = NULL;
    pb_role_cache_clear(&planner->roles);
    pb_tables_clear(&planner->tables);
    drop_group(planner);
}

void pb_planner_free(pb_planner_t *planner)
{
    if (planner != NULL) {
        forget(planner);
        free(planner->reserved);
        free(planner->corrected);
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

static size_t memory_of_choosers(const pb_planner_t *planner)
{
    size_t memory = planner->corrected != NULL ? sizeof(*planner->corrected) : 0;
    for (int i = 0; i < N_CHOICES; i++) {
        memory += planner->choosers[i] != NULL ? pb_chooser_memory(planner->choosers[i]) : 0;
    }
    return memory;
}

size_t pb_planner_memory(const pb_planner_t *planner)
{
    return planner->roles.memory + memory_of_choosers(planner) +
           pb_tables_memory(&planner->tables) +
           (planner->rows != NULL ? N_ROWS * sizeof(*planner->rows) : 0);
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
    const size_t others = memory_of_choosers(planner);
    if (pb_role_cache_trim(&planner->roles, others < bound ? bound - others : 0)) {
        drop_rows(planner); /* which borrow roles */
    }
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

/** Makes this rank's role in the tree of `kind` over the ranks (NULL: all), to be freed. */
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

/** The role in a group. The last group's role is kept, as the next group often is the same. */
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

/** Tells whether the ledger has the chosen plan; the fallback component needs nothing of it. */
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
 * Chooses among `kinds` within the bound on connections; only with `charges` the ledger changes.
 * The choice among all kinds comes first even if the ledger is closed, as it does not depend on the
 * ledger. Charges are final, so a broadcast that was planned keeps its plan.
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

/** The kinds that may be used: with a bound on connections those that the ledger has. */
static uint32_t kinds_to_use(const pb_planner_t *planner, int root)
{
    uint32_t kinds = UINT32_MAX;
    for (int kind = 0; is_bound(planner) && kind < PB_KIND_COUNT; kind++) {
        const bool is_there = pb_ledger_has(planner->ledger, (pb_kind_t) kind, root);
        kinds &= ~((uint32_t) !is_there << kind);
    }
    return kinds;
}

/** The key of a kind and root, never 0. The fallback component's connections are the same for all
 * roots. */
static uint64_t key_of(int root, int kind)
{
    return kind == PB_KIND_FALLBACK ? 1 : ((uint64_t) root * PB_KIND_COUNT + (uint64_t) kind) + 2;
}

/** Index of a key in a table of 64 entries. */
static unsigned mixed(uint64_t key)
{
    _Static_assert(N_ROWS == 64 && N_USED == 64, "six bits of a hash");
    return (unsigned) (key * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

static uint64_t *used_at(pb_planner_t *planner, uint64_t key)
{
    return &planner->used[mixed(key)];
}

/* The table. */

static uint32_t version_of(const pb_planner_t *planner)
{
    return planner->version + (planner->learner != NULL ? planner->learner->version : 0);
}

/** The row for a broadcast, which may have another one's; NULL: there is no table. */
static row_t *row_at(const pb_planner_t *planner, int root, uint64_t size_class, bool is_tree)
{
    const uint64_t key = size_class ^ (uint64_t) root << 32 ^ (uint64_t) is_tree;
    return planner->rows != NULL ? &planner->rows[mixed(key)] : NULL;
}

static bool is_row(const pb_planner_t *planner, const row_t *row, int root, uint64_t size_class,
                   bool is_tree)
{
    return row != NULL && row->size_class == size_class && row->root == root &&
           row->is_tree == is_tree && row->version == version_of(planner);
}

/** A broadcast like an earlier one. */
static void take_row(pb_planner_t *planner, const row_t *row, uint64_t bytes, pb_planned_t *planned)
{
    *planned = row->planned;
    planned->segment_size = (size_t) pb_candidate_segment(&row->candidate, bytes);
    if (row->slot >= 0) {
        pb_learner_count(planner->learner, row->slot);
        planned->wants_sweep = pb_learner_wants(planner->learner, row->slot);
        *used_at(planner, row->used) = row->used;
    }
}

/** Keeps a row. Without memory for the table, broadcasts are planned anew. */
static void put_row(pb_planner_t *planner, const row_t *row)
{
    if (planner->rows == NULL) {
        planner->rows = calloc(N_ROWS, sizeof(*planner->rows));
    }
    row_t *at = row_at(planner, row->root, row->size_class, row->is_tree);
    if (at != NULL) {
        *at = *row;
        at->version = version_of(planner);
        at->planned.was_cached = !row->planned.fallback;
        at->planned.is_new = at->planned.begins_to_repeat = false;
    }
}

/** Takes the candidate in force, if it may be used, instead of the choice. */
static void take_in_force(const pb_planner_t *planner, row_t *row, uint64_t bytes)
{
    pb_candidate_t in_force;
    if (pb_planner_learns(planner) && pb_learner_in_force(planner->learner, bytes, &in_force) &&
        is_of(kinds_to_use(planner, row->root), in_force.kind) &&
        !(row->is_tree && in_force.kind >= 0 && pb_kind_row((pb_kind_t) in_force.kind)->copies)) {
        row->candidate = in_force;
    }
}

/** A miss: chooses, and makes the role. */
static int make_row(pb_planner_t *planner, row_t *row, uint64_t bytes)
{
    made_t made;
    pb_planned_t *planned = &row->planned;
    int rc = choose(planner, row->is_tree ? TREES : ALL_KINDS, row->root, bytes, true, &made);
    rc = plan_by_choice(planner, bytes, rc, &made, planned);
    if (rc == PB_SUCCESS) {
        row->candidate = made.choice.best;
        take_in_force(planner, row, bytes);
        fill(planned, &row->candidate, bytes);
        planned->piece_size = piece_of(planner, made.among, planned, row->size_class);
    }
    if (rc == PB_SUCCESS && !planned->fallback) {
        const bool is_chosen = made.choice.best.kind == row->candidate.kind;
        rc = get_role(planner, row->root, planned->kind, is_chosen ? made.plan : NULL, planned);
    }
    pb_plan_free(made.plan);
    return rc;
}

static int plan_new(pb_planner_t *planner, row_t *row, uint64_t bytes, pb_planned_t *planned)
{
    if (planner->ledger_is_lost) {
        *planned = (pb_planned_t){.is_known = false};
        return PB_ERR_NO_MEMORY;
    }
    int rc = make_row(planner, row, bytes);
    if (rc == PB_ERR_NO_MEMORY) {
        forget(planner);
        rc = make_row(planner, row, bytes);
    }
    *planned = row->planned;
    planner->has_repeated = planner->has_repeated || planned->begins_to_repeat;
    planner->ledger_is_lost = rc == PB_ERR_NO_MEMORY && !planned->is_known && is_bound(planner) &&
                              !pb_ledger_is_closed(planner->ledger);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    planned->is_new = true;
    if (!row->is_tree) {
        row->used = key_of(row->root, row->candidate.kind);
    }
    if (!row->is_tree && pb_planner_learns(planner)) {
        row->slot = pb_learner_take(planner->learner, bytes);
        pb_learner_count(planner->learner, row->slot);
        planned->wants_sweep = pb_learner_wants(planner->learner, row->slot);
    }
    trim(planner);
    put_row(planner, row);
    return PB_SUCCESS;
}

static int plan(pb_planner_t *planner, int root, uint64_t bytes, bool is_tree,
                pb_planned_t *planned)
{
    const uint64_t size_class = pb_size_class(bytes);
    const row_t *known = row_at(planner, root, size_class, is_tree);
    if (is_row(planner, known, root, size_class, is_tree)) {
        take_row(planner, known, bytes, planned);
        return PB_SUCCESS;
    }
    row_t row = {.size_class = size_class, .root = root, .is_tree = is_tree, .slot = -1};
    return plan_new(planner, &row, bytes, planned);
}

int pb_planner_plan(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned)
{
    return plan(planner, root, bytes, false, planned);
}

int pb_planner_plan_tree(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned)
{
    return plan(planner, root, bytes, true, planned);
}

bool pb_planner_learns(const pb_planner_t *planner)
{
    const pb_choose_options_t *choose = &planner->options.choose;
    return planner->learner != NULL && (pb_choose_kind(choose) < 0 || choose->segment == 0);
}

/* Sweeps. */

/** The candidates of one broadcast. */
typedef struct listed {
    uint32_t kinds; /**< that may be used */
    int n;
    pb_candidate_t candidates[MAX_CANDIDATES];
} listed_t;

static void list(void *context, const pb_candidate_t *candidate)
{
    listed_t *listed = context;
    if (is_of(listed->kinds, candidate->kind) && listed->n < MAX_CANDIDATES) {
        listed->candidates[listed->n++] = *candidate;
    }
}

/** Finds another candidate than the one in force, if one is to be tried. */
static int find_trial(pb_planner_t *planner, pb_chooser_t *chooser, swept_t *swept)
{
    if (!pb_learner_is_trying(planner->learner, swept->trial.slot)) {
        return PB_SUCCESS;
    }
    listed_t listed; /* large: it is not filled with zeros */
    listed.kinds = kinds_to_use(planner, swept->root);
    listed.n = 0;
    const int rc = pb_choose_explain(chooser, swept->root, swept->bytes, true, list, &listed);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    const int at =
        pb_learner_next(planner->learner, swept->trial.slot, listed.candidates, listed.n);
    if (at >= 0) {
        swept->trial.candidate = listed.candidates[at];
        swept->trial.is_trial = true;
    }
    return PB_SUCCESS;
}

/** Predicts the times of a swept broadcast, by the model that plans. */
static int predict(const pb_planner_t *planner, pb_chooser_t *chooser, swept_t *swept)
{
    pb_candidate_t *candidate = &swept->trial.candidate;
    const uint64_t first = pb_choose_first(chooser, candidate, swept->bytes);
    candidate->time = pb_choose_time(chooser, swept->root, swept->trial.size_class, candidate);
    swept->time = swept->bytes == swept->trial.size_class
                      ? candidate->time
                      : pb_choose_time(chooser, swept->root, swept->bytes, candidate);
    swept->fill = first == swept->bytes ? swept->time
                                        : pb_choose_time(chooser, swept->root, first, candidate);
    swept->trial.hop = pb_model_cost(planner->model, N_LINKS, first).rtt / 2;
    return candidate->time >= 0 && swept->time >= 0 && swept->fill >= 0 ? PB_SUCCESS
                                                                        : PB_ERR_NO_MEMORY;
}

/** The tree along which the sweep of a broadcast of the fallback component travels. */
static pb_kind_t tree_of_sweep(const pb_planner_t *planner)
{
    return planner->swept_kind >= 0 ? (pb_kind_t) planner->swept_kind : PB_KIND_CHAIN;
}

static int sweep(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned)
{
    swept_t swept = {
        .root = root,
        .bytes = bytes,
        .trial = {
            .slot = -1,
            .size_class = pb_size_class(bytes),
            .candidate = {.kind = planned->fallback ? PB_KIND_FALLBACK : (int) planned->kind,
                          .segment = planned->segment_size < bytes ? planned->segment_size : 0}}};
    pb_chooser_t *chooser = get_chooser(planner, ALL_KINDS);
    int rc = chooser != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    if (rc == PB_SUCCESS && pb_planner_learns(planner)) {
        swept.trial.slot = pb_learner_take(planner->learner, bytes);
        rc = find_trial(planner, chooser, &swept);
    }
    if (rc == PB_SUCCESS) {
        rc = predict(planner, chooser, &swept);
    }
    if (rc != PB_SUCCESS) {
        return rc;
    }
    const uint64_t key = key_of(root, swept.trial.candidate.kind);
    swept.trial.opens = *used_at(planner, key) != key;
    planned->is_trial = swept.trial.is_trial;
    planned->is_swept = true;
    fill(planned, &swept.trial.candidate, bytes);
    planned->piece_size = piece_of(planner, ALL_KINDS, planned, swept.trial.size_class);
    planner->swept = swept;
    if (planned->role != NULL && !planned->is_trial) {
        return PB_SUCCESS; /* the role that was planned */
    }
    return get_role(planner, root, planned->fallback ? tree_of_sweep(planner) : planned->kind, NULL,
                    planned);
}

int pb_planner_sweep(pb_planner_t *planner, int root, uint64_t bytes, pb_planned_t *planned)
{
    const pb_planned_t before = *planned;
    int rc = sweep(planner, root, bytes, planned);
    if (rc == PB_ERR_NO_MEMORY) {
        forget(planner);
        *planned = before;
        planned->role = NULL; /* forgotten, too */
        rc = sweep(planner, root, bytes, planned);
    }
    if (rc != PB_SUCCESS) {
        return rc;
    }
    const int kind = planner->swept.trial.candidate.kind;
    const uint64_t key = key_of(root, kind);
    *used_at(planner, key) = key;
    planner->swept_kind = kind != PB_KIND_FALLBACK ? kind : planner->swept_kind;
    trim(planner);
    return PB_SUCCESS;
}

void pb_planner_predicted(const pb_planner_t *planner, int64_t *time_p, int64_t *fill_p)
{
    *time_p = planner->swept.time;
    *fill_p = planner->swept.fill;
}

/** The time that the swept broadcast is predicted to take by links of this speed; -1: no memory. */
static int64_t time_at(pb_planner_t *planner, uint64_t speed)
{
    const swept_t *swept = &planner->swept;
    pb_chooser_t *chooser = get_chooser(planner, ALL_KINDS);
    pb_model_assume_other(planner->given, speed, planner->corrected);
    planner->corrected->measured = true;
    return chooser != NULL ? pb_choose_time_by(chooser, planner->corrected, swept->root,
                                               swept->trial.size_class, &swept->trial.candidate)
                           : -1;
}

/** Sets the corrected model to the speed at which it explains a time of the swept broadcast. */
static int find_speed(pb_planner_t *planner, int64_t time)
{
    uint64_t slow = LEAST_SPEED, fast = MOST_TIMES_ASSUMED * planner->given->speed;
    int64_t predicted = 0;
    while (slow + slow / 64 < fast && predicted >= 0) {
        /* By factors first, as speeds differ by orders of magnitude. */
        const uint64_t middle = fast / slow > 4 ? 2 * slow : slow + (fast - slow) / 2;
        predicted = time_at(planner, middle);
        slow = predicted > time ? middle : slow;
        fast = predicted > time ? fast : middle;
    }
    return predicted >= 0 ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static int correct_speed(pb_planner_t *planner, int64_t time)
{
    if (planner->corrected == NULL) {
        planner->corrected = malloc(sizeof(*planner->corrected));
    }
    int rc = planner->corrected != NULL ? find_speed(planner, time) : PB_ERR_NO_MEMORY;
    if (rc == PB_SUCCESS) {
        planner->model = planner->corrected;
        for (int i = 0; i < N_CHOICES; i++) {
            if (planner->choosers[i] != NULL) {
                pb_chooser_set_model(planner->choosers[i], planner->model);
            }
        }
        drop_rows(planner);
    }
    return rc;
}

int pb_planner_note(pb_planner_t *planner, int64_t longest, int64_t least_wait, pb_lesson_t *lesson)
{
    const swept_t *swept = &planner->swept;
    int rc = PB_SUCCESS;
    *lesson = (pb_lesson_t){.verdict = PB_VERDICT_STAYS, .time = longest};
    if (swept->root < 0 || !pb_planner_learns(planner)) {
        return PB_SUCCESS;
    }
    lesson->verdict =
        pb_learner_note(planner->learner, &swept->trial, longest, least_wait, &lesson->time);
    if (lesson->verdict == PB_VERDICT_SPEED) {
        rc = correct_speed(planner, lesson->time);
        if (rc == PB_ERR_NO_MEMORY) {
            forget(planner);
            rc = correct_speed(planner, lesson->time);
        }
        pb_learner_forget(planner->learner);
    }
    lesson->bits_per_second = planner->given->measured ? 0 : planner->model->speed;
    lesson->is_known = pb_learner_in_force(planner->learner, swept->bytes, &lesson->in_force);
    planner->swept.root = -1;
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
    planned->kind = kind_for_group(group, planned);
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
    return pb_choose_may_pass(planner->given, &planner->options.choose, bytes) ||
           (pb_planner_learns(planner) && planner->options.choose.kind == PB_CHOOSE_ALL);
}

int pb_planner_explain(pb_planner_t *planner, int root, uint64_t bytes, pb_planner_report_t *report)
{
    made_t made;
    row_t row = {.root = root, .size_class = pb_size_class(bytes), .slot = -1};
    const int rc = choose(planner, ALL_KINDS, root, bytes, false, &made);
    pb_plan_free(made.plan);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    pb_chooser_t *chooser = planner->choosers[made.among];
    row.candidate = made.choice.best;
    take_in_force(planner, &row, bytes);
    const bool is_chosen = row.candidate.kind == made.choice.best.kind &&
                           row.candidate.segment == made.choice.best.segment;
    const pb_candidate_t *next = is_chosen ? &made.choice.next : &made.choice.best;
    *report = (pb_planner_report_t){
        .best = row.candidate,
        .next = *next,
        .best_measured = is_chosen ? -1 : row.candidate.time,
        .best_time = pb_choose_time(chooser, root, bytes, &row.candidate),
        .next_time = next->time >= 0 ? pb_choose_time(chooser, root, bytes, next) : -1,
    };
    return PB_SUCCESS;
}
