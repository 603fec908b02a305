/*
 * Tables: what a subtree gives back, and when, for every slack.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/twotree/internal.h"

/** A table ends when its replies come this near to those with boundless slack. */
#define NEARLY 0.98

/** No tree needs more slack than this for each rank. */
#define MAX_SLACK_PER_RANK 64

static const int late[2] = {PB_TT_NEVER, PB_TT_NEVER};

static int compare_pairs(const void *a, const void *b)
{
    const pb_tt_pair_t *x = a, *y = b;
    if (x->weight != y->weight) {
        return x->weight > y->weight ? -1 : 1;
    }
    return x->hold[1] - y->hold[1];
}

static double weight(const pb_tt_t *tt, int time)
{
    return time >= PB_TT_NEVER ? 0.0 : pow(tt->costs.growth, -time);
}

/**
 * The times at which slots can come: the sum of first children's delays and of
 * at most as many second ones'. Returns their number.
 */
static int prepare_holds(pb_tt_maker_t *b)
{
    const int first = b->tt->costs.first, step = b->tt->costs.step;
    int n = 0;
    for (int time = first; time <= PB_TT_MAX_HOLD; time++) {
        const int hops = time / first, rest = time % first;
        const bool possible = step == 0 ? rest == 0 : rest <= hops * step && rest % step == 0;
        if (possible) {
            b->holds[n++] = time;
        }
    }
    return n;
}

static int prepare_pairs(pb_tt_maker_t *b)
{
    const int n = prepare_holds(b);
    for (int exports = 0; exports <= 2; exports++) {
        b->pairs[exports] = malloc((size_t) (n * n + 1) * sizeof(*b->pairs[exports]));
        if (b->pairs[exports] == NULL) {
            return PB_ERR_NO_MEMORY;
        }
    }
    for (int i = 0; i < n; i++) {
        b->pairs[1][b->n_pairs[1]++] = (pb_tt_pair_t){.hold = {b->holds[i], PB_TT_NEVER},
                                                      .weight = weight(b->tt, b->holds[i])};
        for (int j = i; j < n; j++) {
            b->pairs[2][b->n_pairs[2]++] =
                (pb_tt_pair_t){.hold = {b->holds[i], b->holds[j]},
                               .weight = weight(b->tt, b->holds[i]) + weight(b->tt, b->holds[j])};
        }
    }
    for (int exports = 1; exports <= 2; exports++) {
        qsort(b->pairs[exports], (size_t) b->n_pairs[exports], sizeof(pb_tt_pair_t), compare_pairs);
    }
    return PB_SUCCESS;
}

static int compare_guests(const void *a, const void *b)
{
    const pb_tt_guest_t *x = a, *y = b;
    return x->lead != y->lead ? y->lead - x->lead : x->vertex - y->vertex;
}

void pb_tt_load(pb_tt_maker_t *b, int tree, int v, pb_tt_role_t role,
                const int locals[PB_TT_OPTIONS], const pb_tt_option_t *options)
{
    const pb_tt_t *tt = b->tt;
    pb_tt_pool_t *pool = &b->pool;
    pool->n_locals = pb_tt_n_locals(tt, v);
    memset(pool->n_giving, 0, sizeof(pool->n_giving));
    for (int option = 0; option < PB_TT_OPTIONS; option++) {
        pool->n_giving[pb_tt_gives((pb_tt_option_t) option, tree)] += locals[option];
    }
    pool->n_guests = 0;
    for (int i = tt->first_child[v]; i < tt->first_child[v + 1]; i++) {
        const int c = tt->child[i];
        const pb_tt_option_t option = options[i - tt->first_child[v]];
        const pb_tt_table_t *table =
            &tt->configs[PB_TT_ROLES * c + option / 2].tables[tree ^ (option % 2)];
        pool->guests[pool->n_guests++] = (pb_tt_guest_t){
            .vertex = c, .gives = pb_tt_gives(option, tree), .lead = table->need, .table = table};
    }
    qsort(pool->guests, (size_t) pool->n_guests, sizeof(*pool->guests), compare_guests);
    pool->n_exports = pb_tt_gives((pb_tt_option_t) (2 * role), tree);
    pool->first = tt->costs.first;
    pool->step = tt->costs.step;
    pool->entry = v == 0 ? pool->first : 0;
}

static double value(const pb_tt_maker_t *b, const pb_tt_reply_t *reply)
{
    return weight(b->tt, reply->out[0]) + weight(b->tt, reply->out[1]);
}

/** The best reply for one slack; false if there is none. */
static bool best_reply(pb_tt_maker_t *b, int slack, double best, pb_tt_reply_t *reply)
{
    const int exports = b->pool.n_exports;
    *reply = (pb_tt_reply_t){
        .slack = slack, .hold = {PB_TT_NEVER, PB_TT_NEVER}, .out = {PB_TT_NEVER, PB_TT_NEVER}};
    if (!pb_tt_fill(&b->pool, slack, late)) {
        return false;
    }
    for (int i = 0; i < exports; i++) {
        reply->out[i] = b->pool.export_time[i];
    }
    best = fmax(best, value(b, reply));
    for (int i = 0; i < b->n_pairs[exports]; i++) {
        const pb_tt_pair_t *pair = &b->pairs[exports][i];
        if (pair->weight <= best) {
            break;
        }
        if (pair->hold[exports - 1] > slack || !pb_tt_fill(&b->pool, slack, pair->hold)) {
            continue;
        }
        pb_tt_reply_t found = {.slack = slack,
                               .hold = {pair->hold[0], pair->hold[1]},
                               .out = {PB_TT_NEVER, PB_TT_NEVER}};
        for (int x = 0; x < exports; x++) {
            found.out[x] = b->pool.export_time[x];
        }
        if (value(b, &found) > best) {
            best = value(b, &found);
            *reply = found;
        }
    }
    return true;
}

/** A slack below which no fill can succeed. */
static int least_slack(const pb_tt_maker_t *b)
{
    int least = b->pool.entry;
    if (b->pool.n_guests > 0 && least < b->pool.entry + b->pool.guests[0].lead) {
        least = b->pool.entry + b->pool.guests[0].lead;
    }
    return least;
}

static double cost_of(const pb_tt_maker_t *b, int slack, const pb_tt_reply_t *reply)
{
    return slack * log(b->tt->costs.growth) + log(fmax(1.0 - value(b, reply), 1e-6));
}

int pb_tt_begin_table(pb_tt_maker_t *b, pb_tt_table_t *table, double *bound)
{
    table->n = 0;
    table->need = least_slack(b);
    while (!pb_tt_fill(&b->pool, table->need, late)) {
        if (++table->need > MAX_SLACK_PER_RANK * (b->tt->view->n_ranks + 1)) {
            return PB_ERR_UNFIT;
        }
    }
    /* A policy that works with some slack works with more, or nearly always. */
    if (!best_reply(b, table->need + 2 * PB_TT_MAX_REPLIES, 0.0, &table->ideal)) {
        table->ideal.out[0] = table->ideal.out[1] = 0;
    }
    *bound = cost_of(b, table->need, &table->ideal);
    return PB_SUCCESS;
}

void pb_tt_finish_table(pb_tt_maker_t *b, pb_tt_table_t *table, double *cost)
{
    double reached = 0.0;
    *cost = INFINITY;
    for (int n = 0; n < PB_TT_MAX_REPLIES && reached < NEARLY * value(b, &table->ideal); n++) {
        pb_tt_reply_t *reply = &table->replies[n];
        if (!best_reply(b, table->need + n, reached, reply) || value(b, reply) < reached) {
            *reply = table->replies[n - 1];
        }
        reached = value(b, reply);
        *cost = fmin(*cost, cost_of(b, table->need + n, reply));
        table->n = n + 1;
    }
    if (table->n == 0) {
        best_reply(b, table->need, 0.0, &table->replies[0]);
        table->n = 1;
        *cost = cost_of(b, table->need, &table->replies[0]);
    }
}

int pb_tt_maker_init(pb_tt_maker_t *b, const pb_tt_t *tt)
{
    const pb_view_t *view = tt->view;
    const size_t n_items = (size_t) view->n_ranks + (size_t) view->n_vertices;
    pb_tt_pool_t *pool = &b->pool;
    memset(b, 0, sizeof(*b));
    b->tt = tt;
    pool->guests = malloc((size_t) view->n_vertices * sizeof(*pool->guests));
    pool->heap = malloc((2 * n_items + 2) * sizeof(*pool->heap));
    pool->source = malloc(n_items * sizeof(int));
    pool->time = malloc(n_items * sizeof(int));
    if (pool->guests == NULL || pool->heap == NULL || pool->source == NULL || pool->time == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    return prepare_pairs(b);
}

void pb_tt_maker_clear(pb_tt_maker_t *b)
{
    free(b->pool.guests);
    free(b->pool.heap);
    free(b->pool.source);
    free(b->pool.time);
    for (int exports = 0; exports <= 2; exports++) {
        free(b->pairs[exports]);
    }
}
