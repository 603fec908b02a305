/* The ledger: what is charged, what is refused, and that asking again changes nothing. */
#include <stdlib.h>

#include "test/tap.h"
#include "topo/model/ledger.h"
#include "topo/util/random.h"

static pb_ledger_t *ledger_of(int n_ranks, int budget)
{
    pb_ledger_t *ledger = pb_ledger_new(n_ranks);
    if (ledger == NULL) {
        abort();
    }
    pb_ledger_begin(ledger, budget);
    return ledger;
}

/** Whether exactly so many connections of a bounding ledger are charged. */
static bool has_charged(const pb_ledger_t *ledger, int budget, int charged)
{
    return pb_ledger_has_room(ledger, budget - charged) &&
           !pb_ledger_has_room(ledger, budget - charged + 1);
}

static void test_bounds(void)
{
    static const struct {
        int n_ranks, budget, paid; /**< at the beginning */
        bool bounds, has_binomial;
    } cases[] = {
        {64, 0, 0, false, false}, {64, 63, 0, false, false}, {64, 1000, 0, false, false},
        {64, 62, 12, true, true}, {64, 24, 12, true, true},  {64, 12, 12, true, true},
        {64, 11, 2, true, false}, {64, 2, 2, true, false},   {4, 2, 2, true, false},
        {3, 2, 0, false, false},  {33, 12, 12, true, true},  {5, 3, 2, true, false},
        {1, 2, 0, false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pb_ledger_t *ledger = ledger_of(cases[i].n_ranks, cases[i].budget);
        bool good = pb_ledger_is_bounding(ledger) == cases[i].bounds;
        if (cases[i].bounds) {
            good = good && has_charged(ledger, cases[i].budget, cases[i].paid) &&
                   pb_ledger_has(ledger, PB_KIND_CHAIN, 3) &&
                   pb_ledger_repeats(ledger, PB_KIND_BINOMIAL) == cases[i].has_binomial &&
                   !pb_ledger_has(ledger, PB_KIND_TWOTREE, 3);
        }
        ok(good, "%d ranks and %d connections", cases[i].n_ranks, cases[i].budget);
        free(ledger);
    }
}

static void test_charging(void)
{
    pb_ledger_t *ledger = ledger_of(64, 24);
    ok(pb_ledger_charge(ledger, PB_KIND_TWOTREE, 5, 4) && has_charged(ledger, 24, 16) &&
           pb_ledger_has(ledger, PB_KIND_TWOTREE, 5) && !pb_ledger_has(ledger, PB_KIND_BINARY, 5) &&
           !pb_ledger_has(ledger, PB_KIND_TWOTREE, 6),
       "a plan is charged for its kind and root");
    ok(pb_ledger_charge(ledger, PB_KIND_BINARY, 6, 8) && has_charged(ledger, 24, 24) &&
           !pb_ledger_is_closed(ledger),
       "until nothing is left");
    ok(!pb_ledger_charge(ledger, PB_KIND_BINARY, 7, 2) && has_charged(ledger, 24, 24) &&
           pb_ledger_is_closed(ledger) && !pb_ledger_has(ledger, PB_KIND_BINARY, 7),
       "what does not fit closes the ledger");
    ok(pb_ledger_has(ledger, PB_KIND_TWOTREE, 5) && pb_ledger_has(ledger, PB_KIND_BINARY, 6) &&
           pb_ledger_has(ledger, PB_KIND_CHAIN, 7),
       "and what was charged, or repeats, is had");
    pb_ledger_begin(ledger, 20);
    ok(has_charged(ledger, 20, 12) && !pb_ledger_has(ledger, PB_KIND_TWOTREE, 5) &&
           !pb_ledger_is_closed(ledger),
       "it may begin again");
    ok(!pb_ledger_charge(ledger, PB_KIND_FLAT, 0, 63) &&
           !pb_ledger_charge(ledger, PB_KIND_BINARY, 0, 3),
       "a closed ledger refuses what would have fitted");
    free(ledger);
}

static void test_trees(void)
{
    pb_ledger_t *ledger = ledger_of(64, 24);
    ok(pb_ledger_has_room(ledger, 12) && !pb_ledger_has_room(ledger, 13),
       "other trees have what the repeating kinds leave");
    pb_ledger_charge_tree(ledger, 5);
    ok(has_charged(ledger, 24, 17) && !pb_ledger_charge(ledger, PB_KIND_BINARY, 1, 8) &&
           pb_ledger_has_room(ledger, 7) && !pb_ledger_has_room(ledger, 8),
       "they are charged, also where the ledger is closed for plans");
    pb_ledger_charge_tree(ledger, 63);
    ok(has_charged(ledger, 24, 24), "and never beyond the budget");
    pb_ledger_begin(ledger, 0);
    pb_ledger_charge_tree(ledger, 63);
    ok(pb_ledger_has_room(ledger, 63), "without a bound all fit");
    free(ledger);
}

/** Random plans: never over the budget, and an answer once given stays. */
static void test_random(void)
{
    enum { N_KINDS_ASKED = 3, N_RANKS = 40 };
    static const pb_kind_t kinds[N_KINDS_ASKED] = {PB_KIND_BINARY, PB_KIND_TWOTREE, PB_KIND_KARY};
    pb_random_t random = pb_random_seed(3);
    int n_bad = 0;
    for (int i = 0; i < 200; i++) {
        const int budget = 2 + pb_random_below(&random, N_RANKS - 3);
        pb_ledger_t *ledger = ledger_of(N_RANKS, budget);
        int refused[N_KINDS_ASKED][N_RANKS] = {{0}};
        for (int k = 0; k < 300; k++) {
            const int which = pb_random_below(&random, N_KINDS_ASKED);
            const int root = pb_random_below(&random, N_RANKS);
            const bool had = pb_ledger_has(ledger, kinds[which], root);
            const bool has = had || pb_ledger_charge(ledger, kinds[which], root,
                                                     2 + pb_random_below(&random, 5));
            n_bad += has != pb_ledger_has(ledger, kinds[which], root);
            n_bad += has && refused[which][root];
            n_bad += !pb_ledger_has_room(ledger, 0);
            refused[which][root] |= !has;
        }
        free(ledger);
    }
    ok(n_bad == 0, "random plans stay within the budget, and what was refused stays refused");
}

int main(void)
{
    test_bounds();
    test_charging();
    test_trees();
    test_random();
    return tap_done();
}
