#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cluster.h"
#include "explain_table.h"
#include "json.h"
#include "learnt.h"
#include "message.h"
#include "topo/model/choose.h"

#define MEGA UINT64_C(1000000)

/* Mbit/s: the most that --speed takes, and what is assumed without it. */
enum { MAX_MEGABITS = 10000000, DEFAULT_MEGABITS = 1000 };

/* What one run explains, and by what. */
typedef struct explained {
    tool_cluster_t cluster;
    tool_learnt_t learnt;
    pb_model_t model, corrected; /* the latter of links as fast as was learnt */
    int megabits;                /* that costs are assumed from */
    pb_choose_options_t choose;
    pb_chooser_t *chooser;
    pb_chooser_t *by_links;        /* by the corrected model; NULL: no speed was learnt */
    common_json_t whole, messages; /* with --json: the document, and its array of messages */
} explained_t;

/* Reads the model that --model names. */
static tool_exit_t read_model(const tool_options_t *options, explained_t *e)
{
    const tool_cluster_t *cluster = &e->cluster;
    pb_diag_t diag;
    if (options->model_file == NULL) {
        return TOOL_OK;
    }
    pb_diag_init(&diag);
    int rc = pb_model_read(options->model_file, &e->model, &diag);
    if (rc == PB_SUCCESS && e->model.topology != 0 &&
        e->model.topology != pb_network_hash(cluster->network)) {
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

/* Without --model, links are as fast as --speed has it, or the interfaces of the jobs that learnt.
 */
static void assume_model(const tool_options_t *options, explained_t *e)
{
    const pb_kept_entry_t *entry = e->learnt.entry;
    const uint64_t of_job = entry != NULL ? entry->key.medium.bits_per_second / MEGA : 0;
    e->megabits = options->megabits > 0                  ? options->megabits
                  : of_job > 0 && of_job <= MAX_MEGABITS ? (int) of_job
                                                         : DEFAULT_MEGABITS;
    if (options->model_file == NULL) {
        pb_model_assume(MEGA * (uint64_t) e->megabits, (uint32_t) options->mtu, &e->model);
    }
}

/* Bytes of a frame as the component sends them, with all headers as long as those of TCP, where
 * multicast is a candidate; else 0. */
static uint64_t frame_of(const tool_options_t *options, const explained_t *e)
{
    const bool asks = e->choose.kind >= 0 && pb_kind_row((pb_kind_t) e->choose.kind)->copies;
    const bool is_candidate = (options->multicast || asks) && pb_choose_may_multicast(&e->choose);
    return is_candidate ? e->model.payload : 0;
}

/* What predicts, and what was learnt. */
static tool_exit_t begin(const tool_options_t *options, explained_t *e)
{
    const pb_kept_entry_t *entry = e->learnt.entry;
    const pb_placement_t *placement = e->cluster.placement;
    e->choose = (pb_choose_options_t){.kind = options->n_kinds == 1 ? (int) options->kinds[0]
                                                                    : PB_CHOOSE_ALL,
                                      .segment = options->segment,
                                      .plan = options->plan,
                                      .n_alike = options->n_alike};
    e->choose.frame = frame_of(options, e);
    e->chooser = pb_chooser_new(placement, &e->model, &e->choose);
    if (entry != NULL && !e->model.measured && entry->learner.speed != 0) {
        pb_model_assume_other(&e->model, entry->learner.speed, &e->corrected);
        e->corrected.measured = true;
        e->by_links = pb_chooser_new(placement, &e->corrected, &e->choose);
        if (e->by_links == NULL) {
            return tool_complain_error(PB_ERR_NO_MEMORY);
        }
    }
    return e->chooser != NULL ? tool_learnt_begin(&e->learnt, &e->cluster, &e->model, &e->choose)
                              : tool_complain_error(PB_ERR_NO_MEMORY);
}

static void end(explained_t *e)
{
    tool_learnt_clear(&e->learnt);
    pb_chooser_free(e->chooser);
    pb_chooser_free(e->by_links);
    tool_cluster_clear(&e->cluster);
}

/* What it was learnt over, and by what. */
static void print_learnt(const tool_options_t *options, const explained_t *e)
{
    const pb_kept_entry_t *entry = e->learnt.entry;
    char medium[PB_MEDIUM_TEXT_SIZE];
    if (entry == NULL) {
        return;
    }
    printf("# learnt over %s (%s)", pb_medium_describe(&entry->key.medium, medium),
           options->learnt_file);
    if (entry->learner.speed != 0) {
        printf("; links give %.3f Mbit/s%s", (double) entry->learner.speed / MEGA,
               entry->learner.is_guess ? ", as is guessed" : "");
    }
    printf("\n");
    if (entry->key.model != pb_model_hash(&e->model)) {
        printf(
            "# it was learnt by another model than this one: --speed, --mtu or --model differ\n");
    }
}

static void print_heading(const tool_options_t *options, const explained_t *e, uint64_t bytes,
                          const explain_table_t *table)
{
    const tool_cluster_t *cluster = &e->cluster;
    printf("# %" PRIu64 " bytes to %d %s from %s on %d %s; ", bytes,
           TOOL_PLURAL(cluster->placement->n_ranks, "rank"), cluster->names[cluster->root],
           cluster->n_switches, cluster->n_switches == 1 ? "switch" : "switches");
    if (options->model_file != NULL) {
        printf("costs from %s\n", options->model_file);
    } else {
        printf("costs assumed from links of %d Mbit/s and an MTU of %d\n", e->megabits,
               options->mtu);
    }
    print_learnt(options, e);
    printf("# segments below half a frame are less sure: an eighth is added in choosing\n");
    printf("# times are of %" PRIu64 " bytes, the smallest message for which the same is chosen\n",
           table->bytes);
}

static void add_learnt(const tool_options_t *options, const explained_t *e, common_json_t to)
{
    const pb_kept_entry_t *entry = e->learnt.entry;
    char medium[PB_MEDIUM_TEXT_SIZE];
    if (entry == NULL) {
        common_json_null(to, "learnt");
        return;
    }
    const common_json_t learnt = common_json_object(to, "learnt");
    common_json_text(learnt, "file", options->learnt_file);
    common_json_text(learnt, "over", pb_medium_describe(&entry->key.medium, medium));
    common_json_real(learnt, "megabits_per_second",
                     entry->learner.speed != 0 ? (double) entry->learner.speed / MEGA : NAN, 3);
    common_json_truth(learnt, "guessed", entry->learner.is_guess);
    common_json_truth(learnt, "by_another_model", entry->key.model != pb_model_hash(&e->model));
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
    add_learnt(options, e, e->whole);
    e->messages = common_json_array(e->whole, "messages");
}

/* One message, without its candidates. */
static void add_message(const explained_t *e, uint64_t bytes, explain_table_t *table)
{
    const common_json_t message = common_json_object(e->messages, NULL);
    common_json_integer(message, "bytes", (int64_t) bytes);
    common_json_integer(message, "bytes_of_times", (int64_t) table->bytes);
    common_json_truth(message, "settled", table->class == NULL || table->class->is_settled);
    table->candidates = common_json_array(message, "candidates");
    table->json = true;
}

/* There is no document where the command has failed. */
static tool_exit_t end_json(explained_t *e, tool_exit_t code)
{
    if (code == TOOL_OK) {
        return tool_json_end(e->whole, code);
    }
    common_json_end(e->whole, NULL);
    return code;
}

/* What is chosen by predictions alone, and by what was learnt. */
static int choose(explained_t *e, uint64_t bytes, explain_table_t *table)
{
    pb_choice_t choice;
    pb_learnt_t learnt;
    int rc = pb_choose(e->chooser, table->root, bytes, &choice);
    if (rc != PB_SUCCESS) {
        return rc;
    }
    table->prior = table->chosen = choice.best;
    if (e->learnt.entry != NULL) {
        rc = pb_learning_choose(e->learnt.learning, table->root, bytes, false, UINT32_MAX, &choice,
                                &learnt);
        table->chosen = rc == PB_SUCCESS ? learnt.candidate : table->prior;
    }
    return rc;
}

static tool_exit_t explain(const tool_options_t *options, explained_t *e, uint64_t bytes)
{
    explain_table_t table = {.all = options->all_candidates,
                             .bytes = pb_size_class(bytes),
                             .root = e->cluster.root,
                             .chooser = e->chooser,
                             .corrected = e->by_links,
                             .has_learnt = e->learnt.entry != NULL,
                             .class = tool_learnt_class(&e->learnt, bytes)};
    int rc = choose(e, bytes, &table);
    if (rc == PB_ERR_UNFIT) {
        return tool_complain(TOOL_UNFIT, "%s does not serve this network",
                             pb_kind_name(options->kinds[0]));
    }
    if (rc == PB_SUCCESS && options->json) {
        add_message(e, bytes, &table);
    } else if (rc == PB_SUCCESS) {
        print_heading(options, e, bytes, &table);
    }
    if (rc == PB_SUCCESS) {
        rc = explain_table_print(&table);
    }
    return rc == PB_SUCCESS ? TOOL_OK : tool_complain_error(rc);
}

/* The least size above `bytes` of which something was learnt; 0: there is none. */
static uint64_t next_size(const tool_learnt_t *learnt, uint64_t bytes)
{
    uint64_t next = 0;
    for (int i = 0; i < PB_LEARNER_CLASSES; i++) {
        const uint64_t size = learnt->entry->learner.classes[i].size_class;
        next = size > bytes && (next == 0 || size < next) ? size : next;
    }
    return next;
}

/* Every size of which something was learnt. */
static tool_exit_t explain_all(const tool_options_t *options, explained_t *e)
{
    tool_exit_t code = TOOL_OK;
    const uint64_t first = next_size(&e->learnt, 0);
    for (uint64_t bytes = first; bytes != 0 && code == TOOL_OK;
         bytes = next_size(&e->learnt, bytes)) {
        if (bytes != first && !options->json) {
            printf("\n");
        }
        code = explain(options, e, bytes);
    }
    return code;
}

static tool_exit_t check_options(const tool_options_t *options)
{
    if (options->bytes == 0 && options->learnt_file == NULL) {
        return tool_complain(TOOL_USAGE, "--bytes is missing: how long is the message?");
    }
    if (options->n_kinds > 1 && !options->all_kinds) {
        return tool_complain(TOOL_USAGE, "--algorithm takes one name here, or all");
    }
    return TOOL_OK;
}

static tool_exit_t run(const tool_options_t *options)
{
    static explained_t e; /* too large for a stack */
    tool_exit_t code = check_options(options);
    code = code != TOOL_OK ? code : tool_cluster_open(options, &e.cluster);
    code = code != TOOL_OK ? code : read_model(options, &e);
    code = code != TOOL_OK
               ? code
               : tool_learnt_open(options, &e.cluster,
                                  options->model_file != NULL ? &e.model : NULL, &e.learnt);
    if (code == TOOL_OK) {
        assume_model(options, &e);
        code = begin(options, &e);
    }
    if (code == TOOL_OK && options->json) {
        begin_json(options, &e);
    }
    if (code == TOOL_OK) {
        code = options->bytes > 0 ? explain(options, &e, options->bytes) : explain_all(options, &e);
    }
    if (e.whole.document != NULL) {
        code = end_json(&e, code);
    }
    end(&e);
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
    {"learnt", COMMON_WORD, TOOL_VALUE(learnt_file), .argument = "FILE",
     .help = "what jobs have learnt with coll_pipebcast_learn keep, as "
             "~/.cache/pipebcast/learnt; without --bytes, all sizes in it"},
    {"speed", COMMON_NUMBER, TOOL_VALUE(megabits), .least = 1, .most = MAX_MEGABITS,
     .unit_name = "Mbit/s", .argument = "MBITS", .missing = "1000, or as was learnt",
     .help = "speed of the hosts' links in Mbit/s, from which costs are assumed"},
    {"mtu", COMMON_NUMBER, TOOL_VALUE(mtu), .least = 576, .most = 65535, .unit_name = "bytes",
     .argument = "BYTES", .missing = "1500", .help = "their MTU, likewise"},
    {"algorithm", COMMON_OWN, .take = tool_take_kinds, .argument = "NAME",
     .help = "only this one, as with coll_pipebcast_algorithm"},
    {"segment", COMMON_SIZE, TOOL_VALUE(segment), .least = 1, .most = 1 << 30, .argument = "BYTES",
     .help = "only this size, as with coll_pipebcast_segment_size"},
    {"all", COMMON_FLAG, TOOL_VALUE(all_candidates), .least = true,
     .help = "every segment size that is considered"},
    {"multicast", COMMON_FLAG, TOOL_VALUE(multicast), .least = true,
     .help = "as where multicast works: it is among the algorithms"},
    {"alike", COMMON_NUMBER, TOOL_VALUE(n_alike), .least = 1, .most = 1 << 20,
     .unit_name = "communicators", .argument = "N", .missing = "1",
     .help = "as where so many communicators like this one may broadcast at once"},
    TOOL_JSON_ROW,
    {0},
};

const tool_command_t tool_cmd_explain = {
    .line =
        {
            .name = "pipebcast explain",
            .usage = "usage: pipebcast explain [--topology] FILE --bytes BYTES [OPTION]...\n"
                     "       pipebcast explain [--topology] FILE --learnt FILE [--bytes "
                     "BYTES] [OPTION]...\n"
                     "\n"
                     "Shows how long a broadcast of so many bytes is predicted to take with each "
                     "algorithm and\n"
                     "its best segment size, and which one the component chooses: the one with the "
                     "least time,\n"
                     "after an eighth more for segments below half a frame, as these are\n"
                     "less sure than the rest. `fallback' is the component that serves without "
                     "pipebcast; "
                     "its time is\n"
                     "estimated, as that of a binomial tree in order of rank, unless the model has "
                     "it. Only a job\n"
                     "finds out whether multicast works: it is among the algorithms with "
                     "--multicast.\n"
                     "\n"
                     "With --learnt, what jobs have measured on these hosts stands beside: "
                     "`predicted' is "
                     "what the\n"
                     "component expects without it, `corrected' what it expects by the speed that "
                     "links gave.\n",
            .groups =
                (const common_group_t[]){
                    {NULL, rows}, {NULL, tool_rank_rows}, {NULL, tool_file_rows}, {0}},
            .more = "examples:\n"
                    "  pipebcast explain --topology cluster.conf --model cluster.model "
                    "--bytes 1M\n"
                    "  pipebcast explain cluster.conf --bytes 64K --root n5 --all\n"
                    "  pipebcast explain cluster.conf --learnt ~/.cache/pipebcast/learnt\n"
                    "\n"
                    "exit status: 0 all is well; 1 a file has faults or cannot be read, the model "
                    "is of\n"
                    "another topology, or the algorithm that was named does not serve this "
                    "network; 2 the\n"
                    "command line is wrong.\n",
        },
    .summary = "explain which algorithm and segment size a broadcast uses",
    .needs_file = true,
    .run = run,
};
