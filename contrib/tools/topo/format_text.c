#include "format.h"

static int widest_name(const tool_cluster_t *cluster)
{
    int widest = (int) sizeof("sender") - 1;
    for (int rank = 0; rank < cluster->placement->n_ranks; rank++) {
        int width = snprintf(NULL, 0, "%s", cluster->names[rank]);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static void print_head(FILE *stream, const tool_cluster_t *cluster, const tool_judged_t *judged)
{
    char title[512], heights[512], verdict[TOOL_VERDICT_SIZE];
    tool_title(cluster, judged->plan, title, sizeof(title));
    tool_heights_text(judged->plan, heights, sizeof(heights));
    fprintf(stream, "%s\n%s; %d %s; %s; highest load of a link %.2f\n", title, heights,
            TOOL_PLURAL(judged->plan->n_streams, "stream"), tool_verdict(judged, verdict),
            tool_max_load(judged));
}

static void print_segments(FILE *stream, int s, int n_streams)
{
    if (n_streams == 1) {
        fprintf(stream, "all segments");
    } else {
        fprintf(stream, "segments %d, %d, %d, ...", s, s + n_streams, s + 2 * n_streams);
    }
}

static void print_sender(FILE *stream, const tool_cluster_t *cluster, const pb_stream_t *s,
                         int from, int level, int width)
{
    if (s->first_child[from] == s->first_child[from + 1]) {
        return;
    }
    fprintf(stream, "%7d  %-*s ", level, width, cluster->names[from]);
    for (int i = s->first_child[from]; i < s->first_child[from + 1]; i++) {
        fprintf(stream, " %s", cluster->names[s->child[i]]);
    }
    fputc('\n', stream);
}

static void print_stream(FILE *stream, const tool_cluster_t *cluster, const pb_plan_t *plan, int s)
{
    tool_levels_t levels = tool_levels(plan, s);
    const int width = widest_name(cluster);
    fprintf(stream, "\nstream %d (", s);
    print_segments(stream, s, plan->n_streams);
    fprintf(stream, "), height %d\n  level  %-*s  sends to, in this order\n",
            plan->streams[s].height, width, "sender");
    for (int i = 0; i < levels.n; i++) {
        const int rank = levels.ranks[i];
        print_sender(stream, cluster, &plan->streams[s], rank, levels.level[rank], width);
    }
    tool_levels_clear(&levels);
}

void tool_format_text(FILE *stream, const tool_cluster_t *cluster, const tool_judged_t *judged)
{
    print_head(stream, cluster, judged);
    for (int s = 0; s < judged->plan->n_streams; s++) {
        print_stream(stream, cluster, judged->plan, s);
    }
}
