/* Arrival patterns and their metrics: exact numbers, no clocks. */
#include <string.h>

#include "contrib/tools/bench/arrival_metrics.h"
#include "contrib/tools/bench/arrival_pattern.h"
#include "test/tap.h"

enum { MAX_RANKS = 64 };

static void test_metrics(void)
{
    /* All numbers are such that a double holds them. */
    const struct bench_stay even[] = {{5, 105}, {5, 125}, {5, 145}, {5, 165}};
    struct bench_arrival_metrics m = bench_arrival_measure(even, 4, 0, 80);
    ok(m.node == 130 && m.waiting == 0, "balanced: average per-node time");
    ok(m.bound_blocking == 60 && m.bound_nonblocking == 60, "balanced: OPT from (n - 1) T / n");

    const struct bench_stay late[] = {{0, 500}, {400, 480}, {0, 80}, {0, 100}};
    m = bench_arrival_measure(late, 4, 0, 80);
    ok(m.node == 190, "a late receiver, the root first: average per-node time");
    ok(m.bound_blocking == 160 && m.bound_nonblocking == 60,
       "a late receiver: only the blocking model's sender waits for it");

    /* The root, rank 2, comes when two ranks wait; the last one comes 200 after it. */
    const struct bench_stay waiting[] = {{0, 400}, {100, 400}, {300, 700}, {500, 580}};
    m = bench_arrival_measure(waiting, 4, 2, 40);
    ok(m.node == 295, "the root comes third: average per-node time");
    ok(m.waiting == 125, "the root comes third: 500 of the ranks' time passed before it");
    ok(m.bound_nonblocking == 155, "the root comes third: 300 + 200 of waiting belong to OPT");
    ok(m.bound_blocking == 205, "and what the last one is later than the root");

    m = bench_arrival_measure(waiting, 4, 3, 40);
    ok(m.bound_blocking == 305 && m.bound_nonblocking == 305,
       "the root comes last: nobody waits for a receiver");
}

static void find_delays(const struct bench_arrival_recipe *recipe, int64_t *delays)
{
    for (int rank = 0; rank < MAX_RANKS; rank++) {
        delays[rank] = bench_arrival_delay(recipe, rank);
    }
}

static struct bench_arrival_recipe recipe_of(enum bench_arrival_kind kind, int max_if)
{
    return (struct bench_arrival_recipe){.kind = kind,
                                         .seed = 7,
                                         .number = 3,
                                         .max_if = max_if,
                                         .late_share = 0.2,
                                         .root = 5,
                                         .unit_ns = 1000};
}

static void test_random(void)
{
    struct bench_arrival_recipe recipe = recipe_of(BENCH_ARRIVAL_RANDOM, 8);
    int64_t delays[MAX_RANKS], again[MAX_RANKS], wider[MAX_RANKS];
    int seen[8] = {0}, in_bounds = 1, kept_quantiles = 1, all_seen = 1;
    find_delays(&recipe, delays);
    find_delays(&recipe, again);
    ok(memcmp(delays, again, sizeof delays) == 0, "equal recipes, equal patterns");
    recipe.max_if = 16;
    find_delays(&recipe, wider);
    for (int i = 0; i < MAX_RANKS; i++) {
        in_bounds &= delays[i] >= 0 && delays[i] < 8000 && delays[i] % 1000 == 0;
        seen[delays[i] / 1000 % 8]++;
        kept_quantiles &= wider[i] / 2000 == delays[i] / 1000;
    }
    for (int i = 0; i < 8; i++) {
        all_seen &= seen[i] > 0;
    }
    ok(in_bounds && all_seen, "random: all whole units from 0 to MAX_IF - 1, and no others");
    ok(kept_quantiles, "random: a rank keeps its quantile when MAX_IF doubles");
    const int64_t known[] = {6000, 7000, 4000, 5000, 6000, 7000};
    recipe = recipe_of(BENCH_ARRIVAL_RANDOM, 8);
    find_delays(&recipe, delays);
    ok(memcmp(delays, known, sizeof known) == 0,
       "random: the same on every host: %d %d %d %d %d %d", (int) delays[0], (int) delays[1],
       (int) delays[2], (int) delays[3], (int) delays[4], (int) delays[5]);
    recipe.number++;
    find_delays(&recipe, again);
    ok(memcmp(delays, again, sizeof delays) != 0, "random: the next pattern differs");
    recipe.number--;
    recipe.seed++;
    find_delays(&recipe, again);
    ok(memcmp(delays, again, sizeof delays) != 0, "random: another seed differs");
    struct bench_arrival_recipe first = recipe;
    first.kind = BENCH_ARRIVAL_ROOT_FIRST;
    find_delays(&first, delays);
    again[first.root] = 0;
    ok(memcmp(delays, again, sizeof delays) == 0,
       "root-first: the same but for the root, which is on time");
    recipe.max_if = 1;
    find_delays(&recipe, delays);
    int64_t sum = 0;
    for (int i = 0; i < MAX_RANKS; i++) {
        sum += delays[i];
    }
    ok(sum == 0, "random: MAX_IF 1 is a balanced arrival");
}

/** Number of ranks that are late over 50 patterns; -1 if a delay is neither 0 nor MAX_IF units. */
static int count_late(struct bench_arrival_recipe recipe, int *root_p)
{
    int64_t delays[MAX_RANKS];
    int n_late = 0;
    *root_p = 0;
    for (recipe.number = 0; recipe.number < 50; recipe.number++) {
        find_delays(&recipe, delays);
        *root_p += delays[recipe.root] != 0;
        for (int i = 0; i < MAX_RANKS; i++) {
            if (delays[i] != 0 && delays[i] != 16000) {
                return -1;
            }
            n_late += delays[i] != 0;
        }
    }
    return n_late;
}

static void test_late(void)
{
    struct bench_arrival_recipe recipe = recipe_of(BENCH_ARRIVAL_LATE, 16);
    int root, n_late = count_late(recipe, &root), receivers = 50 * (MAX_RANKS - 1);
    ok(n_late > 0.17 * receivers && n_late < 0.23 * receivers,
       "late: about 20 %% of the receivers, by MAX_IF units (%d of %d)", n_late, receivers);
    ok(root == 0, "late: never the root");
    const int64_t named[] = {5, 9};
    recipe.late_ranks = named;
    recipe.n_late_ranks = 2;
    ok(count_late(recipe, &root) == 50 && root == 0,
       "late: ranks that are named, but for the root");
    recipe.n_late_ranks = 0;
    recipe.late_share = 0;
    ok(count_late(recipe, &root) == 0, "late: a share of 0 is nobody");
    recipe.late_share = 1;
    ok(count_late(recipe, &root) == receivers && root == 0,
       "late: a share of 1 is everybody but the root");
}

int main(void)
{
    test_metrics();
    test_random();
    test_late();
    return tap_done();
}
