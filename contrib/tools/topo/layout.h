/*
 * Where everything goes in the figure of a plan. Each switch, host and rank
 * that takes part has a row of its own, from the top down in depth-first order,
 * so that links never cross: a switch is a bar beside the rows below it, and a
 * link is a horizontal line from that bar.
 */
#ifndef TOOL_LAYOUT_H
#define TOOL_LAYOUT_H

#include "cluster.h"

typedef enum { TOOL_ITEM_SWITCH, TOOL_ITEM_HOST, TOOL_ITEM_RANK } tool_item_kind_t;

typedef struct tool_item {
    tool_item_kind_t kind;
    int node;   /**< the switch or host */
    int rank;   /**< of a rank, and of the only rank of a host; else -1 */
    int parent; /**< item, -1 for the top */
    int depth;
    int last; /**< the last item directly below it, itself if there is none */
} tool_item_t;

typedef struct tool_layout {
    int n_items;
    tool_item_t *items; /**< by row */
    int *row;           /**< of each rank: the row */
    int max_depth;      /**< of items with something below them */
    double row_height;
    double font_size; /**< of names; 0: rows are too low for names of hosts */
    double top;       /**< of row 0 */
    double left;
    double indent;       /**< per level */
    double column;       /**< x of the ranks' own dots */
    double panels;       /**< x of the first stream's root */
    double panel_height; /**< of all rows */
    double level_width;  /**< between two levels of a stream */
    double panel_gap;
} tool_layout_t;

/** False if out of memory. Clear in both cases. */
bool tool_layout_init(const tool_cluster_t *cluster, const pb_plan_t *plan, tool_layout_t *layout);
void tool_layout_clear(tool_layout_t *layout);

/** Middle of a row. */
double tool_layout_y(const tool_layout_t *layout, int row);
/** Left edge of the box of an item that has something below it. */
double tool_layout_x(const tool_layout_t *layout, const tool_item_t *item);
/** x of level 0 of a stream, and of the end of all streams for s == n_streams. */
double tool_layout_panel(const tool_layout_t *layout, const pb_plan_t *plan, int s);

/** The item's name: of its node, or of its rank. */
const char *tool_item_name(const tool_cluster_t *cluster, const tool_item_t *item);

#endif
