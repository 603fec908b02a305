#include <stdio.h>

#include "command.h"
#include "message.h"
#include "topo/search/anneal.h"

/*
 * How a search by simulated annealing goes: what each run of basicSA finds (paper 4, Figure 3).
 */

/* Of the message, without --bytes. */
#define DEFAULT_BYTES (1 << 20)

/* The rows so far. */
typedef struct trace {
    int n_runs;
    int64_t best; /* ns */
} trace_t;

static void print_run(void *watcher, const pb_anneal_seen_t *seen)
{
    trace_t *trace = watcher;
    if (trace->n_runs++ == 0 || seen->cost < trace->best) {
        trace->best = seen->cost;
    }
    printf("%d,%s,%lld,%.3f,%.3f\n", trace->n_runs, seen->refines ? "refine" : "random",
           (long long) seen->n_transformations, (double) seen->cost / 1e6,
           (double) trace->best / 1e6);
}

/* PB_ERR_UNKNOWN if the links have no such root. */
static int search(const tool_options_t *options, const pb_link_matrix_t *matrix)
{
    const uint64_t bytes = options->bytes > 0 ? options->bytes : DEFAULT_BYTES;
    const int root = options->root != NULL ? pb_link_matrix_find(matrix, options->root) : 0;
    trace_t trace = {.n_runs = 0};
    pb_tree_costs_t *costs;
    pb_anneal_options_t anneal;
    pb_anneal_result_t result;
    if (root < 0) {
        return root;
    }
    int error = pb_tree_costs_new(matrix, NULL, bytes, options->segment, &costs);
    if (error != PB_SUCCESS) {
        return error;
    }
    pb_anneal_defaults(&anneal);
    anneal.seed = options->seed;
    anneal.random_runs = options->random_runs;
    anneal.refine_runs = options->refine_runs;
    anneal.n_pool_percents = 0; /* no pools: driverSA over all hosts */
    anneal.watch = print_run;
    anneal.watcher = &trace;
    puts("run,phase,transformations,ms,best_ms");
    error = pb_anneal(costs, root, &anneal, &result);
    pb_anneal_clear(&result);
    pb_tree_costs_free(costs);
    return error;
}

static tool_exit_t run(const tool_options_t *options)
{
    pb_link_matrix_t *matrix;
    pb_diag_t diag;
    pb_diag_init(&diag);
    int error = pb_link_matrix_read(options->file, &matrix, &diag);
    tool_print_faults(stderr, &diag);
    const bool is_reported = diag.n_faults > 0;
    pb_diag_clear(&diag);
    if (error == PB_SUCCESS) {
        error = search(options, matrix);
        pb_link_matrix_free(matrix);
    }
    if (error == PB_ERR_UNKNOWN) {
        return tool_complain(TOOL_USAGE, "--root: '%s' is no host of %s", options->root,
                             options->file);
    }
    if (is_reported) {
        return TOOL_FAULTY;
    }
    return error == PB_SUCCESS ? TOOL_OK : tool_complain_error(error);
}

static const common_option_t rows[] = {
    {"bytes", COMMON_SIZE, TOOL_VALUE(bytes), .least = 1, .most = INT64_C(1) << 40,
     .argument = "BYTES", .help = "of the message; 1M if missing"},
    {"segment", COMMON_SIZE, TOOL_VALUE(segment), .least = 1, .most = INT64_C(1) << 40,
     .argument = "BYTES", .help = "size of a segment; without it the message is not cut"},
    {"root", COMMON_WORD, TOOL_VALUE(root), .argument = "HOST", .missing = "the first rank",
     .help = "sender of the broadcast"},
    {"seed", COMMON_NUMBER, TOOL_VALUE(seed), .argument = "N", .missing = "1",
     .help = "the same number gives the same search everywhere"},
    {"random-runs", COMMON_NUMBER, TOOL_VALUE(random_runs), .least = 1, .most = 1000000,
     .argument = "N", .missing = "50", .help = "runs that begin with random trees"},
    {"refine-runs", COMMON_NUMBER, TOOL_VALUE(refine_runs), .least = 0, .most = 1000000,
     .argument = "N", .missing = "25", .help = "runs after them, that begin with good trees"},
    {0},
};

const tool_command_t tool_cmd_anneal = {
    .line =
        {
            .name = "pipebcast anneal",
            .usage = "usage: pipebcast anneal FILE [OPTION]...\n"
                     "\n"
                     "Searches for a tree over the links of FILE, which pipebcast probe measured, "
                     "by simulated\n"
                     "annealing, and prints as CSV what each run from a random tree, and then from "
                     "a good one,\n"
                     "finds: the predicted time of its best tree, and of the best so far.\n",
            .has_operands = true,
            .groups = (const common_group_t[]){{NULL, rows}, {0}},
            .more = "examples:\n"
                    "  pipebcast anneal pipebcast-links.txt --bytes 256K --root n0\n"
                    "\n"
                    "exit status: 0 all is well; 1 FILE has faults or cannot be read; 2 the "
                    "command line is\n"
                    "wrong.\n",
        },
    .summary = "show how simulated annealing finds a tree for measured links",
    .needs_file = true,
    .run = run,
};
