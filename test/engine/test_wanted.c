/*
 * What ranks want to be in force: the rule of engine/wanted.h by cases, and ranks that want
 * anything at any time, with folds that end in any order: all have the same in force in each
 * broadcast.
 */
#include "engine/arrival/fold.h"
#include "engine/arrival/watch.h"
#include "engine/wanted.h"
#include "test/tap.h"
#include "topo/util/random.h"

enum { N_RANKS = 5, KIB = 1024 };

static void test_rule(void)
{
    pb_wanted_t wanted;
    pb_wanted_init(&wanted, 7);
    const uint32_t first = pb_wanted_begin(&wanted), second = pb_wanted_begin(&wanted);
    ok(pb_wanted_take(&wanted, first, 7) == PB_WANTED_STAYS && wanted.in_force == 7,
       "what is in force already stays");
    ok(pb_wanted_take(&wanted, second, 8) == PB_WANTED_CHANGES && wanted.in_force == 8,
       "what all ranks want comes into force");
    ok(pb_wanted_take(&wanted, second, 8) == PB_WANTED_STAYS, "once");
}

static void test_order(void)
{
    pb_wanted_t wanted;
    pb_wanted_init(&wanted, 7);
    const uint32_t older = pb_wanted_begin(&wanted), newer = pb_wanted_begin(&wanted);
    (void) pb_wanted_take(&wanted, newer, 9);
    ok(pb_wanted_take(&wanted, older, 8) == PB_WANTED_STAYS && wanted.in_force == 9,
       "an older fold that ends later is passed over");
    wanted.n_begun = wanted.newest = UINT32_MAX;
    (void) pb_wanted_begin(&wanted); /* 0 */
    const uint32_t next = pb_wanted_begin(&wanted);
    ok(pb_wanted_take(&wanted, next, 10) == PB_WANTED_CHANGES, "numbers of folds begin again");
}

static pb_wanted_news_t take_next(pb_wanted_t *wanted, uint64_t all)
{
    return pb_wanted_take(wanted, pb_wanted_begin(wanted), all);
}

static void test_difference(void)
{
    pb_wanted_t wanted;
    int n_reports = 0;
    pb_wanted_init(&wanted, 7);
    ok(take_next(&wanted, PB_FOLD_DIFFERENT) == PB_WANTED_STAYS &&
           take_next(&wanted, 8) == PB_WANTED_CHANGES,
       "a difference that does not last is not reported");
    for (int i = 0; i < 100; i++) {
        n_reports += take_next(&wanted, PB_FOLD_DIFFERENT) == PB_WANTED_DIFFERS;
    }
    ok(n_reports == 1 && wanted.in_force == 8, "one that lasts is, once, and nothing changes");
    (void) take_next(&wanted, 8);
    n_reports = 0;
    for (int i = 0; i < 100; i++) {
        n_reports += take_next(&wanted, PB_FOLD_DIFFERENT) == PB_WANTED_DIFFERS;
    }
    ok(n_reports == 1, "and so is the next one");
}

/** What is sent between the beginnings of two polls, and from one to when it is waited for. */
static void test_polls(void)
{
    pb_wanted_t wanted;
    uint64_t before = 0, until_due = 0;
    int n_polls = 0, n_taken = 0;
    pb_wanted_init(&wanted, 7);
    for (int i = 0; i < 4096; i++) {
        n_taken += pb_wanted_take_poll(&wanted);
        n_polls += pb_wanted_polls(&wanted, 100 * KIB);
        before += n_polls == 0;
        until_due += n_polls == 1 && n_taken == 0;
    }
    const uint64_t weight = pb_watch_weight(100 * KIB);
    ok(before == (PB_WANTED_INTERVAL - 1) / weight + 1,
       "a poll begins after a bounded weight of broadcasts (%llu of 100 KiB)",
       (unsigned long long) before);
    ok(until_due == before, "and is waited for after as much");
    ok(n_polls == n_taken + 1 && n_polls > 50, "then the next one begins (%d)", n_polls);
}

/** One fold that is under way: what its ranks wanted when it began. */
typedef struct fold {
    uint32_t number;
    uint64_t all;
    int due; /**< the broadcast before which its conclusion is taken; 0: it is not under way */
} fold_t;

static uint64_t all_want(const uint64_t *wants)
{
    for (int rank = 1; rank < N_RANKS; rank++) {
        if (wants[rank] != wants[0]) {
            return PB_FOLD_DIFFERENT;
        }
    }
    return wants[0];
}

/** Each rank has its own record, and takes each conclusion before the same broadcast. */
static void test_ranks(void)
{
    enum { N_FOLDS = 3, N_BROADCASTS = 20000 };
    pb_random_t random;
    pb_wanted_t ranks[N_RANKS];
    uint64_t wants[N_RANKS];
    fold_t folds[N_FOLDS] = {{0}};
    int n_apart = 0, n_changes = 0, n_not_wanted = 0;
    random = pb_random_seed(1);
    for (int rank = 0; rank < N_RANKS; rank++) {
        pb_wanted_init(&ranks[rank], 0);
        wants[rank] = 0;
    }
    for (int i = 1; i <= N_BROADCASTS; i++) {
        for (int k = 0; k < N_FOLDS; k++) {
            fold_t *fold = &folds[k];
            for (int rank = 0; fold->due == i && rank < N_RANKS; rank++) {
                const bool changes =
                    pb_wanted_take(&ranks[rank], fold->number, fold->all) == PB_WANTED_CHANGES;
                n_changes += changes;
                n_not_wanted += changes && ranks[rank].in_force != fold->all;
            }
            if (fold->due <= i && pb_random_below(&random, 4) == 0) {
                for (int rank = 0; rank < N_RANKS; rank++) {
                    fold->number = pb_wanted_begin(&ranks[rank]);
                }
                *fold =
                    (fold_t){fold->number, all_want(wants), i + 1 + pb_random_below(&random, 9)};
            }
        }
        for (int rank = 1; rank < N_RANKS; rank++) {
            n_apart += ranks[rank].in_force != ranks[0].in_force;
        }
        const int which = pb_random_below(&random, N_RANKS), what = pb_random_below(&random, 3);
        wants[which] = what != 0 ? wants[(which + 1) % N_RANKS] : (uint64_t) i % 4;
    }
    ok(n_apart == 0, "in each broadcast all ranks have the same in force");
    ok(n_changes > 100 && n_not_wanted == 0, "which all of them wanted (%d changes)", n_changes);
}

int main(void)
{
    test_rule();
    test_order();
    test_difference();
    test_polls();
    test_ranks();
    return tap_done();
}
