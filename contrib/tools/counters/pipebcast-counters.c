/*
 * pipebcast-counters: what the component counts. Without arguments, the counters and
 * what they mean; with sizes, under mpirun, what they show after each rank has
 * broadcast each size once.
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "contrib/tools/common/options.h"
#include "counters.h"

enum { EXIT_OPTIONS = 2 };

static const common_command_t command = {
    .name = "pipebcast-counters",
    .usage = "Usage: pipebcast-counters                      lists the counters of pipebcast\n"
             "       mpirun ... pipebcast-counters BYTES...  each rank broadcasts each size once;\n"
             "                                               prints the counters that moved, over\n"
             "                                               all ranks\n"
             "Sizes are from 1 byte to 2G - 1, as 1426, 64K or 1M.\n",
    .groups = (const common_group_t[]){{0}},
    .more = "Exit status: 0 done, 1 the component or its counters were not found on all ranks, or\n"
            "something failed, 2 wrong arguments.\n",
};

static const char not_found[] =
    "pipebcast-counters: Open MPI has not found pipebcast's counters. See whether\n"
    "`ompi_info --param coll pipebcast --level 9` shows the component: if not, it is not in a\n"
    "directory of the parameter mca_base_component_path, or the parameter coll leaves it out.\n";

static int list(void)
{
    struct bench_counters counters;
    if (!bench_counters_open(&counters)) {
        fprintf(stderr, "pipebcast-counters: MPI_T could not be initialised\n");
        return EXIT_FAILURE;
    }
    for (int i = 0; i < counters.n; i++) {
        printf("%s\n    %s\n", counters.list[i].name, counters.list[i].help);
    }
    const int n = counters.n;
    bench_counters_close(&counters);
    if (n == 0) {
        fputs(not_found, stderr);
    }
    return n > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** Each rank broadcasts the size once. False if out of memory; MPI ends the job on an error. */
static bool broadcast(int bytes)
{
    int size;
    char *buffer = calloc((size_t) bytes, 1);
    if (buffer == NULL) {
        return false;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int root = 0; root < size; root++) {
        MPI_Bcast(buffer, bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    }
    free(buffer);
    return true;
}

/** Rank 0 prints those that are not 0 everywhere: sum, least and most over the ranks. */
static void print(const struct bench_counters *counters, const unsigned long long *sum,
                  const unsigned long long *least, const unsigned long long *most)
{
    printf("%-44s %16s %16s %16s\n", "counter", "all ranks", "least rank", "most");
    for (int i = 0; i < counters->n; i++) {
        if (most[i] > 0) {
            printf("%-44s %16llu %16llu %16llu\n", counters->list[i].name, sum[i], least[i],
                   most[i]);
        }
    }
}

/** Whether all ranks have found as many counters, at least one; rank 0 reports it if not. */
static bool found_everywhere(const struct bench_counters *counters)
{
    int rank;
    int bounds[2] = {counters->n, -counters->n};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Allreduce(MPI_IN_PLACE, bounds, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (bounds[0] == 0 && rank == 0) {
        fputs(not_found, stderr);
    } else if (bounds[0] != -bounds[1] && rank == 0) {
        fprintf(stderr,
                "pipebcast-counters: ranks have from %d to %d counters. Install the same version "
                "of pipebcast on all hosts.\n",
                bounds[0], -bounds[1]);
    }
    return bounds[0] > 0 && bounds[0] == -bounds[1];
}

/**
 * Reads this rank's counters, and then, as what MPI does for us from here on may move
 * them, combines those of all ranks. False if they cannot be read or out of memory.
 */
static bool show(const struct bench_counters *counters, bool *found_p)
{
    static const MPI_Op ops[] = {MPI_SUM, MPI_MIN, MPI_MAX};
    const size_t n = (size_t) counters->n;
    int rank;
    unsigned long long *values = calloc(4 * n + 1, sizeof(*values));
    if (values == NULL || !bench_counters_read(counters, values)) {
        free(values);
        return false;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *found_p = found_everywhere(counters);
    for (size_t i = 0; *found_p && i < 3; i++) {
        MPI_Reduce(values, values + (i + 1) * n, counters->n, MPI_UNSIGNED_LONG_LONG, ops[i], 0,
                   MPI_COMM_WORLD);
    }
    if (*found_p && rank == 0) {
        print(counters, values + n, values + 2 * n, values + 3 * n);
    }
    free(values);
    return true;
}

static void fail(const char *what)
{
    fprintf(stderr, "pipebcast-counters: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static int count(const common_operands_t *sizes)
{
    struct bench_counters counters;
    MPI_Init(NULL, NULL);
    if (!bench_counters_open(&counters)) {
        fail("MPI_T could not be initialised");
    }
    for (int i = 0; i < sizes->n; i++) {
        int64_t bytes;
        if (common_read_size(sizes->words[i], 1, INT_MAX, &bytes) && !broadcast((int) bytes)) {
            fail("out of memory for the largest message; give smaller sizes");
        }
    }
    bool found = false;
    if (!show(&counters, &found)) {
        fail("the counters could not be read, or out of memory");
    }
    bench_counters_close(&counters);
    MPI_Finalize();
    return found ? EXIT_SUCCESS : EXIT_FAILURE;
}

/** Reads the command line; its operands must be sizes. */
static common_verdict_t read_arguments(int argc, char **argv, common_operands_t *operands,
                                       common_complaint_t complaint)
{
    const common_verdict_t verdict =
        common_options_read(&command, argc, argv, NULL, operands, complaint);
    for (int i = 0; verdict == COMMON_RUN && i < operands->n; i++) {
        int64_t bytes;
        if (!common_read_size(operands->words[i], 1, INT_MAX, &bytes)) {
            common_wrong(complaint,
                         "'%s' is not a size from 1 to %d bytes; write for example 1426, 64K or 1M",
                         operands->words[i], INT_MAX);
            return COMMON_WRONG;
        }
    }
    return verdict;
}

int main(int argc, char **argv)
{
    common_operands_t operands;
    char message[512];
    const common_complaint_t complaint = {message, sizeof message};
    const common_verdict_t verdict = read_arguments(argc, argv, &operands, complaint);
    if (verdict != COMMON_RUN) {
        common_options_answer(&command, verdict, message);
        return verdict == COMMON_WRONG ? EXIT_OPTIONS : EXIT_SUCCESS;
    }
    return operands.n == 0 ? list() : count(&operands);
}
