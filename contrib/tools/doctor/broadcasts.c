#include "broadcasts.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/counters/counters.h"
#include "topo/util/median.h"

/** Pairs of broadcasts, one of each side: before the measurement, and in it. */
enum { FIRST_PAIRS = 2, MOST_PAIRS = 15 };

/* ---- what became of one ---- */

void doctor_broadcast_try(const struct doctor_sides *sides, char *memory, int64_t bytes,
                          char how[DOCTOR_HOW_SIZE])
{
    struct bench_counters counters;
    unsigned long long *values = NULL;
    how[0] = '\0';
    const bool opened = bench_counters_open(&counters);
    if (opened) {
        values = common_alloc(2 * (size_t) counters.n, sizeof *values);
    }
    const bool knows = values != NULL && bench_counters_read(&counters, values);
    MPI_Bcast(memory, (int) bytes, MPI_BYTE, 0, sides->pipebcast);
    if (knows && bench_counters_read(&counters, values + counters.n)) {
        bench_counters_served(&counters, values, values + counters.n, how, DOCTOR_HOW_SIZE);
    }
    free(values);
    if (opened) {
        bench_counters_close(&counters);
    }
}

bool doctor_was_passed(const char *how)
{
    static const char fallback[] = "fallback_";
    return strncmp(how, fallback, strlen(fallback)) == 0;
}

/* ---- times ---- */

/** Any communicator of the ranks but pipebcast's, if there is one: for what is not measured. */
static MPI_Comm other_of(const struct doctor_sides *sides)
{
    return sides->fallback != MPI_COMM_NULL ? sides->fallback : sides->pipebcast;
}

/** Seconds, equal on all ranks. */
static double timed(const struct doctor_sides *sides, MPI_Comm comm, char *memory, int64_t bytes)
{
    MPI_Barrier(other_of(sides));
    const int64_t begin = coll_pipebcast_now();
    MPI_Bcast(memory, (int) bytes, MPI_BYTE, 0, comm);
    double seconds = (double) (coll_pipebcast_now() - begin) * 1e-9;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, other_of(sides));
    return seconds;
}

void doctor_broadcast_measure(const struct doctor_sides *sides, char *memory, int64_t bytes,
                              double time_limit_s, doctor_broadcasting_fn_t *broadcasting,
                              struct doctor_broadcast *result_p)
{
    const MPI_Comm comms[2] = {sides->fallback, sides->pipebcast};
    double times[2][MOST_PAIRS], spent_s = 0;
    int n = 0;
    *result_p = (struct doctor_broadcast){.bytes = bytes};
    if (sides->pipebcast != MPI_COMM_NULL) {
        broadcasting(bytes, true);
        doctor_broadcast_try(sides, memory, bytes, result_p->how);
    }
    for (int pair = -FIRST_PAIRS; n < MOST_PAIRS && (n == 0 || spent_s < time_limit_s); pair++) {
        double pair_s = 0;
        for (int side = 0; side < 2; side++) {
            if (comms[side] != MPI_COMM_NULL) {
                broadcasting(bytes, side == 1);
                times[side][n] = timed(sides, comms[side], memory, bytes);
                pair_s += times[side][n];
            }
        }
        spent_s += pair_s;
        /* Where one pair takes most of the time, the first one has to do. */
        n += pair >= 0 || spent_s > time_limit_s / 2;
    }
    result_p->n_pairs = n;
    result_p->fallback_s = sides->fallback != MPI_COMM_NULL ? pb_median(times[0], n) : 0;
    result_p->pipebcast_s = sides->pipebcast != MPI_COMM_NULL ? pb_median(times[1], n) : 0;
}
