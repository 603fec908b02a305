/*
 * The whole message to each child in turn, over the in-memory world of world.h.
 */
#include "plans.h"
#include "run.h"
#include "test/failing_memory.h"
#include "test/tap.h"

#define N_RANKS 5

/** A root that takes turns, and its receivers, in a random world. */
static run_t run_of(const pb_plan_t *plan, uint64_t seed)
{
    pb_random_t random = pb_random_seed(seed);
    run_t run = run_random(&random, seed, plan, false);
    run.parts[0].takes_turns = true;
    return run;
}

static void test_all_get_it(const pb_plan_t *plan)
{
    tally_t tally = {0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        run_t run = run_of(plan, seed);
        run_all(&run, &tally, seed);
    }
    ok(tally.failures == 0, "every rank has every byte, and nothing is left %s", tally.first);
}

/** Nobody receives, and the sends go without: the root leaves. */
static void test_late_receivers(const pb_plan_t *plan)
{
    tally_t tally = {0};
    run_t run = run_of(plan, 1);
    run.world->early_percent = 100;
    for (int rank = 1; rank < N_RANKS; rank++) {
        run.parts[rank].late = MAX_ROUNDS;
    }
    run_rounds(&run, 5000);
    ok(run.parts[0].through, "the root does not wait for receivers that have not come");
    run_fini(&run, &tally, 1);
}

static void test_turns(const pb_plan_t *plan)
{
    tally_t tally = {0};
    run_t run = run_of(plan, 2);
    run.world->early_percent = 0;
    run_advance(&run, 0, MAX_ROUNDS);
    ok(world_n_sends(run.world, 0, 1) > 0 && world_n_sends(run.world, 0, 2) == 0,
       "the second child's turn is after the first's");
    run_all(&run, &tally, 2);
}

/** What the root has not sent is an error of who lacks it. */
static void test_error(const pb_plan_t *plan)
{
    tally_t tally = {0};
    for (uint64_t seed = 0; seed < 100; seed++) {
        run_t run = run_of(plan, seed);
        run_failing(&run, 0, CALL_TO_SEND, (int) seed % 50, &tally, seed);
    }
    ok(tally.runs > 30 && tally.failures == 0,
       "after an error of the root all ranks end, and who lacks bytes has an error (%d) %s",
       tally.runs, tally.first);
}

/** Everyone leaves in the middle: nothing new is started, and who waits for nothing else ends. */
static void test_cancel(const pb_plan_t *plan)
{
    tally_t tally = {0};
    int n_left = 0, n_ended = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        run_t run = run_of(plan, seed);
        run_rounds(&run, 1 + (int) seed % 30);
        run_cancel(&run);
        for (int round = 0; round < 200; round++) {
            for (int rank = 0; rank < N_RANKS; rank++) {
                if (run.parts[rank].started) {
                    run_advance(&run, rank, MAX_ROUNDS);
                }
            }
            world_step(run.world);
        }
        for (int rank = 1; rank < N_RANKS; rank++) {
            n_left += run.parts[rank].started && !run.parts[rank].through;
        }
        n_ended += run.parts[0].through && run.parts[0].turns.broken;
        run_fini(&run, &tally, seed);
    }
    ok(n_left == 0 && n_ended > 0, "after a cancel receivers end, and the root %d times", n_ended);
    ok(tally.failures == 0, "and all is used as it may be %s", tally.first);
}

static void test_memory(const pb_plan_t *plan)
{
    tally_t tally = {0};
    run_t run = run_of(plan, 1);
    int n_failed = 0, n_left = 0;
    bool started = false;
    for (int after = 0; !started; after++) {
        const long before = failing_memory_alive();
        failing_memory_after(after);
        started = run_start(&run, 0);
        failing_memory_after(-1);
        n_failed += !started;
        n_left += !started && failing_memory_alive() != before;
    }
    ok(n_failed == 1 + 2 * (N_RANKS - 1), "each of %d allocations may fail", n_failed);
    ok(n_left == 0, "and nothing is left behind");
    run_fini(&run, &tally, 1);
}

int main(void)
{
    pb_plan_t *plan = plans_flat(N_RANKS, 0);
    test_all_get_it(plan);
    test_late_receivers(plan);
    test_turns(plan);
    test_error(plan);
    test_cancel(plan);
    test_memory(plan);
    plans_free(plan);
    return tap_done();
}
