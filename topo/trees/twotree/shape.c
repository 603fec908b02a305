/*
 * The shape of the trees: what an edge is taken to cost.
 *
 * A rank's first child receives at once, its second a segment time later: trees
 * made for that are not complete but lean, lower under second children. How
 * much lower depends on what a hop costs beside it: one segment time in the
 * slot model of topo/check/simulator.h, two links and more in its links model, and what
 * software adds. Of the ratios that were tried at P = 64 to 1024, all from 3 to
 * 7 gave times within three per cent of the best in both models; the larger the
 * ratio, the lower the trees, the smaller, the more of them can be coloured. So
 * the larger is tried first, then the others until one can be coloured. Ways over several switches
 * are not counted: it made little difference to times, and heights grew.
 */
#include <math.h>

#include "topo/trees/twotree/internal.h"

/** The root of g^-first + g^-(first + step) = 1, by bisection. */
static double growth(int first, int step)
{
    double low = 1.0, high = 2.0;
    for (int i = 0; i < 50; i++) {
        const double middle = (low + high) / 2;
        if (pow(middle, -first) + pow(middle, -first - step) > 1) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

bool pb_tt_costs(int attempt, pb_tt_costs_t *costs)
{
    static const int hops[] = {7, 3, 2, 4, 5};
    const int n_attempts = (int) (sizeof(hops) / sizeof(hops[0]));
    if (attempt >= n_attempts) {
        return false;
    }
    *costs = (pb_tt_costs_t){.first = hops[attempt], .step = 1, .growth = growth(hops[attempt], 1)};
    return true;
}
