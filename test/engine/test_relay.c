/*
 * Relays: all ranks of a broadcast by leaders as state machines in one process, over the in-memory
 * world of world.h, on random networks with several ranks on a host.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/relay.h"
#include "plans.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "topo/trees/leaders.h"
#include "world.h"

/** Rounds in which every rank is advanced; far more than any right engine needs. */
#define MAX_ROUNDS 200000

/** One rank's part. */
typedef struct part {
    pb_role_t *role;
    pb_relay_t relay;
    bool relays, started, through;
    int late; /* the round in which it starts */
} part_t;

/** One broadcast of all ranks. */
typedef struct run {
    world_t *world;
    const pb_plan_t *plan;
    pb_transfer_limits_t limits;
    size_t piece_size;
    part_t *parts;
} run_t;

/** A network with ranks on it, and a plan by leaders. */
typedef struct ground {
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;
    pb_plan_t *plan;
} ground_t;

/** What went wrong in many runs; the first is described. */
typedef struct tally {
    int runs, failures;
    char first[300];
} tally_t;

static void note(tally_t *tally, uint64_t seed, const char *what)
{
    if (tally->failures++ == 0) {
        snprintf(tally->first, sizeof(tally->first), "seed %llu: %s", (unsigned long long) seed,
                 what);
    }
}

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

static void run_init(run_t *run, pb_random_t *random, uint64_t seed, const pb_plan_t *plan)
{
    static const int percents[] = {0, 20, 80, 100}, windows[] = {1, 2, 3, 16};
    const size_t segment_size = 1 + (size_t) pb_random_below(random, 40);
    const size_t total = 1 + (size_t) pb_random_below(random, 60 * (int) segment_size);
    const size_t piece_size = 1 + (size_t) pb_random_below(random, 200);
    world_t *world = world_new(seed, plan->n_ranks, plan->root, total, segment_size);
    world->bounces = pb_random_below(random, 2);
    world->in_place = !world->bounces && pb_random_below(random, 2);
    world->busy_percent = pb_random_below(random, 2) ? 0 : 50;
    world->early_percent = percents[pb_random_below(random, 4)];
    world->at_once_percent = percents[pb_random_below(random, 4)];
    world->tell_percent = percents[pb_random_below(random, 4)];
    world->meet_percent = percents[1 + pb_random_below(random, 3)];
    world_add_pieces(world, piece_size);
    *run = (run_t){.world = world, .plan = plan, .piece_size = piece_size};
    run->limits = (pb_transfer_limits_t){.receive_window = windows[pb_random_below(random, 4)],
                                         .send_window = windows[pb_random_below(random, 4)],
                                         .ahead = pb_random_below(random, 2) ? 0 : 100};
    run->parts = calloc((size_t) plan->n_ranks, sizeof(*run->parts));
    for (int rank = 0; run->parts != NULL && rank < plan->n_ranks; rank++) {
        run->parts[rank].role = pb_role_new(plan, rank);
        run->parts[rank].late = pb_random_below(random, 4) == 0 ? pb_random_below(random, 50) : 0;
    }
}

static void run_clear(run_t *run)
{
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        part_t *part = &run->parts[rank];
        if (part->started && !part->through) {
            pb_transfer_cancel(&part->relay.between);
            if (part->relays) {
                pb_transfer_cancel(&part->relay.inside);
            }
        }
        if (part->started) {
            pb_relay_finish(&part->relay);
        }
        free(part->role);
    }
    free(run->parts);
}

/** False if out of memory: then nothing is left. */
static bool start(run_t *run, int rank)
{
    world_t *world = run->world;
    part_t *part = &run->parts[rank];
    pb_transport_t *transport = &world->transports[rank];
    const pb_role_t between = pb_role_between_hosts(part->role);
    const pb_role_t inside = pb_role_inside_host(part->role);
    const bool is_led = part->role->is_led;
    part->relay = (pb_relay_t){.awaited = 0};
    if (!pb_transfer_start(&part->relay.between, is_led ? &inside : &between, &run->limits,
                           world->total, is_led ? run->piece_size : world->segment_size, transport,
                           is_led ? &world->pieces[rank] : &world->messages[rank])) {
        return false;
    }
    part->relays = !is_led && inside.n_children > 0;
    part->started =
        !part->relays || pb_relay_start(&part->relay, &inside, &run->limits, run->piece_size,
                                        transport, &world->pieces[rank]);
    if (!part->started) {
        pb_relay_finish(&part->relay);
    }
    return part->started;
}

static void advance(run_t *run, int rank, int round)
{
    part_t *part = &run->parts[rank];
    if (part->through || round < part->late) {
        return;
    }
    if (!part->started && !start(run, rank)) {
        abort();
    }
    part->through =
        part->relays ? pb_relay_advance(&part->relay) : pb_transfer_advance(&part->relay.between);
    if (part->through && pb_relay_error(&part->relay) == 0) {
        world_rank_ends(run->world, rank);
    }
}

static bool all_through(const run_t *run)
{
    bool all = true;
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        all = all && run->parts[rank].through;
    }
    return all;
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

static void judge(const run_t *run, tally_t *tally, uint64_t seed)
{
    const world_t *w = run->world;
    for (int rank = 0; rank < w->n_ranks; rank++) {
        if (!world_rank_has_all(w, rank)) {
            note(tally, seed, "wrong bytes at a rank");
        }
        if (pb_relay_error(&run->parts[rank].relay) != 0) {
            note(tally, seed, "an error although nothing failed");
        }
    }
    if (w->most_sends > run->limits.send_window + PB_TRANSFER_SYNCHRONOUS ||
        w->most_receives > run->limits.receive_window) {
        note(tally, seed, "a window was exceeded");
    }
    if (w->n_alive != 0 || w->n_buffers != 0 || w->n_abandoned != 0) {
        note(tally, seed, "requests or buffers were left");
    }
}

static void test_random_networks(void)
{
    tally_t tally = {0};
    int n_relays = 0;
    for (uint64_t seed = 0; seed < 2500; seed++) {
        pb_random_t random = pb_random_seed(seed);
        ground_t ground;
        run_t run;
        if (!ground_init(&ground, &random)) {
            continue;
        }
        run_init(&run, &random, seed, ground.plan);
        tally.runs++;
        if (!run_rounds(&run, MAX_ROUNDS)) {
            note(&tally, seed, "a rank never gets through");
        } else {
            judge(&run, &tally, seed);
        }
        for (int rank = 0; rank < ground.plan->n_ranks; rank++) {
            n_relays += run.parts[rank].relays;
        }
        run_clear(&run);
        if (run.world->n_breaches != 0) { /* as bytes sent that are not here */
            note(&tally, seed, run.world->breach);
        }
        world_free(run.world);
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

static bool ends_are_honest(const run_t *run)
{
    bool honest = true;
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        const part_t *part = &run->parts[rank];
        honest = honest && (!part->through || pb_relay_error(&part->relay) != 0 ||
                            world_rank_has_all(run->world, rank));
    }
    return honest;
}

static void fail_trial(uint64_t seed, call_t call, tally_t *tally)
{
    pb_random_t random = pb_random_seed(seed);
    const bool refuses =
        call == CALL_SEND || call == CALL_RECEIVE || call == CALL_ARRIVED || call == CALL_SHORT;
    ground_t ground;
    run_t run;
    if (!ground_init(&ground, &random)) {
        return;
    }
    run_init(&run, &random, seed, ground.plan);
    world_t *world = run.world;
    world->fail_rank = find_rank(&run, seed / CALL_COUNT % 4 == 0);
    world->fail_call = call;
    world->fail_after = pb_random_below(&random, 30);
    world->in_place = world->in_place && call < CALL_TO_SEND;
    const bool are_all_through = run_rounds(&run, 20000);
    if (world->failed) {
        const part_t *part = &run.parts[world->fail_rank];
        tally->runs++;
        if (!part->through || (!refuses && !are_all_through)) {
            note(tally, seed, "a rank never ends");
        } else if (pb_relay_error(&part->relay) != WORLD_ERROR) {
            note(tally, seed, "the error is lost");
        } else if (!ends_are_honest(&run)) {
            note(tally, seed, "no error, but not every byte");
        } else if (!refuses && world->n_buffers != 0) {
            note(tally, seed, "buffers are held at the end");
        }
    }
    run_clear(&run);
    if (world->n_alive != 0 || (!refuses && world->n_abandoned != 0)) {
        note(tally, seed, "requests are left at the end");
    }
    if (world->n_breaches != 0) {
        note(tally, seed, world->breach);
    }
    world_free(world);
    ground_clear(&ground);
}

static void test_errors(void)
{
    for (int call = 0; call < CALL_COUNT; call++) {
        tally_t tally = {0};
        for (uint64_t seed = 0; seed < 400; seed++) {
            fail_trial(seed * CALL_COUNT + (uint64_t) call, (call_t) call, &tally);
        }
        ok(tally.runs > 50 && tally.failures == 0,
           "%s: each of %d ranks with an error ends with it, others end %s",
           call_name((call_t) call), tally.runs, tally.first);
    }
}

/** Given up in the middle: finish abandons what is under way. */
static void test_abandon(void)
{
    int left = 0, n = 0;
    for (uint64_t seed = 0; seed < 500; seed++) {
        pb_random_t random = pb_random_seed(seed);
        ground_t ground;
        run_t run;
        if (!ground_init(&ground, &random)) {
            continue;
        }
        run_init(&run, &random, seed, ground.plan);
        run_rounds(&run, pb_random_below(&random, 8));
        run_clear(&run);
        left += run.world->n_alive != 0 || run.world->n_breaches != 0;
        n++;
        world_free(run.world);
        ground_clear(&ground);
    }
    ok(n > 100 && left == 0, "%d broadcasts that are given up leave no request (%d did)", n, left);
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
    int n_refused = 0;
    bool started = false;
    pb_random_t random = pb_random_seed(5);
    ground_t ground;
    run_t run;
    while (!ground_init(&ground, &random)) {
    }
    run_init(&run, &random, 5, ground.plan);
    const int rank = find_rank(&run, false) >= 0 ? find_rank(&run, false) : ground.plan->root;
    const long before = failing_memory_alive();
    while (!started && n_refused < 20) {
        failing_memory_after(n_refused);
        started = start(&run, rank);
        failing_memory_after(-1);
        n_refused += !started;
        if (!started && failing_memory_alive() != before) {
            break;
        }
    }
    ok(started && n_refused >= 4,
       "a start without memory is refused, at %d places, and leaves "
       "nothing",
       n_refused);
    run_clear(&run);
    world_free(run.world);
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
