#include "output_foreign.h"

#include <stdio.h>

/** osu_bcast's columns are so wide; IMB's are all alike. */
enum { OSU_SIZE = 10, OSU_TIME = 18, IMB_COLUMN = 13, IMB_COLUMNS = 5 };

bool bench_output_is_foreign(enum bench_format format)
{
    return format == BENCH_OSU || format == BENCH_IMB;
}

static double microseconds(double ns)
{
    return ns / 1e3;
}

/* ---- osu_bcast ---- */

static void begin_osu(void)
{
    printf("\n# OSU MPI Broadcast Latency Test, by pipebcast-bench %s\n"
           "# Ranks start at moments agreed on by clocks, and not by MPI_Barrier\n"
           "%-*s%*s\n",
           PACKAGE_VERSION, OSU_SIZE, "# Size", OSU_TIME, "Avg Latency(us)");
}

static void result_osu(const struct bench_result *result)
{
    printf("%-*lld%*.2f\n", OSU_SIZE, result->bytes, OSU_TIME, microseconds(result->calls.mean_ns));
}

/* ---- IMB-MPI1 Bcast ---- */

static void print_line(void)
{
    putchar('#');
    for (int i = 1; i < IMB_COLUMNS * IMB_COLUMN; i++) {
        putchar('-');
    }
    putchar('\n');
}

static void begin_imb(int n_ranks)
{
    print_line();
    printf("#    Intel(R) MPI Benchmarks, MPI-1 part, by pipebcast-bench %s\n", PACKAGE_VERSION);
    print_line();
    printf("# Ranks start at moments agreed on by clocks, and not by MPI_Barrier\n"
           "\n# List of Benchmarks to run:\n\n# Bcast\n\n");
    print_line();
    printf("# Benchmarking Bcast \n# #processes = %d \n", n_ranks);
    print_line();
    printf("%*s%*s%*s%*s%*s\n", IMB_COLUMN, "#bytes", IMB_COLUMN, "#repetitions", IMB_COLUMN,
           "t_min[usec]", IMB_COLUMN, "t_max[usec]", IMB_COLUMN, "t_avg[usec]");
}

static void result_imb(const struct bench_result *result)
{
    printf("%*lld%*d%*.2f%*.2f%*.2f\n", IMB_COLUMN, result->bytes, IMB_COLUMN, result->calls.n,
           IMB_COLUMN, microseconds(result->calls.min_ns), IMB_COLUMN,
           microseconds(result->calls.max_ns), IMB_COLUMN, microseconds(result->calls.mean_ns));
}

/* ---- either ---- */

void bench_output_foreign_begin(enum bench_format format, int n_ranks)
{
    if (format == BENCH_IMB) {
        begin_imb(n_ranks);
    } else {
        begin_osu();
    }
}

void bench_output_foreign_result(enum bench_format format, const struct bench_result *result)
{
    if (format == BENCH_IMB) {
        result_imb(result);
    } else {
        result_osu(result);
    }
}

void bench_output_foreign_end(enum bench_format format)
{
    if (format == BENCH_IMB) {
        printf("\n\n# All processes entering MPI_Finalize\n\n");
    }
}
