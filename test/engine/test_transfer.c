/*
 * The transfer engine: all ranks of a broadcast as state machines in one
 * process, advanced in random order over the in-memory world of world.h.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/transfer.h"
#include "plans.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "topo/trees/plan.h"
#include "world.h"

/** Rounds in which every rank is advanced; far more than any right engine needs. */
#define MAX_ROUNDS 200000

/** One broadcast of all ranks. */
typedef struct run {
    world_t *world;
    const pb_plan_t *plan;
    pb_transfer_limits_t limits;
    pb_role_t **roles;
    pb_transfer_t *transfers;
    bool *started;
    bool *through;
    int *late; /* by rank: the round in which it starts */
} run_t;

/** What went wrong in many runs; the first is described. */
typedef struct tally {
    int runs, unfinished, wrong_bytes, breaches, windows, ahead, leaks, codes, unfit;
    char first[300];
} tally_t;

static void note(tally_t *tally, int *counter, uint64_t seed, const char *what)
{
    (*counter)++;
    if (tally->first[0] == '\0') {
        snprintf(tally->first, sizeof(tally->first), "seed %llu: %s", (unsigned long long) seed,
                 what);
    }
}

static void *zeroed(int n, size_t size)
{
    void *memory = calloc((size_t) n + 1, size);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void run_init(run_t *run, world_t *world, const pb_plan_t *plan, pb_transfer_limits_t limits)
{
    const int n = plan->n_ranks;
    *run = (run_t){.world = world, .plan = plan, .limits = limits};
    run->roles = zeroed(n, sizeof(*run->roles));
    run->transfers = zeroed(n, sizeof(*run->transfers));
    run->started = zeroed(n, sizeof(*run->started));
    run->through = zeroed(n, sizeof(*run->through));
    run->late = zeroed(n, sizeof(*run->late));
    for (int rank = 0; rank < n; rank++) {
        run->roles[rank] = pb_role_new(plan, rank);
        if (run->roles[rank] == NULL) {
            abort();
        }
    }
}

static void run_fini(run_t *run)
{
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        if (run->started[rank]) {
            if (!run->through[rank]) {
                pb_transfer_cancel(&run->transfers[rank]);
            }
            pb_transfer_finish(&run->transfers[rank]);
        }
        free(run->roles[rank]);
    }
    free(run->late);
    free(run->through);
    free(run->started);
    free(run->transfers);
    free(run->roles);
}

static void advance(run_t *run, int rank, int round)
{
    world_t *world = run->world;
    if (run->through[rank] || round < run->late[rank]) {
        return;
    }
    if (!run->started[rank]) {
        if (!pb_transfer_start(&run->transfers[rank], run->roles[rank], &run->limits, world->total,
                               world->segment_size, &world->transports[rank],
                               &world->messages[rank])) {
            abort();
        }
        run->started[rank] = true;
    }
    run->through[rank] = pb_transfer_advance(&run->transfers[rank]);
    if (run->through[rank] && run->transfers[rank].error == 0) {
        world_rank_ends(world, rank);
    }
}

static bool all_through(const run_t *run)
{
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        if (!run->through[rank]) {
            return false;
        }
    }
    return true;
}

/** Lets random ranks advance and random things happen; true if all ranks got through. */
static bool run_rounds(run_t *run, int n_rounds)
{
    world_t *world = run->world;
    for (int round = 0; round < n_rounds && !all_through(run); round++) {
        for (int i = 0; i < run->plan->n_ranks; i++) {
            advance(run, pb_random_below(&world->random, run->plan->n_ranks), round);
        }
        world_step(world);
    }
    return all_through(run);
}

/**
 * Bytes that may wait at a late rank: `ahead`, of each of its parents a part in whole segments, one
 * per acknowledgement at least.
 */
static size_t ahead_bound(const run_t *run)
{
    const size_t parts = PB_TRANSFER_SYNCHRONOUS, n_streams = (size_t) run->plan->n_streams;
    const size_t interval = run->limits.ahead / n_streams / run->world->segment_size / parts;
    return n_streams * parts * (interval > 0 ? interval : 1) * run->world->segment_size;
}

static void judge(const run_t *run, tally_t *tally, uint64_t seed)
{
    const world_t *w = run->world;
    for (int rank = 0; rank < w->n_ranks; rank++) {
        if (!world_rank_has_all(w, rank)) {
            note(tally, &tally->wrong_bytes, seed, "wrong bytes at a rank");
        }
        if (run->transfers[rank].error != 0) {
            note(tally, &tally->codes, seed, "an error although nothing failed");
        }
    }
    if (w->most_sends > run->limits.send_window + PB_TRANSFER_SYNCHRONOUS ||
        w->most_receives > run->limits.receive_window) {
        note(tally, &tally->windows, seed, "a window was exceeded");
    }
    if (run->limits.ahead != 0 && w->most_waiting > ahead_bound(run)) {
        note(tally, &tally->ahead, seed, "more waits at a late rank than may");
    }
    if (w->n_alive != 0 || w->n_buffers != 0 || w->n_abandoned != 0) {
        note(tally, &tally->leaks, seed, "requests or buffers were left");
    }
    if (w->n_breaches != 0) {
        note(tally, &tally->breaches, seed, w->breach);
    }
}

static pb_transfer_limits_t random_limits(pb_random_t *random, size_t segment_size)
{
    static const int windows[] = {1, 2, 3, 16, PB_TRANSFER_MAX_WINDOW};
    const size_t aheads[] = {0, 1, segment_size, 5 * segment_size, 16 * segment_size, 1 << 20};
    return (pb_transfer_limits_t){
        .receive_window = windows[pb_random_below(random, 5)],
        .send_window = windows[pb_random_below(random, 5)],
        .ahead = aheads[pb_random_below(random, 6)],
    };
}

/** A total of a few segments: below one, a multiple, or with a short last one. */
static size_t random_total(pb_random_t *random, size_t segment_size)
{
    const size_t segments = (size_t) pb_random_below(random, 60);
    const size_t rest = (size_t) pb_random_below(random, (int) segment_size);
    const size_t total = segments * segment_size + (pb_random_below(random, 2) ? rest : 0);
    return total > 0 ? total : 1 + rest;
}

static world_t *random_world(pb_random_t *random, uint64_t seed, const pb_plan_t *plan)
{
    static const int percents[] = {0, 20, 80, 100};
    const size_t segment_size = 1 + (size_t) pb_random_below(random, 40);
    world_t *world = world_new(seed, plan->n_ranks, plan->root, random_total(random, segment_size),
                               segment_size);
    world->bounces = pb_random_below(random, 2);
    world->in_place = !world->bounces && pb_random_below(random, 2);
    world->busy_percent = pb_random_below(random, 2) ? 0 : 50;
    world->early_percent = percents[pb_random_below(random, 4)];
    world->at_once_percent = percents[pb_random_below(random, 4)];
    world->tell_percent = percents[pb_random_below(random, 4)];
    world->meet_percent = percents[1 + pb_random_below(random, 3)];
    return world;
}

static void trial(pb_random_t *random, uint64_t seed, const pb_plan_t *plan, tally_t *tally)
{
    world_t *world = random_world(random, seed, plan);
    run_t run;
    run_init(&run, world, plan, random_limits(random, world->segment_size));
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        run.late[rank] = pb_random_below(random, 4) == 0 ? pb_random_below(random, 50) : 0;
    }
    tally->runs++;
    if (!run_rounds(&run, MAX_ROUNDS)) {
        note(tally, &tally->unfinished, seed, "a rank never gets through");
    } else {
        judge(&run, tally, seed);
    }
    run_fini(&run);
    world_free(world);
}

static void report(const tally_t *t, const char *name)
{
    ok(t->runs > 0 && t->unfinished == 0, "%s: all of %d broadcasts end %s", name, t->runs,
       t->first);
    ok(t->wrong_bytes == 0, "%s: every rank has every byte", name);
    ok(t->codes == 0, "%s: no error without cause", name);
    ok(t->windows == 0, "%s: windows are kept", name);
    ok(t->ahead == 0, "%s: what waits at a late rank is bounded", name);
    ok(t->leaks == 0, "%s: every request and buffer is given back", name);
    ok(t->breaches == 0, "%s: transport and message are used as they may be", name);
}

static void test_random_plans(void)
{
    tally_t tally = {0};
    for (uint64_t seed = 0; seed < 3000; seed++) {
        pb_random_t random = pb_random_seed(seed);
        const int n_ranks = seed < 600 ? 1 + (int) seed % 3 : 1 + pb_random_below(&random, 12);
        const int n_streams = 1 + pb_random_below(&random, PB_PLAN_MAX_STREAMS);
        pb_plan_t *plan =
            plans_random(&random, n_ranks, pb_random_below(&random, n_ranks), n_streams);
        trial(&random, seed, plan, &tally);
        plans_free(plan);
    }
    report(&tally, "random trees in 1 or 2 streams");
}

/** A plan of this kind on a random network; false if the kind does not fit. */
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
        trial(random, seed, plan, tally);
    } else if (rc != PB_ERR_UNFIT) {
        note(tally, &tally->codes, seed, "no plan");
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
        tally_t tally = {0};
        for (uint64_t seed = 0; seed < 300; seed++) {
            pb_random_t random = pb_random_seed(seed * PB_KIND_COUNT + (uint64_t) kind);
            tally.unfit += !kind_trial(&random, seed, (pb_kind_t) kind, &tally);
        }
        printf("# %s: %d of 300 networks do not fit\n", pb_kind_name((pb_kind_t) kind),
               tally.unfit);
        if (tally.runs == 0 && tally.codes == 0) {
            ok(!pb_kind_row((pb_kind_t) kind)->serves_all, "%s # SKIP fits none of the networks",
               pb_kind_name((pb_kind_t) kind));
        } else {
            report(&tally, pb_kind_name((pb_kind_t) kind));
        }
    }
}

/** Before anything has moved, windows are full: that is what hides the latency. */
static void test_windows_are_used(void)
{
    pb_plan_t *plan = plans_flat(2, 0);
    world_t *world = world_new(1, 2, 0, 1000, 10);
    run_t run;
    world->early_percent = 0;
    run_init(&run, world, plan, (pb_transfer_limits_t){.receive_window = 7, .send_window = 5});
    advance(&run, 0, 0);
    advance(&run, 1, 0);
    ok(world->most_sends == 5, "a child's window is filled (%d of 5)", world->most_sends);
    ok(world->most_receives == 7, "a parent's window is filled (%d of 7)", world->most_receives);
    run_rounds(&run, MAX_ROUNDS);
    run_fini(&run);
    world_free(world);
    plans_free(plan);
}

/** One of three children never shows up: the others get everything. */
static void test_slow_child(void)
{
    pb_plan_t *plan = plans_flat(4, 0);
    world_t *world = world_new(2, 4, 0, 1000, 10);
    run_t run;
    run_init(&run, world, plan,
             (pb_transfer_limits_t){.receive_window = 4, .send_window = 3, .ahead = 40});
    run.late[2] = MAX_ROUNDS;
    run_rounds(&run, 5000);
    ok(run.through[1] && run.through[3], "two children are through while the third is not there");
    ok(!run.through[0], "the root still owes the third");
    ok(world->most_waiting <= 40, "%zu of 40 bytes wait at the third", world->most_waiting);
    run.late[2] = 0;
    ok(run_rounds(&run, 5000) && world_rank_has_all(world, 2), "then the third gets everything");
    run_fini(&run);
    ok(world->n_alive == 0 && world->n_buffers == 0, "and nothing is left");
    world_free(world);
    plans_free(plan);
}

/**
 * A root whose second child shows up late, and `ahead` bounds nothing: the root
 * still does not pour everything out, and the first child gets everything.
 */
static void test_paced_late_child(void)
{
    const size_t segment_size = 8192; /* 16 segments are more than the bytes of a pace */
    const size_t pace = PB_TRANSFER_SYNCHRONOUS * 16 * segment_size;
    int unfinished = 0, held = 0, beyond = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        pb_plan_t *plan = plans_flat(3, 0);
        world_t *world = world_new(seed, 3, 0, 600 * segment_size, segment_size);
        run_t run;
        world->early_percent = 100;
        run_init(&run, world, plan, (pb_transfer_limits_t){.receive_window = 4, .send_window = 3});
        run.late[2] = MAX_ROUNDS;
        run_rounds(&run, 2000);
        held += run.started[1] && run.transfers[1].arrived[0] < 600;
        beyond += world->most_waiting > pace;
        run.late[2] = 0;
        unfinished += !run_rounds(&run, MAX_ROUNDS) || !world_rank_has_all(world, 2);
        run_fini(&run);
        world_free(world);
        plans_free(plan);
    }
    ok(held == 0,
       "a child gets everything while the root's other child is not there (%d of 40 do not)", held);
    ok(beyond == 0, "and a paced root leaves no more than %zu bytes waiting (%d of 40 times)", pace,
       beyond);
    ok(unfinished == 0, "and the late child gets everything (%d of 40 do not)", unfinished);
}

/**
 * The root's first child takes in what comes far more often than its second:
 * until it is so much faster that the second counts as late, both are sent
 * their halves in step.
 */
static void test_level(void)
{
    int uneven = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        pb_plan_t *plan = plans_two_chains(3);
        world_t *world = world_new(seed, 3, 0, 60000, 10);
        run_t run;
        world->early_percent = 100;
        run_init(&run, world, plan,
                 (pb_transfer_limits_t){.receive_window = 4, .send_window = 64, .ahead = 4000});
        for (int round = 0; round < MAX_ROUNDS && !all_through(&run); round++) {
            for (int rank = 0; rank < 3; rank++) {
                if (rank != 2 || round % 2 == 0) {
                    advance(&run, rank, round);
                }
            }
            world_step(world);
            const pb_lane_t *lanes = run.transfers[0].lanes;
            const uint64_t gap = lanes[0].next > lanes[1].next ? lanes[0].next - lanes[1].next
                                                               : lanes[1].next - lanes[0].next;
            /* One interval of acknowledgements, in segments of both streams, and a step. */
            uneven += !run.through[0] && gap > 2 * 100 * PB_TRANSFER_SYNCHRONOUS / 2 + 4;
        }
        uneven += !all_through(&run);
        run_fini(&run);
        world_free(world);
        plans_free(plan);
    }
    ok(uneven == 0, "a root's streams stay level while no child is late (%d rounds not)", uneven);
}

/** A rank that is through without an error has every byte. */
static bool ends_are_honest(const run_t *run)
{
    bool honest = true;
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        honest = honest && (!run->through[rank] || run->transfers[rank].error != 0 ||
                            world_rank_has_all(run->world, rank));
    }
    return honest;
}

/**
 * An error at one rank: it ends with this code. Unless its transport refuses,
 * every other rank ends too, and buffers and requests are all given back.
 */
static void fail_trial(uint64_t seed, call_t call, tally_t *tally, int *n_failed)
{
    pb_random_t random = pb_random_seed(seed);
    const int n_ranks = 2 + pb_random_below(&random, 6);
    pb_plan_t *plan = plans_random(&random, n_ranks, pb_random_below(&random, n_ranks),
                                   1 + pb_random_below(&random, PB_PLAN_MAX_STREAMS));
    world_t *world = random_world(&random, seed, plan);
    const int rank = pb_random_below(&random, n_ranks);
    const bool refuses =
        call == CALL_SEND || call == CALL_RECEIVE || call == CALL_ARRIVED || call == CALL_SHORT;
    run_t run;
    world->fail_rank = rank;
    world->fail_call = call;
    world->fail_after = pb_random_below(&random, 40);
    world->in_place = world->in_place && call < CALL_TO_SEND;
    run_init(&run, world, plan, random_limits(&random, world->segment_size));
    const bool all_through = run_rounds(&run, 3000);
    tally->runs++;
    if (world->failed) {
        (*n_failed)++;
        if (!run.through[rank] || (!refuses && !all_through)) {
            note(tally, &tally->unfinished, seed, "a rank never ends");
        } else if (run.transfers[rank].error != WORLD_ERROR) {
            note(tally, &tally->codes, seed, "the error is lost");
        } else if (!ends_are_honest(&run)) {
            note(tally, &tally->codes, seed, "no error, but not every byte");
        } else if (!refuses && world->n_buffers != 0) {
            note(tally, &tally->leaks, seed, "buffers are held at the end");
        }
    }
    run_fini(&run);
    if (world->n_alive != 0 || (!refuses && world->n_abandoned != 0)) {
        note(tally, &tally->leaks, seed, "requests are left at the end");
    }
    if (world->n_breaches != 0) {
        note(tally, &tally->breaches, seed, world->breach);
    }
    world_free(world);
    plans_free(plan);
}

static void test_errors(void)
{
    for (int call = 0; call < CALL_COUNT; call++) {
        tally_t t = {0};
        int n_failed = 0;
        for (uint64_t seed = 0; seed < 400; seed++) {
            fail_trial(seed * CALL_COUNT + (uint64_t) call, (call_t) call, &t, &n_failed);
        }
        ok(n_failed > 100 && t.unfinished == 0 && t.codes == 0,
           "%s: each of %d ranks with an error ends with it %s", call_name((call_t) call), n_failed,
           t.first);
        ok(t.leaks == 0 && t.breaches == 0, "%s: and gives every request and buffer back",
           call_name((call_t) call));
    }
}

/** Given up in the middle: finish abandons what is under way. */
static void test_abandon(void)
{
    int left = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        pb_random_t random = pb_random_seed(seed);
        const int n_ranks = 2 + pb_random_below(&random, 6);
        pb_plan_t *plan = plans_random(&random, n_ranks, 0, 2);
        world_t *world = random_world(&random, seed, plan);
        run_t run;
        run_init(&run, world, plan, random_limits(&random, world->segment_size));
        run_rounds(&run, pb_random_below(&random, 5));
        run_fini(&run);
        left += world->n_alive != 0 || world->n_breaches != 0;
        world_free(world);
        plans_free(plan);
    }
    ok(left == 0, "500 broadcasts that are given up leave no request (%d did)", left);
}

static void test_out_of_memory(void)
{
    pb_plan_t *plan = plans_flat(3, 0);
    world_t *world = world_new(3, 3, 0, 100, 10);
    pb_role_t *role = pb_role_new(plan, 0);
    const pb_transfer_limits_t limits = {.receive_window = 2, .send_window = 2};
    const long before = failing_memory_alive();
    int n_refused = 0;
    bool started = false;
    while (!started && n_refused < 20) {
        pb_transfer_t transfer;
        failing_memory_after(n_refused);
        started = pb_transfer_start(&transfer, role, &limits, world->total, world->segment_size,
                                    &world->transports[0], &world->messages[0]);
        failing_memory_after(-1);
        if (started) {
            pb_transfer_finish(&transfer);
        }
        n_refused += !started;
    }
    ok(started && n_refused > 0, "a start without memory is refused, at %d places", n_refused);
    ok(failing_memory_alive() == before, "and leaves nothing");
    free(role);
    world_free(world);
    plans_free(plan);
}

int main(void)
{
    test_random_plans();
    test_kinds();
    test_windows_are_used();
    test_slow_child();
    test_paced_late_child();
    test_level();
    test_errors();
    test_abandon();
    test_out_of_memory();
    return tap_done();
}
