/*
 * The whole message to each child in turn, over the in-memory world of world.h.
 */
#include <stdlib.h>

#include "engine/turns.h"
#include "plans.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "world.h"

#define N_RANKS 5
#define MAX_ROUNDS 5000

static const pb_transfer_limits_t limits = {.receive_window = 3, .send_window = 2, .ahead = 1};

/** A root and its receivers. */
typedef struct run {
    world_t *world;
    pb_role_t *roles[N_RANKS];
    pb_turns_t turns;
    pb_transfer_t transfers[N_RANKS];
    bool through[N_RANKS];
} run_t;

static void run_init(run_t *run, uint64_t seed)
{
    pb_plan_t *plan = plans_flat(N_RANKS, 0);
    world_t *w = world_new(seed, N_RANKS, 0, 137, 10);
    *run = (run_t){.world = w};
    w->bounces = seed % 2;
    w->busy_percent = seed % 3 == 0 ? 50 : 0;
    w->early_percent = seed % 5 < 3 ? 100 : 50;
    for (int rank = 0; rank < N_RANKS; rank++) {
        run->roles[rank] = pb_role_new(plan, rank);
        if (rank > 0 &&
            !pb_transfer_start(&run->transfers[rank], run->roles[rank], &limits, w->total,
                               w->segment_size, &w->transports[rank], &w->messages[rank])) {
            abort();
        }
    }
    if (!pb_turns_start(&run->turns, run->roles[0], &limits, w->total, w->segment_size,
                        &w->transports[0], &w->messages[0])) {
        abort();
    }
    plans_free(plan);
}

static void run_fini(run_t *run)
{
    pb_turns_finish(&run->turns);
    for (int rank = 0; rank < N_RANKS; rank++) {
        if (rank > 0) {
            pb_transfer_finish(&run->transfers[rank]);
        }
        free(run->roles[rank]);
    }
    world_free(run->world);
}

static bool advance(run_t *run, int rank)
{
    return rank == 0 ? pb_turns_advance(&run->turns) : pb_transfer_advance(&run->transfers[rank]);
}

/** Whether all ranks get through. */
static bool run_all(run_t *run)
{
    int n_through = 0;
    for (int round = 0; round < MAX_ROUNDS && n_through < N_RANKS; round++) {
        const int rank = pb_random_below(&run->world->random, N_RANKS);
        if (!run->through[rank]) {
            run->through[rank] = advance(run, rank);
            n_through += run->through[rank];
            if (run->through[rank] && run->turns.error == 0) {
                world_rank_ends(run->world, rank);
            }
        }
        world_step(run->world);
    }
    return n_through == N_RANKS;
}

static void test_all_get_it(void)
{
    int n_stuck = 0, n_wrong = 0, n_left = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        run_t run;
        run_init(&run, seed);
        n_stuck += !run_all(&run);
        for (int rank = 0; rank < N_RANKS; rank++) {
            n_wrong += !world_rank_has_all(run.world, rank);
        }
        n_wrong += run.turns.error != 0 || run.world->n_breaches != 0;
        n_left += run.world->n_alive != 0 || run.world->n_buffers != 0;
        run_fini(&run);
    }
    ok(n_stuck == 0, "all ranks end");
    ok(n_wrong == 0, "every rank has every byte");
    ok(n_left == 0, "every request and buffer is given back");
}

/** Nobody receives, and the sends go without: the root leaves. */
static void test_late_receivers(void)
{
    run_t run;
    bool through = false;
    run_init(&run, 1);
    for (int round = 0; round < MAX_ROUNDS && !through; round++) {
        through = pb_turns_advance(&run.turns);
        world_step(run.world);
    }
    ok(through, "the root does not wait for receivers that have not come");
    run_fini(&run);
}

static void test_turns(void)
{
    run_t run;
    run_init(&run, 2);
    run.world->early_percent = 0;
    pb_turns_advance(&run.turns);
    ok(world_n_sends(run.world, 0, 1) > 0 && world_n_sends(run.world, 0, 2) == 0,
       "the second child's turn is after the first's");
    run_all(&run);
    run_fini(&run);
}

static void test_error(void)
{
    int n_stuck = 0, n_silent = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        run_t run;
        run_init(&run, seed);
        run.world->fail_rank = 0;
        run.world->fail_call = CALL_TO_SEND;
        run.world->fail_after = (int) seed % 50;
        n_stuck += !run_all(&run);
        for (int rank = 1; rank < N_RANKS && run.world->failed; rank++) {
            n_silent += !world_rank_has_all(run.world, rank) && run.transfers[rank].error == 0;
        }
        n_silent += run.world->failed && run.turns.error != WORLD_ERROR;
        run_fini(&run);
    }
    ok(n_stuck == 0, "after an error all ranks end");
    ok(n_silent == 0, "who has not got every byte has an error");
}

/** Everyone leaves in the middle: nothing new is started, and who waits for nothing else ends. */
static void test_cancel(void)
{
    int n_wrong = 0, n_left = 0, n_ended = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        run_t run;
        run_init(&run, seed);
        for (int round = 0; round < (int) seed % 30; round++) {
            advance(&run, round % N_RANKS);
            world_step(run.world);
        }
        pb_turns_cancel(&run.turns);
        for (int rank = 1; rank < N_RANKS; rank++) {
            pb_transfer_cancel(&run.transfers[rank]);
        }
        for (int round = 0; round < 200; round++) {
            const int rank = round % N_RANKS;
            run.through[rank] = run.through[rank] || advance(&run, rank);
            world_step(run.world);
        }
        for (int rank = 1; rank < N_RANKS; rank++) {
            n_left += !run.through[rank];
        }
        n_ended += run.through[0] && run.turns.broken;
        n_wrong += run.world->n_breaches != 0;
        run_fini(&run);
    }
    ok(n_left == 0 && n_ended > 0, "after a cancel receivers end, and the root %d times", n_ended);
    ok(n_wrong == 0, "and all is used as it may be");
}

static void test_memory(void)
{
    pb_plan_t *plan = plans_flat(N_RANKS, 0);
    pb_role_t *role = pb_role_new(plan, 0);
    world_t *w = world_new(1, N_RANKS, 0, 100, 10);
    int n_failed = 0, n_left = 0;
    bool started = false;
    for (int after = 0; !started; after++) {
        pb_turns_t turns;
        const long before = failing_memory_alive();
        failing_memory_after(after);
        started = pb_turns_start(&turns, role, &limits, w->total, w->segment_size,
                                 &w->transports[0], &w->messages[0]);
        failing_memory_after(-1);
        n_failed += !started;
        n_left += !started && failing_memory_alive() != before;
        if (started) {
            pb_turns_finish(&turns);
        }
    }
    ok(n_failed == 1 + 2 * (N_RANKS - 1), "each of %d allocations may fail", n_failed);
    ok(n_left == 0, "and nothing is left behind");
    world_free(w);
    free(role);
    plans_free(plan);
}

int main(void)
{
    test_all_get_it();
    test_late_receivers();
    test_turns();
    test_error();
    test_cancel();
    test_memory();
    return tap_done();
}
