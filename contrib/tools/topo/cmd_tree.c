#include "format.h"

static int run(const tool_options_t *options)
{
    static void (*const print[TOOL_FORMAT_COUNT])(FILE *, const tool_cluster_t *,
                                                  const tool_judged_t *) = {
        [TOOL_FORMAT_TEXT] = tool_format_text,
        [TOOL_FORMAT_JSON] = tool_format_json,
        [TOOL_FORMAT_DOT] = tool_format_dot,
    };
    static tool_cluster_t cluster; /* there until the program ends */
    static tool_judged_t judged;
    if (options->n_kinds != 1) {
        common_usage_error("tree needs one --algorithm");
    }
    cluster = tool_cluster_open(options);
    tool_judge(cluster.view, options->kinds[0], &options->plan, &judged);
    if (judged.broken != NULL) {
        print[options->format](stdout, &cluster, &judged);
    }
    return tool_explain(&judged);
}

static const char *const formats[] = {[TOOL_FORMAT_TEXT] = "text",
                                      [TOOL_FORMAT_JSON] = "json",
                                      [TOOL_FORMAT_DOT] = "dot",
                                      [TOOL_FORMAT_COUNT] = NULL};

static const common_option_t rows[] = {
    {"algorithm", COMMON_OWN, .take = tool_take_kinds, .argument = "NAME",
     .help = "chain         contention-free chain, depth first\n"
             "binary        contention-free binary tree, Algorithm 2\n"
             "kary          Algorithm 2 with --fanout children\n"
             "twotree       two trees, each for every other segment\n"
             "flat          the root sends to everyone\n"
             "binomial      contention-free in each phase\n"
             "rank_chain    in rank order on any network, for comparison\n"
             "rank_binary   in rank order on any network, for comparison\n"
             "multicast     the tree along which lost frames are repaired"},
    {"format", COMMON_CHOICE, TOOL_VALUE(format), .choices = formats, .argument = "FORMAT",
     .missing = "text",
     .help = "text  each sender and its children in order of sending\n"
             "json  \"root\", \"algorithm\", \"height\", \"contention_free\",\n"
             "      \"max_load\" and \"streams\", each with \"height\" and\n"
             "      \"edges\", [parent, child] in the order in which the\n"
             "      parent sends\n"
             "dot   for Graphviz; widths of links are loads"},
    {0},
};

const tool_command_t tool_cmd_tree = {
    .line =
        {
            .name = "pipebcast-topo tree",
            .usage = "Usage: pipebcast-topo tree FILE --algorithm NAME [OPTION]...\n"
                     "\n"
                     "Prints who sends to whom in a broadcast. The plan is checked by walking the "
                     "path of\n"
                     "every edge: whether it reaches everyone once, and whether two senders share "
                     "a link.\n",
            .has_operands = true,
            .groups =
                (const common_group_t[]){
                    {NULL, rows}, {NULL, tool_rank_rows}, {NULL, tool_file_rows}, {0}},
            .more =
                "Examples:\n"
                "  pipebcast-topo tree cluster.conf --algorithm binary\n"
                "  pipebcast-topo tree cluster.conf --algorithm twotree --root n17 --format dot | "
                "dot -Tsvg > t.svg\n"
                "  pipebcast-topo tree cluster.conf --algorithm rank_chain --hosts 'n[0-3,8-11]'\n"
                "  pipebcast-topo tree cluster.conf --algorithm chain --format json | jq .height\n"
                "\n" TOOL_PLAN_EXITS,
        },
    .summary = "print or draw the trees of an algorithm",
    .run = run,
};
