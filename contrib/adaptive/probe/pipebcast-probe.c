/*
 * pipebcast-probe: measures the links between clusters, for pipebcast-advisor. See --help.
 *
 * Two ranks measure at a time, as two measurements would disturb each other. One step's leader
 * starts the next one by a word to its leader. All others sleep.
 */
#include <assert.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/file.h"
#include "contrib/tools/common/hosts.h"
#include "contrib/tools/common/quiet.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/terminal.h"
#include "options.h"
#include "plan.h"
#include "topo/util/kit.h"
#include "traffic.h"

enum { TAG_NEXT = 1, TAG_RESULT = 2 };

struct run {
    struct probe_options options;
    MPI_Comm comm;
    int rank, n_ranks;
    struct probe_plan plan; /**< rank 0's */
    common_file_t file;     /**< rank 0's: of --output */
    int n_orders;
    struct probe_step *orders;    /**< all ranks': the plan's steps, between ranks */
    struct probe_result *results; /**< rank 0's, by step */
    int n_unknown;                /**< rank 0's: bandwidths that no train has shown */
    struct probe_traffic traffic;
};

/* ---- the plan ---- */

/** Rank 0's part. */
static bool make_plan(struct run *run, char *const *hosts)
{
    pb_network_t *network = common_hosts_network(hosts, run->n_ranks, run->options.topology,
                                                 run->options.topology_name, true);
    if (network == NULL) {
        return false;
    }
    const int error = probe_plan_make(&run->plan, network, hosts, run->n_ranks);
    pb_network_free(network);
    if (error == PB_ERR_INPUT) {
        common_report(
            "the job has less than two hosts, or more than %d: run with one rank on each host that "
            "broadcasts pass, up to that many (for a trial on one host, give --pretend-hosts)",
            PB_LINK_MATRIX_MAX_NODES);
    } else if (error != PB_SUCCESS) {
        common_report("no plan for %d ranks: %s", run->n_ranks, pb_error_text(error));
    }
    return error == PB_SUCCESS;
}

static void tell_bytes(const struct run *run)
{
    int64_t between;
    const int64_t all = probe_plan_bytes(&run->plan, run->options.train, &between);
    if (!run->options.quiet) {
        printf("%d hosts in %d clusters at %d sites; sends %.1f KB of messages, %.1f KB of "
               "them between clusters, and more where trains are repeated\n",
               run->plan.matrix->n_nodes, run->plan.matrix->n_clusters, run->plan.matrix->n_sites,
               (double) all / 1024, (double) between / 1024);
        fflush(stdout);
    }
}

/** Rank 0's memory for the results; everyone's for the orders. */
static void alloc_run(struct run *run)
{
    run->n_orders = run->rank == 0 ? run->plan.n_steps : run->n_orders;
    MPI_Bcast(&run->n_orders, 1, MPI_INT, 0, run->comm);
    run->orders = common_alloc((size_t) run->n_orders, sizeof *run->orders);
    run->results = common_alloc((size_t) run->n_orders, sizeof *run->results);
    probe_traffic_init(&run->traffic, run->comm, run->options.train);
}

static void share_orders(struct run *run)
{
    for (int i = 0; run->rank == 0 && i < run->n_orders; i++) {
        const struct probe_step *step = &run->plan.steps[i];
        run->orders[i] = (struct probe_step){
            .kind = step->kind, .from = run->plan.rank[step->from], .to = run->plan.rank[step->to]};
    }
    MPI_Bcast(run->orders, run->n_orders * (int) sizeof *run->orders, MPI_BYTE, 0, run->comm);
}

static bool prepare(struct run *run)
{
    char **hosts;
    if (!common_hosts_find(run->comm, run->options.hosts, &hosts)) {
        return false;
    }
    const bool good = common_all_good(
        run->rank != 0 || (make_plan(run, hosts) &&
                           common_file_open(&run->file, run->options.output, "--output")),
        run->comm);
    common_hosts_free(hosts, run->n_ranks);
    if (!good) {
        return false;
    }
    alloc_run(run);
    share_orders(run);
    if (run->rank == 0) {
        tell_bytes(run);
    }
    return true;
}

/* ---- measuring ---- */

/** A leader begins when the step before is through, and hands its result to rank 0. */
static void lead_step(struct run *run, int step)
{
    const struct probe_step *order = &run->orders[step];
    const int before = step > 0 ? run->orders[step - 1].from : run->rank;
    if (before != run->rank) {
        common_quiet_recv(NULL, 0, MPI_BYTE, before, TAG_NEXT, run->comm);
    }
    run->results[step] = probe_lead(&run->traffic, order->kind, order->to);
    if (step + 1 < run->n_orders && run->orders[step + 1].from != run->rank) {
        MPI_Send(NULL, 0, MPI_BYTE, run->orders[step + 1].from, TAG_NEXT, run->comm);
    }
}

/** Results go to rank 0 when nothing is measured any more. */
static void collect(struct run *run)
{
    for (int i = 0; i < run->n_orders; i++) {
        const int from = run->orders[i].from;
        struct probe_result *result = &run->results[i];
        if (run->rank == from && from != 0) {
            MPI_Send(result, sizeof *result, MPI_BYTE, 0, TAG_RESULT, run->comm);
        } else if (run->rank == 0 && from != 0) {
            MPI_Recv(result, sizeof *result, MPI_BYTE, from, TAG_RESULT, run->comm,
                     MPI_STATUS_IGNORE);
        }
    }
}

static void measure(struct run *run)
{
    for (int i = 0; i < run->n_orders; i++) {
        if (run->rank == run->orders[i].from) {
            lead_step(run, i);
        } else if (run->rank == run->orders[i].to) {
            probe_follow(&run->traffic, run->orders[i].kind, run->orders[i].from);
        }
    }
    common_quiet_barrier(run->comm);
    collect(run);
}

/* ---- the file ---- */

static void write_comment(const struct run *run, FILE *stream)
{
    char date[64];
    int64_t between;
    fprintf(stream,
            "# Made by pipebcast-probe %s, %s, with %" PRId64 " bytes of messages or more; "
            "%d bandwidths are unknown.\n",
            PACKAGE_VERSION, common_date(date),
            probe_plan_bytes(&run->plan, run->options.train, &between), run->n_unknown);
}

/** Tells whether the advisor can read the file. */
static bool is_readable(const char *path)
{
    pb_link_matrix_t *matrix;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_link_matrix_read(path, &matrix, &diag);
    common_report_errors(&diag);
    if (error != PB_SUCCESS) {
        common_report("the links make no file that the advisor reads: %s", pb_error_text(error));
    }
    pb_diag_clear(&diag);
    pb_link_matrix_free(matrix);
    return error == PB_SUCCESS;
}

static bool write_links(struct run *run)
{
    common_file_t *file = &run->file;
    run->n_unknown = probe_plan_fill(&run->plan, run->results);
    write_comment(run, file->stream);
    const int error = pb_link_matrix_write(run->plan.matrix, file->stream);
    if (error == PB_ERR_NO_MEMORY) {
        common_report("out of memory");
    }
    if (error == PB_ERR_NO_MEMORY || !common_file_finish(file) || !is_readable(file->temp)) {
        common_file_abandon(file);
        return false;
    }
    return common_file_rename(file);
}

/** The bandwidths between clusters, as the paper's tables have them. */
static void print_links(const struct run *run)
{
    const pb_link_matrix_t *m = run->plan.matrix;
    int64_t least = INT64_MAX, most = 0;
    for (int i = 0; i < run->n_orders; i++) {
        const struct probe_step *step = &run->plan.steps[i];
        if (step->kind == PROBE_LINK && m->node_cluster[step->from] != m->node_cluster[step->to]) {
            const struct probe_result *r = &run->results[i];
            const int64_t greater = pb_max64(r->there.most, r->back.most);
            const int64_t lesser = r->there.most + r->back.most - greater;
            least = lesser < least ? lesser : least;
            most = pb_max64(most, greater);
        }
    }
    if (most > 0) {
        printf("between clusters %.3f to %.3f MB/s: ", (double) least * 1e-6, (double) most * 1e-6);
    }
    if (run->n_unknown > 0) {
        printf("%d bandwidths unknown, the greatest speed of a whole train is taken: ",
               run->n_unknown);
    }
    printf("%s\n", run->options.output);
    fflush(stdout);
}

/* ---- the run ---- */

static bool measure_links(struct run *run)
{
    bool good = true;
    measure(run);
    if (run->rank == 0) {
        good = write_links(run);
    }
    if (run->rank == 0 && good && !run->options.quiet) {
        print_links(run);
    }
    return common_all_good(good, run->comm);
}

static bool probe(const struct probe_options *options)
{
    struct run run = {.options = *options, .comm = MPI_COMM_WORLD};
    MPI_Comm_rank(run.comm, &run.rank);
    MPI_Comm_size(run.comm, &run.n_ranks);
    const bool good = prepare(&run) && measure_links(&run);
    probe_traffic_free(&run.traffic);
    probe_plan_clear(&run.plan);
    free(run.orders);
    free(run.results);
    return good;
}

int main(int argc, char **argv)
{
    struct probe_options options;
    bool good = true;
    probe_options_read(argc, argv, &options);
    common_require_job("probe");
    MPI_Init(&argc, &argv);
    good = probe(&options);
    MPI_Finalize();
    return good ? COMMON_EXIT_DONE : COMMON_EXIT_FAILED;
}
