/*
 * pipebcast-bench: measures broadcasts next to the time T(M) of one message. See --help.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrival.h"
#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/component.h"
#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/terminal.h"
#include "contrib/tools/counters/counters.h"
#include "measure.h"
#include "options.h"
#include "output.h"
#include "schedule.h"

/** Rank 0's counters of the plugin, to see how broadcasts were served. */
struct watched {
    struct bench_counters counters;
    unsigned long long *before, *after; /**< owned; NULL: nothing is watched */
};

static void watch(struct watched *watched)
{
    if (bench_counters_open(&watched->counters)) {
        const size_t n = (size_t) watched->counters.n;
        watched->before = common_alloc(2 * n, sizeof *watched->before);
        watched->after = watched->before + n;
    }
}

static void unwatch(struct watched *watched)
{
    if (watched->before != NULL) {
        bench_counters_close(&watched->counters);
        free(watched->before);
    }
}

static struct bench_result measure_size(struct bench_run *run, struct watched *watched,
                                        long long bytes)
{
    const bool watches =
        watched->before != NULL && bench_counters_read(&watched->counters, watched->before);
    struct bench_result result = bench_measure_size(run, bytes);
    if (watches && bench_counters_read(&watched->counters, watched->after)) {
        bench_counters_served(&watched->counters, watched->before, watched->after, result.served_by,
                              sizeof result.served_by);
    }
    return result;
}

static void measure_all(struct bench_run *run, struct bench_output *output)
{
    const common_list_t *const sizes = &run->options->sizes;
    struct watched watched = {.before = NULL};
    if (run->rank == 0) {
        watch(&watched);
        bench_output_begin(output);
    }
    for (int i = 0; i < sizes->n; i++) {
        const struct bench_result result = measure_size(run, &watched, sizes->values[i]);
        if (run->rank == 0) {
            bench_output_result(output, &result);
        }
    }
    if (run->rank == 0) {
        bench_output_end(output);
        unwatch(&watched);
    }
}

/** Counts the hosts, on which ranks share memory, as MPI knows. Finds the lowest rank that is not
 * on rank 0's host (rank 1 if there is none). Collective. */
static void find_hosts(MPI_Comm comm, int *n_hosts_p, int *first_elsewhere_p)
{
    MPI_Comm host;
    int rank, n_ranks, leader;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Allreduce(&rank, &leader, 1, MPI_INT, MPI_MIN, host);
    MPI_Comm_free(&host);
    const int leads = leader == rank, elsewhere = leader != 0 ? rank : n_ranks;
    MPI_Allreduce(&leads, n_hosts_p, 1, MPI_INT, MPI_SUM, comm);
    MPI_Allreduce(&elsewhere, first_elsewhere_p, 1, MPI_INT, MPI_MIN, comm);
    *first_elsewhere_p = *first_elsewhere_p == n_ranks ? 1 : *first_elsewhere_p;
}

static void run_benchmark(struct bench_options *options, int rank, int n_ranks)
{
    struct bench_run run = {
        .options = options, .comm = MPI_COMM_WORLD, .rank = rank, .n_ranks = n_ranks};
    struct bench_output output = {.options = options, .n_ranks = n_ranks};
    int elsewhere;
    MPI_Comm_dup(MPI_COMM_WORLD, &run.control);
    find_hosts(run.control, &output.n_hosts, &elsewhere);
    options->pingpong &= n_ranks > 1;
    if (options->pingpong_ranks[0] == BENCH_UNSET) {
        options->pingpong_ranks[0] = 0;
        options->pingpong_ranks[1] = elsewhere;
    }
    common_component_of_bcast(run.comm, output.component, sizeof output.component);
    common_clock_init(&run.clock, run.control, options->shared_clock);
    if (options->schedule[0] != '\0') {
        bench_schedule_run(&run, &output);
    } else if (options->arrival != BENCH_ARRIVAL_NONE) {
        bench_arrival_run(&run, &output);
    } else {
        measure_all(&run, &output);
    }
    MPI_Comm_free(&run.control);
}

/** Tells whether a name is a host's own. One of both may be without its domain. */
static bool is_host(const char *own, const char *name)
{
    const size_t n = strcspn(own, ".");
    return strcmp(own, name) == 0 || (strcspn(name, ".") == n && strncmp(own, name, n) == 0 &&
                                      (own[n] == '\0' || name[n] == '\0'));
}

/** Finds the first rank on the host that --root names; n_ranks if there is none. Collective. */
static int root_on(const char *host, int rank, int n_ranks)
{
    char own[MPI_MAX_PROCESSOR_NAME];
    int length;
    MPI_Get_processor_name(own, &length);
    int root = is_host(own, host) ? rank : n_ranks;
    MPI_Allreduce(MPI_IN_PLACE, &root, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return root;
}

int main(int argc, char **argv)
{
    struct bench_options options;
    int rank, n_ranks;
    bench_options_read(argc, argv, &options);
    common_require_job("bench");
    common_init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (options.root_host[0] != '\0') {
        options.root = root_on(options.root_host, rank, n_ranks);
    }
    const char *misfit = bench_options_misfit(&options, n_ranks);
    if (misfit == NULL) {
        run_benchmark(&options, rank, n_ranks);
    } else if (rank == 0) {
        common_report("%s; see pipebcast bench --help", misfit);
    }
    MPI_Finalize();
    return misfit == NULL ? COMMON_EXIT_DONE : COMMON_EXIT_USAGE;
}
