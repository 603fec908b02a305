/*
 * The results of arrival patterns: in text and JSON a group for each point (a size and a MAX_IF)
 * with its patterns, their mean and their greatest; in CSV a row for each pattern.
 */
#ifndef BENCH_OUTPUT_ARRIVAL_H
#define BENCH_OUTPUT_ARRIVAL_H

#include "arrival.h"
#include "contrib/tools/common/json.h"
#include "options.h"

/** What stands above all points, as text and as a member of JSON; for bench_output_begin(). */
void bench_output_arrival_head(const struct bench_options *options);
void bench_output_arrival_json(common_json_t to, const struct bench_arrival_options *arrival);

/** Names of the CSV's columns beyond those of every row, each after a comma. */
void bench_output_arrival_csv_names(void);

struct bench_output;

void bench_output_point_begin(struct bench_output *output, const struct bench_arrival_point *point);
void bench_output_pattern(const struct bench_output *output,
                          const struct bench_arrival_point *point,
                          const struct bench_arrival_pattern *pattern);
void bench_output_point_end(struct bench_output *output, const struct bench_arrival_point *point);

#endif
