/*
 * pipebcast-bench: measures broadcasts beside the time T(M) of one message. See --help.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrival.h"
#include "contrib/tools/common/progress.h"
#include "contrib/tools/common/request.h"
#include "hosts.h"
#include "measure.h"
#include "options.h"
#include "output.h"
#include "schedule.h"

static common_verdict_t read_request(int argc, char **argv, int rank, int n_ranks,
                                     struct bench_options *options)
{
    common_verdict_t verdict = COMMON_RUN;
    char error[512] = "";
    if (rank == 0) {
        verdict = bench_options_parse(argc, argv, options, error, sizeof error);
    }
    if (rank == 0 && verdict == COMMON_RUN &&
        !bench_options_fit(options, n_ranks, error, sizeof error)) {
        verdict = COMMON_WRONG;
    }
    return common_request_share(&bench_command, verdict, error, options, sizeof *options,
                                MPI_COMM_WORLD);
}

/** What the first n sizes take, about, in broadcasts of no bytes: 16 KB take twice that time. */
static double work_of(const common_list_t *sizes, int n)
{
    double work = 0;
    for (int i = 0; i < n; i++) {
        work += 1 + (double) sizes->values[i] / 16384;
    }
    return work;
}

static enum bench_status measure_all(struct bench_run *run, struct bench_output *output)
{
    enum bench_status status = BENCH_OK;
    if (run->rank == 0) {
        bench_output_begin(output);
    }
    const common_list_t *const sizes = &run->options->sizes;
    common_progress_t progress;
    common_progress_begin(&progress, run->rank == 0);
    for (int i = 0; i < sizes->n && status == BENCH_OK; i++) {
        struct bench_result result;
        status = bench_measure_size(run, sizes->values[i], &result);
        common_progress_end(&progress);
        if (run->rank == 0 && status == BENCH_OK) {
            bench_output_result(output, &result);
        }
        common_progress_report(&progress, work_of(sizes, i + 1) / work_of(sizes, sizes->n));
    }
    common_progress_end(&progress);
    if (run->rank == 0) {
        bench_output_end(output);
    }
    return status;
}

static enum bench_status measure_wanted(struct bench_run *run, struct bench_output *output)
{
    if (run->options->schedule[0] != '\0') {
        return bench_schedule_run(run, output);
    }
    return run->options->arrival.kind == BENCH_ARRIVAL_NONE ? measure_all(run, output)
                                                            : bench_arrival_run(run, output);
}

/** Makes the communicator that is measured: all ranks, or one of several groups. Collective. */
static void make_groups(struct bench_run *run)
{
    const struct bench_options *options = run->options;
    run->comm = MPI_COMM_WORLD;
    run->n_groups = 1;
    if (options->group_ranks > 0) {
        run->n_groups = run->n_ranks / options->group_ranks;
        run->group =
            options->strided ? run->rank % run->n_groups : run->rank / options->group_ranks;
        MPI_Comm_split(MPI_COMM_WORLD, run->group, run->rank, &run->comm);
    }
    MPI_Comm_rank(run->comm, &run->member);
    MPI_Comm_size(run->comm, &run->n_members);
}

static bool run_benchmark(struct bench_options *options, int rank, int n_ranks)
{
    struct bench_run run = {.options = options, .rank = rank, .n_ranks = n_ranks};
    struct bench_output output = {.options = options, .n_ranks = n_ranks};
    int elsewhere;
    MPI_Comm_dup(MPI_COMM_WORLD, &run.control);
    bench_hosts_find(run.control, &output.n_hosts, &elsewhere);
    options->pingpong &= n_ranks > 1;
    if (options->pingpong_ranks[0] == BENCH_UNSET) {
        options->pingpong_ranks[0] = 0;
        options->pingpong_ranks[1] = elsewhere;
    }
    make_groups(&run);
    common_clock_init(&run.clock, run.control, options->shared_clock);
    enum bench_status status = measure_wanted(&run, &output);
    if (run.comm != MPI_COMM_WORLD) {
        MPI_Comm_free(&run.comm);
    }
    MPI_Comm_free(&run.control);
    return status == BENCH_OK && !output.failed;
}

int main(int argc, char **argv)
{
    struct bench_options options;
    bool good = true;
    int rank, n_ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const common_verdict_t verdict = read_request(argc, argv, rank, n_ranks, &options);
    if (verdict == COMMON_RUN) {
        good = run_benchmark(&options, rank, n_ranks);
    }
    MPI_Finalize();
    return common_options_exit(verdict, good);
}
