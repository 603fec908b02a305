/*
 * pipebcast-bench: measures broadcasts beside the time T(M) of one message. See --help.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "arrival.h"
#include "contrib/tools/common/request.h"
#include "hosts.h"
#include "measure.h"
#include "options.h"
#include "output.h"
#include "schedule.h"

enum { EXIT_OPTIONS = 2 };

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

static enum bench_status measure_all(struct bench_run *run, struct bench_output *output)
{
    enum bench_status status = BENCH_OK;
    if (run->rank == 0) {
        bench_output_begin(output);
    }
    for (int i = 0; i < run->options->sizes.n && status == BENCH_OK; i++) {
        struct bench_result result;
        status = bench_measure_size(run, run->options->sizes.values[i], &result);
        if (run->rank == 0 && status == BENCH_OK) {
            bench_output_result(output, &result);
        }
    }
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

static int run_benchmark(struct bench_options *options, int rank, int n_ranks)
{
    struct bench_run run = {
        .options = options, .comm = MPI_COMM_WORLD, .rank = rank, .n_ranks = n_ranks};
    struct bench_output output = {.options = options, .n_ranks = n_ranks};
    int elsewhere;
    MPI_Comm_dup(MPI_COMM_WORLD, &run.control);
    bench_hosts_find(run.control, &output.n_hosts, &elsewhere);
    options->pingpong &= n_ranks > 1;
    if (options->pingpong_ranks[0] == BENCH_UNSET) {
        options->pingpong_ranks[0] = 0;
        options->pingpong_ranks[1] = elsewhere;
    }
    common_clock_init(&run.clock, run.control, options->shared_clock);
    enum bench_status status = measure_wanted(&run, &output);
    MPI_Comm_free(&run.control);
    return status == BENCH_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv)
{
    struct bench_options options;
    int rank, n_ranks, code = EXIT_SUCCESS;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const common_verdict_t verdict = read_request(argc, argv, rank, n_ranks, &options);
    if (verdict == COMMON_WRONG) {
        code = EXIT_OPTIONS;
    } else if (verdict == COMMON_RUN) {
        code = run_benchmark(&options, rank, n_ranks);
    }
    MPI_Finalize();
    return code;
}
