/*
 * Transfers, with and without relays, and in turn: all ranks of a broadcast over the in-memory
 * world of world.h. Random runs of each are held against the same properties (run.h).
 */
#include <stdlib.h>
#include <string.h>

#include "plans.h"
#include "run.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "topo/trees/leaders.h"

/** Transfers alone, transfers with relays at leaders, or a root that serves its children in turn.
 */
typedef enum { TRANSFERS, RELAYS, TURNS, N_WAYS } way_t;

static const char *const way_names[N_WAYS] = {"transfers", "relays", "in turn"};

/** A random plan, and for relays the network that it is for. */
typedef struct ground {
    way_t way;
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;
    pb_plan_t *plan;
} ground_t;

static void ground_clear(ground_t *ground)
{
    if (ground->network == NULL) {
        plans_free(ground->plan);
        return;
    }
    pb_plan_free(ground->plan);
    pb_view_free(ground->view);
    pb_placement_free(ground->placement);
    pb_network_free(ground->network);
}

/** A plan of this kind on a random network with at most `per_host` ranks on a host; tells whether
 * it fits. Where nothing relays, half of the plans are by leaders, as in groups of ranks. */
static bool ground_of_kind(ground_t *ground, pb_random_t *random, pb_kind_t kind, int per_host)
{
    const pb_plan_options_t options = {.fanout = 1 + pb_random_below(random, 4),
                                       .leaders =
                                           ground->way == RELAYS || pb_random_below(random, 2)};
    ground->network =
        pb_random_network(random, (pb_shape_t) pb_random_below(random, PB_SHAPE_COUNT),
                          1 + pb_random_below(random, 5), 1 + pb_random_below(random, 12), 0);
    ground->placement =
        pb_random_placement(random, ground->network, 1 + pb_random_below(random, per_host));
    const int root = pb_random_below(random, ground->placement->n_ranks);
    if (pb_view_new(ground->placement, root, NULL, 0, &ground->view) != PB_SUCCESS) {
        abort();
    }
    return (ground->way != RELAYS || pb_leaders_apply(ground->view, kind)) &&
           pb_plan_compute(ground->view, kind, &options, &ground->plan) == PB_SUCCESS;
}

static ground_t ground_new(way_t way, pb_random_t *random)
{
    static const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_TWOTREE, PB_KIND_KARY};
    ground_t ground = {.way = way};
    const int n_ranks = 1 + pb_random_below(random, 12);
    switch (way) {
    case TRANSFERS:
        ground.plan = plans_random(random, n_ranks, pb_random_below(random, n_ranks),
                                   1 + pb_random_below(random, PB_PLAN_MAX_STREAMS));
        break;
    case RELAYS:
        while (!ground_of_kind(&ground, random, kinds[pb_random_below(random, 3)], 4)) {
            ground_clear(&ground);
            ground = (ground_t){.way = way};
        }
        break;
    default:
        ground.plan = plans_flat(5, 0);
        break;
    }
    return ground;
}

static run_t ground_run(const ground_t *ground, pb_random_t *random, uint64_t seed)
{
    run_t run = run_random(random, seed, ground->plan, ground->way == RELAYS);
    run.limits.in_turn = ground->way == TURNS;
    return run;
}

/** A rank: where there are relays one that relays or is led; where there are turns the root, or one
 * that receives. */
static int drawn_rank(const run_t *run, way_t way, pb_random_t *random, bool receives)
{
    const int root = run->plan->root, n_ranks = run->plan->n_ranks;
    const int first = pb_random_below(random, n_ranks);
    const bool is_led = pb_random_below(random, 4) == 0;
    for (int i = 0; i < n_ranks && way == RELAYS; i++) {
        const pb_role_t *role = run->parts[(first + i) % n_ranks].role;
        if (is_led ? role->is_led : role->n_inside > 0 && role->n_parents > 0) {
            return (first + i) % n_ranks;
        }
    }
    return way != TURNS ? first : receives ? (root + 1) % n_ranks : root;
}

/* Properties of each way. */

static void test_all(way_t way)
{
    tally_t tally = {0};
    int n_relays = 0;
    for (uint64_t seed = 0; seed < (way == TURNS ? 300 : 3000); seed++) {
        pb_random_t random = pb_random_seed(seed);
        ground_t ground = ground_new(way, &random);
        run_t run = ground_run(&ground, &random, seed);
        for (int rank = 0; rank < ground.plan->n_ranks; rank++) {
            n_relays += !run.parts[rank].role->is_led && run.parts[rank].role->n_inside > 0;
        }
        run_all(&run, &tally, seed);
        ground_clear(&ground);
    }
    ok(tally.failures == 0 && (way != RELAYS || n_relays > tally.runs),
       "%s: every rank has every byte of %d broadcasts, within windows, with %d relays %s",
       way_names[way], tally.runs, n_relays, tally.first);
}

static void test_errors(way_t way, call_t call)
{
    const bool sends = call == CALL_SEND || call == CALL_SENT;
    tally_t tally = {0};
    for (uint64_t i = 0; i < 400; i++) {
        const uint64_t seed = i * CALL_COUNT + (uint64_t) call;
        pb_random_t random = pb_random_seed(seed);
        ground_t ground = ground_new(way, &random);
        run_t run = ground_run(&ground, &random, seed);
        run_failing(&run, drawn_rank(&run, way, &random, !sends), call,
                    pb_random_below(&random, 40), &tally, seed);
        ground_clear(&ground);
    }
    ok(tally.runs > 50 && tally.failures == 0,
       "%s, %s: each of %d ranks with an error ends with it, and gives everything back %s",
       way_names[way], call_name(call), tally.runs, tally.first);
}

/** Given up in the middle: finish abandons what is under way. */
static void test_abandon(way_t way)
{
    tally_t tally = {0};
    for (uint64_t seed = 0; seed < 500; seed++) {
        pb_random_t random = pb_random_seed(seed);
        ground_t ground = ground_new(way, &random);
        run_t run = ground_run(&ground, &random, seed);
        run_given_up(&run, pb_random_below(&random, 8), &tally, seed);
        ground_clear(&ground);
    }
    ok(tally.failures == 0, "%s: %d broadcasts that are given up leave no request %s",
       way_names[way], tally.runs, tally.first);
}

static void test_out_of_memory(way_t way, int n_expected)
{
    tally_t tally = {0};
    int n_refused = 0, n_left = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        pb_random_t random = pb_random_seed(seed);
        ground_t ground = ground_new(way, &random);
        run_t run = ground_run(&ground, &random, seed);
        const int rank = drawn_rank(&run, way, &random, false);
        const long before = failing_memory_alive();
        bool started = false;
        for (int after = 0; !started && after < 20; after++) {
            failing_memory_after(after);
            started = run_start(&run, rank);
            failing_memory_after(-1);
            n_left += !started && failing_memory_alive() != before;
            n_refused = !started && after >= n_refused ? after + 1 : n_refused;
        }
        n_left += !started;
        run_fini(&run, &tally, seed);
        ground_clear(&ground);
    }
    ok(n_refused == n_expected, "%s: a start without memory is refused, at %d places",
       way_names[way], n_refused);
    ok(n_left == 0 && tally.failures == 0, "and leaves nothing %s", tally.first);
}

/* Kinds of trees. */

static void test_kinds(void)
{
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        const char *name = pb_kind_name((pb_kind_t) kind);
        tally_t tally = {0};
        for (uint64_t seed = 0; seed < 300; seed++) {
            pb_random_t random = pb_random_seed(seed * PB_KIND_COUNT + (uint64_t) kind);
            ground_t ground = {.way = TRANSFERS};
            if (ground_of_kind(&ground, &random, (pb_kind_t) kind, 3)) {
                run_t run = ground_run(&ground, &random, seed);
                run_all(&run, &tally, seed);
            }
            ground_clear(&ground);
        }
        ok(tally.failures == 0 && tally.runs == 300,
           "%s: every rank has every byte of %d broadcasts %s", name, tally.runs, tally.first);
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
 * A root whose second child shows up late: it does not pour everything out, and the first child
 * gets everything. `ahead` bounds nothing.
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
        held += run.parts[1].started && run.parts[1].relay.transfer.missing[0] < 600;
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
 * The root's first child takes in what comes far more often than its second. Both are sent their
 * halves in step, until the first is so much faster that the second counts as late.
 */
static void test_level(tally_t *tally)
{
    const pb_transfer_limits_t limits = {.receive_window = 4, .send_window = 64, .ahead = 4000};
    int n_rounds = 0, uneven = 0;
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
            n_rounds++;
            const pb_lane_t *lanes = root->relay.transfer.lanes;
            const uint64_t gap = lanes[0].next > lanes[1].next ? lanes[0].next - lanes[1].next
                                                               : lanes[1].next - lanes[0].next;
            /* Three intervals of 50 segments between acknowledgements, in each of both streams. */
            uneven += !root->through && gap > 2 * 3 * 50;
        }
        run_all(&run, tally, seed);
        plans_free(plan);
    }
    ok(uneven < n_rounds / 100,
       "a root's streams stay level while no child is late (in %d of %d rounds not)", uneven,
       n_rounds);
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

/** A piece leaves as soon as its last byte is here, while others are still to come. */
static void test_pieces_leave_early(void)
{
    int parent[] = {0}, child[] = {2};
    uint32_t mask[] = {1};
    const pb_role_t between = {
        .n_streams = 1, .n_parents = 1, .parent = parent, .parent_mask = mask};
    const pb_role_t inside = {.n_streams = 1, .n_children = 1, .child = child, .child_mask = mask};
    const pb_transfer_limits_t limits = {.receive_window = 4, .send_window = 4};
    pb_relay_t relay = {.transfer = {.lanes = NULL}};
    world_t *world = world_new(1, 3, 1, 100, 10); /* the root: so that its rank has the bytes */
    ok(pb_transfer_start(&relay.transfer, &between, &limits, 10, &world->transports[1],
                         &world->messages[1]) &&
           pb_relay_start(&relay, &inside, &limits, 25),
       "a relay starts");
    uint64_t offered[11];
    for (uint64_t n = 0; n <= 10; n++) {
        relay.transfer.missing[0] = n;
        pb_relay_go_on(&relay);
        offered[n] = relay.pieces.missing[0];
    }
    const uint64_t right[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4};
    ok(memcmp(offered, right, sizeof(right)) == 0,
       "a piece of 25 bytes is offered when 30 are here, the second when 50 are, and so on");
    pb_transfer_cancel(&relay.transfer);
    pb_transfer_cancel(&relay.pieces);
    pb_transfer_finish(&relay.transfer);
    pb_transfer_finish(&relay.pieces);
    world_free(world);
}

/* Turns. */

static run_t run_in_turns(const pb_plan_t *plan, uint64_t seed)
{
    pb_random_t random = pb_random_seed(seed);
    run_t run = run_random(&random, seed, plan, false);
    run.limits.in_turn = true;
    return run;
}

/** Nobody receives, and the sends go without: the root leaves. */
static void test_late_receivers(const pb_plan_t *plan, tally_t *tally)
{
    run_t run = run_in_turns(plan, 1);
    run.world->early_percent = 100;
    for (int rank = 1; rank < plan->n_ranks; rank++) {
        run.parts[rank].late = MAX_ROUNDS;
    }
    run_rounds(&run, 5000);
    ok(run.parts[0].through, "the root does not wait for receivers that have not come");
    run_fini(&run, tally, 1);
}

static void test_order_of_turns(const pb_plan_t *plan, tally_t *tally)
{
    run_t run = run_in_turns(plan, 2);
    run.world->early_percent = 0;
    run_advance(&run, 0, MAX_ROUNDS);
    ok(world_n_sends(run.world, 0, 1) > 0 && world_n_sends(run.world, 0, 2) == 0,
       "the second child's turn is after the first's");
    run_all(&run, tally, 2);
}

int main(void)
{
    static const int n_allocations[N_WAYS] = {[TRANSFERS] = 1, [RELAYS] = 2, [TURNS] = 1};
    for (int way = 0; way < N_WAYS; way++) {
        test_all((way_t) way);
        for (int call = 0; call < CALL_COUNT; call++) {
            test_errors((way_t) way, (call_t) call);
        }
        test_abandon((way_t) way);
        test_out_of_memory((way_t) way, n_allocations[way]);
    }
    test_kinds();
    test_paces();
    test_pieces_leave_early();
    pb_plan_t *plan = plans_flat(5, 0);
    tally_t tally = {0};
    test_late_receivers(plan, &tally);
    test_order_of_turns(plan, &tally);
    ok(tally.failures == 0, "turns leave nothing %s", tally.first);
    plans_free(plan);
    return tap_done();
}
