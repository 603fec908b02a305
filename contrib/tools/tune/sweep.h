/* Measuring one place for all sizes. */
#ifndef TUNE_SWEEP_H
#define TUNE_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "topo/model/model.h"
#include "traffic.h"

/** Relative errors of a row's values. */
struct tune_certainty {
    double gap, rtt, both; /**< as tune_settling_error() */
};

/** Result of a sweep. Plain values, as ranks hand it to each other as bytes. */
struct tune_swept {
    pb_costs_t costs;
    struct tune_certainty certainty[PB_MODEL_MAX_ROWS]; /**< by row */
    int n_left_out;                                     /**< sizes that there was no time for */
};

struct tune_sweep {
    const struct tune_options *options;
    const struct tune_team *team;
    double budget_s; /**< for this sweep */
};

/** The leader's call for a pair: gap, rtt, send and receive of the sizes in options, as rows of
 * swept->costs. Sizes beyond 4 KB are skipped when the budget has run out. */
void tune_sweep_pair(const struct tune_sweep *sweep, struct tune_swept *swept);

/** The leader's call for a ring: `both` of the rows that are there. A row beyond 32 KB that would
 * take long gets the ratio to its gap from the row before. */
void tune_sweep_ring(const struct tune_sweep *sweep, struct tune_swept *swept);

/** Lowers gaps and round trips to twice the next larger message's, where they are more. The network
 * was in use then, and the model's reader would reject them. Returns how many rows were changed. */
int tune_swept_limit(struct tune_swept *swept);

#endif
