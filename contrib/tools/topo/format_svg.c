/*
 * The figure of a plan. On the left the network: switches as bars, links as
 * two strokes, one each way, whose widths are the loads. On the right, in the
 * same rows, each stream of the plan: a host's dot stands at its level, so
 * that the message travels from left to right, and an edge that leaves its
 * switch leaves the switch's band.
 */
#include <math.h>

#include "colours.h"
#include "contrib/tools/common/text.h"
#include "format.h"
#include "layout.h"
#include "message.h"
#include "svg.h"

typedef struct figure {
    FILE *stream;
    const tool_cluster_t *cluster;
    const tool_judged_t *judged;
    const tool_layout_t *layout;
    double load_width; /* of load 1 */
    double width, height;
} figure_t;

#define LEGEND_HEIGHT 106

/** Rows that are lower have no room for the names of switches. */
#define MIN_NAMED_ROW 3

static tool_text_style_t style(double size, const char *anchor, const char *colour)
{
    return (tool_text_style_t){.size = size, .anchor = anchor, .colour = colour};
}

static const tool_item_t *item_of(const figure_t *p, int row)
{
    return &p->layout->items[row];
}

static double y_of(const figure_t *p, int row)
{
    return tool_layout_y(p->layout, row);
}

static double bar_width(const figure_t *p)
{
    return fmin(6, p->layout->indent / 2);
}

/* ---- the network ---- */

/* Rows of every other switch, or host with several ranks, are shaded. */
static void draw_bands(const figure_t *p)
{
    const tool_layout_t *layout = p->layout;
    int owner = -1, shade = 0;
    for (int row = 0, first = 0; row <= layout->n_items; row++) {
        int of = row < layout->n_items ? (item_of(p, row)->rank < 0 ? row : item_of(p, row)->parent)
                                       : -1;
        if (row > 0 && of != owner) {
            if (shade) {
                tool_svg_rectangle(p->stream, 8, layout->top + first * layout->row_height,
                                   p->width - 16, (row - first) * layout->row_height,
                                   TOOL_COLOUR_BAND, 3);
            }
            shade = !shade;
            first = row;
        }
        owner = of;
    }
}

static double stroke_width(const figure_t *p, double load)
{
    return load > 0 ? fmax(load * p->load_width, 0.7) : 0;
}

static void draw_load(const figure_t *p, int link, double x, double y)
{
    char text[32];
    double load = tool_load(p->judged, link);
    if (load > 1.005 && p->layout->font_size > 0) {
        snprintf(text, sizeof(text), "%.3g", load);
        fprintf(p->stream, "<g stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\" "
                           "stroke-linejoin=\"round\">");
        tool_svg_text(
            p->stream, x, y + 3,
            style(8.5, "middle", p->judged->broken[link] ? TOOL_COLOUR_BROKEN : TOOL_COLOUR_TEXT),
            text);
        fputs("</g>\n", p->stream);
    }
}

/* One direction of a link; `side` is -1 for the stroke above the middle. */
static void draw_stroke(const figure_t *p, int link, double x1, double x2, double y, int side)
{
    double width = stroke_width(p, tool_load(p->judged, link));
    if (width > 0) {
        double shifted = y + side * (0.6 + width / 2);
        tool_svg_line(p->stream, x1, shifted, x2, shifted,
                      p->judged->broken[link] ? TOOL_COLOUR_BROKEN : TOOL_COLOUR_LINK, width);
    }
}

static void describe_link(const figure_t *p, int from, int to, int link)
{
    common_xml_text(p->stream, pb_network_node(p->cluster->network, from)->name);
    fputs(" to ", p->stream);
    common_xml_text(p->stream, pb_network_node(p->cluster->network, to)->name);
    fprintf(p->stream, ": load %.2f, %d %s%s\n", tool_load(p->judged, link),
            TOOL_PLURAL(p->judged->check.links[link].senders, "sender"),
            p->judged->broken[link] ? ", contention" : "");
}

static void draw_cable(const figure_t *p, int row)
{
    const tool_item_t *item = item_of(p, row);
    int up = pb_link_up(item->node), down = pb_link_down(item->node);
    double x1 = tool_layout_x(p->layout, item_of(p, item->parent)) + bar_width(p);
    double x2 = item->rank < 0 ? tool_layout_x(p->layout, item) : p->layout->column;
    double y = y_of(p, row);
    int above = item_of(p, item->parent)->node;
    fputs("<g><title>", p->stream);
    describe_link(p, above, item->node, down);
    describe_link(p, item->node, above, up);
    fputs("</title>\n", p->stream);
    tool_svg_line(p->stream, x1, y, x2, y, TOOL_COLOUR_LINE, 0.8);
    draw_stroke(p, down, x1, x2, y, -1);
    draw_stroke(p, up, x1, x2, y, 1);
    fputs("</g>\n", p->stream);
    draw_load(p, down, x1 + (x2 - x1) * 0.3, y);
    draw_load(p, up, x1 + (x2 - x1) * 0.7, y);
}

/* A switch, or a host with several ranks: a bar down to the last row directly
 * below it, and a box with its name. */
static void draw_bar(const figure_t *p, int row)
{
    const tool_item_t *item = item_of(p, row);
    double x = tool_layout_x(p->layout, item), y = y_of(p, row), size = p->layout->row_height;
    const char *colour = item->kind == TOOL_ITEM_SWITCH ? TOOL_COLOUR_SWITCH : TOOL_COLOUR_QUIET;
    const char *name = tool_item_name(p->cluster, item);
    tool_svg_rectangle(p->stream, x, y, bar_width(p), y_of(p, item->last) - y + size * 0.4, colour,
                       fmin(2, bar_width(p) / 3));
    if (size < MIN_NAMED_ROW) {
        return;
    }
    double font = fmax(p->layout->font_size, 9), box = fmax(size * 0.86, 11);
    tool_svg_rectangle(p->stream, x, y - box / 2, tool_svg_text_width(name, font) + 12, box, colour,
                       3);
    tool_text_style_t white = style(font, "start", "#ffffff");
    tool_svg_text(p->stream, x + 6, y + font * 0.36, white, name);
}

/* A rank's end of the network: its name, and a thin line to its dots. */
static void draw_rank(const figure_t *p, int row)
{
    const tool_item_t *item = item_of(p, row);
    double y = y_of(p, row), x = p->layout->column;
    bool is_root = item->rank == p->judged->plan->root;
    if (item->kind == TOOL_ITEM_RANK) {
        double bar = tool_layout_x(p->layout, item_of(p, item->parent)) + bar_width(p);
        tool_svg_line(p->stream, bar, y, x, y, TOOL_COLOUR_LINE, 0.8);
    }
    tool_svg_dot(p->stream, x, y, fmin(3, p->layout->row_height * 0.3), TOOL_COLOUR_SWITCH, 1);
    if (p->layout->font_size > 0) {
        tool_text_style_t name = style(p->layout->font_size, "start", TOOL_COLOUR_TEXT);
        name.bold = is_root;
        tool_svg_text(p->stream, x + 7, y + p->layout->font_size * 0.36, name,
                      tool_item_name(p->cluster, item));
    }
}

static void draw_network(const figure_t *p)
{
    for (int row = 0; row < p->layout->n_items; row++) {
        const tool_item_t *item = item_of(p, row);
        if (item->parent >= 0 && item->kind != TOOL_ITEM_RANK) {
            draw_cable(p, row);
        }
    }
    for (int row = 0; row < p->layout->n_items; row++) {
        if (item_of(p, row)->rank < 0) {
            draw_bar(p, row);
        } else {
            draw_rank(p, row);
        }
    }
}

/* ---- the streams ---- */

typedef struct panel {
    const figure_t *p;
    const pb_stream_t *stream;
    const tool_levels_t *levels;
    int s;
    double x; /* of level 0 */
} panel_t;

static double level_x(const panel_t *panel, int level)
{
    return panel->x + level * panel->p->layout->level_width;
}

/* The node under which a rank is attached: its switch, or its host. */
static int place_of(const figure_t *p, int rank)
{
    return item_of(p, p->layout->row[rank])->parent;
}

static void draw_heading(const panel_t *panel)
{
    const figure_t *p = panel->p;
    int n_streams = p->judged->plan->n_streams;
    char text[128];
    tool_text_style_t bold = style(12, "start", tool_colour(panel->s));
    bold.bold = 1;
    double y = p->layout->top - 38;
    snprintf(text, sizeof(text), "stream %d, height %d", panel->s, panel->stream->height);
    tool_svg_text(p->stream, panel->x - 8, y, bold, text);
    if (n_streams > 1) {
        snprintf(text, sizeof(text), "segments %d, %d, %d, \xe2\x80\xa6", panel->s,
                 panel->s + n_streams, panel->s + 2 * n_streams);
    } else {
        snprintf(text, sizeof(text), "all segments");
    }
    tool_svg_text(p->stream, panel->x - 8, y + 14, style(10, "start", TOOL_COLOUR_QUIET), text);
}

/* Vertical lines, numbered where numbers have room. */
static void draw_levels(const panel_t *panel)
{
    const figure_t *p = panel->p;
    const tool_layout_t *layout = p->layout;
    int every = 1;
    static const int factors[] = {2, 5, 10, 20, 50, 100, 200, 500, 1000};
    for (int i = 0; every * layout->level_width < 18 && i < 9; i++) {
        every = factors[i];
    }
    for (int level = 0; level <= panel->stream->height; level += every) {
        char text[16];
        double x = level_x(panel, level);
        snprintf(text, sizeof(text), "%d", level);
        tool_svg_line(p->stream, x, layout->top - 4, x, layout->top + layout->panel_height,
                      TOOL_COLOUR_LINE, 0.6);
        tool_svg_text(p->stream, x, layout->top - 8, style(9, "middle", TOOL_COLOUR_QUIET), text);
    }
}

static void draw_edge(const panel_t *panel, int from, int to, int turn)
{
    const figure_t *p = panel->p;
    double x1 = level_x(panel, panel->levels->level[from]);
    double x2 = level_x(panel, panel->levels->level[to]);
    double y1 = y_of(p, p->layout->row[from]), y2 = y_of(p, p->layout->row[to]);
    double bend = (x2 - x1) * 0.55;
    bool crosses = place_of(p, from) != place_of(p, to);
    fprintf(p->stream,
            "<path d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\" stroke-width=\"%.1f\"%s><title>",
            x1, y1, x1 + bend, y1, x2 - bend, y2, x2, y2, crosses ? 2.2 : 1.3,
            crosses ? "" : " stroke-opacity=\"0.75\"");
    common_xml_text(p->stream, p->cluster->names[from]);
    fputs(" to ", p->stream);
    common_xml_text(p->stream, p->cluster->names[to]);
    fprintf(p->stream, ", child %d of stream %d</title></path>\n", turn, panel->s);
}

static void draw_edges(const panel_t *panel)
{
    const pb_stream_t *stream = panel->stream;
    fprintf(panel->p->stream, "<g fill=\"none\" stroke=\"%s\">\n", tool_colour(panel->s));
    for (int i = 0; i < panel->levels->n; i++) {
        int from = panel->levels->ranks[i];
        for (int c = stream->first_child[from]; c < stream->first_child[from + 1]; c++) {
            draw_edge(panel, from, stream->child[c], c - stream->first_child[from] + 1);
        }
    }
    fputs("</g>\n", panel->p->stream);
}

static void draw_dots(const panel_t *panel)
{
    const figure_t *p = panel->p;
    double radius = fmin(3.6, fmin(p->layout->row_height * 0.3, p->layout->level_width * 0.45));
    for (int i = 0; i < panel->levels->n; i++) {
        int rank = panel->levels->ranks[i];
        int sends = panel->stream->first_child[rank + 1] - panel->stream->first_child[rank];
        tool_svg_dot(p->stream, level_x(panel, panel->levels->level[rank]),
                     y_of(p, p->layout->row[rank]), i == 0 ? radius + 1.4 : radius,
                     tool_colour(panel->s), sends > 0);
    }
}

static bool draw_stream(const figure_t *p, int s)
{
    const pb_plan_t *plan = p->judged->plan;
    tool_levels_t levels;
    bool good = tool_levels_init(plan, s, &levels);
    if (good) {
        panel_t panel = {.p = p,
                         .stream = &plan->streams[s],
                         .levels = &levels,
                         .s = s,
                         .x = tool_layout_panel(p->layout, plan, s)};
        draw_heading(&panel);
        draw_levels(&panel);
        draw_edges(&panel);
        draw_dots(&panel);
    }
    tool_levels_clear(&levels);
    return good;
}

/* ---- the frame ---- */

static void draw_title(const figure_t *p, const char *title)
{
    char text[768], heights[512], verdict[TOOL_VERDICT_SIZE];
    tool_text_style_t bold = style(17, "start", TOOL_COLOUR_TEXT);
    bold.bold = 1;
    tool_svg_text(p->stream, p->layout->left, 34, bold, title);
    tool_heights_text(p->judged->plan, heights, sizeof(heights));
    snprintf(text, sizeof(text), "%s; %s; highest load of a link %.3g", heights,
             tool_verdict(p->judged, verdict), tool_max_load(p->judged));
    tool_svg_text(
        p->stream, p->layout->left, 53,
        style(12, "start",
              tool_is_contention_free(p->judged) ? TOOL_COLOUR_QUIET : TOOL_COLOUR_BROKEN),
        text);
}

/* A sample stroke and its meaning. Returns the x after it. */
static double draw_sample(const figure_t *p, double x, double y, double load, const char *colour,
                          const char *text)
{
    tool_svg_line(p->stream, x, y, x + 26, y, colour, load > 0 ? stroke_width(p, load) : 0.8);
    tool_svg_text(p->stream, x + 32, y + 3.5, style(10, "start", TOOL_COLOUR_TEXT), text);
    return x + 32 + tool_svg_text_width(text, 10) + 18;
}

static void draw_load_legend(const figure_t *p, double y)
{
    double x = p->layout->left;
    char text[64];
    tool_svg_text(p->stream, x, y + 3.5, style(10, "start", TOOL_COLOUR_QUIET), "links:");
    x += 54;
    x = draw_sample(p, x, y, 0, TOOL_COLOUR_LINE, "unused");
    if (p->judged->plan->n_streams > 1) {
        snprintf(text, sizeof(text), "1/%d of the message", p->judged->plan->n_streams);
        x = draw_sample(p, x, y, 1.0 / p->judged->plan->n_streams, TOOL_COLOUR_LINK, text);
    }
    x = draw_sample(p, x, y, 1, TOOL_COLOUR_LINK, "the message once");
    if (tool_max_load(p->judged) > 1.005) {
        snprintf(text, sizeof(text), "%.3g times", tool_max_load(p->judged));
        x = draw_sample(p, x, y, tool_max_load(p->judged), TOOL_COLOUR_LINK, text);
    }
    if (p->judged->n_broken > 0) {
        draw_sample(p, x, y, 1, TOOL_COLOUR_BROKEN, "contention");
    }
}

/* A dot and its meaning. Returns the x after it. */
static double draw_dot_sample(const figure_t *p, double x, double y, int filled, const char *text)
{
    tool_svg_dot(p->stream, x + 6, y, 3.6, tool_colour(0), filled);
    tool_svg_text(p->stream, x + 16, y + 3.5, style(10, "start", TOOL_COLOUR_TEXT), text);
    return x + 16 + tool_svg_text_width(text, 10) + 18;
}

static double draw_edge_sample(const figure_t *p, double x, double y, double width,
                               const char *text)
{
    tool_svg_line(p->stream, x, y, x + 26, y, tool_colour(0), width);
    tool_svg_text(p->stream, x + 32, y + 3.5, style(10, "start", TOOL_COLOUR_TEXT), text);
    return x + 32 + tool_svg_text_width(text, 10) + 18;
}

static void draw_legend(const figure_t *p)
{
    double y = p->layout->top + p->layout->panel_height + 28, x = p->layout->left;
    draw_load_legend(p, y);
    tool_svg_text(p->stream, x + 54, y + 22, style(10, "start", TOOL_COLOUR_QUIET),
                  "upper stroke: away from the top switch; lower stroke: back towards it");
    y += 46;
    tool_svg_text(p->stream, x, y + 3.5, style(10, "start", TOOL_COLOUR_QUIET), "streams:");
    x += 54;
    x = draw_dot_sample(p, x, y, 1, "forwards");
    x = draw_dot_sample(p, x, y, 0, "only receives");
    bool shared = p->cluster->placement->n_ranks > p->cluster->n_hosts;
    x = draw_edge_sample(p, x, y, 1.3, shared ? "on one host" : "below one switch");
    draw_edge_sample(p, x, y, 2.2, shared ? "between hosts" : "between switches");
    tool_svg_text(p->stream, p->layout->left + 54, y + 22, style(10, "start", TOOL_COLOUR_QUIET),
                  shared ? "to the right: edges from the root; rows: ranks, shaded by host"
                         : "to the right: edges from the root; rows: hosts, shaded by switch");
}

static void choose_size(figure_t *p, const char *title)
{
    const pb_plan_t *plan = p->judged->plan;
    double max_load = fmax(tool_max_load(p->judged), 1);
    double content = tool_layout_panel(p->layout, plan, plan->n_streams) - p->layout->panel_gap;
    double heading = p->layout->left + 1.08 * tool_svg_text_width(title, 17);
    p->load_width = fmin(2.6, p->layout->row_height * 0.36 / max_load);
    p->width = fmax(fmax(content, heading), 620) + 28;
    p->height = p->layout->top + p->layout->panel_height + LEGEND_HEIGHT;
}

tool_exit_t tool_format_svg(FILE *stream, const tool_cluster_t *cluster,
                            const tool_judged_t *judged)
{
    char title[512];
    tool_layout_t layout;
    bool good = tool_layout_init(cluster, judged->plan, &layout);
    if (good) {
        figure_t p = {.stream = stream, .cluster = cluster, .judged = judged, .layout = &layout};
        tool_title(cluster, judged->plan, title, sizeof(title));
        choose_size(&p, title);
        tool_svg_begin(stream, p.width, p.height, title);
        draw_bands(&p);
        draw_title(&p, title);
        draw_network(&p);
        for (int s = 0; s < judged->plan->n_streams && good; s++) {
            good = draw_stream(&p, s);
        }
        draw_legend(&p);
        tool_svg_end(stream);
    }
    tool_layout_clear(&layout);
    return good ? TOOL_OK : tool_complain_error(PB_ERR_NO_MEMORY);
}
