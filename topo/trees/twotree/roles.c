/*
 * Roles: how many edges every item gives in each tree.
 *
 * With m items and x_t edges out of the vertex's own subtree in tree t, the
 * items must give m - 1 + x_t in tree t: one for each item but the first, which
 * the entry serves, and the exports. An item gives at most two in all; summed
 * over both trees, 2 - x_0 - x_1 of the possible 2m are not given. So if the
 * subtree exports two, every item gives two; if it exports none, one item gives
 * none.
 *
 * Which child gives what decides the height: a tree may enter a child that
 * gives something at once, while one that gives nothing must wait for a slot
 * beside it. For each vertex and each role of its own, options of its children
 * are searched that take least from the growth of the surrounding tree; the
 * children's tables for all their roles are known by then. The ranks attached
 * to the vertex give what the equations leave.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/twotree/internal.h"

/** Children for which pairs of options are tried. */
#define MAX_PAIRED 4

/** Trials for one vertex and role, times items: a trial takes time with the items. */
#define MAX_TRIED_ITEMS 8000

typedef struct search {
    pb_tt_t *tt;
    pb_tt_maker_t *maker;
    int v;
    pb_tt_role_t role;
    int n_children;
    pb_tt_option_t *options; /**< by index among the children */
    int locals[PB_TT_OPTIONS];
    double cost;
    pb_tt_table_t tables[2]; /**< of the trial */
    int n_trials, max_trials;
} search_t;

/** What the ranks attached to the vertex give, if the children's options allow an answer. */
static bool settle_locals(search_t *s)
{
    const pb_tt_option_t own = (pb_tt_option_t) (2 * s->role);
    const int n_locals = pb_tt_n_locals(s->tt, s->v);
    int n_idle = 0, sum[2];
    for (int tree = 0; tree < 2; tree++) {
        sum[tree] = n_locals + s->n_children - 1 + pb_tt_gives(own, tree);
        for (int i = 0; i < s->n_children; i++) {
            sum[tree] -= pb_tt_gives(s->options[i], tree);
        }
    }
    for (int i = 0; i < s->n_children; i++) {
        n_idle += s->options[i] / 2 == PB_TT_NONE;
    }
    memset(s->locals, 0, sizeof(s->locals));
    const int idle = (s->role == PB_TT_NONE) - n_idle;
    if (idle < 0 || idle > n_locals || sum[0] < 0 || sum[1] < 0) {
        return false;
    }
    s->locals[2 * PB_TT_NONE] = idle;
    s->locals[2 * PB_TT_EACH] = sum[0] % 2;
    s->locals[2 * PB_TT_TWO] = sum[0] / 2;
    s->locals[2 * PB_TT_TWO + 1] = sum[1] / 2;
    return true;
}

/** Of both trees together; at the root the later tree decides. */
static double combine(const search_t *s, const double costs[2])
{
    const double high = fmax(costs[0], costs[1]), low = fmin(costs[0], costs[1]);
    return s->v == 0 ? high + 0.001 * low : high + log1p(exp(low - high));
}

static void load(const search_t *s, int tree)
{
    pb_tt_load(s->maker, tree, s->v, s->role, s->locals, s->options);
}

/** Judges the options: the tables and the cost. False if they do not cost less than `best`. */
static bool try_options(search_t *s, double best)
{
    double costs[2];
    if (!settle_locals(s)) {
        return false;
    }
    s->n_trials++;
    for (int tree = 0; tree < 2; tree++) {
        load(s, tree);
        if (pb_tt_begin_table(s->maker, &s->tables[tree], &costs[tree]) != PB_SUCCESS) {
            return false;
        }
    }
    if (combine(s, costs) >= best) {
        return false;
    }
    for (int tree = 0; tree < 2; tree++) {
        load(s, tree);
        pb_tt_finish_table(s->maker, &s->tables[tree], &costs[tree]);
    }
    s->cost = combine(s, costs);
    return s->cost < best;
}

static int keep_table(pb_tt_table_t *kept, const pb_tt_table_t *table)
{
    const size_t bytes = (size_t) table->n * sizeof(*table->replies);
    pb_tt_reply_t *replies = realloc(kept->replies, bytes);
    if (replies == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    memcpy(replies, table->replies, bytes);
    *kept = (pb_tt_table_t){.need = table->need, .n = table->n, .replies = replies};
    return PB_SUCCESS;
}

/** Keeps the trial as the vertex's config of the role. */
static int keep(search_t *s)
{
    pb_tt_t *tt = s->tt;
    pb_tt_config_t *config = &tt->configs[PB_TT_ROLES * s->v + s->role];
    memcpy(config->locals, s->locals, sizeof(config->locals));
    for (int i = 0; i < s->n_children; i++) {
        const int c = tt->child[tt->first_child[s->v] + i];
        tt->options[PB_TT_ROLES * c + s->role] = s->options[i];
    }
    int rc = keep_table(&config->tables[0], &s->tables[0]);
    return rc == PB_SUCCESS ? keep_table(&config->tables[1], &s->tables[1]) : rc;
}

/** Options that always work out: as few mixed ones as can be, the trees in turn. */
static void first_options(search_t *s)
{
    const int n_locals = pb_tt_n_locals(s->tt, s->v), n_items = n_locals + s->n_children;
    const pb_tt_option_t own = (pb_tt_option_t) (2 * s->role);
    const int sum[2] = {n_items - 1 + pb_tt_gives(own, 0), n_items - 1 + pb_tt_gives(own, 1)};
    int left[2] = {sum[0] / 2, sum[1] / 2};
    int at = 0;
    if (s->role == PB_TT_NONE && n_locals == 0) {
        s->options[at++] = 2 * PB_TT_NONE;
    }
    for (int turn = 0; at < s->n_children; at++, turn = !turn) {
        const int tree = left[turn] > 0 ? turn : !turn;
        s->options[at] = (pb_tt_option_t) (left[tree] > 0 ? 2 * PB_TT_TWO + tree : 2 * PB_TT_EACH);
        left[tree]--;
    }
}

/** Tries one change of one or two options (i == j: of one). Keeps it if it is better. */
static int change(search_t *s, int i, int j, pb_tt_option_t option_i, pb_tt_option_t option_j,
                  double *best, bool *better)
{
    const pb_tt_option_t old_i = s->options[i], old_j = s->options[j];
    if (s->n_trials >= s->max_trials || option_i == old_i || (i != j && option_j == old_j)) {
        return PB_SUCCESS;
    }
    s->options[j] = option_j;
    s->options[i] = option_i;
    if (try_options(s, *best - 1e-9)) {
        *best = s->cost;
        *better = true;
        return keep(s);
    }
    s->options[j] = old_j;
    s->options[i] = old_i;
    return PB_SUCCESS;
}

/**
 * Whether two options need to change together: where there are no ranks to make
 * up for a change of one, and to let another child idle.
 */
static bool is_paired(const search_t *s, int i, int j)
{
    return j < MAX_PAIRED && (pb_tt_n_locals(s->tt, s->v) < 2 || s->options[i] / 2 == PB_TT_NONE ||
                              s->options[j] / 2 == PB_TT_NONE);
}

/** One round of changes. */
static int improve(search_t *s, double *best, bool *better)
{
    int rc = PB_SUCCESS;
    *better = false;
    for (int i = 0; i < s->n_children; i++) {
        for (pb_tt_option_t a = 0; a < PB_TT_OPTIONS && rc == PB_SUCCESS; a++) {
            rc = change(s, i, i, a, a, best, better);
        }
        for (int j = i + 1; j < s->n_children; j++) {
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
    s->n_children = pb_tt_n_children(tt, s->v);
    s->n_trials = 0;
    s->max_trials = MAX_TRIED_ITEMS / (s->n_children + pb_tt_n_locals(tt, s->v) + 1);
    first_options(s);
    if (!try_options(s, INFINITY)) {
        return PB_ERR_UNFIT;
    }
    double best = s->cost;
    bool better = s->n_children > 0;
    int rc = keep(s);
    while (better && rc == PB_SUCCESS) {
        rc = improve(s, &best, &better);
    }
    return rc;
}

/** Hands the options of v's items out, top-down. */
static void settle_vertex(pb_tt_t *tt, int v)
{
    const int role = tt->option[v] / 2, turned = tt->option[v] % 2;
    const pb_tt_config_t *config = &tt->configs[PB_TT_ROLES * v + role];
    for (int i = tt->first_child[v]; i < tt->first_child[v + 1]; i++) {
        const int c = tt->child[i];
        tt->option[c] = tt->options[PB_TT_ROLES * c + role] ^ (pb_tt_option_t) turned;
    }
    int p = pb_tt_first_local(tt, v);
    for (int option = 0; option < PB_TT_OPTIONS; option++) {
        for (int i = 0; i < config->locals[option]; i++) {
            tt->rank_option[p++] = (pb_tt_option_t) (option ^ turned);
        }
    }
}

int pb_tt_choose_roles(pb_tt_t *tt, pb_tt_maker_t *maker)
{
    search_t s = {.tt = tt, .maker = maker};
    int rc = PB_SUCCESS;
    s.options = malloc((size_t) tt->view->n_vertices * sizeof(*s.options));
    s.tables[0].replies = malloc(PB_TT_MAX_REPLIES * sizeof(pb_tt_reply_t));
    s.tables[1].replies = malloc(PB_TT_MAX_REPLIES * sizeof(pb_tt_reply_t));
    if (s.options == NULL || s.tables[0].replies == NULL || s.tables[1].replies == NULL) {
        rc = PB_ERR_NO_MEMORY;
    }
    for (s.v = tt->view->n_vertices - 1; s.v >= 0; s.v--) {
        const int n_roles = s.v == 0 ? 1 : PB_TT_ROLES;
        for (int role = 0; role < n_roles && rc == PB_SUCCESS; role++) {
            s.role = (pb_tt_role_t) role;
            rc = search_vertex(&s);
        }
    }
    tt->option[0] = 2 * PB_TT_NONE;
    tt->rank_option[0] = 2 * PB_TT_EACH;
    for (int v = 0; v < tt->view->n_vertices && rc == PB_SUCCESS; v++) {
        settle_vertex(tt, v);
    }
    free(s.options);
    free(s.tables[0].replies);
    free(s.tables[1].replies);
    return rc;
}
