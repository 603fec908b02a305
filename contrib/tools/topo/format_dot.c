/*
 * The DOT language of Graphviz: links as grey lines between boxes and ovals,
 * edges of the streams as arrows that do not move the nodes.
 */
#include "format.h"

/* Distinct to color-blind eyes, and dark enough on white. */
#define COLOR_LINE "#cbd2d9"
#define COLOR_LINK "#7b8794"
#define COLOR_BROKEN "#d0021b"

/** The color of a stream; they repeat after eight. */
static const char *stream_color(int i)
{
    static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#b8478f",
                                         "#b07d00", "#3aa0d8", "#6a3d9a", "#222222"};
    return colors[i % (int) (sizeof(colors) / sizeof(colors[0]))];
}

/** Writes a text as a quoted identifier. */
static void print_string(FILE *stream, const char *text)
{
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        fprintf(stream, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    }
    fputc('"', stream);
}

static void begin(FILE *stream, const char *title)
{
    fputs("digraph pipebcast {\n  label=", stream);
    print_string(stream, title);
    fputs(";\n  labelloc=t;\n  fontname=\"sans-serif\";\n"
          "  node [fontname=\"sans-serif\", fontsize=11];\n"
          "  edge [fontname=\"sans-serif\", fontsize=9, arrowsize=0.7];\n",
          stream);
}

/* A host with one rank stands for it; below others their ranks follow. */
static void print_node(FILE *stream, const pb_node_t *node)
{
    fputs("  ", stream);
    print_string(stream, node->name);
    fputs(node->kind == PB_NODE_SWITCH ? " [shape=box, style=filled, fillcolor=\"#dde3ea\"];\n"
                                       : " [shape=ellipse];\n",
          stream);
}

static void print_cable(FILE *stream, const tool_cluster_t *cluster, const tool_judged_t *judged,
                        int node)
{
    const pb_node_t *below = pb_network_node(cluster->network, node);
    int up = pb_link_up(node), down = pb_link_down(node);
    double down_load = tool_load(judged, down), up_load = tool_load(judged, up);
    double load = down_load > up_load ? down_load : up_load;
    fputs("  ", stream);
    print_string(stream, pb_network_node(cluster->network, below->parent)->name);
    fputs(" -> ", stream);
    print_string(stream, below->name);
    fprintf(stream, " [dir=none, color=\"%s\", penwidth=%.1f, tooltip=\"down %.2f, up %.2f\"];\n",
            judged->broken[up] || judged->broken[down] ? COLOR_BROKEN
            : load > 0                                 ? COLOR_LINK
                                                       : COLOR_LINE,
            load > 9 ? 10.0 : 1 + load, down_load, up_load);
}

static void print_slots(FILE *stream, const tool_cluster_t *cluster)
{
    if (cluster->placement->n_ranks == cluster->n_hosts) {
        return;
    }
    for (int rank = 0; rank < cluster->placement->n_ranks; rank++) {
        int host = cluster->placement->host[rank];
        fputs("  ", stream);
        print_string(stream, pb_network_node(cluster->network, host)->name);
        fputs(" -> ", stream);
        print_string(stream, cluster->names[rank]);
        fprintf(stream, " [dir=none, color=\"%s\"];\n", COLOR_LINE);
    }
}

static void print_edges(FILE *stream, const tool_cluster_t *cluster, const pb_plan_t *plan, int s)
{
    const pb_stream_t *edges = &plan->streams[s];
    for (int from = 0; from < plan->n_ranks; from++) {
        for (int i = edges->first_child[from]; i < edges->first_child[from + 1]; i++) {
            fputs("  ", stream);
            print_string(stream, cluster->names[from]);
            fputs(" -> ", stream);
            print_string(stream, cluster->names[edges->child[i]]);
            fprintf(stream,
                    " [constraint=false, color=\"%s\", fontcolor=\"%s\", label=\"%d\", "
                    "tooltip=\"stream %d\"];\n",
                    stream_color(s), stream_color(s), i - edges->first_child[from] + 1, s);
        }
    }
}

void tool_format_dot(FILE *stream, const tool_cluster_t *cluster, const tool_judged_t *judged)
{
    const pb_network_t *network = cluster->network;
    char title[512];
    tool_title(cluster, judged->plan, title, sizeof(title));
    begin(stream, title);
    for (int node = 0; node < pb_network_size(network); node++) {
        if (cluster->used[node]) {
            print_node(stream, pb_network_node(network, node));
        }
    }
    for (int node = 0; node < pb_network_size(network); node++) {
        if (cluster->used[node] && node != pb_network_top(network)) {
            print_cable(stream, cluster, judged, node);
        }
    }
    print_slots(stream, cluster);
    for (int s = 0; s < judged->plan->n_streams; s++) {
        print_edges(stream, cluster, judged->plan, s);
    }
    fputs("}\n", stream);
}

void tool_format_dot_network(FILE *stream, const char *title, const pb_network_t *network)
{
    begin(stream, title);
    for (int node = 0; node < pb_network_size(network); node++) {
        print_node(stream, pb_network_node(network, node));
    }
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *below = pb_network_node(network, node);
        if (below->parent < 0) {
            continue;
        }
        fputs("  ", stream);
        print_string(stream, pb_network_node(network, below->parent)->name);
        fputs(" -> ", stream);
        print_string(stream, below->name);
        fprintf(stream, " [dir=none, color=\"%s\", penwidth=%.1f, tooltip=\"speed %u", COLOR_LINK,
                below->members > 5 ? 5.0 : below->members, below->speed);
        fprintf(stream, below->members > 1 ? ", %d links\"];\n" : "\"];\n", below->members);
    }
    fputs("}\n", stream);
}
