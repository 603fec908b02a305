/*
 * Files of recorded arrivals. What can be read must have its times in their bounds,
 * and delays of which the least is 0.
 */
#include <string.h>

#include "contrib/tools/bench/arrival_trace.h"
#include "test/fuzz/fuzz.h"

const char fuzz_name[] = "arrival_trace";

static void check_broadcast(const struct bench_trace *trace, int broadcast, int64_t *delays)
{
    const struct bench_trace_broadcast *known = &trace->broadcasts[broadcast];
    int64_t least = INT64_MAX;
    fuzz_must(known->bytes > 0);
    fuzz_must(0 <= known->root && known->root < trace->n_ranks);
    bench_trace_delays(trace, broadcast, delays);
    for (int rank = 0; rank < trace->n_ranks; rank++) {
        fuzz_must(delays[rank] >= 0);
        least = delays[rank] < least ? delays[rank] : least;
    }
    fuzz_must(least == 0);
}

static void check_trace(const struct bench_trace *trace)
{
    fuzz_must(1 <= trace->n_ranks && trace->n_ranks <= BENCH_TRACE_MOST_RANKS);
    fuzz_must(1 <= trace->n_broadcasts && trace->n_broadcasts <= BENCH_TRACE_MOST_BROADCASTS);
    int64_t *delays = malloc((size_t) trace->n_ranks * sizeof(*delays));
    fuzz_must(delays != NULL);
    for (int broadcast = 0; broadcast < trace->n_broadcasts; broadcast++) {
        check_broadcast(trace, broadcast, delays);
    }
    free(delays);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    struct bench_trace trace;
    char error[256] = "";
    FILE *file = fmemopen((void *) bytes, length, "r");
    if (file == NULL) {
        return 0; /* not every C library opens nothing */
    }
    const int status = bench_trace_read(&trace, file, "input", error, sizeof(error));
    fclose(file);
    fuzz_must((status == 0) == (error[0] == '\0'));
    if (status == 0) {
        check_trace(&trace);
        bench_trace_free(&trace);
    } else {
        fuzz_must(trace.broadcasts == NULL && trace.arrivals_ns == NULL);
        fuzz_must(strncmp(error, "input:", strlen("input:")) == 0);
    }
    return 0;
}
