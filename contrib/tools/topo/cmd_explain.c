#include <inttypes.h>
#include <stdio.h>

#include "cluster.h"
#include "message.h"
#include "topo/model/choose.h"

/* The table: the best segment size of each kind, or every candidate. */
typedef struct table {
    bool all;
    uint64_t bytes;           /* of the smallest message of the size class */
    pb_candidate_t candidate; /* the best so far of the kind that is being shown */
    bool has_candidate;
    const pb_choice_t *choice;
} table_t;

static double milliseconds(int64_t time)
{
    return (double) time / 1e6;
}

static uint64_t segment_of(const pb_candidate_t *candidate, uint64_t bytes)
{
    return candidate->segment > 0 ? candidate->segment : bytes;
}

static bool is_choice(const table_t *table, const pb_candidate_t *candidate)
{
    return candidate->kind == table->choice->best.kind &&
           candidate->segment == table->choice->best.segment;
}

static void print_row(const table_t *table, const pb_candidate_t *candidate)
{
    const char *note = is_choice(table, candidate) ? "  chosen" : "";
    printf("%-12s  ", pb_candidate_name(candidate));
    if (candidate->kind == PB_KIND_FALLBACK) {
        printf("%10s  %10s", "-", "-");
        note = candidate->estimated && note[0] != '\0' ? "  estimated, chosen"
               : candidate->estimated                  ? "  estimated"
                                                       : note;
    } else {
        const uint64_t segment = segment_of(candidate, table->bytes);
        printf("%10" PRIu64 "  %10" PRIu64, segment, (table->bytes - 1) / segment + 1);
    }
    printf("  %12.3f%s\n", milliseconds(candidate->time), note);
}

static void print_kept(table_t *table)
{
    if (table->has_candidate) {
        print_row(table, &table->candidate);
    }
    table->has_candidate = false;
}

/* Candidates of one kind come together. */
static void visit(void *context, const pb_candidate_t *candidate)
{
    table_t *table = context;
    if (table->all) {
        print_row(table, candidate);
        return;
    }
    if (table->has_candidate && table->candidate.kind != candidate->kind) {
        print_kept(table);
    }
    /* Without measurements the choice need not be the one with the least time. */
    if (!table->has_candidate || is_choice(table, candidate) ||
        (candidate->time < table->candidate.time && !is_choice(table, &table->candidate))) {
        table->candidate = *candidate;
        table->has_candidate = true;
    }
}

/* Reads the model that --model names, or assumes one. */
static tool_exit_t get_model(const tool_options_t *options, const tool_cluster_t *cluster,
                             pb_model_t *model)
{
    pb_diag_t diag;
    if (options->model_file == NULL) {
        pb_model_assume(UINT64_C(1000000) * (uint64_t) options->megabits, (uint32_t) options->mtu,
                        model);
        return TOOL_OK;
    }
    pb_diag_init(&diag);
    int rc = pb_model_read(options->model_file, model, &diag);
    if (rc == PB_SUCCESS && model->topology != 0 &&
        model->topology != pb_network_hash(cluster->network)) {
        pb_diag_fault(&diag, options->model_file, 0,
                      "was measured on another topology than that of %s; measure again with "
                      "pipebcast-tune",
                      cluster->file);
        rc = PB_ERR_INPUT;
    }
    tool_print_faults(stderr, &diag);
    pb_diag_clear(&diag);
    return rc == PB_SUCCESS ? TOOL_OK : rc == PB_ERR_INPUT ? TOOL_FAULTY : TOOL_SYSTEM;
}

static void print_heading(const tool_options_t *options, const tool_cluster_t *cluster,
                          uint64_t bytes)
{
    printf("# %" PRIu64 " bytes to %d %s from %s on %d %s; ", options->bytes,
           TOOL_PLURAL(cluster->placement->n_ranks, "rank"), cluster->names[cluster->root],
           cluster->n_switches, cluster->n_switches == 1 ? "switch" : "switches");
    if (options->model_file != NULL) {
        printf("costs from %s\n", options->model_file);
    } else {
        printf("costs assumed from links of %d Mbit/s and an MTU of %d\n"
               "# the chosen one is no slower than segments of 8 KB on slower links either\n",
               options->megabits, options->mtu);
    }
    printf("# circulant and segments below half a frame are less sure: an eighth is added in "
           "choosing\n");
    printf("# times are of %" PRIu64 " bytes, the smallest message for which the same is chosen\n",
           bytes);
    printf("%-12s  %10s  %10s  %12s\n", "algorithm", "segment", "segments", "predicted ms");
}

static tool_exit_t explain(const tool_options_t *options, const tool_cluster_t *cluster,
                           pb_chooser_t *chooser)
{
    pb_choice_t choice;
    int rc = pb_choose(chooser, cluster->root, options->bytes, &choice);
    if (rc == PB_ERR_UNFIT) {
        return tool_complain(TOOL_UNFIT, "%s does not serve this network",
                             pb_kind_name(options->kinds[0]));
    }
    if (rc == PB_SUCCESS) {
        table_t table = {.all = options->all_candidates,
                         .bytes = pb_size_class(options->bytes),
                         .choice = &choice};
        print_heading(options, cluster, table.bytes);
        rc = pb_choose_explain(chooser, cluster->root, options->bytes, visit, &table);
        print_kept(&table);
    }
    return rc == PB_SUCCESS ? TOOL_OK : tool_complain_error(rc);
}

static tool_exit_t check_options(const tool_options_t *options)
{
    if (options->bytes == 0) {
        return tool_complain(TOOL_USAGE, "--bytes is missing: how long is the message?");
    }
    if (options->n_kinds > 1 && !options->all_kinds) {
        return tool_complain(TOOL_USAGE, "--algorithm takes one name here, or all");
    }
    return TOOL_OK;
}

static tool_exit_t run(const tool_options_t *options)
{
    static pb_model_t model; /* too large for a stack */
    tool_cluster_t cluster = {0};
    pb_chooser_t *chooser = NULL;
    tool_exit_t code = check_options(options);
    code = code != TOOL_OK ? code : tool_cluster_open(options, &cluster);
    code = code != TOOL_OK ? code : get_model(options, &cluster, &model);
    if (code == TOOL_OK) {
        const pb_choose_options_t choose = {.kind = options->n_kinds == 1 ? (int) options->kinds[0]
                                                                          : PB_CHOOSE_ALL,
                                            .segment = options->segment,
                                            .plan = options->plan};
        chooser = pb_chooser_new(cluster.placement, &model, &choose);
        code = chooser != NULL ? explain(options, &cluster, chooser)
                               : tool_complain_error(PB_ERR_NO_MEMORY);
    }
    pb_chooser_free(chooser);
    tool_cluster_clear(&cluster);
    return code;
}

static const common_option_t rows[] = {
    {"topology", COMMON_WORD, TOOL_VALUE(file), .argument = "FILE",
     .help = "the topology; the same as FILE alone"},
    {"bytes", COMMON_SIZE, TOOL_VALUE(bytes), .least = 1, .most = PB_MODEL_MAX_BYTES,
     .argument = "BYTES", .help = "the message; 64K, 1M and 2G are understood"},
    {"model", COMMON_WORD, TOOL_VALUE(model_file), .argument = "FILE",
     .missing = "costs are assumed as the component does",
     .help = "what pipebcast-tune measured, as coll_pipebcast_model_file"},
    {"speed", COMMON_NUMBER, TOOL_VALUE(megabits), .least = 1, .most = 10000000,
     .unit_name = "Mbit/s", .argument = "MBITS", .missing = "1000",
     .help = "speed of the hosts' links in Mbit/s, from which costs are assumed"},
    {"mtu", COMMON_NUMBER, TOOL_VALUE(mtu), .least = 576, .most = 65535, .unit_name = "bytes",
     .argument = "BYTES", .missing = "1500", .help = "their MTU, likewise"},
    {"algorithm", COMMON_OWN, .take = tool_take_kinds, .argument = "NAME",
     .help = "only this one, as with coll_pipebcast_algorithm"},
    {"segment", COMMON_SIZE, TOOL_VALUE(segment), .least = 1, .most = 1 << 30, .argument = "BYTES",
     .help = "only this size, as with coll_pipebcast_segment_size"},
    {"all", COMMON_FLAG, TOOL_VALUE(all_candidates), .least = true,
     .help = "every segment size that is considered"},
    {0},
};

const tool_command_t tool_cmd_explain = {
    .line =
        {
            .name = "pipebcast-topo explain",
            .usage = "usage: pipebcast-topo explain [--topology] FILE --bytes BYTES [OPTION]...\n"
                     "\n"
                     "Shows how long a broadcast of so many bytes is predicted to take with each "
                     "algorithm and\n"
                     "its best segment size, and which one the component chooses: the one with the "
                     "least time,\n"
                     "after an eighth more for circulant, and for segments below half a frame, as "
                     "these are\n"
                     "less sure than the rest; without --model, of those that are no slower than 8 "
                     "KB segments\n"
                     "on slower links. `fallback' is the component that serves without pipebcast; "
                     "its time is\n"
                     "estimated, as that of a binomial tree in order of rank, unless the model has "
                     "it.\n",
            .groups =
                (const common_group_t[]){
                    {NULL, rows}, {NULL, tool_rank_rows}, {NULL, tool_file_rows}, {0}},
            .more = "examples:\n"
                    "  pipebcast-topo explain --topology cluster.conf --model cluster.model "
                    "--bytes 1M\n"
                    "  pipebcast-topo explain cluster.conf --bytes 64K --root n5 --all\n"
                    "\n"
                    "exit status: 0 all is well; 1 a file has faults, or the model is of another "
                    "topology; 2\n"
                    "the command line is wrong; 4 the algorithm that was named does not serve this "
                    "network;\n"
                    "5 a file or stream failed, or out of memory.\n",
        },
    .summary = "explain which algorithm and segment size a broadcast uses",
    .needs_file = true,
    .run = run,
};
