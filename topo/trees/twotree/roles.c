/*
 * Roles: the number of edges that every item gives in each tree.
 *
 * A vertex has m items, and its own subtree x_t edges out in tree t. The items must then give m - 1
 * + x_t in tree t. That is one for each item but the first, which the entry serves, and the
 * exports. An item gives at most two in all; summed over both trees, 2 - x_0 - x_1 of the possible
 * 2m are not given. So if the subtree exports two, every item gives two; if it exports none, one
 * item gives none.
 *
 * The height depends on which child gives what. A tree may enter a child that gives something
 * immediately, while one that gives nothing must wait for a slot next to it. For each vertex and
 * each role of its own, a search finds the options of its children by which the surrounding tree
 * grows most. The children's tables for all their roles are known by then. The ranks attached to
 * the vertex give the rest by the equations.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/twotree/internal.h"

/** Children for which pairs of options are tried. */
#define MAX_PAIRED 4

/** Trials for one vertex and role, times items: a trial takes time with the items. */
#define MAX_TRIED_ITEMS 500

/** Children up to which it is noted what was tried: their options fit one number. */
#define MAX_NOTED 23

/** Entries for noting it: enough for a vertex with one child. */
#define MAX_TRIED ((size_t) 512)

/** The options that are tried for a vertex. */
typedef struct trial {
    int v;
    pb_tt_role_t role;
    int n_children;
    pb_tt_option_t *options; /**< by index among the children */
    int locals[PB_TT_OPTIONS];
} trial_t;

typedef struct search {
    pb_tt_t *tt;
    pb_tt_maker_t *maker;
    trial_t trial;          /**< of the vertex that is searched, in one of its roles */
    pb_tt_draft_t draft[2]; /**< of the trial, by tree */
    double cost;
    pb_tt_draft_t kept[2]; /**< of the best trial */
    int n_trials, max_trials;
    uint64_t *tried; /**< an open hash table of options that were tried, 0: free */
} search_t;

/** Finds the options of ranks attached to the vertex, if the children's options allow any. */
static bool settle_locals(search_t *s)
{
    const pb_tt_option_t own = (pb_tt_option_t) (2 * s->trial.role);
    const int n_locals = pb_tt_n_locals(s->tt, s->trial.v);
    int n_idle = 0, sum[2];
    for (int tree = 0; tree < 2; tree++) {
        sum[tree] = n_locals + s->trial.n_children - 1 + pb_tt_gives(own, tree);
        for (int i = 0; i < s->trial.n_children; i++) {
            sum[tree] -= pb_tt_gives(s->trial.options[i], tree);
        }
    }
    for (int i = 0; i < s->trial.n_children; i++) {
        n_idle += s->trial.options[i] / 2 == PB_TT_NONE;
    }
    memset(s->trial.locals, 0, sizeof(s->trial.locals));
    const int idle = (s->trial.role == PB_TT_NONE) - n_idle;
    if (idle < 0 || idle > n_locals || sum[0] < 0 || sum[1] < 0) {
        return false;
    }
    s->trial.locals[2 * PB_TT_NONE] = idle;
    s->trial.locals[2 * PB_TT_EACH] = sum[0] % 2;
    s->trial.locals[2 * PB_TT_TWO] = sum[0] / 2;
    s->trial.locals[2 * PB_TT_TWO + 1] = sum[1] / 2;
    return true;
}

/** The cost of both trees together; at the root the later tree decides. */
static double combine(const search_t *s)
{
    const double a = s->draft[0].cost, b = s->draft[1].cost;
    const double high = fmax(a, b), low = fmin(a, b);
    return s->trial.v == 0 ? high + 0.001 * low : high + log1p(exp(low - high));
}

/** Bound on the cost of one tree by which both cost less than `best`; `other`: the other one's
 * cost. */
static double limit_of(const search_t *s, double best, double other)
{
    if (s->trial.v == 0 || isinf(best)) {
        return best;
    }
    return other < best ? best + log1p(-exp(other - best)) + PB_TT_ROUNDING : -INFINITY;
}

/* ---- options that were tried ---- */

/** The options as a number, with one digit for each child; with `turned` all of them are turned. */
static uint64_t number_of(const search_t *s, pb_tt_option_t turned)
{
    const int *child = &s->tt->child[s->tt->first_child[s->trial.v]];
    uint64_t number = 1;
    for (int i = 0; i < s->trial.n_children; i++) {
        const pb_tt_option_t option = s->trial.options[i] ^ turned;
        const bool is_even = pb_tt_config(s->tt, child[i], option / 2)->is_even;
        number = PB_TT_OPTIONS * number + (is_even ? option & ~1U : option);
    }
    return number;
}

/** Notes the options; returns whether they, or others of the same cost, were noted before. Then
 * they cost no less than the best ones. The two trees may be exchanged where the vertex gives both
 * as much.
 */
static bool note_options(search_t *s)
{
    if (s->trial.n_children == 0 || s->trial.n_children > MAX_NOTED) {
        return false;
    }
    const uint64_t turned = number_of(s, s->trial.role != PB_TT_TWO);
    uint64_t number = number_of(s, 0);
    number = turned < number ? turned : number;
    size_t at = (size_t) ((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % MAX_TRIED;
    while (s->tried[at] != 0 && s->tried[at] != number) {
        at = (at + 1) % MAX_TRIED;
    }
    const bool was_noted = s->tried[at] == number;
    s->tried[at] = number;
    return was_noted;
}

/* ---- trials ---- */

static void load(search_t *s, int tree)
{
    const trial_t *trial = &s->trial;
    pb_tt_load(s->maker, tree, trial->v, trial->role, trial->locals, trial->options);
}

/**
 * Judges the options by their cost. PB_ERR_UNFIT if they do not cost less than `best`,
 * PB_ERR_NO_MEMORY.
 */
static int try_options(search_t *s, double best)
{
    if (!settle_locals(s)) {
        return PB_ERR_UNFIT;
    }
    s->n_trials++;
    if (note_options(s)) {
        return PB_ERR_UNFIT;
    }
    for (int tree = 0; tree < 2; tree++) {
        load(s, tree);
        const int rc = pb_tt_begin_table(s->maker, &s->draft[tree]);
        /* Both trees together cost no less than one of them. */
        if (rc != PB_SUCCESS || s->draft[tree].cost >= best) {
            return rc != PB_SUCCESS ? rc : PB_ERR_UNFIT;
        }
    }
    if (combine(s) >= best) {
        return PB_ERR_UNFIT;
    }
    for (int tree = 0; tree < 2; tree++) {
        const double limit = limit_of(s, best, s->draft[!tree].cost);
        load(s, tree);
        if (!pb_tt_judge_table(s->maker, &s->draft[tree], limit)) {
            return PB_ERR_UNFIT;
        }
    }
    s->cost = combine(s);
    return s->cost < best ? PB_SUCCESS : PB_ERR_UNFIT;
}

/** Keeps the trial as the vertex's config of the role. */
static void keep(search_t *s)
{
    pb_tt_config_t *config = pb_tt_config(s->tt, s->trial.v, s->trial.role);
    memcpy(config->locals, s->trial.locals, sizeof(config->locals));
    if (s->trial.n_children > 0) {
        memcpy(config->options, s->trial.options,
               (size_t) s->trial.n_children * sizeof(*s->trial.options));
    }
    memcpy(s->kept, s->draft, sizeof(s->kept));
}

static bool is_same(const pb_tt_table_t *a, const pb_tt_table_t *b)
{
    return a->need == b->need && a->n == b->n &&
           memcmp(a->replies, b->replies, (size_t) a->n * sizeof(*a->replies)) == 0;
}

/** Makes the tables of the vertex's config of the role. */
static int make_tables(search_t *s)
{
    pb_tt_config_t *config = pb_tt_config(s->tt, s->trial.v, s->trial.role);
    int rc = PB_SUCCESS;
    for (int tree = 0; tree < 2 && rc == PB_SUCCESS; tree++) {
        pb_tt_table_t *table = &config->tables[tree];
        pb_tt_load(s->maker, tree, s->trial.v, s->trial.role, config->locals, config->options);
        rc = pb_tt_make_table(s->maker, &s->kept[tree], table);
        s->tt->tables->memory += (size_t) table->n * sizeof(*table->replies);
    }
    config->is_even = rc == PB_SUCCESS && is_same(&config->tables[0], &config->tables[1]);
    return rc;
}

/** Options that always work out: as few mixed ones as can be, the trees in turn. */
static void first_options(search_t *s)
{
    const int n_locals = pb_tt_n_locals(s->tt, s->trial.v),
              n_items = n_locals + s->trial.n_children;
    const pb_tt_option_t own = (pb_tt_option_t) (2 * s->trial.role);
    const int sum[2] = {n_items - 1 + pb_tt_gives(own, 0), n_items - 1 + pb_tt_gives(own, 1)};
    int left[2] = {sum[0] / 2, sum[1] / 2};
    int at = 0;
    if (s->trial.role == PB_TT_NONE && n_locals == 0) {
        s->trial.options[at++] = 2 * PB_TT_NONE;
    }
    for (int turn = 0; at < s->trial.n_children; at++, turn = !turn) {
        const int tree = left[turn] > 0 ? turn : !turn;
        s->trial.options[at] =
            (pb_tt_option_t) (left[tree] > 0 ? 2 * PB_TT_TWO + tree : 2 * PB_TT_EACH);
        left[tree]--;
    }
}

/** Tries one change of one or two options (i == j: of one). Keeps it if it is better. */
static int change(search_t *s, int i, int j, pb_tt_option_t option_i, pb_tt_option_t option_j,
                  double *best, bool *better)
{
    const pb_tt_option_t old_i = s->trial.options[i], old_j = s->trial.options[j];
    if (s->n_trials >= s->max_trials || option_i == old_i || (i != j && option_j == old_j)) {
        return PB_SUCCESS;
    }
    s->trial.options[j] = option_j;
    s->trial.options[i] = option_i;
    const int rc = try_options(s, *best - PB_TT_ROUNDING);
    if (rc == PB_SUCCESS) {
        *best = s->cost;
        *better = true;
        keep(s);
        return PB_SUCCESS;
    }
    s->trial.options[j] = old_j;
    s->trial.options[i] = old_i;
    return rc == PB_ERR_UNFIT ? PB_SUCCESS : rc;
}

/** Tells whether two options may have to change together: no ranks can make up for a change of one,
 * and let another child idle. */
static bool is_paired(const search_t *s, int i, int j)
{
    return j < MAX_PAIRED &&
           (pb_tt_n_locals(s->tt, s->trial.v) < 2 || s->trial.options[i] / 2 == PB_TT_NONE ||
            s->trial.options[j] / 2 == PB_TT_NONE);
}

/** Tells whether a child before this one has the same shape and option: then its changes were
 * tried. */
static bool is_repeated(const search_t *s, int i)
{
    const int *child = &s->tt->child[s->tt->first_child[s->trial.v]], *shape = s->tt->shape;
    for (int j = i - 1; j >= 0; j--) {
        if (shape[child[j]] == shape[child[i]] && s->trial.options[j] == s->trial.options[i]) {
            return true;
        }
    }
    return false;
}

/** Makes one round of changes. */
static int improve(search_t *s, double *best, bool *better)
{
    int rc = PB_SUCCESS;
    *better = false;
    for (int i = 0; i < s->trial.n_children; i++) {
        if (is_repeated(s, i)) {
            continue;
        }
        for (pb_tt_option_t a = 0; a < PB_TT_OPTIONS && rc == PB_SUCCESS; a++) {
            rc = change(s, i, i, a, a, best, better);
        }
        for (int j = i + 1; j < s->trial.n_children; j++) {
            if (!is_paired(s, i, j)) {
                continue;
            }
            for (int ab = 0; ab < PB_TT_OPTIONS * PB_TT_OPTIONS && rc == PB_SUCCESS; ab++) {
                rc = change(s, i, j, (pb_tt_option_t) (ab / PB_TT_OPTIONS),
                            (pb_tt_option_t) (ab % PB_TT_OPTIONS), best, better);
            }
        }
    }
    return rc;
}

static int search_vertex(search_t *s)
{
    const pb_tt_t *tt = s->tt;
    s->trial.n_children = pb_tt_n_children(tt, s->trial.v);
    s->n_trials = 0;
    s->max_trials = MAX_TRIED_ITEMS / (s->trial.n_children + pb_tt_n_locals(tt, s->trial.v) + 1);
    first_options(s);
    memset(s->tried, 0, MAX_TRIED * sizeof(*s->tried));
    int rc = try_options(s, INFINITY);
    double best = s->cost;
    bool better = s->trial.n_children > 0;
    if (rc == PB_SUCCESS) {
        keep(s);
    }
    while (better && rc == PB_SUCCESS) {
        rc = improve(s, &best, &better);
    }
    return rc == PB_SUCCESS ? make_tables(s) : rc;
}

/** Hands the options of v's items out, top-down. */
static void settle_vertex(pb_tt_t *tt, int v)
{
    const int role = tt->option[v] / 2, turned = tt->option[v] % 2;
    const pb_tt_config_t *config = pb_tt_config(tt, v, role);
    for (int i = tt->first_child[v]; i < tt->first_child[v + 1]; i++) {
        const pb_tt_option_t option = config->options[i - tt->first_child[v]];
        tt->option[tt->child[i]] = option ^ (pb_tt_option_t) turned;
    }
    int p = pb_tt_first_local(tt, v);
    for (int option = 0; option < PB_TT_OPTIONS; option++) {
        for (int i = 0; i < config->locals[option]; i++) {
            tt->rank_option[p++] = (pb_tt_option_t) (option ^ turned);
        }
    }
}

/** Makes the configs of the vertex for all its roles. */
static int search_roles(search_t *s)
{
    const int n_roles = s->trial.v == 0 ? 1 : PB_TT_ROLES;
    int rc = PB_SUCCESS;
    for (int role = 0; role < n_roles && rc == PB_SUCCESS; role++) {
        s->trial.role = (pb_tt_role_t) role;
        rc = search_vertex(s);
    }
    return rc;
}

/** Finds the shapes of all vertices, bottom-up, and makes the configs of those that are new. */
static int search_new(search_t *s, int *key)
{
    int rc = PB_SUCCESS;
    for (s->trial.v = s->tt->view->n_vertices - 1; s->trial.v >= 0 && rc == PB_SUCCESS;
         s->trial.v--) {
        bool is_new;
        rc = pb_tt_find_shape(s->tt, s->trial.v, key, &is_new);
        if (rc == PB_SUCCESS && is_new) {
            rc = search_roles(s);
        }
    }
    return rc;
}

int pb_tt_choose_roles(pb_tt_t *tt, pb_tt_maker_t *maker)
{
    search_t s = {.tt = tt, .maker = maker};
    const size_t n_vertices = (size_t) tt->view->n_vertices;
    int *key = malloc((n_vertices + 2) * sizeof(*key));
    s.trial.options = malloc(n_vertices * sizeof(*s.trial.options));
    s.tried = malloc(MAX_TRIED * sizeof(*s.tried));
    int rc = PB_ERR_NO_MEMORY;
    if (key != NULL && s.trial.options != NULL && s.tried != NULL) {
        rc = search_new(&s, key);
    }
    tt->option[0] = 2 * PB_TT_NONE;
    tt->rank_option[0] = 2 * PB_TT_EACH;
    for (int v = 0; v < tt->view->n_vertices && rc == PB_SUCCESS; v++) {
        settle_vertex(tt, v);
    }
    free(key);
    free(s.trial.options);
    free(s.tried);
    return rc;
}
