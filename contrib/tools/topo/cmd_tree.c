#include "format.h"
#include "message.h"

static tool_exit_t print_plan(const tool_options_t *options, const tool_cluster_t *cluster,
                              const tool_judged_t *judged)
{
    static tool_exit_t (*const formats[TOOL_FORMAT_COUNT])(FILE *, const tool_cluster_t *,
                                                           const tool_judged_t *) = {
        [TOOL_FORMAT_TEXT] = tool_format_text,
        [TOOL_FORMAT_JSON] = tool_format_json,
        [TOOL_FORMAT_DOT] = tool_format_dot,
        [TOOL_FORMAT_SVG] = tool_format_svg,
    };
    return formats[options->format](stdout, cluster, judged);
}

static tool_exit_t run(const tool_options_t *options)
{
    if (options->n_kinds != 1) {
        return tool_complain(TOOL_USAGE, "tree needs one --algorithm; see pipebcast-topo tree "
                                         "--help");
    }
    tool_cluster_t cluster;
    tool_judged_t judged = {0};
    tool_exit_t code = tool_cluster_open(options, &cluster);
    if (code == TOOL_OK) {
        code = tool_judge_cluster(&cluster, options->kinds[0], &options->plan, &judged);
    }
    if (code == TOOL_OK || (code == TOOL_CONTENTION && judged.broken != NULL)) {
        tool_exit_t printed = print_plan(options, &cluster, &judged);
        code = printed != TOOL_OK ? printed : code;
    }
    tool_judged_clear(&judged);
    tool_cluster_clear(&cluster);
    return code;
}

const tool_command_t tool_cmd_tree = {
    .name = "tree",
    .summary = "print or draw the trees of an algorithm",
    .accepts = "rHpakf",
    .needs_file = true,
    .run = run,
    .help =
        "usage: pipebcast-topo tree FILE --algorithm NAME [--root HOST] [--hosts LIST] [--ppn N]\n"
        "                           [--fanout K] [--format text|json|dot|svg]\n"
        "\n"
        "Prints who sends to whom in a broadcast. The plan is checked by walking the path of\n"
        "every edge: whether it reaches everyone once, and whether two senders share a link.\n"
        "\n"
        "  --algorithm NAME  chain         contention-free chain, depth first\n"
        "                    binary        low contention-free binary tree\n"
        "                    binary_paper  contention-free binary tree, Algorithm 2\n"
        "                    kary          Algorithm 2 with --fanout children\n"
        "                    twotree       two trees, each for every other segment\n"
        "                    circulant     round-optimal, on one switch only\n"
        "                    flat          the root sends to everyone\n"
        "                    binomial      contention-free in each phase where it can be\n"
        "                    rank_chain    by rank, whatever the network; for comparison\n"
        "                    rank_binary   by rank, whatever the network; for comparison\n"
        "  --root HOST       sender of the broadcast; the first host if not given; HOST:SLOT\n"
        "                    for one of several ranks\n"
        "  --hosts LIST      hosts that take part, as n[0-7,12],login1; ranks are numbered in\n"
        "                    this order; all hosts in order of their names if not given\n"
        "  --ppn N           ranks on each host, named HOST:0 to HOST:N-1; 1 if not given\n"
        "  --fanout K        children of a rank in a kary tree; 3 if not given\n"
        "  --format FORMAT   text  each sender and its children in order of sending\n"
        "                    json  \"root\", \"algorithm\", \"height\", \"contention_free\",\n"
        "                          \"max_load\" and \"streams\", each with \"height\" and "
        "\"edges\",\n"
        "                          [parent, child] in the order in which the parent sends\n"
        "                    dot   for Graphviz; widths of cables are loads\n"
        "                    svg   a picture for a browser: the network, the load of each link\n"
        "                          as its width, and each stream over the hosts\n"
        "\n"
        "examples:\n"
        "  pipebcast-topo tree cluster.conf --algorithm binary\n"
        "  pipebcast-topo tree cluster.conf --algorithm twotree --root n17 --format svg > t.svg\n"
        "  pipebcast-topo tree cluster.conf --algorithm rank_chain --hosts 'n[0-3,8-11]'\n"
        "  pipebcast-topo tree cluster.conf --algorithm chain --format json | jq .height\n"
        "\n"
        "exit status: 0 all is well; 1 FILE has faults; 2 the command line is wrong; 3 the tree\n"
        "has contention though its algorithm promises none (flat, binomial, rank_chain and\n"
        "rank_binary promise nothing: their loads are only shown); 4 the algorithm does not\n"
        "serve this network; 5 a file or stream failed, or out of memory.\n",
};
