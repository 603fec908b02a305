#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cluster.h"
#include "contrib/tools/common/report.h"
#include "json.h"
#include "message.h"
#include "topo/model/choose.h"
#include "topo/util/error.h"
#include "topo/util/kit.h"

#define MEGA UINT64_C(1000000)

/* Mbit/s: the most that --speed takes, and from which on a LinkSpeed is taken for one. */
enum { MAX_MEGABITS = 10000000, LEAST_MEGABITS = 10 };

/* One run, and by what it predicts. */
typedef struct explained {
    tool_cluster_t cluster;
    pb_model_t model;
    int megabits; /* costs are assumed from; 0: there is a model */
    pb_choose_options_t choose;
    pb_chooser_t *chooser;
    common_json_t whole, messages; /* with --json: the document, and its array of messages */
} explained_t;

/* Candidates of one message. */
typedef struct listed {
    bool all; /* else the best one of each kind, and the chosen one */
    pb_candidate_t chosen;
    pb_candidate_t *rows; /* owned */
    int n, capacity;
} listed_t;

/* Reads the model that --model names. */
static void read_model(const char *file, explained_t *e)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    int rc = pb_model_read(file, &e->model, &diag);
    if (rc == PB_SUCCESS && e->model.topology != 0 &&
        e->model.topology != pb_network_hash_described(e->cluster.network)) {
        pb_diag_error(&diag, file, 0,
                      "was measured on another topology than %s; measure again with "
                      "pipebcast tune",
                      e->cluster.file);
        rc = PB_ERR_INPUT;
    }
    if (rc != PB_SUCCESS) {
        tool_print_errors(stderr, &diag);
        exit(COMMON_EXIT_FAILED);
    }
    pb_diag_clear(&diag);
}

/* The least LinkSpeed of a rank's host, if all have one that can be Mbit/s; else 0. */
static int speed_of_file(const pb_placement_t *placement)
{
    const pb_network_t *network = placement->network;
    uint32_t least = UINT32_MAX;
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        const pb_node_t *node = pb_network_node(network, placement->host[rank]);
        const uint32_t speed = node->speed_given ? node->speed : 0;
        least = speed < least ? speed : least;
    }
    return least >= LEAST_MEGABITS && least <= MAX_MEGABITS ? (int) least : 0;
}

/* The costs: of --model, or assumed from the speed of --speed or of the file. */
static void find_costs(const tool_options_t *options, explained_t *e)
{
    if (options->model_file != NULL) {
        read_model(options->model_file, e);
        return;
    }
    e->megabits = options->megabits > 0 ? options->megabits : speed_of_file(e->cluster.placement);
    if (e->megabits == 0) {
        common_end(
            COMMON_EXIT_USAGE,
            "how fast are the hosts' links? Give --speed MBITS, as 10000 for 10 Gbit/s, or a "
            "model of pipebcast tune by --model, or LinkSpeed in Mbit/s to the hosts' lines "
            "of %s",
            e->cluster.file);
    }
    pb_model_assume(MEGA * (uint64_t) e->megabits, (uint32_t) options->mtu, &e->model);
}

static void begin(const tool_options_t *options, explained_t *e)
{
    e->cluster = tool_cluster_open(options);
    find_costs(options, e);
    e->choose = (pb_choose_options_t){.kind = options->n_kinds == 1 ? (int) options->kinds[0]
                                                                    : PB_CHOOSE_ALL,
                                      .segment = options->segment,
                                      .plan = options->plan,
                                      .n_alike = options->n_alike};
    const bool asks = e->choose.kind >= 0 && pb_kind_row((pb_kind_t) e->choose.kind)->copies;
    if ((options->multicast || asks) && pb_choose_may_multicast(&e->choose)) {
        e->choose.frame = e->model.payload; /* as the component sends frames */
    }
    e->chooser = pb_chooser_new(e->cluster.placement, &e->model, &e->choose);
    if (e->chooser == NULL) {
        common_end_error(PB_ERR_NO_MEMORY);
    }
}

/* ---- candidates ---- */

static bool is_same(const pb_candidate_t *a, const pb_candidate_t *b)
{
    return a->kind == b->kind && a->segment == b->segment;
}

static void add_row(listed_t *listed, const pb_candidate_t *candidate)
{
    pb_candidate_t *rows = pb_grow(listed->rows, listed->n, &listed->capacity, sizeof(*rows));
    if (rows == NULL) {
        common_end_error(PB_ERR_NO_MEMORY);
    }
    listed->rows = rows;
    rows[listed->n++] = *candidate;
}

/* Takes a candidate, in the place of a slower one of its kind; the chosen one stays. */
static void visit(void *context, const pb_candidate_t *candidate)
{
    listed_t *listed = context;
    for (int i = 0; !listed->all && i < listed->n; i++) {
        pb_candidate_t *row = &listed->rows[i];
        if (row->kind != candidate->kind) {
            continue;
        }
        if (is_same(candidate, &listed->chosen) ||
            (candidate->time < row->time && !is_same(row, &listed->chosen))) {
            *row = *candidate;
        }
        return;
    }
    add_row(listed, candidate);
}

/* The chosen one first, then by time. */
static int compare(const void *a, const void *b, void *chosen)
{
    const pb_candidate_t *x = a, *y = b;
    const int64_t tx = is_same(x, chosen) ? 0 : x->time;
    const int64_t ty = is_same(y, chosen) ? 0 : y->time;
    return (tx > ty) - (tx < ty);
}

/* The fallback component is always shown. Times are those of this very size. */
static void list(explained_t *e, uint64_t bytes, listed_t *listed)
{
    bool has_fallback = false;
    pb_candidate_t choice;
    int rc = pb_choose(e->chooser, e->cluster.root, bytes, &choice);
    if (rc == PB_SUCCESS) {
        listed->chosen = choice;
        rc = pb_choose_explain(e->chooser, e->cluster.root, bytes, false, visit, listed);
    }
    if (rc != PB_SUCCESS) {
        common_end_error(rc);
    }
    for (int i = 0; i < listed->n; i++) {
        has_fallback |= listed->rows[i].kind == PB_KIND_FALLBACK;
    }
    if (!has_fallback) {
        add_row(listed, &(pb_candidate_t){.kind = PB_KIND_FALLBACK});
    }
    for (int i = 0; i < listed->n; i++) {
        pb_candidate_t *row = &listed->rows[i];
        row->time = pb_choose_time(e->chooser, e->cluster.root, bytes, row);
        if (row->time < 0) {
            common_end_error(PB_ERR_NO_MEMORY);
        }
    }
    qsort_r(listed->rows, (size_t) listed->n, sizeof(*listed->rows), compare, &listed->chosen);
}

/* ---- the table ---- */

static void print_table(const tool_options_t *options, const explained_t *e, uint64_t bytes,
                        const listed_t *listed)
{
    const tool_cluster_t *cluster = &e->cluster;
    printf("# %" PRIu64 " bytes to %d %s from %s on %d %s; costs ", bytes,
           TOOL_PLURAL(cluster->placement->n_ranks, "rank"), cluster->names[cluster->root],
           cluster->n_switches, cluster->n_switches == 1 ? "switch" : "switches");
    if (options->model_file != NULL) {
        printf("from %s\n", options->model_file);
    } else {
        printf("assumed from links of %d Mbit/s and an MTU of %d\n", e->megabits, options->mtu);
    }
    printf("%-12s  %10s  %10s  %12s\n", "algorithm", "segment", "segments", "predicted ms");
    for (int i = 0; i < listed->n; i++) {
        const pb_candidate_t *row = &listed->rows[i];
        printf("%-12s", pb_candidate_name(row));
        if (row->kind == PB_KIND_FALLBACK) {
            printf("  %10s  %10s", "-", "-");
        } else {
            const uint64_t segment = pb_candidate_segment(row, bytes);
            printf("  %10" PRIu64 "  %10" PRIu64, segment, (bytes - 1) / segment + 1);
        }
        printf("  %12.3f%s\n", (double) row->time / 1e6,
               is_same(row, &listed->chosen) ? "  chosen" : "");
    }
}

static void add_message(const explained_t *e, uint64_t bytes, const listed_t *listed)
{
    const common_json_t message = common_json_object(e->messages, NULL);
    common_json_integer(message, "bytes", (int64_t) bytes);
    const common_json_t candidates = common_json_array(message, "candidates");
    for (int i = 0; i < listed->n; i++) {
        const pb_candidate_t *row = &listed->rows[i];
        const common_json_t object = common_json_object(candidates, NULL);
        common_json_text(object, "algorithm", pb_candidate_name(row));
        if (row->kind == PB_KIND_FALLBACK) {
            common_json_null(object, "segment");
        } else {
            common_json_integer(object, "segment", (int64_t) pb_candidate_segment(row, bytes));
        }
        common_json_real(object, "predicted_ms", (double) row->time / 1e6, 6);
        common_json_truth(object, "chosen", is_same(row, &listed->chosen));
    }
}

static void begin_json(const tool_options_t *options, explained_t *e)
{
    e->whole = common_json_begin("pipebcast explain");
    tool_json_cluster(e->whole, &e->cluster);
    common_json_text(e->whole, "model", options->model_file);
    if (options->model_file == NULL) {
        common_json_integer(e->whole, "megabits_per_second", e->megabits);
        common_json_integer(e->whole, "mtu", options->mtu);
    }
    e->messages = common_json_array(e->whole, "messages");
}

static int run(const tool_options_t *options)
{
    explained_t e = {0};
    if (options->n_kinds > 1 && !options->all_kinds) {
        common_usage_error("--algorithm takes one name here, or all");
    }
    begin(options, &e);
    if (options->json) {
        begin_json(options, &e);
    }
    for (int i = 0; i < options->sizes.n; i++) {
        const uint64_t bytes = (uint64_t) options->sizes.values[i];
        listed_t listed = {.all = options->all_candidates};
        list(&e, bytes, &listed);
        if (options->json) {
            add_message(&e, bytes, &listed);
        } else {
            fputs(i > 0 ? "\n" : "", stdout);
            print_table(options, &e, bytes, &listed);
        }
        free(listed.rows);
    }
    if (options->json) {
        common_json_end(e.whole, stdout);
    }
    pb_chooser_free(e.chooser);
    return COMMON_EXIT_DONE;
}

static const common_option_t rows[] = {
    {"sizes", COMMON_SIZES, TOOL_VALUE(sizes), .letter = 'm', .least = 1,
     .most = PB_MODEL_MAX_BYTES, .argument = "LIST", .missing = "64K",
     .help = "bytes of the message: 64K,1M, or 1K:4M for doublings"},
    {"speed", COMMON_NUMBER, TOOL_VALUE(megabits), .least = 1, .most = MAX_MEGABITS,
     .unit_name = "Mbit/s", .argument = "MBITS", .missing = "the hosts' LinkSpeed in FILE",
     .help = "speed of the hosts' links in Mbit/s, from which costs are assumed"},
    {"mtu", COMMON_NUMBER, TOOL_VALUE(mtu), .least = 576, .most = 65535, .unit_name = "bytes",
     .argument = "BYTES", .missing = "1500", .help = "their MTU"},
    {"model", COMMON_WORD, TOOL_VALUE(model_file), .argument = "FILE",
     .help = "costs that pipebcast tune measured, as coll_pipebcast_model_file"},
    {"algorithm", COMMON_OWN, .take = tool_take_kinds, .argument = "NAME", .missing = "all",
     .help = "only this one, as with coll_pipebcast_algorithm"},
    {"segment", COMMON_SIZE, TOOL_VALUE(segment), .least = 1, .most = 1 << 30, .argument = "BYTES",
     .help = "only this size, as with coll_pipebcast_segment_size"},
    {"all", COMMON_FLAG, TOOL_VALUE(all_candidates), .least = true,
     .help = "every segment size that is considered"},
    {"multicast", COMMON_FLAG, TOOL_VALUE(multicast), .least = true,
     .help = "as where multicast is allowed and works: it is among the algorithms"},
    {"alike", COMMON_NUMBER, TOOL_VALUE(n_alike), .least = 1, .most = 1 << 20,
     .unit_name = "communicators", .argument = "N", .missing = "1",
     .help = "as where N communicators like this one may broadcast at the same time"},
    TOOL_JSON_ROW,
    {0},
};

const tool_command_t tool_cmd_explain = {
    .line =
        {
            .name = "pipebcast explain",
            .usage =
                "Usage: pipebcast explain FILE [OPTION]...\n"
                "\n"
                "Shows how long a broadcast is predicted to take with each algorithm and its\n"
                "best segment size, and which one the component chooses at first: the first\n"
                "row. While a job runs, measured times correct the choice. \"fallback\" is the\n"
                "component that serves without pipebcast, with the time of a binomial tree.\n",
            .has_operands = true,
            .groups =
                (const common_group_t[]){
                    {NULL, rows}, {NULL, tool_rank_rows}, {NULL, tool_file_rows}, {0}},
            .more = "Examples:\n"
                    "  pipebcast explain cluster.conf --speed 10000\n"
                    "  pipebcast explain cluster.conf --model cluster.model -m 1K:1M\n"
                    "\n" COMMON_EXITS,
        },
    .summary = "explain which algorithm and segment size a broadcast uses",
    .run = run,
};
