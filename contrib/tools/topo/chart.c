#include "chart.h"

#include <math.h>

#include "colours.h"
#include "svg.h"

enum { COLUMNS = 2, PANEL_WIDTH = 380, PANEL_HEIGHT = 300, GAP_X = 62, GAP_Y = 84 };
enum { LEFT = 70, TOP = 104, LEGEND_ROW = 20, LEGEND_COLUMNS = 4 };

typedef struct drawing {
    FILE *stream;
    const tool_chart_t *chart;
    double y_max, y_step;
    double x0, y0; /* lower left corner of the panel at hand */
} drawing_t;

static tool_text_style_t style(double size, const char *anchor, const char *colour)
{
    return (tool_text_style_t){.size = size, .anchor = anchor, .colour = colour};
}

/* The highest mark is the end of an axis with at most eight round steps. */
static void choose_axis(drawing_t *d)
{
    static const double steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
    double highest = 1;
    for (int s = 0; s < d->chart->n_series; s++) {
        for (int i = 0; i < d->chart->n_panels * d->chart->n_x; i++) {
            const tool_point_t *point = &d->chart->series[s].points[i];
            highest = point->known ? fmax(highest, point->high) : highest;
        }
    }
    d->y_step = steps[0];
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && highest / d->y_step > 8; i++) {
        d->y_step = steps[i];
    }
    d->y_max = ceil(highest / d->y_step) * d->y_step;
}

static double place_x(const drawing_t *d, int i)
{
    const int *x = d->chart->x;
    double range = log2((double) x[d->chart->n_x - 1] / x[0]);
    return d->x0 + 14 + (range > 0 ? log2((double) x[i] / x[0]) / range : 0.5) * (PANEL_WIDTH - 28);
}

static double place_y(const drawing_t *d, double y)
{
    return d->y0 - y / d->y_max * PANEL_HEIGHT;
}

static void draw_axes(const drawing_t *d, int panel)
{
    char text[32];
    for (int i = 0; i * d->y_step <= d->y_max; i++) {
        const double y = i * d->y_step;
        tool_svg_line(d->stream, d->x0, place_y(d, y), d->x0 + PANEL_WIDTH, place_y(d, y),
                      y > 0 ? TOOL_COLOUR_LINE : TOOL_COLOUR_QUIET, y > 0 ? 0.6 : 1);
        snprintf(text, sizeof(text), "%g", y);
        tool_svg_text(d->stream, d->x0 - 7, place_y(d, y) + 4, style(11, "end", TOOL_COLOUR_QUIET),
                      text);
    }
    for (int i = 0; i < d->chart->n_x; i++) {
        tool_svg_line(d->stream, place_x(d, i), d->y0, place_x(d, i), d->y0 + 5, TOOL_COLOUR_QUIET,
                      1);
        snprintf(text, sizeof(text), "%d", d->chart->x[i]);
        tool_svg_text(d->stream, place_x(d, i), d->y0 + 18, style(11, "middle", TOOL_COLOUR_QUIET),
                      text);
    }
    tool_text_style_t bold = style(13, "middle", TOOL_COLOUR_TEXT);
    bold.bold = 1;
    tool_svg_text(d->stream, d->x0 + PANEL_WIDTH / 2.0, d->y0 - PANEL_HEIGHT - 12, bold,
                  d->chart->panel_titles[panel]);
    tool_svg_text(d->stream, d->x0 + PANEL_WIDTH / 2.0, d->y0 + 36,
                  style(11, "middle", TOOL_COLOUR_TEXT), d->chart->x_title);
    fprintf(d->stream, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">\n", d->x0 - 38,
            d->y0 - PANEL_HEIGHT / 2.0);
    tool_svg_text(d->stream, 0, 0, style(11, "middle", TOOL_COLOUR_TEXT), d->chart->y_title);
    fputs("</g>\n", d->stream);
}

/* Colours are counted without the references. */
static const char *series_colour(const tool_chart_t *chart, int s)
{
    int n = 0;
    for (int i = 0; i < s; i++) {
        n += !chart->series[i].reference;
    }
    return chart->series[s].reference ? TOOL_COLOUR_QUIET : tool_colour(n);
}

static void begin_line(FILE *stream, const tool_series_t *series, const char *colour)
{
    fprintf(stream, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s d=\"", colour,
            series->reference ? "1.6" : "2", series->reference ? " stroke-dasharray=\"6 4\"" : "");
}

static void draw_line(const drawing_t *d, const tool_series_t *series, const tool_point_t *points,
                      const char *colour)
{
    bool pen_down = false;
    begin_line(d->stream, series, colour);
    for (int i = 0; i < d->chart->n_x; i++) {
        if (points[i].known) {
            fprintf(d->stream, "%c%.1f %.1f", pen_down ? 'L' : 'M', place_x(d, i),
                    place_y(d, points[i].mean));
        }
        pen_down = points[i].known;
    }
    /* A path may not be empty. */
    fputs("M0 0\"/>\n", d->stream);
}

/* The range over points [begin, end), as an area; of one point, as a stroke. */
static void draw_range(const drawing_t *d, const tool_point_t *points, int begin, int end,
                       const char *colour)
{
    if (end == begin + 1) {
        tool_svg_line(d->stream, place_x(d, begin), place_y(d, points[begin].low),
                      place_x(d, begin), place_y(d, points[begin].high), colour, 1);
        return;
    }
    fprintf(d->stream, "<path fill=\"%s\" fill-opacity=\"0.13\" d=\"", colour);
    for (int i = begin; i < end; i++) {
        fprintf(d->stream, "%c%.1f %.1f", i > begin ? 'L' : 'M', place_x(d, i),
                place_y(d, points[i].high));
    }
    for (int i = end - 1; i >= begin; i--) {
        fprintf(d->stream, "L%.1f %.1f", place_x(d, i), place_y(d, points[i].low));
    }
    fputs("Z\"/>\n", d->stream);
}

static void draw_ranges(const drawing_t *d, const tool_point_t *points, const char *colour)
{
    int begin = 0;
    for (int i = 0; i <= d->chart->n_x; i++) {
        if (i == d->chart->n_x || !points[i].known) {
            if (i > begin) {
                draw_range(d, points, begin, i, colour);
            }
            begin = i + 1;
        }
    }
}

static void draw_points(const drawing_t *d, const tool_point_t *points, const char *colour)
{
    for (int i = 0; i < d->chart->n_x; i++) {
        if (points[i].known) {
            tool_svg_dot(d->stream, place_x(d, i), place_y(d, points[i].mean), 3, colour, 1);
        }
    }
}

static void draw_series(const drawing_t *d, int s, int panel)
{
    const tool_series_t *series = &d->chart->series[s];
    const tool_point_t *points = series->points + panel * d->chart->n_x;
    draw_line(d, series, points, series_colour(d->chart, s));
    if (!series->reference) {
        draw_points(d, points, series_colour(d->chart, s));
    }
}

static void draw_panel(drawing_t *d, int panel)
{
    const int column = panel % COLUMNS, row = panel / COLUMNS;
    d->x0 = LEFT + column * (PANEL_WIDTH + GAP_X);
    d->y0 = TOP + PANEL_HEIGHT + row * (PANEL_HEIGHT + GAP_Y);
    draw_axes(d, panel);
    for (int s = 0; s < d->chart->n_series; s++) {
        if (!d->chart->series[s].reference) {
            draw_ranges(d, d->chart->series[s].points + panel * d->chart->n_x,
                        series_colour(d->chart, s));
        }
    }
    for (int s = 0; s < d->chart->n_series; s++) {
        draw_series(d, s, panel);
    }
}

static void draw_legend(const drawing_t *d, double y, double width)
{
    double column = (width - 2 * LEFT + 40) / LEGEND_COLUMNS;
    for (int s = 0; s < d->chart->n_series; s++) {
        const tool_series_t *series = &d->chart->series[s];
        const int place = s % LEGEND_COLUMNS, row = s / LEGEND_COLUMNS;
        const double x = LEFT + place * column, at = y + row * LEGEND_ROW;
        begin_line(d->stream, series, series_colour(d->chart, s));
        fprintf(d->stream, "M%.1f %.1fh28\"/>\n", x, at);
        if (!series->reference) {
            tool_svg_dot(d->stream, x + 14, at, 3, series_colour(d->chart, s), 1);
        }
        tool_svg_text(d->stream, x + 35, at + 4, style(11.5, "start", TOOL_COLOUR_TEXT),
                      series->name);
    }
}

static int n_rows(int n, int columns)
{
    return (n + columns - 1) / columns;
}

void tool_chart_write(FILE *stream, const tool_chart_t *chart)
{
    drawing_t d = {.stream = stream, .chart = chart};
    choose_axis(&d);
    double width = LEFT + COLUMNS * PANEL_WIDTH + GAP_X + 24;
    double legend = TOP + n_rows(chart->n_panels, COLUMNS) * (PANEL_HEIGHT + GAP_Y) - 12;
    double note = legend + n_rows(chart->n_series, LEGEND_COLUMNS) * LEGEND_ROW + 10;
    tool_svg_begin(stream, width, note + 18, chart->title);
    tool_text_style_t bold = style(17, "start", TOOL_COLOUR_TEXT);
    bold.bold = 1;
    tool_svg_text(stream, LEFT - 44, 34, bold, chart->title);
    tool_svg_text(stream, LEFT - 44, 54, style(12, "start", TOOL_COLOUR_QUIET), chart->subtitle);
    for (int panel = 0; panel < chart->n_panels; panel++) {
        draw_panel(&d, panel);
    }
    draw_legend(&d, legend, width);
    if (chart->note != NULL) {
        tool_svg_text(stream, LEFT - 44, note, style(11, "start", TOOL_COLOUR_QUIET), chart->note);
    }
    tool_svg_end(stream);
}
