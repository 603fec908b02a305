/* Trials that are measured, or given from the record of a search that was ended. */
#ifndef TUNE_RECORDED_H
#define TUNE_RECORDED_H

#include <stdio.h>

#include "flows.h"
#include "topo/discover/record.h"

/** Rank 0's. */
typedef struct tune_recorded {
    tune_flows_t *flows; /**< borrowed */
    char *path;          /**< owned */
    FILE *stream;        /**< new trials are appended */
    pb_record_t record;  /**< of trials before */
} tune_recorded_t;

/**
 * Opens the record of a search whose result goes to `output`: that with ".trials" behind it. False
 * with a message. Close in any case.
 */
bool tune_recorded_open(tune_recorded_t *recorded, tune_flows_t *flows, const char *output);

/** Closes the record; `done`: and removes it. */
void tune_recorded_close(tune_recorded_t *recorded, bool done);

/** As pb_meter_t's `measure`; the context is a tune_recorded_t. */
int tune_recorded_measure(void *context, const pb_flow_t *list, int n, double *rates);

/** As its `lengthen`, likewise. */
void tune_recorded_lengthen(void *context);

#endif
