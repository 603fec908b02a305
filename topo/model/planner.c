#include "topo/model/planner_internal.h"

#include <stdlib.h>

/** Rows of the table; a power of two. */
enum { ROW_BITS = 6, N_ROWS = 1 << ROW_BITS };

/** Decision for broadcasts of one root and size class. */
struct pb_planner_row {
    uint64_t size_class; /**< 0: none */
    uint32_t version;    /**< of the planner and its learner: see version_of() */
    int root;
    bool is_tree;  /**< as pb_planner_plan() has it */
    int slot;      /**< of the learner's class; -1: it is not counted */
    uint64_t used; /**< key of its plan */
    pb_candidate_t candidate;
    pb_planned_t planned; /**< but for the segment size; with the class's pieces */
};

pb_planner_t *pb_planner_new(int n_ranks, bool learns)
{
    pb_planner_t *planner = calloc(1, sizeof(*planner));
    if (planner == NULL) {
        return NULL;
    }
    planner->ledger = pb_ledger_new(n_ranks);
    planner->learner = learns ? calloc(1, sizeof(*planner->learner)) : NULL;
    if (planner->ledger == NULL || (learns && planner->learner == NULL)) {
        pb_planner_free(planner);
        return NULL;
    }
    return planner;
}

/** Binds the options to a bound on connections: neighbors repeat if they can, and no plan needs all
 * connections. */
static void bind(pb_planner_t *planner)
{
    pb_choose_options_t *choose = &planner->options.choose;
    pb_ledger_begin(planner->ledger, planner->options.connections);
    choose->plan.repeats = pb_planner_is_bound(planner);
    choose->plan.leaders = choose->plan.leaders && !pb_planner_is_bound(planner);
    for (int kind = 0; pb_planner_is_bound(planner) && kind < PB_KIND_COUNT; kind++) {
        const bool reaches_all = pb_kind_row((pb_kind_t) kind)->reaches_all;
        choose->excluded |= (uint32_t) reaches_all << kind;
    }
}

void pb_planner_drop_rows(pb_planner_t *planner)
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
    bind(planner);
    planner->options.choose.frame = 0;
    planner->swept = (pb_planner_swept_t){.root = -1, .time = -1, .message = -1};
    planner->swept_kind = -1;
    if (planner->learner != NULL) {
        pb_learner_init(planner->learner, !model->measured);
    }
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
    pb_planner_drop_choosers(planner);
    pb_planner_drop_rows(planner);
    const uint32_t kinds = kinds_of_frames(planner);
    if (planner->swept.trial.candidate.kind != PB_KIND_FALLBACK &&
        pb_planner_is_of(kinds, planner->swept.trial.candidate.kind)) {
        planner->swept.root = -1; /* its time is of no use */
    }
    if (planner->learner != NULL) {
        pb_learner_renew(planner->learner, kinds);
    }
}

void pb_planner_forget(pb_planner_t *planner)
{
    pb_planner_drop_choosers(planner);
    pb_planner_drop_rows(planner);
    free(planner->rows);
    planner->rows = NULL;
    pb_role_cache_clear(&planner->roles);
    pb_tables_clear(&planner->tables);
    pb_planner_drop_group(planner);
}

void pb_planner_free(pb_planner_t *planner)
{
    if (planner != NULL) {
        pb_planner_forget(planner);
        free(planner->learner);
        free(planner->corrected);
        free(planner->ledger);
        free(planner);
    }
}

bool pb_planner_has_room(const pb_planner_t *planner, int n_neighbours)
{
    return pb_ledger_has_room(planner->ledger, n_neighbours);
}

void pb_planner_charge_tree(pb_planner_t *planner, int n_neighbours)
{
    pb_ledger_charge_tree(planner->ledger, n_neighbours);
}

static size_t memory_of_choosers(const pb_planner_t *planner)
{
    size_t memory = planner->corrected != NULL ? sizeof(*planner->corrected) : 0;
    for (int i = 0; i < PB_N_AMONG; i++) {
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

void pb_planner_trim(pb_planner_t *planner)
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
    for (int i = 0; i < PB_N_AMONG && memory_of_choosers(planner) > bound; i++) {
        if (planner->choosers[i] != NULL) {
            pb_chooser_forget(planner->choosers[i]);
        }
    }
    const size_t others = memory_of_choosers(planner);
    if (pb_role_cache_trim(&planner->roles, others < bound ? bound - others : 0)) {
        pb_planner_drop_rows(planner); /* which borrow roles */
    }
}

static uint32_t version_of(const pb_planner_t *planner)
{
    return planner->version + (planner->learner != NULL ? planner->learner->version : 0);
}

/** The row for a broadcast, which may have another one's; NULL: there is no table. */
static pb_planner_row_t *row_at(const pb_planner_t *planner, int root, uint64_t size_class,
                                bool is_tree)
{
    const uint64_t key = size_class ^ (uint64_t) root << 32 ^ (uint64_t) is_tree;
    return planner->rows != NULL ? &planner->rows[pb_planner_hash(key, ROW_BITS)] : NULL;
}

static bool is_row(const pb_planner_t *planner, const pb_planner_row_t *row, int root,
                   uint64_t size_class, bool is_tree)
{
    return row != NULL && row->size_class == size_class && row->root == root &&
           row->is_tree == is_tree && row->version == version_of(planner);
}

/** A broadcast like an earlier one. */
static void take_row(pb_planner_t *planner, const pb_planner_row_t *row, uint64_t bytes,
                     pb_planned_t *planned)
{
    *planned = row->planned;
    planned->segment_size = (size_t) pb_candidate_segment(&row->candidate, bytes);
    if (row->slot >= 0) {
        pb_learner_count(planner->learner, row->slot);
        planned->wants_sweep = pb_learner_wants(planner->learner, row->slot);
        planner->to_open = row->used;
    }
}

/** Keeps a row. Without memory for the table, broadcasts are planned anew. */
static void put_row(pb_planner_t *planner, const pb_planner_row_t *row)
{
    if (planner->rows == NULL) {
        planner->rows = calloc(N_ROWS, sizeof(*planner->rows));
    }
    pb_planner_row_t *at = row_at(planner, row->root, row->size_class, row->is_tree);
    if (at != NULL) {
        *at = *row;
        at->version = version_of(planner);
        at->planned.was_cached = !row->planned.fallback;
        at->planned.is_new = at->planned.begins_to_repeat = false;
    }
}

/** A miss: chooses, and makes the role. */
static int make_row(pb_planner_t *planner, pb_planner_row_t *row, uint64_t bytes)
{
    pb_planner_made_t made;
    pb_planned_t *planned = &row->planned;
    *planned = (pb_planned_t){.is_known = false};
    int rc = pb_planner_choose(planner, row->is_tree ? PB_AMONG_TREES : PB_AMONG_ALL, row->root,
                               bytes, true, &made);
    if (rc == PB_SUCCESS) {
        pb_planner_take_choice(planner, bytes, &made, planned);
        row->candidate = made.choice;
        pb_planner_take_in_force(planner, row->root, bytes, row->is_tree, &row->candidate);
        pb_planner_fill(planned, &row->candidate, bytes);
        planned->piece_size = pb_planner_piece(planner, made.among, planned, row->size_class);
    }
    if (rc == PB_SUCCESS && !planned->fallback) {
        const bool is_chosen = made.choice.kind == row->candidate.kind;
        rc = pb_planner_get_role(planner, row->root, planned->kind, is_chosen ? made.plan : NULL,
                                 planned);
    }
    pb_plan_free(made.plan);
    return rc;
}

static int plan_new(pb_planner_t *planner, pb_planner_row_t *row, uint64_t bytes,
                    pb_planned_t *planned)
{
    if (planner->ledger_is_lost) {
        *planned = (pb_planned_t){.is_known = false};
        return PB_ERR_NO_MEMORY;
    }
    int rc = make_row(planner, row, bytes);
    if (rc == PB_ERR_NO_MEMORY) {
        pb_planner_forget(planner);
        rc = make_row(planner, row, bytes);
    }
    *planned = row->planned;
    planner->has_repeated = planner->has_repeated || planned->begins_to_repeat;
    planner->ledger_is_lost = rc == PB_ERR_NO_MEMORY && !planned->is_known &&
                              pb_planner_is_bound(planner) && !pb_ledger_is_closed(planner->ledger);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    planned->is_new = true;
    const bool learns = !row->is_tree && pb_planner_learns(planner);
    if (learns) {
        planner->to_open = row->used = pb_planner_key(row->root, row->candidate.kind);
        row->slot = pb_learner_take(planner->learner, bytes);
        pb_learner_count(planner->learner, row->slot);
    }
    if (row->slot >= 0) {
        planned->wants_sweep = pb_learner_wants(planner->learner, row->slot);
    }
    pb_planner_trim(planner);
    if (row->slot >= 0 || !learns) { /* else its row would stay without a slot */
        put_row(planner, row);
    }
    return PB_SUCCESS;
}

int pb_planner_plan(pb_planner_t *planner, int root, uint64_t bytes, bool is_tree,
                    pb_planned_t *planned)
{
    const uint64_t size_class = pb_size_class(bytes);
    const pb_planner_row_t *known = row_at(planner, root, size_class, is_tree);
    if (!is_tree) {
        pb_planner_note_used(planner, planner->to_open);
    }
    int rc = PB_SUCCESS;
    if (is_row(planner, known, root, size_class, is_tree)) {
        take_row(planner, known, bytes, planned);
    } else {
        pb_planner_row_t row = {
            .size_class = size_class, .root = root, .is_tree = is_tree, .slot = -1};
        rc = plan_new(planner, &row, bytes, planned);
    }
    planned->piece_size = pb_planner_piece_of(planned->piece_size, bytes);
    return rc;
}

bool pb_planner_learns(const pb_planner_t *planner)
{
    const pb_choose_options_t *choose = &planner->options.choose;
    return planner->learner != NULL && (pb_choose_kind(choose) < 0 || choose->segment == 0);
}
