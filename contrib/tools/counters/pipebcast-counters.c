/*
 * pipebcast-counters: what the component counts. In a job, what the counters show after up to 64
 * ranks have broadcast each size once; else the counters and what they mean.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/json.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/terminal.h"
#include "counters.h"
#include "options.h"

/** Ranks that broadcast, at most: with each root there are further connections. */
enum { MOST_ROOTS = 64 };

static const char not_found[] =
    "Open MPI has not found pipebcast's counters. See whether\n"
    "`ompi_info --param coll pipebcast --level 9` shows the component: if not, it is not in a\n"
    "directory of the parameter mca_base_component_path, or the parameter coll leaves it out.";

static void open_counters(struct bench_counters *counters)
{
    if (!bench_counters_open(counters)) {
        common_end(COMMON_EXIT_FAILED, "MPI_T could not be initialized");
    }
}

static void list_json(const struct bench_counters *counters)
{
    const common_json_t whole = common_json_begin("pipebcast counters");
    const common_json_t array = common_json_array(whole, "counters");
    for (int i = 0; i < counters->n; i++) {
        const common_json_t object = common_json_object(array, NULL);
        common_json_text(object, "name", counters->list[i].name);
        common_json_text(object, "help", counters->list[i].help);
    }
    common_json_end(whole, stdout);
}

/** Lists all counters; without MPI. */
static void list(const struct counters_options *options)
{
    struct bench_counters counters;
    open_counters(&counters);
    if (counters.n == 0) {
        common_end(COMMON_EXIT_FAILED, "%s", not_found);
    }
    if (options->json) {
        list_json(&counters);
    }
    for (int i = 0; !options->json && i < counters.n; i++) {
        printf("%s\n    %s\n", counters.list[i].name, counters.list[i].help);
    }
    common_check_output();
    bench_counters_close(&counters);
}

/** Broadcasts the size once from each rank, of many from up to MOST_ROOTS; MPI ends the job on an
 * error. */
static void broadcast(int bytes)
{
    int size;
    char *buffer = common_alloc((size_t) bytes, 1);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int root = 0; root < size; root += size / MOST_ROOTS + 1) {
        MPI_Bcast(buffer, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    }
    free(buffer);
}

/** Rank 0's output: the counters' sums, least and most values over the ranks. */
struct totals {
    const struct bench_counters *counters;
    const unsigned long long *sum, *least, *most;
};

static void print_json(const struct counters_options *options, const struct totals *totals)
{
    const struct bench_counters *counters = totals->counters;
    const common_json_t whole = common_json_begin("pipebcast counters");
    const common_json_t sizes = common_json_array(whole, "sizes");
    int n_ranks;
    for (int i = 0; i < options->sizes.n; i++) {
        common_json_integer(sizes, NULL, options->sizes.values[i]);
    }
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    common_json_integer(whole, "ranks", n_ranks);
    const common_json_t array = common_json_array(whole, "counters");
    for (int i = 0; i < counters->n; i++) {
        const common_json_t object = common_json_object(array, NULL);
        common_json_text(object, "name", counters->list[i].name);
        common_json_integer(object, "all_ranks", (int64_t) totals->sum[i]);
        common_json_integer(object, "least_rank", (int64_t) totals->least[i]);
        common_json_integer(object, "most", (int64_t) totals->most[i]);
    }
    common_json_end(whole, stdout);
}

/** Prints the counters that are not 0 everywhere. */
static void print_text(const struct totals *totals)
{
    const struct bench_counters *counters = totals->counters;
    const unsigned long long *sum = totals->sum, *least = totals->least, *most = totals->most;
    bool moved = false;
    for (int i = 0; i < counters->n; i++) {
        moved |= most[i] > 0;
    }
    if (!moved) {
        printf("no counter moved: Open MPI did not ask pipebcast for these broadcasts; pipebcast "
               "doctor explains it\n");
        return;
    }
    printf("%-44s %16s %16s %16s\n", "counter", "all ranks", "least of a rank", "most of a rank");
    for (int i = 0; i < counters->n; i++) {
        if (most[i] > 0) {
            printf("%-44s %16llu %16llu %16llu\n", counters->list[i].name, sum[i], least[i],
                   most[i]);
        }
    }
}

/** Tells whether all ranks have found the same number of counters, at least one; else rank 0
 * reports it. */
static bool found_everywhere(const struct bench_counters *counters)
{
    int rank;
    int bounds[2] = {counters->n, -counters->n};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (bounds[0] == 0 && rank == 0) {
        common_report("%s", not_found);
    } else if (bounds[0] != -bounds[1] && rank == 0) {
        common_report("ranks have from %d to %d counters. Install the same version of pipebcast on "
                      "all hosts.",
                      bounds[0], -bounds[1]);
    }
    return bounds[0] > 0 && bounds[0] == -bounds[1];
}

/** Reads this rank's counters, and then, as what MPI does for us from here on may move them,
 * combines those of all ranks. */
static void show(const struct counters_options *options, const struct bench_counters *counters)
{
    static const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX};
    const size_t n = (size_t) counters->n;
    int rank;
    unsigned long long *values = common_alloc(4 * n, sizeof(*values));
    if (!bench_counters_read(counters, values)) {
        common_end(COMMON_EXIT_FAILED, "the counters could not be read");
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    common_require(found_everywhere(counters), MPI_COMM_WORLD);
    for (size_t i = 0; i < 3; i++) {
        MPI_Reduce(values, values + (i + 1) * n, counters->n, MPI_UNSIGNED_LONG_LONG, ops[i], 0,
                   MPI_COMM_WORLD);
    }
    const struct totals totals = {counters, values + n, values + 2 * n, values + 3 * n};
    if (rank == 0 && options->json) {
        print_json(options, &totals);
    } else if (rank == 0) {
        print_text(&totals);
    }
    common_check_output();
    free(values);
}

static void count(const struct counters_options *options)
{
    struct bench_counters counters;
    common_require_job("counters");
    common_init(NULL, NULL);
    open_counters(&counters);
    for (int i = 0; i < options->sizes.n; i++) {
        broadcast((int) options->sizes.values[i]);
    }
    show(options, &counters);
    bench_counters_close(&counters);
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    struct counters_options options = {.json = false};
    counters_options_read(argc, argv, &options);
    if (options.sizes.n == 0) {
        list(&options);
    } else {
        count(&options);
    }
    return COMMON_EXIT_DONE;
}
