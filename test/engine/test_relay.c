/*
 * Relays: all ranks of a broadcast by leaders over the in-memory world of world.h, on random
 * networks with several ranks on a host.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "topo/trees/leaders.h"

/** A network with ranks on it, and a plan by leaders. */
typedef struct ground {
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;
    pb_plan_t *plan;
} ground_t;

static void ground_clear(ground_t *ground)
{
    pb_plan_free(ground->plan);
    pb_view_free(ground->view);
    pb_placement_free(ground->placement);
    pb_network_free(ground->network);
}

/** False if leaders do not apply to it, or the kind does not fit. */
static bool ground_init(ground_t *ground, pb_random_t *random)
{
    const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_TWOTREE, PB_KIND_KARY};
    const pb_kind_t kind = kinds[pb_random_below(random, 3)];
    const pb_plan_options_t options = {.fanout = 3, .leaders = true};
    *ground = (ground_t){0};
    ground->network =
        pb_random_network(random, (pb_shape_t) pb_random_below(random, PB_SHAPE_COUNT),
                          1 + pb_random_below(random, 4), 2 + pb_random_below(random, 6), 0);
    ground->placement = pb_random_placement(random, ground->network, 4);
    const int root = pb_random_below(random, ground->placement->n_ranks);
    if (pb_view_new(ground->placement, root, NULL, 0, &ground->view) != PB_SUCCESS) {
        abort();
    }
    if (!pb_leaders_apply(ground->view, kind) ||
        pb_plan_compute(ground->view, kind, &options, &ground->plan) != PB_SUCCESS) {
        ground_clear(ground);
        return false;
    }
    return true;
}

static void test_random_networks(void)
{
    tally_t tally = {0};
    int n_relays = 0;
    for (uint64_t seed = 0; seed < 2500; seed++) {
        pb_random_t random = pb_random_seed(seed);
        ground_t ground;
        if (!ground_init(&ground, &random)) {
            continue;
        }
        run_t run = run_random(&random, seed, ground.plan, true);
        for (int rank = 0; rank < ground.plan->n_ranks; rank++) {
            n_relays += !run.parts[rank].role->is_led && run.parts[rank].role->n_inside > 0;
        }
        run_all(&run, &tally, seed);
        ground_clear(&ground);
    }
    ok(tally.runs > 1000 && n_relays > tally.runs && tally.failures == 0,
       "every rank has every byte of %d broadcasts with %d relays, within windows %s", tally.runs,
       n_relays, tally.first);
}

/** A leader that has something to relay, or a rank that is led; -1: there is none. */
static int find_rank(const run_t *run, bool is_led)
{
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        const pb_role_t *role = run->parts[rank].role;
        if (is_led ? role->is_led : role->n_inside > 0 && role->n_parents > 0) {
            return rank;
        }
    }
    return -1;
}

static void test_errors(void)
{
    for (int call = 0; call < CALL_COUNT; call++) {
        tally_t tally = {0};
        for (uint64_t i = 0; i < 400; i++) {
            const uint64_t seed = i * CALL_COUNT + (uint64_t) call;
            pb_random_t random = pb_random_seed(seed);
            ground_t ground;
            if (!ground_init(&ground, &random)) {
                continue;
            }
            run_t run = run_random(&random, seed, ground.plan, true);
            run_failing(&run, find_rank(&run, i % 4 == 0), (call_t) call,
                        pb_random_below(&random, 30), &tally, seed);
            ground_clear(&ground);
        }
        ok(tally.runs > 50 && tally.failures == 0,
           "%s: each of %d ranks with an error ends with it, others end %s",
           call_name((call_t) call), tally.runs, tally.first);
    }
}

/** Given up in the middle: finish abandons what is under way. */
static void test_abandon(void)
{
    tally_t tally = {0};
    for (uint64_t seed = 0; seed < 500; seed++) {
        pb_random_t random = pb_random_seed(seed);
        ground_t ground;
        if (!ground_init(&ground, &random)) {
            continue;
        }
        run_t run = run_random(&random, seed, ground.plan, true);
        run_given_up(&run, pb_random_below(&random, 8), &tally, seed);
        ground_clear(&ground);
    }
    ok(tally.runs > 100 && tally.failures == 0,
       "%d broadcasts that are given up leave no request %s", tally.runs, tally.first);
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
    pb_relay_t relay = {.awaited = 0};
    world_t *world = world_new(1, 3, 1, 100, 10); /* the root: so that its rank has the bytes */
    world_add_pieces(world, 25);
    ok(pb_transfer_start(&relay.between, &between, &limits, 100, 10, &world->transports[1],
                         &world->messages[1]) &&
           pb_relay_start(&relay, &inside, &limits, 25, &world->transports[1], &world->pieces[1]),
       "a relay starts");
    uint64_t offered[11];
    for (uint64_t n = 0; n <= 10; n++) {
        relay.between.arrived[0] = n;
        pb_relay_go_on(&relay);
        offered[n] = relay.inside.arrived[0];
    }
    const uint64_t right[] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 4};
    ok(memcmp(offered, right, sizeof(right)) == 0,
       "a piece of 25 bytes is offered when 30 are here, the second when 50 are, and so on");
    pb_transfer_cancel(&relay.between);
    pb_transfer_cancel(&relay.inside);
    pb_relay_finish(&relay);
    world_free(world);
}

static void test_out_of_memory(void)
{
    int n_refused = 0, n_left = 0;
    bool started = false;
    tally_t tally = {0};
    pb_random_t random = pb_random_seed(5);
    ground_t ground;
    while (!ground_init(&ground, &random)) {
    }
    run_t run = run_random(&random, 5, ground.plan, true);
    const int rank = find_rank(&run, false) >= 0 ? find_rank(&run, false) : ground.plan->root;
    const long before = failing_memory_alive();
    while (!started && n_refused < 20) {
        failing_memory_after(n_refused);
        started = run_start(&run, rank);
        failing_memory_after(-1);
        n_left += !started && failing_memory_alive() != before;
        n_refused += !started;
    }
    ok(started && n_refused >= 4 && n_left == 0,
       "a start without memory is refused, at %d places, and leaves nothing", n_refused);
    run_fini(&run, &tally, 5);
    ground_clear(&ground);
}

int main(void)
{
    test_random_networks();
    test_errors();
    test_abandon();
    test_pieces_leave_early();
    test_out_of_memory();
    return tap_done();
}
