/*
 * Tables: what a subtree gives back, and when, for every slack.
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/trees/twotree/internal.h"

/** A table ends when its replies come this near to those with boundless slack. */
#define NEARLY 0.98

/** No tree needs more slack than this for each rank. */
#define MAX_SLACK_PER_RANK 64

/** As good as any number of items. */
#define MANY (1 << 28)

/** Policies for as many exports have a bit each. */
#define MAX_PAIRS 64

static const int late[2] = {PB_TT_NEVER, PB_TT_NEVER};

/*
 * The shape of the trees: assumed costs of an edge.
 *
 * A rank's first child receives immediately, its second a segment time later, so that trees lean:
 * they are lower under second children. The gain depends on the cost of a hop in segment times. It
 * is 1 in the slot model of topo/check/simulator.h. In its links model it is 2 and more links, and
 * the software's time. Ratios from 3 to 7 give nearly the same times; larger ones make lower trees,
 * so the largest is taken. Paths over several switches cost no more here: this would make trees
 * higher, and times hardly better.
 */

/** Slots multiply by this per unit of time, which weighs exports: GROWTH^-7 + GROWTH^-8 = 1. */
#define GROWTH 0x1.18d3c88b0f59p+0
#define LOG_GROWTH 0x1.7b22ade8cb945p-4
_Static_assert(PB_TT_FIRST == 7 && PB_TT_STEP == 1, "GROWTH is of these delays");

static int compare_pairs(const void *a, const void *b)
{
    const pb_tt_pair_t *x = a, *y = b;
    if (x->weight != y->weight) {
        return x->weight > y->weight ? -1 : 1;
    }
    return x->hold[1] - y->hold[1];
}

/**
 * The times at which slots can come: the sum of first children's delays and of
 * at most as many second ones'. Returns their number.
 */
static int prepare_holds(int holds[PB_TT_MAX_HOLD])
{
    int n = 0;
    for (int time = PB_TT_FIRST; time <= PB_TT_MAX_HOLD; time++) {
        if (time % PB_TT_FIRST <= time / PB_TT_FIRST * PB_TT_STEP) {
            holds[n++] = time;
        }
    }
    return n;
}

static void prepare_most(pb_tt_tables_t *tables)
{
    const int second = PB_TT_FIRST + PB_TT_STEP;
    for (int left = 0; left < PB_TT_WEIGHTS; left++) {
        const int by_first = left >= PB_TT_FIRST ? tables->most[left - PB_TT_FIRST] : 0;
        const int by_second = left >= second ? tables->most[left - second] : 0;
        const int most = 1 + by_first + by_second;
        tables->most[left] = most < MANY ? most : MANY;
    }
}

/** Prepares the pairs that are to be found by their holds. */
static void prepare_alike(pb_tt_tables_t *tables, int exports)
{
    for (int i = 0; i < tables->n_pairs[exports]; i++) {
        for (int at = 0; at < exports; at++) {
            const int hold = tables->pairs[exports][i].hold[at];
            for (int time = 0; time <= PB_TT_MAX_HOLD; time++) {
                tables->no_sooner[exports][at][time] |= (uint64_t) (hold >= time) << i;
                tables->no_later[exports][at][time] |= (uint64_t) (hold <= time) << i;
            }
        }
    }
}

/** Worth of a slot of this time; 1 at 0. */
static double weight(const pb_tt_tables_t *tables, int time)
{
    return time < PB_TT_WEIGHTS ? tables->weight[time] : 0.0;
}

/** Rounds to a grid: some pairs are worth the same, and must be equal. */
static double rounded(double worth)
{
    return nearbyint(worth * 0x1p32) / 0x1p32;
}

int pb_tt_prepare(pb_tt_tables_t *tables)
{
    int holds[PB_TT_MAX_HOLD];
    double worth = 1;
    prepare_most(tables);
    for (int time = 0; time < PB_TT_WEIGHTS; time++) {
        tables->weight[time] = rounded(worth);
        worth /= GROWTH;
    }
    const int n = prepare_holds(holds);
    for (int exports = 0; exports <= 2; exports++) {
        tables->pairs[exports] = malloc((size_t) (n * n + 1) * sizeof(*tables->pairs[exports]));
        if (tables->pairs[exports] == NULL) {
            return PB_ERR_NO_MEMORY;
        }
    }
    for (int i = 0; i < n; i++) {
        const double first = weight(tables, holds[i]);
        tables->pairs[1][tables->n_pairs[1]++] =
            (pb_tt_pair_t){.hold = {holds[i], PB_TT_NEVER}, .weight = first};
        for (int j = i; j < n; j++) {
            tables->pairs[2][tables->n_pairs[2]++] = (pb_tt_pair_t){
                .hold = {holds[i], holds[j]}, .weight = first + weight(tables, holds[j])};
        }
    }
    assert(tables->n_pairs[2] <= MAX_PAIRS);
    for (int exports = 1; exports <= 2; exports++) {
        qsort(tables->pairs[exports], (size_t) tables->n_pairs[exports], sizeof(pb_tt_pair_t),
              compare_pairs);
        prepare_alike(tables, exports);
    }
    return PB_SUCCESS;
}

static int compare_guests(const void *a, const void *b)
{
    const pb_tt_guest_t *x = a, *y = b;
    return x->lead != y->lead ? y->lead - x->lead : x->vertex - y->vertex;
}

/** Finds the guests that give alike, and those of one lead. */
static void link_guests(pb_tt_pool_t *pool)
{
    pool->n_leads = 0;
    for (int gives = 0; gives <= 2; gives++) {
        pool->first_giving[gives] = pool->n_guests;
    }
    for (int g = pool->n_guests - 1; g >= 0; g--) {
        pool->guests[g].next_alike = pool->first_giving[pool->guests[g].gives];
        pool->first_giving[pool->guests[g].gives] = g;
    }
    for (int g = 0; g < pool->n_guests; g++) {
        const int lead = pool->guests[g].lead;
        if (g == 0 || pool->leads[pool->n_leads - 1].lead != lead) {
            pool->leads[pool->n_leads++] = (pb_tt_lead_t){.lead = lead};
        }
        pool->leads[pool->n_leads - 1].n++;
        pool->guests[g].lead_index = pool->n_leads - 1;
    }
}

/** The least time at which n slots can have been opened. */
static int least_time(const pb_tt_maker_t *m, int n)
{
    int time = 0;
    while (time < PB_TT_WEIGHTS && m->pool.tables->most[time] < n) {
        time++;
    }
    return m->pool.entry + time;
}

/** Bound on the value of the reply of a filling whose exports come after all items. */
static double latest_value(const pb_tt_maker_t *m)
{
    const int n_items = m->pool.n_locals + m->pool.n_guests;
    double sum = 0.0;
    for (int i = 1; i <= m->pool.n_exports; i++) {
        sum += weight(m->tt->tables, least_time(m, n_items + i));
    }
    return sum;
}

void pb_tt_load(pb_tt_maker_t *m, int tree, int v, pb_tt_role_t role,
                const int locals[PB_TT_OPTIONS], const pb_tt_option_t *options)
{
    const pb_tt_t *tt = m->tt;
    pb_tt_pool_t *pool = &m->pool;
    pool->n_locals = pb_tt_n_locals(tt, v);
    memset(pool->n_giving, 0, sizeof(pool->n_giving));
    for (int option = 0; option < PB_TT_OPTIONS; option++) {
        pool->n_giving[pb_tt_gives((pb_tt_option_t) option, tree)] += locals[option];
    }
    pool->n_guests = 0;
    for (int i = tt->first_child[v]; i < tt->first_child[v + 1]; i++) {
        const int c = tt->child[i];
        const pb_tt_option_t option = options[i - tt->first_child[v]];
        const pb_tt_table_t *table = &pb_tt_config(tt, c, option / 2)->tables[tree ^ (option % 2)];
        pool->guests[pool->n_guests++] = (pb_tt_guest_t){
            .vertex = c, .gives = pb_tt_gives(option, tree), .lead = table->need, .table = table};
    }
    qsort(pool->guests, (size_t) pool->n_guests, sizeof(*pool->guests), compare_guests);
    link_guests(pool);
    pool->n_exports = pb_tt_gives((pb_tt_option_t) (2 * role), tree);
    pool->tables = tt->tables;
    pool->entry = v == 0 ? PB_TT_FIRST : 0;
    m->n_ranks = tt->view->vertices[v].end_rank - tt->view->vertices[v].first_rank;
    m->latest_value = latest_value(m);
}

/** Worth of the exports of a reply. */
static double value(const pb_tt_maker_t *m, const pb_tt_reply_t *reply)
{
    return weight(m->tt->tables, reply->out[0]) + weight(m->tt->tables, reply->out[1]);
}

/** The policies that come out as the one does that was just tried. */
static uint64_t alike(const pb_tt_maker_t *m, const int hold[2])
{
    const pb_tt_tables_t *tables = m->tt->tables;
    const int exports = m->pool.n_exports;
    uint64_t pairs = UINT64_MAX;
    for (int i = 0; i < exports; i++) {
        const int end = m->pool.hold_end[i];
        pairs &= tables->no_sooner[exports][i][hold[i]];
        pairs &= end < PB_TT_MAX_HOLD ? tables->no_later[exports][i][end] : UINT64_MAX;
    }
    return pairs;
}

/** The reply with exports after all items, as best_reply(): their times are only looked for where
 * they may be worth more than `best`. */
static bool late_reply(pb_tt_maker_t *m, int slack, const int *late_out, double best,
                       pb_tt_reply_t *reply)
{
    *reply = (pb_tt_reply_t){
        .slack = slack, .hold = {PB_TT_NEVER, PB_TT_NEVER}, .out = {PB_TT_NEVER, PB_TT_NEVER}};
    if (late_out == NULL && m->latest_value > best) {
        if (!pb_tt_fill(&m->pool, slack, late)) {
            return false;
        }
        late_out = m->pool.export_time;
    }
    if (late_out != NULL) {
        memcpy(reply->out, late_out, sizeof(reply->out));
    }
    return true;
}

/**
 * The best reply for one slack that is worth more than `best`; false if the slack does not suffice.
 * `late_out` has the times of exports after all items; NULL: they are not known.
 */
static bool best_reply(pb_tt_maker_t *m, int slack, const int *late_out, double best,
                       pb_tt_reply_t *reply)
{
    const int exports = m->pool.n_exports;
    const pb_tt_tables_t *tables = m->tt->tables;
    const int n_pairs = tables->n_pairs[exports];
    uint64_t left = n_pairs > 0 ? UINT64_MAX >> (MAX_PAIRS - n_pairs) : 0;
    if (!late_reply(m, slack, late_out, best, reply)) {
        return false;
    }
    best = fmax(best, value(m, reply));
    while (left != 0) {
        const pb_tt_pair_t *pair = &tables->pairs[exports][__builtin_ctzll(left)];
        left &= left - 1;
        if (pair->weight <= best) {
            break;
        }
        if (pair->hold[exports - 1] > slack) {
            continue;
        }
        const bool filled = pb_tt_fill(&m->pool, slack, pair->hold);
        left &= ~alike(m, pair->hold);
        if (!filled) {
            continue;
        }
        pb_tt_reply_t found = {.slack = slack, .hold = {pair->hold[0], pair->hold[1]}};
        memcpy(found.out, m->pool.export_time, sizeof(found.out));
        if (value(m, &found) > best) {
            best = value(m, &found);
            *reply = found;
        }
    }
    return true;
}

/** A slack below which no fill can succeed. */
static int least_slack(const pb_tt_maker_t *m)
{
    const pb_tt_pool_t *pool = &m->pool;
    int least = least_time(m, pool->n_locals + pool->n_guests + pool->n_exports);
    for (int g = 0; g < pool->n_guests; g++) {
        const int slack = least_time(m, g + 1) + pool->guests[g].lead;
        least = slack > least ? slack : least;
    }
    return least;
}

/** Loss by a reply, a logarithm. */
static double loss_of(const pb_tt_maker_t *m, const pb_tt_reply_t *reply)
{
    return log(fmax(1.0 - value(m, reply), 1e-6));
}

static double cost_of(int slack, double loss)
{
    return slack * LOG_GROWTH + loss;
}

int pb_tt_reserve(pb_tt_maker_t *m, int deadline)
{
    pb_tt_pool_t *pool = &m->pool;
    if (deadline <= pool->latest) {
        return PB_SUCCESS;
    }
    const int latest = deadline > 2 * pool->latest ? deadline : 2 * pool->latest;
    int *n_open = calloc((size_t) latest + 1, sizeof(*n_open));
    uint64_t *times = calloc((size_t) latest / 64 + 1, sizeof(*times));
    if (n_open == NULL || times == NULL) {
        free(n_open);
        free(times);
        return PB_ERR_NO_MEMORY;
    }
    free(pool->n_open);
    free(pool->times);
    pool->n_open = n_open;
    pool->times = times;
    pool->latest = latest;
    return PB_SUCCESS;
}

/** The least slack that suffices, from `slack` on. */
static int find_need(pb_tt_maker_t *m, int slack, pb_tt_draft_t *draft)
{
    for (;; slack++) {
        const int rc = pb_tt_reserve(m, slack + 2 * PB_TT_MAX_REPLIES);
        if (rc != PB_SUCCESS) {
            return rc;
        }
        if (pb_tt_fill(&m->pool, slack, late)) {
            draft->need = slack;
            memcpy(draft->late_out, m->pool.export_time, sizeof(draft->late_out));
            return PB_SUCCESS;
        }
        if (slack > MAX_SLACK_PER_RANK * (m->n_ranks + 1)) {
            return PB_ERR_UNFIT;
        }
    }
}

int pb_tt_begin_table(pb_tt_maker_t *m, pb_tt_draft_t *draft)
{
    const int rc = find_need(m, least_slack(m), draft);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    /* A policy that works with some slack works with more, or nearly always. */
    if (!best_reply(m, draft->need + 2 * PB_TT_MAX_REPLIES, NULL, 0.0, &draft->ideal)) {
        draft->ideal.out[0] = draft->ideal.out[1] = 0;
    }
    draft->ideal_loss = loss_of(m, &draft->ideal);
    draft->cost = cost_of(draft->need, draft->ideal_loss);
    return PB_SUCCESS;
}

bool pb_tt_judge_table(pb_tt_maker_t *m, pb_tt_draft_t *draft, double limit)
{
    pb_tt_reply_t reply = {.out = {draft->late_out[0], draft->late_out[1]}};
    draft->cost = cost_of(draft->need, loss_of(m, &reply));
    for (int n = 0; n < PB_TT_MAX_REPLIES; n++) {
        const double least = fmin(draft->cost, limit), delay = cost_of(draft->need + n, 0.0);
        if (delay + draft->ideal_loss >= least) {
            break;
        }
        /* A reply that is worth less costs more. */
        const double worth = 1.0 - exp(least - delay) - PB_TT_ROUNDING;
        if (best_reply(m, draft->need + n, n == 0 ? draft->late_out : NULL, worth, &reply)) {
            draft->cost = fmin(draft->cost, delay + loss_of(m, &reply));
        }
    }
    return draft->cost < limit;
}

int pb_tt_make_table(pb_tt_maker_t *m, const pb_tt_draft_t *draft, pb_tt_table_t *table)
{
    pb_tt_reply_t replies[PB_TT_MAX_REPLIES];
    const double enough = NEARLY * value(m, &draft->ideal);
    double reached = 0.0;
    int n = 0;
    do {
        if (!best_reply(m, draft->need + n, n == 0 ? draft->late_out : NULL, reached,
                        &replies[n]) ||
            value(m, &replies[n]) < reached) {
            replies[n] = replies[n - 1];
        }
        reached = value(m, &replies[n++]);
    } while (n < PB_TT_MAX_REPLIES && reached < enough);
    *table = (pb_tt_table_t){
        .need = draft->need, .n = n, .replies = malloc((size_t) n * sizeof(*replies))};
    if (table->replies == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    memcpy(table->replies, replies, (size_t) n * sizeof(*replies));
    return PB_SUCCESS;
}

int pb_tt_maker_init(pb_tt_maker_t *m, const pb_tt_t *tt)
{
    const pb_view_t *view = tt->view;
    const size_t n_items = (size_t) view->n_ranks + (size_t) view->n_vertices;
    pb_tt_pool_t *pool = &m->pool;
    memset(m, 0, sizeof(*m));
    m->tt = tt;
    pool->guests = malloc((size_t) view->n_vertices * sizeof(*pool->guests));
    pool->leads = malloc((size_t) view->n_vertices * sizeof(*pool->leads));
    pool->heap = malloc((2 * n_items + 2) * sizeof(*pool->heap));
    pool->source = malloc(n_items * sizeof(int));
    pool->time = malloc(n_items * sizeof(int));
    if (pool->guests == NULL || pool->leads == NULL || pool->heap == NULL || pool->source == NULL ||
        pool->time == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    return PB_SUCCESS;
}

void pb_tt_maker_clear(pb_tt_maker_t *m)
{
    free(m->pool.guests);
    free(m->pool.leads);
    free(m->pool.heap);
    free(m->pool.times);
    free(m->pool.n_open);
    free(m->pool.source);
    free(m->pool.time);
}
