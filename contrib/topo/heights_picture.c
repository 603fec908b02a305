#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "heights.h"
#include "judged.h"

/** Why a kind is no line of its own in the picture. */
typedef enum { DRAWN, CHAIN, ONE, COMPLETE, NOWHERE, N_FATES } fate_t;

/* Everything that the chart points to. */
typedef struct picture {
    const tool_study_t *study;
    tool_chart_t chart;
    tool_point_t *points; /* by series */
    tool_series_t *series;
    char (*titles)[64];
    const char **panel_titles;
    char subtitle[160];
    char kary[48]; /* the name of that kind with its fanout */
    char note[768];
} picture_t;

static bool is_flat_at(const tool_height_t *cell, int height)
{
    return cell->low == height && cell->high == height;
}

/* Whether each known cell of the kind has the height that the fate stands for. */
static bool has_fate(const tool_study_t *study, int kind, fate_t fate)
{
    const tool_options_t *options = study->options;
    for (int density = 0; density < options->per_switch.n; density++) {
        for (int size = 0; size < options->sizes.n; size++) {
            const tool_height_t *cell = tool_study_at(study, density, size, kind);
            int n = options->sizes.values[size];
            int height = fate == CHAIN ? n - 1 : fate == ONE ? 1 : tool_complete_height(n);
            if (cell->n > 0 && (fate == NOWHERE || !is_flat_at(cell, height))) {
                return false;
            }
        }
    }
    return true;
}

/* Lines of P - 1 would press all others to the ground, and lines that are known
 * without computing say nothing. Kinds that look at the network are drawn even
 * where they reach the complete tree, as that is their merit. */
static fate_t fate_of(const tool_study_t *study, int kind)
{
    if (has_fate(study, kind, NOWHERE)) {
        return NOWHERE;
    }
    if (study->options->sizes.values[study->options->sizes.n - 1] <= 3) {
        return DRAWN;
    }
    if (has_fate(study, kind, CHAIN)) {
        return CHAIN;
    }
    if (has_fate(study, kind, ONE)) {
        return ONE;
    }
    bool promises = pb_kind_row(study->options->kinds[kind])->promises;
    return !promises && has_fate(study, kind, COMPLETE) ? COMPLETE : DRAWN;
}

static void add_text(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);
    if (length + 1 < size) {
        snprintf(text + length, size - length, "%s", more);
    }
}

static void write_note(picture_t *picture)
{
    static const char *const reasons[N_FATES] = {[CHAIN] = "P - 1",
                                                 [ONE] = "1",
                                                 [COMPLETE] = "as the complete binary tree",
                                                 [NOWHERE] = "serves none of these clusters"};
    const tool_options_t *options = picture->study->options;
    const char *separator = "Not drawn: ";
    for (int fate = DRAWN + 1; fate < N_FATES; fate++) {
        bool any = false;
        for (int kind = 0; kind < options->n_kinds; kind++) {
            if (fate_of(picture->study, kind) == (fate_t) fate) {
                add_text(picture->note, sizeof(picture->note), any ? ", " : separator);
                add_text(picture->note, sizeof(picture->note), pb_kind_name(options->kinds[kind]));
                any = true;
                separator = "; ";
            }
        }
        if (any) {
            add_text(picture->note, sizeof(picture->note), " (");
            add_text(picture->note, sizeof(picture->note), reasons[fate]);
            add_text(picture->note, sizeof(picture->note), ")");
        }
    }
}

static tool_point_t *add_series(picture_t *picture, const char *name, bool reference)
{
    tool_chart_t *chart = &picture->chart;
    tool_point_t *points = picture->points + chart->n_series * chart->n_panels * chart->n_x;
    picture->series[chart->n_series++] =
        (tool_series_t){.name = name, .reference = reference, .points = points};
    return points;
}

static void add_reference(picture_t *picture)
{
    const tool_chart_t *chart = &picture->chart;
    tool_point_t *points = add_series(picture, "complete binary tree", true);
    for (int i = 0; i < chart->n_panels * chart->n_x; i++) {
        double height = tool_complete_height(chart->x[i % chart->n_x]);
        points[i] = (tool_point_t){.mean = height, .low = height, .high = height, .known = true};
    }
}

static void add_kind(picture_t *picture, int kind)
{
    const tool_study_t *study = picture->study;
    const tool_chart_t *chart = &picture->chart;
    const char *name = study->options->kinds[kind] == PB_KIND_KARY
                           ? picture->kary
                           : pb_kind_name(study->options->kinds[kind]);
    tool_point_t *points = add_series(picture, name, false);
    for (int i = 0; i < chart->n_panels * chart->n_x; i++) {
        const tool_height_t *cell = tool_study_at(study, i / chart->n_x, i % chart->n_x, kind);
        if (tool_height_is_known(study, cell)) {
            points[i] = (tool_point_t){.mean = (double) cell->sum / cell->n,
                                       .low = cell->low,
                                       .high = cell->high,
                                       .known = true};
        }
    }
}

static void write_titles(picture_t *picture)
{
    const tool_options_t *options = picture->study->options;
    for (int i = 0; i < options->per_switch.n; i++) {
        snprintf(picture->titles[i], sizeof(picture->titles[i]), "%d hosts per switch",
                 options->per_switch.values[i]);
        picture->panel_titles[i] = picture->titles[i];
    }
    snprintf(picture->kary, sizeof(picture->kary), "%s, fanout %d", pb_kind_name(PB_KIND_KARY),
             options->plan.fanout);
    snprintf(picture->subtitle, sizeof(picture->subtitle),
             "mean over %d random clusters for each size, seed %llu; shaded: lowest to highest",
             options->topologies, (unsigned long long) options->seed);
}

static bool picture_alloc(picture_t *picture)
{
    const tool_options_t *options = picture->study->options;
    size_t n_series = (size_t) options->n_kinds + 1, n_panels = (size_t) options->per_switch.n;
    picture->points =
        calloc(n_series * n_panels * (size_t) options->sizes.n, sizeof(*picture->points));
    picture->series = calloc(n_series, sizeof(*picture->series));
    picture->titles = calloc(n_panels, sizeof(*picture->titles));
    picture->panel_titles = calloc(n_panels, sizeof(*picture->panel_titles));
    return picture->points != NULL && picture->series != NULL && picture->titles != NULL &&
           picture->panel_titles != NULL;
}

static void draw(FILE *stream, picture_t *picture)
{
    const tool_options_t *options = picture->study->options;
    write_titles(picture);
    write_note(picture);
    picture->chart = (tool_chart_t){.title = "Heights of broadcast trees",
                                    .subtitle = picture->subtitle,
                                    .x_title = "hosts",
                                    .y_title = "height (edges from the root)",
                                    .note = picture->note[0] != '\0' ? picture->note : NULL,
                                    .n_panels = options->per_switch.n,
                                    .panel_titles = picture->panel_titles,
                                    .n_x = options->sizes.n,
                                    .x = options->sizes.values,
                                    .series = picture->series};
    add_reference(picture);
    for (int kind = 0; kind < options->n_kinds; kind++) {
        if (fate_of(picture->study, kind) == DRAWN) {
            add_kind(picture, kind);
        }
    }
    tool_chart_write(stream, &picture->chart);
}

bool tool_heights_draw(FILE *stream, const tool_study_t *study)
{
    picture_t picture = {.study = study};
    bool good = picture_alloc(&picture);
    if (good) {
        draw(stream, &picture);
    }
    free(picture.points);
    free(picture.series);
    free(picture.titles);
    free(picture.panel_titles);
    return good;
}
