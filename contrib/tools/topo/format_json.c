#include "format.h"
#include "json.h"

static void add_edges(common_json_t to, const tool_cluster_t *cluster, const pb_stream_t *s,
                      const tool_levels_t *levels)
{
    const common_json_t edges = common_json_array(to, "edges");
    for (int i = 0; i < levels->n; i++) {
        int from = levels->ranks[i];
        for (int c = s->first_child[from]; c < s->first_child[from + 1]; c++) {
            const common_json_t edge = common_json_array(edges, NULL);
            common_json_text(edge, NULL, cluster->names[from]);
            common_json_text(edge, NULL, cluster->names[s->child[c]]);
        }
    }
}

void tool_format_json(FILE *stream, const tool_cluster_t *cluster, const tool_judged_t *judged)
{
    const pb_plan_t *plan = judged->plan;
    const common_json_t whole = common_json_begin("pipebcast-topo tree");
    common_json_text(whole, "root", cluster->names[plan->root]);
    common_json_text(whole, "algorithm", pb_kind_name(plan->kind));
    common_json_integer(whole, "height", judged->check.height);
    common_json_truth(whole, "contention_free", tool_is_contention_free(judged));
    common_json_real(whole, "max_load", tool_max_load(judged), 6);
    const common_json_t streams = common_json_array(whole, "streams");
    for (int s = 0; s < plan->n_streams; s++) {
        const common_json_t object = common_json_object(streams, NULL);
        tool_levels_t levels = tool_levels(plan, s);
        common_json_integer(object, "height", plan->streams[s].height);
        add_edges(object, cluster, &plan->streams[s], &levels);
        tool_levels_clear(&levels);
    }
    common_json_end(whole, stream);
}
