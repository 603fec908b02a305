#include "contrib/tools/common/text.h"
#include "format.h"
#include "message.h"

static void print_edges(FILE *stream, const tool_cluster_t *cluster, const pb_stream_t *s,
                        const tool_levels_t *levels)
{
    const char *separator = "";
    for (int i = 0; i < levels->n; i++) {
        int from = levels->ranks[i];
        for (int c = s->first_child[from]; c < s->first_child[from + 1]; c++) {
            fprintf(stream, "%s\n        [", separator);
            common_json_string(stream, cluster->names[from]);
            fputs(", ", stream);
            common_json_string(stream, cluster->names[s->child[c]]);
            fputs("]", stream);
            separator = ",";
        }
    }
}

static tool_exit_t print_stream(FILE *stream, const tool_cluster_t *cluster, const pb_plan_t *plan,
                                int s)
{
    tool_levels_t levels;
    bool good = tool_levels_init(plan, s, &levels);
    if (good) {
        fprintf(stream, "%s\n    {\n      \"height\": %d,\n      \"edges\": [", s > 0 ? "," : "",
                plan->streams[s].height);
        print_edges(stream, cluster, &plan->streams[s], &levels);
        fputs(levels.n > 1 ? "\n      ]\n    }" : "]\n    }", stream);
    }
    tool_levels_clear(&levels);
    return good ? TOOL_OK : tool_complain_error(PB_ERR_NO_MEMORY);
}

tool_exit_t tool_format_json(FILE *stream, const tool_cluster_t *cluster,
                             const tool_judged_t *judged)
{
    const pb_plan_t *plan = judged->plan;
    tool_exit_t code = TOOL_OK;
    fputs("{\n  \"root\": ", stream);
    common_json_string(stream, cluster->names[plan->root]);
    fputs(",\n  \"algorithm\": ", stream);
    common_json_string(stream, pb_kind_name(plan->kind));
    fprintf(stream,
            ",\n  \"height\": %d,\n  \"contention_free\": %s,\n  \"max_load\": %.6g,\n"
            "  \"streams\": [",
            judged->check.height, tool_is_contention_free(judged) ? "true" : "false",
            tool_max_load(judged));
    for (int s = 0; s < plan->n_streams && code == TOOL_OK; s++) {
        code = print_stream(stream, cluster, plan, s);
    }
    fputs("\n  ]\n}\n", stream);
    return code;
}
