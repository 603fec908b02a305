/*
 * Many broadcasts together in threads that share nothing: the engine and topo/ have no hidden
 * state. The thread sanitizer (contrib/analyze) sees what a wrong result does not show.
 */
#include <pthread.h>

#include "arrivals.h"
#include "test/tap.h"

#define N_THREADS 4
#define N_SEEDS 10
#define MAX_RANKS 12
#define N_BROADCASTS 3
#define MAX_ROUNDS 100000

typedef struct work {
    pthread_t thread;
    uint64_t seed;
    int n_stuck, n_wrong;
} work_t;

static void run_one(work_t *work, uint64_t seed)
{
    arrivals_t *a = arrivals_new(seed, MAX_RANKS, N_BROADCASTS);
    a->is_auto = seed % 2 != 0;
    a->unasked = seed % 3 == 0;
    work->n_stuck += !arrivals_run(a, MAX_ROUNDS);
    work->n_wrong += a->n_breaches != 0;
    for (int i = 0; i < a->n_broadcasts; i++) {
        const broadcast_t *b = &a->broadcasts[i];
        for (int rank = 0; b->is_aware && rank < a->n_ranks; rank++) {
            work->n_wrong += b->errors[rank] != 0 || !world_rank_has_all(b->world, rank);
        }
    }
    arrivals_free(a);
}

static void *run_all(void *argument)
{
    work_t *work = argument;
    for (uint64_t i = 0; i < N_SEEDS; i++) {
        run_one(work, work->seed + i);
    }
    return NULL;
}

int main(void)
{
    work_t works[N_THREADS];
    int n_started = 0, n_stuck = 0, n_wrong = 0;
    for (int i = 0; i < N_THREADS; i++) {
        works[i] = (work_t){.seed = 1000 * (uint64_t) i};
        n_started += pthread_create(&works[i].thread, NULL, run_all, &works[i]) == 0;
    }
    if (!ok(n_started == N_THREADS, "there are %d threads", N_THREADS)) {
        return EXIT_FAILURE;
    }
    for (int i = 0; i < N_THREADS; i++) {
        pthread_join(works[i].thread, NULL);
        n_stuck += works[i].n_stuck;
        n_wrong += works[i].n_wrong;
    }
    ok(n_stuck == 0, "all broadcasts of all threads end");
    ok(n_wrong == 0, "every rank has every byte, without a breach");
    return tap_done();
}
