#include "pingpong.h"

#include <stdlib.h>

#include "contrib/tools/common/quiet.h"
#include "contrib/tools/common/report.h"
#include "topo/util/median.h"

enum { TAG_ROUNDS = 2, TAG_BALL = 3 };

/** The message between two ranks. */
struct ball {
    unsigned char *memory;
    int bytes, peer;
    MPI_Comm comm;
};

static void send_ball(const struct ball *ball)
{
    MPI_Send(ball->memory, ball->bytes, MPI_BYTE, ball->peer, TAG_BALL, ball->comm);
}

static void recv_ball(const struct ball *ball)
{
    MPI_Recv(ball->memory, ball->bytes, MPI_BYTE, ball->peer, TAG_BALL, ball->comm,
             MPI_STATUS_IGNORE);
}

/** Announces n rounds to the other side and plays them; half of each round trip is a sample. */
static void play(const struct ball *ball, int n, double *samples_ns)
{
    MPI_Send(&n, 1, MPI_INT, ball->peer, TAG_ROUNDS, ball->comm);
    for (int i = 0; i < n; i++) {
        int64_t begin = coll_pipebcast_now();
        send_ball(ball);
        recv_ball(ball);
        samples_ns[i] = (double) (coll_pipebcast_now() - begin) / 2;
    }
}

/** The first rank decides how long to go on. Returns the number of samples. */
static int lead(const struct ball *ball, const struct bench_options *options, int64_t budget_ns,
                double *samples_ns)
{
    const int64_t begin = coll_pipebcast_now();
    const int n_warmup = bench_warmup_of(options, ball->bytes);
    int n = options->iterations, n_samples = 0;
    for (int i = 0; i < n_warmup && coll_pipebcast_now() - begin <= budget_ns / 2; i++) {
        play(ball, 1, samples_ns);
        n_samples = 1;
    }
    if (n_samples > 0) {
        const int64_t left = budget_ns - (coll_pipebcast_now() - begin);
        const int64_t fitting = left / (2 * (int64_t) samples_ns[0] + 1);
        n = fitting < n ? (int) (fitting > 0 ? fitting : 0) : n;
    }
    if (n > 0) { /* otherwise the warm-up's round is all there is time for */
        play(ball, n, samples_ns);
        n_samples = n;
    }
    play(ball, 0, samples_ns);
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

void bench_pingpong(struct bench_measuring *measuring, struct bench_result *result_p)
{
    const struct bench_run *run = measuring->run;
    const int *pair = run->options->pingpong_ranks;
    struct ball ball = {.memory = measuring->payload.memory,
                        .bytes = (int) measuring->payload.bytes,
                        .comm = run->control};
    int64_t found[2] = {0, 0}; /* median, samples */
    if (run->rank == pair[0]) {
        double *samples_ns = common_alloc((size_t) run->options->iterations, sizeof *samples_ns);
        ball.peer = pair[1];
        found[1] = lead(&ball, run->options, measuring->limit_ns / 4, samples_ns);
        found[0] = (int64_t) pb_median(samples_ns, (int) found[1]);
        free(samples_ns);
    } else if (run->rank == pair[1]) {
        ball.peer = pair[0];
        follow(&ball);
    }
    common_quiet_barrier(run->control);
    MPI_Bcast(found, 2, MPI_INT64_T, pair[0], run->control);
    result_p->pingpong.median_ns = found[0];
    result_p->pingpong.n = (int) found[1];
}
