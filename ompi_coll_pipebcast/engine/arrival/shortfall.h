/*
 * When a communicator's broadcasts deliver far less than their links should (ours).
 *
 * Folds (engine/arrival/fold.h) say which rank received slowest, and how long the message takes it.
 * Where the links of a plan are as the topology and the model have them, that is the time that the
 * model predicts from the first segment to the last. A plan that puts two flows on one link, of
 * which the topology says that they have one each, takes twice that; with two streams, of which
 * each has half of the message, a link with three instead of two takes 1.5 times it.
 */
#ifndef PB_SHORTFALL_H
#define PB_SHORTFALL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/arrival/fold.h"

/** Times the prediction: half way between 1, as it should be, and the 1.5 of three half flows. */
#define PB_SHORTFALL_FACTOR 1.25

/**
 * Watched broadcasts that fall short in a row, before that is reported: others' traffic and busy
 * processors come and go, wrong topologies stay. By their least time chance is left out.
 */
#define PB_SHORTFALL_LEAST 4

/** Of one communicator, at a root. */
typedef struct pb_shortfall {
    int n;             /**< watched broadcasts that have fallen short in a row */
    double least;      /**< of them the least time, as a multiple of the prediction */
    int rank, from;    /**< of that one the slowest rank, and whom it received from */
    bool was_reported; /**< once for a communicator is enough */
} pb_shortfall_t;

typedef enum {
    PB_SHORTFALL_NONE,
    PB_SHORTFALL_SEEN,
    PB_SHORTFALL_REPORT, /**< the first time that there were enough in a row */
} pb_shortfall_news_t;

/** A watched broadcast's sums, where `expected` nanoseconds are predicted; 0: nothing is. O(1). */
pb_shortfall_news_t pb_shortfall_note(pb_shortfall_t *shortfall, const pb_fold_sums_t *sums,
                                      int64_t expected);

#endif
