/*
 * A line chart of several panels with common axes: x doubles from point to
 * point, y is linear from 0.
 */
#ifndef TOOL_CHART_H
#define TOOL_CHART_H

#include <stdbool.h>
#include <stdio.h>

typedef struct tool_point {
    double mean;
    double low, high; /**< the range that is shown around the mean */
    bool known;       /**< else there is a gap */
} tool_point_t;

typedef struct tool_series {
    const char *name;
    bool reference;             /**< dashed and grey, without points */
    const tool_point_t *points; /**< by panel and x: [panel * n_x + i] */
} tool_series_t;

typedef struct tool_chart {
    const char *title, *subtitle;
    const char *x_title, *y_title;
    const char *note; /**< below all; NULL: none */
    int n_panels;
    const char *const *panel_titles;
    int n_x;
    const int *x; /**< rising */
    int n_series;
    const tool_series_t *series;
} tool_chart_t;

/** Writes the chart as SVG. */
void tool_chart_write(FILE *stream, const tool_chart_t *chart);

#endif
