/*
 * The transfer engine: all ranks of a broadcast over the in-memory world of world.h.
 */
#include <stdlib.h>

#include "plans.h"
#include "run.h"
#include "test/failing_memory.h"
#include "test/tap.h"

/** Random trees over a few ranks. */
static pb_plan_t *random_plan(pb_random_t *random, int n_ranks)
{
    return plans_random(random, n_ranks, pb_random_below(random, n_ranks),
                        1 + pb_random_below(random, PB_PLAN_MAX_STREAMS));
}

static void test_random_plans(void)
{
    tally_t tally = {0};
    for (uint64_t seed = 0; seed < 3000; seed++) {
        pb_random_t random = pb_random_seed(seed);
        const int n_ranks = seed < 600 ? 1 + (int) seed % 3 : 1 + pb_random_below(&random, 12);
        pb_plan_t *plan = random_plan(&random, n_ranks);
        run_t run = run_random(&random, seed, plan, false);
        run_all(&run, &tally, seed);
        plans_free(plan);
    }
    ok(tally.failures == 0, "random trees: every rank has every byte of %d broadcasts %s",
       tally.runs, tally.first);
}

/** A plan of this kind on a random network; whether the kind fits. */
static bool kind_trial(pb_random_t *random, uint64_t seed, pb_kind_t kind, tally_t *tally)
{
    const pb_plan_options_t options = {.fanout = 1 + pb_random_below(random, 4)};
    pb_network_t *network =
        pb_random_network(random, (pb_shape_t) pb_random_below(random, PB_SHAPE_COUNT),
                          1 + pb_random_below(random, 5), 1 + pb_random_below(random, 12), 0);
    pb_placement_t *placement =
        pb_random_placement(random, network, 1 + pb_random_below(random, 2));
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    const int root = pb_random_below(random, placement->n_ranks);
    int rc = pb_view_new(placement, root, NULL, 0, &view);
    if (rc == PB_SUCCESS) {
        rc = pb_plan_compute(view, kind, &options, &plan);
    }
    if (rc == PB_SUCCESS) {
        run_t run = run_random(random, seed, plan, false);
        run_all(&run, tally, seed);
    } else if (rc != PB_ERR_UNFIT) {
        tally_note(tally, seed, "no plan");
    }
    pb_plan_free(plan);
    pb_view_free(view);
    pb_placement_free(placement);
    pb_network_free(network);
    return rc != PB_ERR_UNFIT;
}

static void test_kinds(void)
{
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        const char *name = pb_kind_name((pb_kind_t) kind);
        tally_t tally = {0};
        int n_unfit = 0;
        for (uint64_t seed = 0; seed < 300; seed++) {
            pb_random_t random = pb_random_seed(seed * PB_KIND_COUNT + (uint64_t) kind);
            n_unfit += !kind_trial(&random, seed, (pb_kind_t) kind, &tally);
        }
        printf("# %s: %d of 300 networks do not fit\n", name, n_unfit);
        if (tally.runs == 0 && tally.failures == 0) {
            ok(!pb_kind_row((pb_kind_t) kind)->serves_all, "%s # SKIP fits none of the networks",
               name);
        } else {
            ok(tally.failures == 0, "%s: every rank has every byte of %d broadcasts %s", name,
               tally.runs, tally.first);
        }
    }
}

/* Windows and paces. */

/** A broadcast over a plan from rank 0, which is to be judged by the test itself. */
static run_t run_of(uint64_t seed, const pb_plan_t *plan, size_t total, size_t segment_size,
                    pb_transfer_limits_t limits)
{
    run_t run = run_new(world_new(seed, plan->n_ranks, 0, total, segment_size), plan, limits);
    run.world->early_percent = 100;
    return run;
}

/** Before anything has moved, windows are full: that is what hides the latency. */
static void test_windows_are_used(tally_t *tally)
{
    pb_plan_t *plan = plans_flat(2, 0);
    run_t run =
        run_of(1, plan, 1000, 10, (pb_transfer_limits_t){.receive_window = 7, .send_window = 5});
    world_t *world = run.world;
    world->early_percent = 0;
    run_advance(&run, 0, 0);
    run_advance(&run, 1, 0);
    ok(world->most_sends == 5, "a child's window is filled (%d of 5)", world->most_sends);
    ok(world->most_receives == 7, "a parent's window is filled (%d of 7)", world->most_receives);
    run_all(&run, tally, 1);
    plans_free(plan);
}

/** One of three children never shows up: the others get everything. */
static void test_slow_child(tally_t *tally)
{
    pb_plan_t *plan = plans_flat(4, 0);
    run_t run = run_of(2, plan, 1000, 10,
                       (pb_transfer_limits_t){.receive_window = 4, .send_window = 3, .ahead = 40});
    run.world->early_percent = 50;
    run.parts[2].late = MAX_ROUNDS;
    run_rounds(&run, 5000);
    ok(run.parts[1].through && run.parts[3].through,
       "two children are through while the third is not there");
    ok(!run.parts[0].through, "the root still owes the third");
    ok(run.world->most_waiting <= 40, "%zu of 40 bytes wait at the third", run.world->most_waiting);
    run.parts[2].late = 0;
    run_all(&run, tally, 2);
    plans_free(plan);
}

/**
 * A root whose second child shows up late, and `ahead` bounds nothing: the root
 * still does not pour everything out, and the first child gets everything.
 */
static void test_paced_late_child(tally_t *tally)
{
    const size_t segment_size = 8192; /* 16 segments are more than the bytes of a pace */
    const size_t pace = PB_TRANSFER_SYNCHRONOUS * 16 * segment_size;
    const pb_transfer_limits_t limits = {.receive_window = 4, .send_window = 3};
    int held = 0, beyond = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        pb_plan_t *plan = plans_flat(3, 0);
        run_t run = run_of(seed, plan, 600 * segment_size, segment_size, limits);
        run.parts[2].late = MAX_ROUNDS;
        run_rounds(&run, 2000);
        held += run.parts[1].started && run.parts[1].relay.between.arrived[0] < 600;
        beyond += run.world->most_waiting > pace;
        run.parts[2].late = 0;
        run_all(&run, tally, seed);
        plans_free(plan);
    }
    ok(held == 0,
       "a child gets everything while the root's other child is not there (%d of 40 do not)", held);
    ok(beyond == 0, "and a paced root leaves no more than %zu bytes waiting (%d of 40 times)", pace,
       beyond);
}

/**
 * The root's first child takes in what comes far more often than its second:
 * until it is so much faster that the second counts as late, both are sent
 * their halves in step.
 */
static void test_level(tally_t *tally)
{
    const pb_transfer_limits_t limits = {.receive_window = 4, .send_window = 64, .ahead = 4000};
    int uneven = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        pb_plan_t *plan = plans_two_chains(3);
        run_t run = run_of(seed, plan, 60000, 10, limits);
        const part_t *root = &run.parts[0];
        for (int round = 0; round < MAX_ROUNDS && !run_all_through(&run); round++) {
            for (int rank = 0; rank < 3; rank++) {
                if (rank != 2 || round % 2 == 0) {
                    run_advance(&run, rank, round);
                }
            }
            world_step(run.world);
            const pb_lane_t *lanes = root->relay.between.lanes;
            const uint64_t gap = lanes[0].next > lanes[1].next ? lanes[0].next - lanes[1].next
                                                               : lanes[1].next - lanes[0].next;
            /* One interval of acknowledgements, in segments of both streams, and a step. */
            uneven += !root->through && gap > 2 * 100 * PB_TRANSFER_SYNCHRONOUS / 2 + 4;
        }
        run_all(&run, tally, seed);
        plans_free(plan);
    }
    ok(uneven == 0, "a root's streams stay level while no child is late (%d rounds not)", uneven);
}

static void test_paces(void)
{
    tally_t tally = {0};
    test_windows_are_used(&tally);
    test_slow_child(&tally);
    test_paced_late_child(&tally);
    test_level(&tally);
    ok(tally.failures == 0, "and every rank gets everything in the end %s", tally.first);
}

/* Children in turn. */

/** A root that serves its children in turn, and its receivers, in a random world. */
static run_t run_in_turn(const pb_plan_t *plan, uint64_t seed)
{
    pb_random_t random = pb_random_seed(seed);
    run_t run = run_random(&random, seed, plan, false);
    run.limits.in_turn = true;
    return run;
}

static void test_in_turn(void)
{
    tally_t tally = {0}, failing = {0};
    pb_plan_t *plan = plans_flat(5, 0);
    for (uint64_t seed = 0; seed < 300; seed++) {
        run_t run = run_in_turn(plan, seed);
        run_all(&run, &tally, seed);
        run = run_in_turn(plan, seed);
        run_failing(&run, 0, CALL_TO_SEND, (int) seed % 50, &failing, seed);
        run = run_in_turn(plan, seed);
        run_given_up(&run, (int) seed % 30, &tally, seed);
    }
    ok(failing.runs > 30 && failing.failures == 0,
       "in turn: after an error of the root all ranks end (%d) %s", failing.runs, failing.first);
    run_t run = run_in_turn(plan, 2);
    run.world->early_percent = 0;
    run_advance(&run, 0, MAX_ROUNDS);
    ok(world_n_sends(run.world, 0, 1) > 0 && world_n_sends(run.world, 0, 2) == 0,
       "the second child's turn is after the first's");
    run_all(&run, &tally, 2);
    run = run_in_turn(plan, 1);
    run.world->early_percent = 100;
    for (int rank = 1; rank < 5; rank++) {
        run.parts[rank].late = MAX_ROUNDS;
    }
    run_rounds(&run, 5000);
    ok(run.parts[0].through, "the root does not wait for receivers that have not come");
    run_fini(&run, &tally, 1);
    ok(tally.failures == 0, "and every rank has every byte %s", tally.first);
    plans_free(plan);
}

/* Errors. */

static void test_errors(void)
{
    for (int call = 0; call < CALL_COUNT; call++) {
        tally_t tally = {0};
        for (uint64_t i = 0; i < 400; i++) {
            const uint64_t seed = i * CALL_COUNT + (uint64_t) call;
            pb_random_t random = pb_random_seed(seed);
            const int n_ranks = 2 + pb_random_below(&random, 6);
            pb_plan_t *plan = random_plan(&random, n_ranks);
            run_t run = run_random(&random, seed, plan, false);
            const int rank = pb_random_below(&random, n_ranks);
            run_failing(&run, rank, (call_t) call, pb_random_below(&random, 40), &tally, seed);
            plans_free(plan);
        }
        ok(tally.runs > 100 && tally.failures == 0,
           "%s: each of %d ranks with an error ends with it, and gives everything back %s",
           call_name((call_t) call), tally.runs, tally.first);
    }
}

/** Given up in the middle: finish abandons what is under way. */
static void test_abandon(void)
{
    tally_t tally = {0};
    for (uint64_t seed = 0; seed < 500; seed++) {
        pb_random_t random = pb_random_seed(seed);
        pb_plan_t *plan = plans_random(&random, 2 + pb_random_below(&random, 6), 0, 2);
        run_t run = run_random(&random, seed, plan, false);
        run_given_up(&run, pb_random_below(&random, 5), &tally, seed);
        plans_free(plan);
    }
    ok(tally.failures == 0, "%d broadcasts that are given up leave no request %s", tally.runs,
       tally.first);
}

static void test_out_of_memory(void)
{
    tally_t tally = {0};
    pb_plan_t *plan = plans_flat(3, 0);
    run_t run =
        run_of(3, plan, 100, 10, (pb_transfer_limits_t){.receive_window = 2, .send_window = 2});
    const long before = failing_memory_alive();
    int n_refused = 0, n_left = 0;
    bool started = false;
    while (!started && n_refused < 20) {
        failing_memory_after(n_refused);
        started = run_start(&run, 0);
        failing_memory_after(-1);
        n_left += !started && failing_memory_alive() != before;
        n_refused += !started;
    }
    ok(started && n_refused > 0, "a start without memory is refused, at %d places", n_refused);
    run_fini(&run, &tally, 3);
    ok(n_left == 0 && tally.failures == 0, "and leaves nothing %s", tally.first);
    plans_free(plan);
}

int main(void)
{
    test_random_plans();
    test_kinds();
    test_paces();
    test_in_turn();
    test_errors();
    test_abandon();
    test_out_of_memory();
    return tap_done();
}
