/* What rank 0 prints of a schedule, in the formats of output.h. */
#ifndef BENCH_OUTPUT_SCHEDULE_H
#define BENCH_OUTPUT_SCHEDULE_H

#include "output.h"
#include "schedule.h"

/** Heads of the text's and the CSV's columns. */
void bench_output_schedule_head(void);
void bench_output_schedule_csv_names(void);

/** One broadcast. */
void bench_output_schedule_result(struct bench_output *output,
                                  const struct bench_schedule_result *result);

#endif
