/*
 * The reserve from inside: two threads keep memory at the same time, one of them much, as those of
 * two communicators may. What is kept must be enough for both.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "component/component.h"

enum { N_ROUNDS = 20000, MANY_RANKS = 3000, FEW_RANKS = 1 };

/** Less than the reserve for MANY_RANKS, more than that for FEW_RANKS. */
#define ENOUGH ((size_t) 1 << 20)

coll_pipebcast_component_t mca_coll_pipebcast_component;

static pthread_barrier_t barrier;

/** One round: both threads keep, then one looks. */
static void *keep(void *context)
{
    const int n_ranks = *(const int *) context;
    coll_pipebcast_reserve_t *reserve = &mca_coll_pipebcast_component.reserve;
    long n_small = 0;
    for (int round = 0; round < N_ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        (void) coll_pipebcast_reserve_keep(n_ranks, 0);
        pthread_barrier_wait(&barrier);
        if (n_ranks == MANY_RANKS) {
            n_small += reserve->bytes < ENOUGH || malloc_usable_size(reserve->block) < ENOUGH;
            coll_pipebcast_reserve_fini(reserve);
            coll_pipebcast_reserve_init(reserve);
        }
    }
    check(n_small == 0, "in %ld of %d rounds too little is kept", n_small, N_ROUNDS);
    return NULL;
}

int main(int argc, char **argv)
{
    int ranks[] = {MANY_RANKS, FEW_RANKS};
    pthread_t other;
    MPI_Init(&argc, &argv);
    coll_pipebcast_reserve_init(&mca_coll_pipebcast_component.reserve);
    pthread_barrier_init(&barrier, NULL, 2);
    check(pthread_create(&other, NULL, keep, &ranks[1]) == 0, "a thread is made");
    (void) keep(&ranks[0]);
    pthread_join(other, NULL);
    pthread_barrier_destroy(&barrier);
    coll_pipebcast_reserve_fini(&mca_coll_pipebcast_component.reserve);
    return check_done("run_reserve");
}
