/*
 * The shape of the trees: what an edge is taken to cost.
 *
 * A rank's first child receives at once, its second a segment time later: trees
 * made for that are not complete but lean, lower under second children. How
 * much lower depends on what a hop costs beside it: one segment time in the
 * slot model of topo/check/simulator.h, two links and more in its links model, and what
 * software adds. Of the ratios that were tried at P = 64 to 1024, all from 3 to
 * 7 gave times within three per cent of the best in both models; the larger the
 * ratio, the lower the trees. So the largest is taken. Ways over several switches
 * are not counted: it made little difference to times, and heights grew.
 */
#include <math.h>

#include "topo/trees/twotree/internal.h"

/** From a rank's receipt to that of its first child, and from there to that of its second. */
enum { FIRST = 7, STEP = 1 };

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

pb_tt_costs_t pb_tt_costs(void)
{
    return (pb_tt_costs_t){.first = FIRST, .step = STEP, .growth = growth(FIRST, STEP)};
}
