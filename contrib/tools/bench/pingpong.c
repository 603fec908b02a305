#include "pingpong.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/median.h"
#include "contrib/tools/common/quiet.h"
#include "contrib/tools/common/report.h"

enum { TAG_ROUNDS = 2, TAG_BALL = 3 };

/** A contiguous message between two ranks. */
struct ball {
    unsigned char *memory;
    int count;
    MPI_Datatype type;
    int peer;
    MPI_Comm comm;
};

static void send_ball(const struct ball *ball)
{
    MPI_Send(ball->memory, ball->count, ball->type, ball->peer, TAG_BALL, ball->comm);
}

static void recv_ball(const struct ball *ball)
{
    MPI_Recv(ball->memory, ball->count, ball->type, ball->peer, TAG_BALL, ball->comm,
             MPI_STATUS_IGNORE);
}

/** Announces n rounds to the other side and plays them; half of each round trip is a sample. */
static void play(const struct ball *ball, int n, double *samples_ns)
{
    MPI_Send(&n, 1, MPI_INT, ball->peer, TAG_ROUNDS, ball->comm);
    for (int i = 0; i < n; i++) {
        int64_t begin = common_clock_local();
        send_ball(ball);
        recv_ball(ball);
        samples_ns[i] = (double) (common_clock_local() - begin) / 2;
    }
}

/** The first rank decides how long to go on. Returns the number of samples. */
static int lead(const struct ball *ball, const struct bench_options *options, int n_warmup,
                int64_t budget_ns, double *samples_ns)
{
    int64_t begin = common_clock_local();
    int n = options->iterations, n_samples = 0;
    for (int i = 0; i < n_warmup; i++) {
        play(ball, 1, samples_ns);
        n_samples = 1;
        if (budget_ns > 0 && common_clock_local() - begin > budget_ns / 2) {
            break;
        }
    }
    if (budget_ns > 0 && n_samples > 0) {
        int64_t left = budget_ns - (common_clock_local() - begin);
        int64_t fitting = left / (2 * (int64_t) samples_ns[0] + 1);
        n = fitting < n ? (int) (fitting > 0 ? fitting : 0) : n;
    }
    if (n > 0) { /* otherwise the warm-up's round is all there is time for */
        play(ball, n, samples_ns);
        n_samples = n;
    }
    int stop = 0;
    MPI_Send(&stop, 1, MPI_INT, ball->peer, TAG_ROUNDS, ball->comm);
    return n_samples;
}

static void follow(const struct ball *ball)
{
    int n = 1;
    while (n > 0) {
        MPI_Recv(&n, 1, MPI_INT, ball->peer, TAG_ROUNDS, ball->comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++) {
            recv_ball(ball);
            send_ball(ball);
        }
    }
}

/** Makes a ball of `bytes`: counted in longer elements where an int could not count bytes. */
static bool make_ball(struct ball *ball, long long bytes, int peer, MPI_Comm comm)
{
    bool wide = bytes > INT_MAX && bytes % 8 == 0;
    ball->type = wide ? MPI_INT64_T : MPI_BYTE;
    ball->count = (int) (wide ? bytes / 8 : bytes);
    ball->peer = peer;
    ball->comm = comm;
    ball->memory = malloc((size_t) bytes);
    if (ball->memory) {
        memset(ball->memory, 1, (size_t) bytes);
    }
    return ball->memory != NULL;
}

enum bench_status bench_pingpong(struct bench_run *run, long long bytes, int64_t budget_ns,
                                 struct bench_result *result_p)
{
    const struct bench_options *options = run->options;
    const int *pair = options->pingpong_ranks;
    struct ball ball = {.memory = NULL};
    double *samples_ns = NULL;
    bool first = run->rank == pair[0], second = run->rank == pair[1];
    bool has_memory = true;
    if (first || second) {
        has_memory = make_ball(&ball, bytes, first ? pair[1] : pair[0], run->control);
    }
    if (first && has_memory) {
        samples_ns = calloc((size_t) options->iterations, sizeof *samples_ns);
        has_memory = samples_ns != NULL;
    }
    const bool all_have_memory = common_all_good(has_memory, run->control);

    int64_t found[2] = {0, 0}; /* median, samples */
    if (first && all_have_memory) {
        found[1] = lead(&ball, options, bench_warmup_of(options, bytes), budget_ns, samples_ns);
        found[0] = (int64_t) common_median(samples_ns, (int) found[1]);
    }
    if (second && all_have_memory) {
        follow(&ball);
    }
    free(ball.memory);
    free(samples_ns);
    if (!has_memory) {
        common_report("rank %d: no memory for a ping-pong of %lld bytes", run->rank, bytes);
    }
    common_quiet_barrier(run->control);
    MPI_Bcast(found, 2, MPI_INT64_T, pair[0], run->control);
    result_p->pingpong.median_ns = found[0];
    result_p->pingpong.n = (int) found[1];
    return all_have_memory ? BENCH_OK : BENCH_NO_MEMORY;
}
