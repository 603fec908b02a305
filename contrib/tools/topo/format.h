/*
 * The output formats of `tree`, one file each. They write to a stream that the
 * caller checks for errors.
 */
#ifndef TOOL_FORMAT_H
#define TOOL_FORMAT_H

#include <stdio.h>

#include "cluster.h"
#include "judged.h"

void tool_format_text(FILE *stream, const tool_cluster_t *cluster, const tool_judged_t *judged);
void tool_format_json(FILE *stream, const tool_cluster_t *cluster, const tool_judged_t *judged);
void tool_format_dot(FILE *stream, const tool_cluster_t *cluster, const tool_judged_t *judged);

/** Draws a network without a plan. */
void tool_format_dot_network(FILE *stream, const char *title, const pb_network_t *network);

/** A stream of a plan, level by level from the root. */
typedef struct tool_levels {
    int n;      /**< ranks */
    int *ranks; /**< all ranks of one level one after the other */
    int *level; /**< of each rank: edges from the root */
} tool_levels_t;

/** Finds the levels. Free with tool_levels_clear(). O(ranks). */
tool_levels_t tool_levels(const pb_plan_t *plan, int stream);
void tool_levels_clear(tool_levels_t *levels);

/** "twotree from n0: 32 hosts on 4 switches", for titles. */
void tool_title(const tool_cluster_t *cluster, const pb_plan_t *plan, char *text, size_t size);

/** "height 5", or "heights 5, 6" for several streams that differ. */
void tool_heights_text(const pb_plan_t *plan, char *text, size_t size);

#endif
