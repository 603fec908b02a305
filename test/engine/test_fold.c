/*
 * Folds over random trees, and which broadcasts have one: over the control messages of arrivals.h,
 * which come in any order and fail at random.
 */
#include <stdlib.h>
#include <string.h>

#include "arrivals.h"
#include "engine/arrival/fold.h"
#include "engine/arrival/shortfall.h"
#include "engine/arrival/watch.h"
#include "test/tap.h"

enum { MAX_RANKS = 40, MAX_ROUNDS = 20000, STREAMS = 2, MS = 1000000 };

/** The folds of all ranks of one broadcast. */
typedef struct run {
    arrivals_t *arrivals; /**< for its control messages and random numbers */
    int n_ranks, root;
    int parent[STREAMS][MAX_RANKS]; /**< by stream and rank; -1: the root */
    int stream;                     /**< of the folds */
    pb_fold_times_t times[MAX_RANKS];
    int ends_at[MAX_RANKS]; /**< the round in which the rank is through */
    pb_fold_t folds[MAX_RANKS];
    uint8_t rooms[MAX_RANKS][(MAX_RANKS + 7) / 8];
    bool through[MAX_RANKS];
    pb_arrival_report_t conclusion; /**< that the root announces */
    bool opens;                     /**< likewise */
    pb_fold_sums_t sums;            /**< that it had */
} run_t;

static int draw(run_t *run, int n)
{
    return pb_random_below(&run->arrivals->random, n);
}

static void draw_tree(run_t *run, int *parent)
{
    int order[MAX_RANKS] = {0};
    for (int i = 0; i < run->n_ranks; i++) {
        order[i] = (run->root + i) % run->n_ranks;
    }
    for (int i = run->n_ranks - 1; i > 1; i--) {
        const int other = 1 + draw(run, i);
        const int rank = order[i];
        order[i] = order[other];
        order[other] = rank;
    }
    parent[run->root] = -1;
    for (int i = 1; i < run->n_ranks; i++) {
        parent[order[i]] = order[draw(run, i)];
    }
}

/** A rank's role in both streams' trees, as entries of one stream each or of both. */
static void start_fold(run_t *run, int rank)
{
    int parents[STREAMS] = {0}, children[STREAMS * MAX_RANKS];
    uint32_t parent_masks[STREAMS], child_masks[STREAMS * MAX_RANKS];
    pb_role_t role = {.n_streams = STREAMS,
                      .parent = parents,
                      .child = children,
                      .parent_mask = parent_masks,
                      .child_mask = child_masks};
    for (int stream = 0; stream < STREAMS; stream++) {
        const int parent = run->parent[stream][rank];
        if (stream > 0 && role.n_parents > 0 && parents[0] == parent) {
            parent_masks[0] |= 1u << stream;
        } else if (parent >= 0) {
            parents[role.n_parents] = parent;
            parent_masks[role.n_parents++] = 1u << stream;
        }
        for (int child = 0; child < run->n_ranks; child++) {
            if (run->parent[stream][child] == rank) {
                children[role.n_children] = child;
                child_masks[role.n_children++] = 1u << stream;
            }
        }
    }
    pb_fold_start(&run->folds[rank], &run->arrivals->broadcasts[0].controls[rank], &role, rank,
                  run->n_ranks, run->stream, run->rooms[rank]);
}

static run_t *run_new(uint64_t seed, int n_ranks)
{
    run_t *run = calloc(1, sizeof(*run));
    if (run == NULL) {
        abort();
    }
    run->arrivals = arrivals_new_of(seed, n_ranks, 1);
    run->n_ranks = n_ranks;
    run->root = draw(run, n_ranks);
    run->stream = draw(run, STREAMS);
    run->conclusion = (pb_arrival_report_t) (1 + draw(run, 2));
    run->opens = draw(run, 2) == 0;
    for (int stream = 0; stream < STREAMS; stream++) {
        draw_tree(run, run->parent[stream]);
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        run->ends_at[rank] = draw(run, 200);
        run->times[rank] =
            (pb_fold_times_t){.away = draw(run, 1000),
                              .wait = draw(run, 1000),
                              .transfer = draw(run, 1000),
                              /* no two alike; some are not known */
                              .receive = draw(run, 4) * (MAX_RANKS * draw(run, 100) + rank),
                              .from = draw(run, n_ranks)};
    }
    return run;
}

static void run_free(run_t *run)
{
    arrivals_free(run->arrivals);
    free(run);
}

static void start_all(run_t *run)
{
    for (int rank = 0; rank < run->n_ranks; rank++) {
        start_fold(run, rank);
    }
}

static void advance(run_t *run, int rank, int round)
{
    pb_fold_t *fold = &run->folds[rank];
    if (!fold->has_ended && round >= run->ends_at[rank]) {
        pb_fold_end(fold, &run->times[rank]);
    }
    run->through[rank] = pb_fold_advance(fold);
    if (fold->state == PB_FOLD_SUMMED) {
        run->sums = fold->sums;
        fold->opens = run->opens;
        pb_fold_announce(fold, run->conclusion);
    }
}

/** Advances ranks at random until all are through; how many are. */
static int run_rounds(run_t *run)
{
    int n_through = 0;
    for (int round = 0; round < MAX_ROUNDS && n_through < run->n_ranks; round++) {
        const int rank = draw(run, run->n_ranks);
        if (!run->through[rank]) {
            advance(run, rank, round);
            n_through += run->through[rank];
        }
    }
    return n_through;
}

static bool is_above(const run_t *run, int above, int rank)
{
    while (rank >= 0 && rank != above) {
        rank = run->parent[run->stream][rank];
    }
    return rank == above;
}

/** The sums by the definition: ranks are held by the lowest one above them that has held some. */
static pb_fold_sums_t expected(const run_t *run)
{
    bool held[MAX_RANKS] = {false};
    pb_fold_sums_t sums = {.n_ranks = (uint32_t) run->n_ranks - 1};
    int depth[MAX_RANKS];
    for (int rank = 0; rank < run->n_ranks; rank++) {
        depth[rank] = 0;
        for (int above = rank; above != run->root; above = run->parent[run->stream][above]) {
            depth[rank]++;
        }
    }
    for (int level = run->n_ranks; level > 0; level--) {
        for (int rank = 0; rank < run->n_ranks; rank++) {
            int64_t wait = 0, n = 0;
            for (int below = 0; depth[rank] == level && below < run->n_ranks; below++) {
                if (below != rank && !held[below] && is_above(run, rank, below)) {
                    wait += run->times[below].wait;
                    n++;
                }
            }
            if (run->times[rank].wait * 8 * n >= wait || run->times[rank].away * 2 * n <= wait) {
                continue;
            }
            for (int below = 0; below < run->n_ranks; below++) {
                held[below] = held[below] || (below != rank && is_above(run, rank, below));
            }
        }
    }
    for (int rank = 0; rank < run->n_ranks; rank++) {
        if (rank != run->root) {
            sums.n_held += held[rank];
            sums.n_free += !held[rank];
            *(held[rank] ? &sums.held_wait : &sums.free_wait) += (uint64_t) run->times[rank].wait;
            sums.transfer += (uint64_t) run->times[rank].transfer;
        }
    }
    return sums;
}

/** By the definition: the slowest of the ranks below, or `rank` if that is not slower by a part. */
static int expected_slowest(const run_t *run, int rank)
{
    int slowest = -1;
    for (int child = 0; child < run->n_ranks; child++) {
        const int below =
            run->parent[run->stream][child] == rank ? expected_slowest(run, child) : -1;
        if (below >= 0 &&
            (slowest < 0 || run->times[below].receive > run->times[slowest].receive)) {
            slowest = below;
        }
    }
    const int64_t own = rank != run->root ? run->times[rank].receive : 0;
    const int64_t most = slowest >= 0 ? run->times[slowest].receive : 0;
    return own > 0 && 4 * most <= 5 * own ? rank : slowest;
}

static void add_slowest(const run_t *run, pb_fold_sums_t *sums)
{
    const int slowest = expected_slowest(run, run->root);
    for (int rank = 0; rank < run->n_ranks; rank++) {
        sums->n_timed += rank != run->root && run->times[rank].receive > 0;
    }
    if (slowest >= 0) {
        sums->slowest = (uint32_t) slowest;
        sums->slow_from = (uint32_t) run->times[slowest].from;
        sums->slow_time = (uint64_t) run->times[slowest].receive;
    }
}

/** The longest time of any rank, and the least wait of all but the root. */
static void add_extremes(const run_t *run, pb_fold_sums_t *sums)
{
    sums->least_wait = UINT64_MAX;
    for (int rank = 0; rank < run->n_ranks; rank++) {
        const uint64_t wait = (uint64_t) run->times[rank].wait;
        const uint64_t time = wait + (uint64_t) run->times[rank].transfer;
        sums->longest = time > sums->longest ? time : sums->longest;
        sums->least_wait = rank != run->root && wait < sums->least_wait ? wait : sums->least_wait;
    }
}

static void test_random(void)
{
    int unfinished = 0, differ = 0, wrong = 0, left = 0;
    uint64_t n_held = 0;
    for (int i = 0; i < tap_trials(3000, 600); i++) {
        run_t *run = run_new((uint64_t) i, 2 + i % (MAX_RANKS - 1));
        start_all(run);
        unfinished += run_rounds(run) < run->n_ranks;
        for (int rank = 0; rank < run->n_ranks; rank++) {
            differ += run->folds[rank].conclusion != run->conclusion ||
                      run->folds[rank].opens != run->opens;
            differ += run->folds[rank].error != 0;
            differ += run->folds[rank].longest != run->sums.longest ||
                      run->folds[rank].least_wait != run->sums.least_wait;
            left += run->arrivals->broadcasts[0].mail[rank] != NULL;
        }
        pb_fold_sums_t sums = expected(run);
        add_slowest(run, &sums);
        add_extremes(run, &sums);
        wrong += memcmp(&sums, &run->sums, sizeof(sums)) != 0;
        n_held += sums.n_held;
        left += run->arrivals->broadcasts[0].n_control != 0 || run->arrivals->n_breaches != 0;
        run_free(run);
    }
    ok(unfinished == 0, "folds over random trees end");
    ok(differ == 0, "every rank learns what the root concludes");
    ok(wrong == 0 && n_held > 0, "the root has the sums of all ranks (%llu held)",
       (unsigned long long) n_held);
    ok(left == 0, "and nothing is left under way");
}

static void test_failures(void)
{
    static const control_failure_t failures[] = {FAIL_SEND, FAIL_RECEIVE, FAIL_RECEIVED,
                                                 FAIL_GARBLED};
    int n_failed = 0, unnoticed = 0, left = 0;
    for (int i = 0; i < tap_trials(2000, 400); i++) {
        run_t *run = run_new((uint64_t) i, 2 + i % 11);
        arrivals_t *a = run->arrivals;
        a->failure = failures[i % 4];
        a->fail_rank = draw(run, run->n_ranks);
        a->fail_after = draw(run, 3);
        start_all(run);
        (void) run_rounds(run);
        int n_broken = 0;
        for (int rank = 0; rank < run->n_ranks; rank++) {
            n_broken += run->folds[rank].broken;
            unnoticed += run->folds[rank].broken && run->folds[rank].error == 0;
            pb_fold_finish(&run->folds[rank]);
            pb_fold_finish(&run->folds[rank]);
        }
        n_failed += a->failed;
        unnoticed += a->failed && n_broken == 0;
        left += a->broadcasts[0].n_control != 0 || a->n_breaches != 0;
        run_free(run);
    }
    ok(n_failed > 100 && unnoticed == 0, "a message that fails, or makes no sense, is noticed (%d)",
       n_failed);
    ok(left == 0, "and what is under way then is withdrawn");
}

/* What is concluded. A chain of ranks, or a root with the others below it. */

typedef enum { CHAIN, STAR } shape_t;

/** The verdict where a message takes 1 ms, and the ranks did what is in `times` (from rank 1 on).
 */
static pb_arrival_report_t verdict(shape_t shape, int n_ranks, const pb_fold_times_t *times)
{
    run_t *run = run_new(1, n_ranks);
    run->root = 0;
    for (int rank = 0; rank < n_ranks; rank++) {
        run->parent[0][rank] = run->parent[1][rank] = shape == STAR && rank > 1 ? 0 : rank - 1;
        run->times[rank] = rank > 0 ? times[rank - 1] : (pb_fold_times_t){0};
    }
    start_all(run);
    const bool all = run_rounds(run) == n_ranks;
    const pb_arrival_report_t report =
        all ? pb_fold_judge(&run->sums, 1.0 * MS, false, 0.2) : PB_ARRIVAL_UNKNOWN;
    run_free(run);
    return report;
}

static void test_verdicts(void)
{
    enum { N = 8 };
    pb_fold_times_t times[N - 1];
    for (int i = 0; i < N - 1; i++) {
        times[i] = (pb_fold_times_t){.away = 20 * MS, .wait = MS / 10 * i, .transfer = MS};
    }
    ok(verdict(CHAIN, N, times) == PB_ARRIVAL_EVEN, "ranks of a chain wait for its pipeline: even");
    for (int i = 0; i < N - 1; i++) {
        times[i].wait = i == 0 ? 0 : 10 * MS;
    }
    ok(verdict(CHAIN, N, times) == PB_ARRIVAL_UNEVEN, "the first of a chain is late: uneven");
    ok(verdict(STAR, N, times) == PB_ARRIVAL_EVEN, "no one waits for it: even");
    times[0].away = MS / 10;
    ok(verdict(CHAIN, N, times) == PB_ARRIVAL_EVEN, "it was not away: even");
    times[0].away = 20 * MS;
    for (int i = 1; i < N - 1; i++) {
        times[i].transfer = 40 * MS;
    }
    ok(verdict(CHAIN, N, times) == PB_ARRIVAL_EVEN,
       "the message takes longer than the ranks are late: even");
    for (int i = 0; i < N - 1; i++) {
        times[i] = (pb_fold_times_t){.away = 20 * MS, .wait = (9 + i) * MS, .transfer = MS};
    }
    ok(verdict(CHAIN, N, times) == PB_ARRIVAL_EVEN && verdict(STAR, N, times) == PB_ARRIVAL_EVEN,
       "all wait for the root: even");
    const pb_fold_sums_t long_transfers = {
        .n_ranks = 4, .n_free = 2, .n_held = 2, .held_wait = 20 * MS, .transfer = 160 * MS};
    ok(pb_fold_judge(&long_transfers, MS, false, 0.2) == PB_ARRIVAL_EVEN &&
           pb_fold_judge(&long_transfers, MS, true, 0.2) == PB_ARRIVAL_UNEVEN,
       "where it is known how long the message takes, it was not that: uneven");
    const pb_fold_sums_t none = {0};
    ok(pb_fold_judge(&none, MS, false, 0) == PB_ARRIVAL_EVEN, "no sums: even");
}

/* Which broadcasts are watched. */

/** The most bytes that a root gets ahead of a rank that stops at some broadcast. */
static uint64_t most_ahead(uint64_t seed, size_t max_bytes)
{
    pb_random_t random = pb_random_seed(seed);
    pb_watch_t watch;
    uint64_t before = 0, since = 0, most = 0;
    pb_watch_init(&watch);
    for (int i = 0; i < 20000; i++) {
        const size_t bytes = 1 + (size_t) pb_random_below(&random, (int) max_bytes);
        if (pb_watch_is_due(&watch)) {
            /* All have been in the watched broadcast: what is behind it may wait. */
            pb_watch_close(&watch);
            before = since;
        }
        if (pb_watch_begin(&watch, bytes)) {
            since = 0;
        } else {
            since += watch.is_open ? bytes : 0;
            before += bytes;
        }
        most = before > most ? before : most;
    }
    return most;
}

static void test_watch(void)
{
    static const size_t sizes[] = {1, 1024, 8192, 100000, PB_WATCH_MAX_WEIGHT};
    int beyond = 0;
    for (int i = 0; i < 5; i++) {
        beyond += most_ahead((uint64_t) i, sizes[i]) > PB_WATCH_BOUND;
    }
    ok(beyond == 0, "what may wait at a slow rank is bounded, whatever the messages' sizes");
    pb_watch_t watch;
    pb_watch_init(&watch);
    int n_watched = 0, n_left = 0;
    ok(!pb_watch_begin(&watch, 1 << 20) && pb_watch_begin(&watch, 1 << 20),
       "the second broadcast is the first that is watched");
    for (int i = 0; i < 400; i++) {
        if (pb_watch_is_due(&watch)) {
            pb_watch_close(&watch);
            n_left = 0;
        }
        n_watched += pb_watch_begin(&watch, 1 << 20);
        n_left++;
    }
    ok(n_watched >= 90 && n_watched <= 110 && n_left <= (int) PB_WATCH_LONG,
       "of 400 long ones %d are", n_watched);
}

/** Of `n` broadcasts how many are watched, and how many follow one until its conclusion. */
static int count_watched(pb_watch_t *watch, int n, size_t bytes, int *lag_p)
{
    int n_watched = 0, n_since = 0;
    *lag_p = 0;
    for (int i = 0; i < n; i++) {
        if (pb_watch_is_due(watch)) {
            pb_watch_close(watch);
            *lag_p = n_since > *lag_p ? n_since : *lag_p;
        }
        if (pb_watch_begin(watch, bytes)) {
            n_watched++;
            n_since = 0;
        }
        n_since++;
    }
    return n_watched;
}

/** While it is asked for, every second one is watched, whatever it takes. */
static void test_watch_that_is_asked(void)
{
    pb_watch_t watch;
    int n_watched = 0, n_late = 0;
    pb_watch_init(&watch);
    for (int i = 0; i < 40; i++) {
        if (pb_watch_is_due(&watch)) {
            pb_watch_close(&watch);
        }
        pb_watch_ask(&watch, i < 20 ? PB_WATCH_FEWEST_LAG : 0);
        n_late += watch.is_open && watch.n >= PB_WATCH_FEWEST_LAG;
        n_watched += pb_watch_begin(&watch, 4096);
    }
    ok(n_watched == 10 && n_late == 0, "what is learnt from: every second one (%d of 20)",
       n_watched);
    pb_watch_init(&watch);
    pb_watch_ask(&watch, PB_WATCH_FEWEST_LAG);
    const bool first = pb_watch_begin(&watch, 4096);
    pb_watch_ask(&watch, PB_WATCH_FEWEST_LAG);
    ok(first && !pb_watch_begin(&watch, 4096) && pb_watch_is_due(&watch),
       "from the first on, and none while the one before is open");
}

/** The next broadcast waits for what the first one says of links, and no later one so soon. */
static void test_watch_that_is_due_soon(void)
{
    enum { N = 20 };
    pb_watch_t watch;
    bool is_due[N] = {false}, is_watched[N] = {false};
    pb_watch_init(&watch);
    for (int i = 0; i < N; i++) {
        is_due[i] = pb_watch_is_due(&watch);
        if (is_due[i]) {
            pb_watch_close(&watch);
        }
        pb_watch_ask(&watch, i == 0 ? PB_WATCH_SOON : PB_WATCH_FEWEST_LAG);
        is_watched[i] = pb_watch_begin(&watch, 65536);
    }
    ok(!is_due[0] && is_watched[0] && is_due[1] && is_watched[1],
       "what the first broadcast says is due before the second, which is watched, too");
    int n_wrong = 0;
    for (int i = 2; i < N; i++) {
        n_wrong += is_due[i] != (i % 2 == 1) || is_watched[i] != (i % 2 == 1);
    }
    ok(n_wrong == 0, "then every second one is watched, and what it says is due two later");
}

/** The first broadcasts of a communicator, as the plugin has them watched. */
static void test_dense_watch(void)
{
    enum { N = 30 };
    pb_watch_t watch;
    int n_missed = 0, n_late = 0, n_short = 0, n_beside = 0, since_beside = 0;
    pb_watch_init(&watch);
    for (int i = 0; i < N; i++) {
        if (pb_watch_is_due(&watch)) {
            pb_watch_close(&watch);
        }
        since_beside += watch.is_open_beside;
        if (pb_watch_take_beside(&watch)) {
            n_late += since_beside != PB_WATCH_FEWEST_LAG;
            since_beside = 0;
        }
        n_late += watch.is_open && watch.n >= PB_WATCH_FEWEST_LAG && watch.due_after != 0;
        pb_watch_ask(&watch,
                     pb_watch_is_dense(&watch, PB_WATCH_LEAST_BESIDE) ? PB_WATCH_FEWEST_LAG : 0);
        const bool is_watched = pb_watch_begin(&watch, PB_WATCH_LEAST_BESIDE);
        const bool is_beside = !is_watched && pb_watch_begin_beside(&watch, PB_WATCH_LEAST_BESIDE);
        n_missed += 0 < i && i < PB_WATCH_DENSE && !is_watched && !is_beside;
        n_beside += is_beside;
    }
    ok(n_missed == 0, "all of the first broadcasts but the very first are watched");
    ok(n_late == 0, "and each conclusion is taken two broadcasts later");
    ok(n_beside <= PB_WATCH_DENSE / 2 && !pb_watch_is_dense(&watch, 1 << 20),
       "half of them by a second fold, and later ones are not");
    pb_watch_init(&watch);
    for (int i = 0; i < PB_WATCH_DENSE; i++) {
        (void) pb_watch_begin(&watch, PB_WATCH_LEAST_BESIDE - 1);
        n_short += pb_watch_begin_beside(&watch, PB_WATCH_LEAST_BESIDE - 1);
    }
    ok(n_short == 0, "nor short ones");
}

/** 16 ranks: a fold is up and down a tree in 10 messages. */
static void test_watch_by_time(void)
{
    enum { SHORT = 200000, PER_MIB = 900000000 }; /* 10 Mbit/s */
    pb_watch_t watch;
    int lag;
    pb_watch_init(&watch);
    pb_watch_set_times(&watch, SHORT, PER_MIB, 16);
    int n = count_watched(&watch, 400, 65536, &lag);
    ok(n >= 95 && n <= 101 && lag == PB_WATCH_FEWEST_LAG,
       "long broadcasts over slow links: every fourth, two later it is known");
    pb_watch_init(&watch);
    pb_watch_set_times(&watch, SHORT, PER_MIB, 16);
    n = count_watched(&watch, 400, 1, &lag);
    ok(n >= 6 && n <= 10 && lag >= 19 && lag <= 21,
       "short ones: one in the time of 50 messages (%d), known after 20 (%d)", n, lag);
}

/* Deliveries that fall short. */

/** Notes broadcasts whose slowest rank took these multiples of what is predicted; the last news. */
static pb_shortfall_news_t note(pb_shortfall_t *shortfall, int n, const double *times)
{
    pb_shortfall_news_t news = PB_SHORTFALL_NONE;
    for (int i = 0; i < n; i++) {
        const pb_fold_sums_t sums = {
            .slowest = 5 + (uint32_t) i, .slow_from = 3, .slow_time = (uint64_t) (times[i] * MS)};
        news = pb_shortfall_note(shortfall, &sums, MS);
    }
    return news;
}

static void test_shortfall(void)
{
    pb_shortfall_t all = {0}, chance = {0}, good = {0}, unknown = {0};
    const double halved[] = {2.1, 1.9, 2.4, 2.0}, once[] = {9, 2, 2, 1.1, 2, 2, 2};
    const double even[] = {1.0, 1.2, 1.1, 0.4, 1.24}, none[] = {0, 0, 0, 0, 0};
    ok(note(&all, 3, halved) == PB_SHORTFALL_SEEN, "three that fall short are seen");
    ok(note(&all, 1, halved + 3) == PB_SHORTFALL_REPORT && all.rank == 6 && all.from == 3 &&
           all.least == 1.9,
       "the fourth in a row is reported, with the least of them");
    ok(note(&all, 4, halved) == PB_SHORTFALL_SEEN, "once");
    ok(note(&chance, 7, once) == PB_SHORTFALL_SEEN && !chance.was_reported,
       "one that is good between them begins anew");
    ok(note(&good, 5, even) == PB_SHORTFALL_NONE, "what is a little slower does not fall short");
    ok(note(&unknown, 5, none) == PB_SHORTFALL_NONE, "nor what nobody has measured");
    const pb_fold_sums_t slow = {.slow_time = MS};
    ok(pb_shortfall_note(&unknown, &slow, 0) == PB_SHORTFALL_NONE, "or predicted");
}

int main(void)
{
    test_random();
    test_failures();
    test_verdicts();
    test_watch();
    test_watch_by_time();
    test_watch_that_is_asked();
    test_watch_that_is_due_soon();
    test_dense_watch();
    test_shortfall();
    return tap_done();
}
