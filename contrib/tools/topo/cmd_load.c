#include <stdio.h>

#include "format.h"
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

static tool_exit_t load_of_kind(const tool_options_t *options, const tool_cluster_t *cluster,
                                pb_kind_t kind)
{
    tool_judged_t judged;
    tool_exit_t code = tool_judge_cluster(cluster, kind, &options->plan, &judged);
    if (judged.broken != NULL) {
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
    {0},
};

const tool_command_t tool_cmd_load = {
    .line =
        {
            .name = "pipebcast-topo load",
            .usage =
                "usage: pipebcast-topo load FILE --algorithm NAME [OPTION]...\n"
                "\n"
                "Prints a line for each directed link on the way to or from a host that takes "
                "part:\n"
                "its ends, its speed in the unit of FILE, how many ranks send over it, and how "
                "many\n"
                "times it carries the message in one broadcast. With load 1 a link passes the "
                "message\n"
                "once. A link that several ranks would use at once beyond its speed is marked\n"
                "\"contention\". Lines that begin with # sum up.\n",
            .groups =
                (const common_group_t[]){
                    {NULL, rows}, {NULL, tool_rank_rows}, {NULL, tool_file_rows}, {0}},
            .more =
                "examples:\n"
                "  pipebcast-topo load cluster.conf --algorithm rank_chain | grep contention\n"
                "  pipebcast-topo load cluster.conf --algorithm twotree | sort -k 5 -n | tail -3\n"
                "\n" TOOL_PLAN_EXITS,
        },
    .summary = "print what each link carries",
    .needs_file = true,
    .run = run,
};
