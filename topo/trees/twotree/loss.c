/*
 * What items lose: why some fillings cannot succeed, and some roles cannot be the best (ours).
 *
 * A slot of time t is worth g^-t, where g is the growth of the costs: so what a rank opens that
 * gives two is together worth as much as the slot that it takes. Any other item *loses* some of
 * what its slot is worth:
 * - a rank that gives none, all of it: g^-t, and t is not after the deadline d;
 * - a rank that gives one: g^-t - g^-(t + first), and t + first is not after the deadline;
 * - a subtree that has slack s = d - t: g^-t (1 - v), where v is what its reply for this slack is
 *   worth.
 * So each item loses at least g^-d times a number that depends on neither t nor d: 1,
 * g^first - 1, and the least of g^s (1 - v) over the subtree's replies; beyond the last one more
 * slack makes that larger. These numbers are called losses here.
 *
 * In a filling that succeeds each slot that is opened is taken, by an item or an export. So what is
 * not lost leaves: a slot of time 0 is worth 1, and the exports are together worth 1 less all that
 * items lose, at most 1 - g^-d L, where L is the sum of their losses. It follows that
 * - a filling succeeds only if g^-d (L + exports) is no more than the slot it begins with is worth,
 *   and the same holds at any time for the slots that are open and what is left;
 * - the cost of a table, log(g^d (1 - v)), is no less than log(L).
 *
 * Losses are too small rather than too large, and comparisons have a margin for rounding, so that
 * nothing is left out that could have changed a tree.
 */
#include <math.h>

#include "topo/trees/twotree/internal.h"

/** Of a subtree that needs more slack nothing is said: its numbers might be too large. */
#define MOST_NEED 4096

/** More than what is lost of a value where weights are added and taken off. */
#define ROUNDED 1e-12

/** The same of a time. */
#define ROUNDED_TIME 1e-6

double pb_tt_late_weight(const pb_tt_tables_t *tables, int time)
{
    return time >= PB_TT_NEVER ? 0.0 : pow(tables->costs.growth, -time);
}

void pb_tt_prepare_losses(pb_tt_tables_t *tables)
{
    tables->rank_loss[0] = 1.0;
    tables->rank_loss[1] = pow(tables->costs.growth, tables->costs.first) - 1.0;
    tables->rank_loss[2] = 0.0;
}

double pb_tt_loss(const pb_tt_tables_t *tables, const pb_tt_table_t *table)
{
    double least = INFINITY, strength = 0.0;
    if (table->need > MOST_NEED) {
        return 0.0;
    }
    strength = exp(table->need * tables->log_growth);
    for (int i = 0; i < table->n; i++, strength *= tables->costs.growth) {
        const double value = pb_tt_value(tables, &table->replies[i]);
        least = fmin(least, strength * (1.0 - value - ROUNDED));
    }
    return fmax(least, 0.0);
}

int pb_tt_least_deadline(const pb_tt_pool_t *pool)
{
    const double left = pool->loss + pool->n_exports;
    const double time = left > 1.0 ? log(left) / pool->tables->log_growth : 0.0;
    return pool->entry + (int) ceil(time - ROUNDED_TIME);
}
