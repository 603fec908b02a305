/* Tables of measurements, for people: paper 2's Table 2, and where the model does not hold. */
#ifndef TUNE_TABLE_H
#define TUNE_TABLE_H

#include <stdio.h>

#include "sweep.h"

/**
 * Prints, for each place that was measured, message size, g, RTT, L, and beyond the paper both, o_s
 * and o_r, in milliseconds. `swept` is by place.
 */
void tune_table_print(const struct tune_swept swept[PB_PLACE_COUNT], double precision,
                      FILE *stream);

/** Tells whether all rows are known within `precision`, at least 10 %. Reports the others on
 * stderr, and warns of places without the largest sizes. */
bool tune_table_settled(const struct tune_swept swept[PB_PLACE_COUNT], double precision);

#endif
