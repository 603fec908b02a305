#include <stdio.h>

#include "format.h"
#include "json.h"
#include "links.h"
#include "message.h"

static void print_table(const tool_cluster_t *cluster, const tool_judged_t *judged)
{
    const pb_network_t *network = cluster->network;
    int width = tool_name_width(cluster, "from");
    printf("%-*s  %-*s  %10s  %7s  %8s\n", width, "from", width, "to", "speed", "senders", "load");
    for (int link = 0; link < judged->check.n_links; link++) {
        if (!tool_is_link(cluster, link)) {
            continue;
        }
        printf("%-*s  %-*s  %10lu  %7d  %8.2f%s\n", width, tool_link_from(network, link), width,
               tool_link_to(network, link),
               (unsigned long) pb_network_node(network, pb_link_node(link))->speed,
               judged->check.links[link].senders, tool_load(judged, link),
               judged->broken[link] ? "  contention" : "");
    }
}

static void print_summary(const tool_cluster_t *cluster, const tool_judged_t *judged)
{
    char title[512], verdict[TOOL_VERDICT_SIZE];
    tool_title(cluster, judged->plan, title, sizeof(title));
    printf("# %s\n# %s; highest load %.2f, most senders on a link %d\n", title,
           tool_verdict(judged, verdict), tool_max_load(judged), judged->check.max_senders);
}

static tool_exit_t print_json(const tool_cluster_t *cluster, const tool_judged_t *judged,
                              tool_exit_t code)
{
    const pb_network_t *const network = cluster->network;
    const common_json_t whole = common_json_begin("pipebcast-topo load");
    tool_json_cluster(whole, cluster);
    common_json_text(whole, "algorithm", pb_kind_name(judged->plan->kind));
    common_json_truth(whole, "contention_free", tool_is_contention_free(judged));
    common_json_real(whole, "max_load", tool_max_load(judged), 6);
    common_json_integer(whole, "max_senders", judged->check.max_senders);
    const common_json_t links = common_json_array(whole, "links");
    for (int link = 0; link < judged->check.n_links; link++) {
        if (tool_is_link(cluster, link)) {
            const common_json_t object = common_json_object(links, NULL);
            tool_json_ends(object, network, link);
            common_json_integer(object, "speed",
                                pb_network_node(network, pb_link_node(link))->speed);
            common_json_integer(object, "senders", judged->check.links[link].senders);
            common_json_real(object, "load", tool_load(judged, link), 6);
            common_json_truth(object, "contention", judged->broken[link] != 0);
        }
    }
    return tool_json_end(whole, code);
}

static tool_exit_t load_of_kind(const tool_options_t *options, const tool_cluster_t *cluster,
                                pb_kind_t kind)
{
    tool_judged_t judged;
    tool_exit_t code = tool_judge_cluster(cluster, kind, &options->plan, &judged);
    if (judged.broken != NULL && options->json) {
        code = print_json(cluster, &judged, code);
    } else if (judged.broken != NULL) {
        print_summary(cluster, &judged);
        print_table(cluster, &judged);
    }
    tool_judged_clear(&judged);
    return code;
}

static tool_exit_t run(const tool_options_t *options)
{
    if (options->n_kinds != 1) {
        return tool_complain(TOOL_USAGE,
                             "load needs one --algorithm; see pipebcast-topo load --help");
    }
    tool_cluster_t cluster;
    tool_exit_t code = tool_cluster_open(options, &cluster);
    if (code == TOOL_OK) {
        code = load_of_kind(options, &cluster, options->kinds[0]);
    }
    tool_cluster_clear(&cluster);
    return code;
}

static const common_option_t rows[] = {
    {"algorithm", COMMON_OWN, .take = tool_take_kinds, .argument = "NAME",
     .help = "the plan that is made, as for tree"},
    TOOL_JSON_ROW,
    {0},
};

const tool_command_t tool_cmd_load = {
    .line =
        {
            .name = "pipebcast-topo load",
            .usage =
                "Usage: pipebcast-topo load FILE --algorithm NAME [OPTION]...\n"
                "\n"
                "Prints a line for each directed link on the way to or from a host that takes\n"
                "part: its ends, its speed in the unit of FILE, the number of ranks that send\n"
                "over it, and its load, the number of times that it carries the message in one\n"
                "broadcast. A link that several ranks would use together beyond its speed is\n"
                "marked \"contention\". Lines that begin with # sum up.\n",
            .has_operands = true,
            .groups =
                (const common_group_t[]){
                    {NULL, rows}, {NULL, tool_rank_rows}, {NULL, tool_file_rows}, {0}},
            .more =
                "Examples:\n"
                "  pipebcast-topo load cluster.conf --algorithm rank_chain | grep contention\n"
                "  pipebcast-topo load cluster.conf --algorithm twotree | sort -k 5 -n | tail -3\n"
                "\n" TOOL_PLAN_EXITS,
        },
    .summary = "print what each link carries",
    .needs_file = true,
    .run = run,
};
