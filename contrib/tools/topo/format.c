#include "format.h"

#include <stdlib.h>

#include "contrib/tools/common/report.h"

tool_levels_t tool_levels(const pb_plan_t *plan, int stream)
{
    const pb_stream_t *s = &plan->streams[stream];
    tool_levels_t levels = {.ranks = common_alloc((size_t) plan->n_ranks, sizeof(int)),
                            .level = common_alloc((size_t) plan->n_ranks, sizeof(int))};
    levels.ranks[levels.n++] = plan->root;
    for (int begin = 0; begin < levels.n; begin++) {
        const int from = levels.ranks[begin];
        for (int i = s->first_child[from]; i < s->first_child[from + 1]; i++) {
            levels.level[s->child[i]] = levels.level[from] + 1;
            levels.ranks[levels.n++] = s->child[i];
        }
    }
    return levels;
}

void tool_levels_clear(tool_levels_t *levels)
{
    free(levels->ranks);
    free(levels->level);
    *levels = (tool_levels_t){0};
}

void tool_title(const tool_cluster_t *cluster, const pb_plan_t *plan, char *text, size_t size)
{
    int n_ranks = cluster->placement->n_ranks;
    int length = snprintf(text, size, "%s%s from %s: %d %s", pb_kind_name(plan->kind),
                          pb_kind_row(plan->kind)->copies ? " (the tree of repairs)" : "",
                          cluster->names[plan->root], TOOL_PLURAL(cluster->n_hosts, "host"));
    if (n_ranks > cluster->n_hosts && length >= 0 && (size_t) length < size) {
        length += snprintf(text + length, size - (size_t) length, " with %d ranks", n_ranks);
    }
    if (length >= 0 && (size_t) length < size) {
        snprintf(text + length, size - (size_t) length, " on %d %s", cluster->n_switches,
                 cluster->n_switches == 1 ? "switch" : "switches");
    }
}

void tool_heights_text(const pb_plan_t *plan, char *text, size_t size)
{
    bool same = true;
    for (int s = 1; s < plan->n_streams; s++) {
        same = same && plan->streams[s].height == plan->streams[0].height;
    }
    int length = snprintf(text, size, "height%s", same ? "" : "s");
    for (int s = 0; s < (same ? 1 : plan->n_streams) && (size_t) length < size; s++) {
        length += snprintf(text + length, size - (size_t) length, "%s %d", s > 0 ? "," : "",
                           plan->streams[s].height);
    }
}
