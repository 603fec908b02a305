/*
 * Every rank learns every rank's number, over the in-memory world of world.h.
 */
#include <stdlib.h>

#include "engine/gather.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "world.h"

enum { MAX_ROUNDS = 5000 };

/** The gathers of all ranks of a world. */
typedef struct run {
    world_t *world;
    int n_ranks;
    pb_gather_t *gathers; /**< by rank */
    bool *through;        /**< likewise */
    int *error;           /**< likewise */
    bool begins_again;    /**< each rank that is through begins a second one, once */
    bool *again;          /**< by rank: has begun it */
} run_t;

static uint64_t number_of(int rank)
{
    return UINT64_C(0x123456789abcdef) * (uint64_t) (rank + 1);
}

static void run_init(run_t *run, uint64_t seed, int n_ranks)
{
    *run = (run_t){.world = world_new(seed, n_ranks, 0, 8 * (size_t) n_ranks, 8 * (size_t) n_ranks),
                   .n_ranks = n_ranks,
                   .gathers = calloc((size_t) n_ranks, sizeof(*run->gathers)),
                   .through = calloc((size_t) n_ranks, sizeof(*run->through)),
                   .error = calloc((size_t) n_ranks, sizeof(*run->error)),
                   .again = calloc((size_t) n_ranks, sizeof(*run->again))};
    run->world->early_percent = seed % 3 == 0 ? 100 : 30;
    for (int rank = 0; rank < n_ranks; rank++) {
        if (!pb_gather_init(&run->gathers[rank], &run->world->transports[rank], rank, n_ranks,
                            number_of(rank))) {
            abort();
        }
    }
}

static void run_fini(run_t *run)
{
    for (int rank = 0; rank < run->n_ranks; rank++) {
        pb_gather_fini(&run->gathers[rank]);
    }
    world_free(run->world);
    free(run->gathers);
    free(run->through);
    free(run->error);
    free(run->again);
}

/** Advances ranks at random until all are through, or nothing moves; whether all are. */
static bool run_rounds(run_t *run)
{
    int n_through = 0;
    for (int round = 0; round < MAX_ROUNDS && n_through < run->n_ranks; round++) {
        const int rank = pb_random_below(&run->world->random, run->n_ranks);
        if (!run->through[rank]) {
            run->through[rank] = pb_gather_advance(&run->gathers[rank], &run->error[rank]);
            if (run->through[rank] && run->begins_again && !run->again[rank]) {
                pb_gather_again(&run->gathers[rank], (uint64_t) rank + 7);
                run->again[rank] = true;
                run->through[rank] = false;
            }
            n_through += run->through[rank];
        }
        world_step(run->world);
    }
    return n_through == run->n_ranks;
}

static bool all_are_right(const run_t *run)
{
    for (int rank = 0; rank < run->n_ranks; rank++) {
        for (int of = 0; of < run->n_ranks; of++) {
            if (run->error[rank] != 0 ||
                pb_gather_number(&run->gathers[rank], of) != number_of(of)) {
                return false;
            }
        }
    }
    return true;
}

static void test_sizes(void)
{
    int unfinished = 0, wrong = 0, dirty = 0;
    for (int n_ranks = 1; n_ranks <= 40; n_ranks++) {
        run_t run;
        run_init(&run, (uint64_t) n_ranks, n_ranks);
        if (!run_rounds(&run)) {
            unfinished++;
        } else {
            wrong += !all_are_right(&run);
        }
        dirty += run.world->n_alive != 0 || run.world->n_breaches != 0;
        run_fini(&run);
    }
    ok(unfinished == 0, "gathers of 1 to 40 ranks end");
    ok(wrong == 0, "with every rank's number at every rank");
    ok(dirty == 0, "and nothing is left under way");
}

/** What the ranks learn second, in the same memory and over the same tag. */
static void test_again(void)
{
    int unfinished = 0, wrong = 0;
    for (int n_ranks = 2; n_ranks <= 20; n_ranks++) {
        run_t run;
        bool is_second = false;
        run_init(&run, (uint64_t) n_ranks, n_ranks);
        run.begins_again = true;
        unfinished += !run_rounds(&run);
        for (int rank = 0; rank < n_ranks && run.through[rank]; rank++) {
            for (int of = 0; of < n_ranks; of++) {
                wrong += pb_gather_number(&run.gathers[rank], of) != (uint64_t) of + 7;
            }
            is_second = true;
        }
        wrong += !is_second || run.world->n_alive != 0;
        run_fini(&run);
    }
    ok(unfinished == 0 && wrong == 0, "a gather after a gather, each rank going on at once");
}

static void test_errors(void)
{
    static const call_t calls[] = {CALL_SEND, CALL_RECEIVE, CALL_SENT, CALL_ARRIVED, CALL_SHORT};
    int n_failed = 0, untold = 0;
    for (int i = 0; i < 200; i++) {
        run_t run;
        const int n_ranks = 2 + i % 11;
        run_init(&run, (uint64_t) i, n_ranks);
        run.world->fail_rank = i % n_ranks;
        run.world->fail_call = calls[i % 5];
        run.world->fail_after = i % 3;
        run_rounds(&run);
        if (run.world->failed) {
            n_failed++;
            untold += run.through[i % n_ranks] && run.error[i % n_ranks] == 0;
        }
        untold += run.world->n_breaches != 0;
        run_fini(&run);
    }
    ok(n_failed > 50 && untold == 0, "an error of a message is the gather's (%d of them)",
       n_failed);
}

static void test_no_memory(void)
{
    pb_gather_t gather = {.numbers = NULL};
    failing_memory_after(0);
    const bool made = pb_gather_init(&gather, NULL, 0, 2, 1);
    failing_memory_after(-1);
    ok(!made, "a start without memory is refused");
    pb_gather_fini(&gather);
}

int main(void)
{
    test_sizes();
    test_again();
    test_errors();
    test_no_memory();
    return tap_done();
}
