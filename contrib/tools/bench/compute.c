#include "compute.h"

#include <time.h>

#include "contrib/tools/common/clock.h"

static void spin(int64_t until_ns)
{
    while (common_clock_local() < until_ns) {
    }
}

void bench_sleep(int64_t ns)
{
    const struct timespec time = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    nanosleep(&time, NULL);
}

/** Yields how long it took. */
static int64_t compute_piece(enum bench_compute how, int64_t ns)
{
    const int64_t begin = common_clock_local();
    if (how == BENCH_COMPUTE_SPIN) {
        spin(begin + ns);
    } else {
        bench_sleep(ns);
    }
    return common_clock_local() - begin;
}

int64_t bench_compute(enum bench_compute how, int64_t ns, int64_t piece_ns, MPI_Request *request)
{
    int64_t computed = 0;
    int through = 0;
    while (computed < ns) {
        const int64_t left = ns - computed;
        computed += compute_piece(how, left < piece_ns ? left : piece_ns);
        if (!through) {
            MPI_Test(request, &through, MPI_STATUS_IGNORE);
        }
    }
    return computed;
}
