#include "topo/model/ledger.h"

#include <assert.h>
#include <stdlib.h>

/** Least neighbors in any plan with a bound: some ranks both receive and send. */
#define FEWEST_NEIGHBOURS 2

typedef struct charged_plan {
    pb_kind_t kind;
    int root;
} charged_plan_t;

struct pb_ledger {
    int n_ranks;
    int budget;     /**< 0: no bound */
    int repeating;  /**< neighbors of the kinds that repeat */
    int charged;    /**< neighbors, including those of `repeating` */
    bool is_closed; /**< nothing is charged any more */
    int n_plans;
    charged_plan_t plans[];
};

pb_ledger_t *pb_ledger_new(int n_ranks)
{
    const int capacity = n_ranks / FEWEST_NEIGHBOURS; /* no budget that bounds has more */
    pb_ledger_t *ledger = calloc(1, sizeof(*ledger) + (size_t) capacity * sizeof(*ledger->plans));
    if (ledger != NULL) {
        ledger->n_ranks = n_ranks;
    }
    return ledger;
}

/** Neighbors by the kinds that repeat within the budget: those of one kind include all others. */
static int find_repeating(int n_ranks, int budget)
{
    int most = 0;
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        const int n = pb_kind_neighbours((pb_kind_t) kind, n_ranks);
        if (pb_kind_row((pb_kind_t) kind)->repeats != PB_REPEATS_NOT && n <= budget && n > most) {
            most = n;
        }
    }
    return most;
}

void pb_ledger_begin(pb_ledger_t *ledger, int budget)
{
    ledger->budget = budget < ledger->n_ranks - 1 ? budget : 0;
    assert(ledger->budget == 0 || ledger->budget >= FEWEST_NEIGHBOURS);
    ledger->repeating = find_repeating(ledger->n_ranks, ledger->budget);
    ledger->charged = ledger->repeating;
    ledger->is_closed = false;
    ledger->n_plans = 0;
}

bool pb_ledger_is_bounding(const pb_ledger_t *ledger)
{
    return ledger->budget > 0;
}

bool pb_ledger_repeats(const pb_ledger_t *ledger, pb_kind_t kind)
{
    return pb_kind_row(kind)->repeats != PB_REPEATS_NOT &&
           pb_kind_neighbours(kind, ledger->n_ranks) <= ledger->repeating;
}

bool pb_ledger_has(const pb_ledger_t *ledger, pb_kind_t kind, int root)
{
    for (int i = 0; i < ledger->n_plans; i++) {
        if (ledger->plans[i].kind == kind && ledger->plans[i].root == root) {
            return true;
        }
    }
    return pb_ledger_repeats(ledger, kind);
}

bool pb_ledger_is_closed(const pb_ledger_t *ledger)
{
    return ledger->is_closed;
}

bool pb_ledger_charge(pb_ledger_t *ledger, pb_kind_t kind, int root, int n_neighbours)
{
    assert(n_neighbours >= FEWEST_NEIGHBOURS);
    if (ledger->is_closed || n_neighbours > ledger->budget - ledger->charged) {
        ledger->is_closed = true;
        return false;
    }
    ledger->charged += n_neighbours;
    ledger->plans[ledger->n_plans++] = (charged_plan_t){.kind = kind, .root = root};
    return true;
}

bool pb_ledger_has_room(const pb_ledger_t *ledger, int n_neighbours)
{
    return !pb_ledger_is_bounding(ledger) || n_neighbours <= ledger->budget - ledger->charged;
}

void pb_ledger_charge_tree(pb_ledger_t *ledger, int n_neighbours)
{
    if (pb_ledger_is_bounding(ledger)) {
        const int left = ledger->budget - ledger->charged;
        ledger->charged += n_neighbours < left ? n_neighbours : left;
    }
}
