#include "layout.h"

#include <stdlib.h>
#include <string.h>

#include "preorder.h"
#include "svg.h"

#define MARGIN 24

/** Lengths that the network, all rows and one stream do not exceed: a larger figure
 * is made smaller, as programs that show figures have limits. */
enum { MAX_INDENTS = 2000, MAX_ROWS = 16000, MAX_LEVELS = 4000 };

const char *tool_item_name(const tool_cluster_t *cluster, const tool_item_t *item)
{
    return item->kind == TOOL_ITEM_RANK ? cluster->names[item->rank]
                                        : pb_network_node(cluster->network, item->node)->name;
}

/* ---- which items, in which order ---- */

/* The state while the items are made. */
typedef struct maker {
    const tool_cluster_t *cluster;
    tool_layout_t *layout;
    int *first_rank; /* by node: of a host with ranks; they are consecutive */
    int *item;       /* by node */
} maker_t;

static void find_first_ranks(maker_t *m)
{
    const pb_placement_t *placement = m->cluster->placement;
    for (int rank = placement->n_ranks - 1; rank >= 0; rank--) {
        m->first_rank[placement->host[rank]] = rank;
    }
}

static int add_item(maker_t *m, tool_item_t item)
{
    tool_layout_t *layout = m->layout;
    int index = layout->n_items++;
    item.last = index;
    item.depth = 0;
    if (item.parent >= 0) {
        item.depth = layout->items[item.parent].depth + 1;
        layout->items[item.parent].last = index;
        layout->max_depth = item.depth > layout->max_depth ? item.depth : layout->max_depth;
    }
    if (item.rank >= 0) {
        layout->row[item.rank] = index;
    }
    layout->items[index] = item;
    return index;
}

static void add_node(maker_t *m, int node)
{
    const pb_node_t *what = pb_network_node(m->cluster->network, node);
    int ppn = m->cluster->placement->n_ranks / m->cluster->n_hosts;
    bool is_host = what->kind == PB_NODE_HOST;
    tool_item_t item = {.kind = is_host ? TOOL_ITEM_HOST : TOOL_ITEM_SWITCH,
                        .node = node,
                        .rank = is_host && ppn == 1 ? m->first_rank[node] : -1,
                        .parent = what->parent >= 0 ? m->item[what->parent] : -1};
    m->item[node] = add_item(m, item);
    for (int slot = 0; is_host && ppn > 1 && slot < ppn; slot++) {
        item.kind = TOOL_ITEM_RANK;
        item.rank = m->first_rank[node] + slot;
        item.parent = m->item[node];
        add_item(m, item);
    }
}

static bool add_nodes(maker_t *m)
{
    const tool_cluster_t *cluster = m->cluster;
    find_first_ranks(m);
    int *order =
        tool_preorder(cluster->network, cluster->used, cluster->placement->host[cluster->root]);
    for (int i = 0; order != NULL && order[i] >= 0; i++) {
        add_node(m, order[i]);
    }
    free(order);
    return order != NULL;
}

static bool make_items(const tool_cluster_t *cluster, tool_layout_t *layout)
{
    size_t n_nodes = (size_t) pb_network_size(cluster->network);
    size_t n_ranks = (size_t) cluster->placement->n_ranks;
    maker_t maker = {.cluster = cluster,
                     .layout = layout,
                     .first_rank = calloc(n_nodes, sizeof(int)),
                     .item = calloc(n_nodes, sizeof(int))};
    layout->items = calloc(n_nodes + n_ranks, sizeof(*layout->items));
    layout->row = calloc(n_ranks, sizeof(*layout->row));
    bool good = maker.first_rank != NULL && maker.item != NULL && layout->items != NULL &&
                layout->row != NULL && add_nodes(&maker);
    free(maker.first_rank);
    free(maker.item);
    return good;
}

/* ---- where they go ---- */

static double at_least(double value, double bound)
{
    return value > bound ? value : bound;
}

static double at_most(double value, double bound)
{
    return value < bound ? value : bound;
}

/* Few rows are comfortable; many become low, so that a thousand hosts still
 * make a figure that one can scroll. */
static void choose_rows(tool_layout_t *layout)
{
    int n = layout->n_items;
    layout->row_height = n <= 90    ? 17
                         : n <= 180 ? 13
                         : n <= 360 ? 10
                                    : at_most(5, (double) MAX_ROWS / n);
    layout->font_size = layout->row_height >= 10 ? at_most(layout->row_height * 0.68, 11) : 0;
    layout->panel_height = n * layout->row_height;
    layout->top = 122;
}

static void choose_columns(const tool_cluster_t *cluster, tool_layout_t *layout)
{
    double boxes = 0, names = 0;
    layout->left = MARGIN;
    layout->indent = at_least(at_most(50, 400.0 / (layout->max_depth + 1)),
                              at_most(8, (double) MAX_INDENTS / (layout->max_depth + 1)));
    for (int i = 0; i < layout->n_items; i++) {
        const tool_item_t *item = &layout->items[i];
        double width =
            tool_svg_text_width(tool_item_name(cluster, item), at_least(layout->font_size, 9));
        if (item->rank < 0) {
            boxes = at_least(boxes, tool_layout_x(layout, item) + width + 14);
        } else {
            names = at_least(names, layout->font_size > 0 ? width : 0);
        }
    }
    double bars = layout->left + layout->max_depth * layout->indent;
    layout->column = at_least(boxes + 10, bars + 70);
    layout->panels = layout->column + names + 36;
    layout->panel_gap = 64;
}

static void choose_levels(const pb_plan_t *plan, tool_layout_t *layout)
{
    int height = 1;
    for (int s = 0; s < plan->n_streams; s++) {
        height = plan->streams[s].height > height ? plan->streams[s].height : height;
    }
    layout->level_width =
        at_least(at_most(420.0 / height, 56), at_most(2, (double) MAX_LEVELS / height));
}

bool tool_layout_init(const tool_cluster_t *cluster, const pb_plan_t *plan, tool_layout_t *layout)
{
    memset(layout, 0, sizeof(*layout));
    if (!make_items(cluster, layout)) {
        return false;
    }
    choose_rows(layout);
    choose_columns(cluster, layout);
    choose_levels(plan, layout);
    return true;
}

void tool_layout_clear(tool_layout_t *layout)
{
    free(layout->items);
    free(layout->row);
    memset(layout, 0, sizeof(*layout));
}

double tool_layout_y(const tool_layout_t *layout, int row)
{
    return layout->top + (row + 0.5) * layout->row_height;
}

double tool_layout_x(const tool_layout_t *layout, const tool_item_t *item)
{
    return layout->left + item->depth * layout->indent;
}

double tool_layout_panel(const tool_layout_t *layout, const pb_plan_t *plan, int s)
{
    double x = layout->panels;
    for (int i = 0; i < s; i++) {
        /* A heading needs room even over a low tree. */
        x += at_least(plan->streams[i].height * layout->level_width, 150) + layout->panel_gap;
    }
    return x;
}
