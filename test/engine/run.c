/*
 * The broadcasts of run.h.
 */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

#include "test/must.h"

/** Rounds after which ranks that an error has left alone are given up. */
#define FAILING_ROUNDS 20000

void tally_note(tally_t *tally, uint64_t seed, const char *what)
{
    if (tally->failures++ == 0) {
        snprintf(tally->first, sizeof(tally->first), "seed %llu: %s", (unsigned long long) seed,
                 what);
    }
}

run_t run_new(world_t *world, const pb_plan_t *plan, pb_transfer_limits_t limits)
{
    run_t run = {.world = world, .plan = plan, .limits = limits};
    run.parts = calloc((size_t) plan->n_ranks, sizeof(*run.parts));
    for (int rank = 0; run.parts != NULL && rank < plan->n_ranks; rank++) {
        run.parts[rank].role = pb_role_new(plan, rank);
    }
    return run;
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

run_t run_random(pb_random_t *random, uint64_t seed, const pb_plan_t *plan, bool has_pieces)
{
    static const int percents[] = {0, 20, 80, 100};
    const size_t segment_size = 1 + (size_t) pb_random_below(random, 40);
    world_t *world = world_new(seed, plan->n_ranks, plan->root, random_total(random, segment_size),
                               segment_size);
    world->early_percent = percents[pb_random_below(random, 4)];
    world->at_once_percent = percents[pb_random_below(random, 4)];
    world->tell_percent = percents[pb_random_below(random, 4)];
    world->meet_percent = percents[1 + pb_random_below(random, 3)];
    run_t run = run_new(world, plan, random_limits(random, segment_size));
    if (has_pieces) {
        run.piece_size = world->piece_size = 1 + (size_t) pb_random_below(random, 200);
    }
    if (pb_random_below(random, 2)) {
        world_pack(world, false);
    }
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        run.parts[rank].late = pb_random_below(random, 4) == 0 ? pb_random_below(random, 50) : 0;
    }
    return run;
}

bool run_start(run_t *run, int rank)
{
    world_t *w = run->world;
    part_t *part = &run->parts[rank];
    pb_transport_t *transport = &w->transports[rank];
    const bool in_pieces = run->piece_size > 0;
    const pb_role_t between = in_pieces ? pb_role_between_hosts(part->role) : *part->role;
    const pb_role_t inside = pb_role_inside_host(part->role);
    const bool is_led = in_pieces && part->role->is_led;
    part->relay = (pb_relay_t){.transfer = {.lanes = NULL}};
    if (!pb_transfer_start(&part->relay.transfer, is_led ? &inside : &between, &run->limits,
                           is_led ? run->piece_size : w->segment_size, transport,
                           &w->messages[rank])) {
        return false;
    }
    part->relays = in_pieces && !is_led && inside.n_children > 0;
    part->started =
        !part->relays || pb_relay_start(&part->relay, &inside, &run->limits, run->piece_size);
    if (!part->started) {
        pb_transfer_finish(&part->relay.transfer);
    }
    return part->started;
}

int run_error(const run_t *run, int rank)
{
    const part_t *part = &run->parts[rank];
    return pb_relay_error(&part->relay);
}

void run_advance(run_t *run, int rank, int round)
{
    part_t *part = &run->parts[rank];
    if (part->through || round < part->late) {
        return;
    }
    must(part->started || run_start(run, rank));
    part->through =
        part->relays ? pb_relay_advance(&part->relay) : pb_transfer_advance(&part->relay.transfer);
    if (part->through && run_error(run, rank) == 0 && !run->is_cancelled) {
        world_rank_ends(run->world, rank);
    }
}

bool run_all_through(const run_t *run)
{
    bool all = true;
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        all = all && run->parts[rank].through;
    }
    return all;
}

bool run_rounds(run_t *run, int n_rounds)
{
    for (int round = 0; round < n_rounds && !run_all_through(run); round++) {
        for (int i = 0; i < run->plan->n_ranks; i++) {
            run_advance(run, pb_random_below(&run->world->random, run->plan->n_ranks), round);
        }
        world_step(run->world);
    }
    return run_all_through(run);
}

void run_cancel(run_t *run)
{
    run->is_cancelled = true;
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        part_t *part = &run->parts[rank];
        if (!part->started || part->through) {
            continue;
        }
        pb_transfer_cancel(&part->relay.transfer);
        if (part->relays) {
            pb_transfer_cancel(&part->relay.pieces);
        }
    }
}

void run_fini(run_t *run, tally_t *tally, uint64_t seed)
{
    run_cancel(run);
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        part_t *part = &run->parts[rank];
        if (part->started) {
            pb_transfer_finish(&part->relay.transfer);
            pb_transfer_finish(&part->relay.pieces);
        }
        free(part->role);
    }
    free(run->parts);
    bool is_held = false;
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        is_held = is_held || run->world->messages[rank].is_held;
    }
    if (is_held != (run->world->n_abandoned > 0)) {
        tally_note(tally, seed, "a message is held though no request was abandoned, or not held");
    }
    if (run->world->n_alive != 0) {
        tally_note(tally, seed, "requests are left at the end");
    }
    if (run->world->n_breaches != 0) { /* as bytes sent that are not here */
        tally_note(tally, seed, run->world->breach);
    }
    world_free(run->world);
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

static bool is_bounded(const run_t *run)
{
    return run->limits.ahead != 0 && run->piece_size == 0 && !run->limits.in_turn;
}

static void judge(const run_t *run, tally_t *tally, uint64_t seed)
{
    const world_t *w = run->world;
    for (int rank = 0; rank < w->n_ranks; rank++) {
        if (!world_rank_has_all(w, rank)) {
            tally_note(tally, seed, "wrong bytes at a rank");
        }
        if (run_error(run, rank) != 0) {
            tally_note(tally, seed, "an error although nothing failed");
        }
    }
    if (w->most_sends > run->limits.send_window + PB_TRANSFER_SYNCHRONOUS ||
        w->most_receives > run->limits.receive_window) {
        tally_note(tally, seed, "a window was exceeded");
    }
    if (is_bounded(run) && w->most_waiting > ahead_bound(run)) {
        tally_note(tally, seed, "more waits at a late rank than may");
    }
    if (w->n_alive != 0 || w->n_abandoned != 0) {
        tally_note(tally, seed, "requests were left");
    }
}

void run_all(run_t *run, tally_t *tally, uint64_t seed)
{
    tally->runs++;
    if (run_rounds(run, MAX_ROUNDS)) {
        judge(run, tally, seed);
    } else {
        tally_note(tally, seed, "a rank never gets through");
    }
    run_fini(run, tally, seed);
}

/** A rank that is through without an error has every byte. */
static bool ends_are_honest(const run_t *run)
{
    bool honest = true;
    for (int rank = 0; rank < run->plan->n_ranks; rank++) {
        honest = honest && (!run->parts[rank].through || run_error(run, rank) != 0 ||
                            world_rank_has_all(run->world, rank));
    }
    return honest;
}

void run_failing(run_t *run, int rank, call_t call, int after, tally_t *tally, uint64_t seed)
{
    const bool refuses =
        call == CALL_SEND || call == CALL_RECEIVE || call == CALL_ARRIVED || call == CALL_SHORT;
    world_t *w = run->world;
    w->fail_rank = rank;
    w->fail_call = call;
    w->fail_after = after;
    if (call == CALL_CONVERT) {
        world_pack(w, true);
    }
    const bool are_all_through = run_rounds(run, FAILING_ROUNDS);
    tally->runs += w->failed;
    if (w->failed) {
        if (!run->parts[rank].through || (!refuses && !are_all_through)) {
            tally_note(tally, seed, "a rank never ends");
        } else if (run_error(run, rank) != WORLD_ERROR) {
            tally_note(tally, seed, "the error is lost");
        } else if (!ends_are_honest(run)) {
            tally_note(tally, seed, "no error, but not every byte");
        } else if (!refuses && w->n_abandoned != 0) {
            tally_note(tally, seed, "requests are held at the end");
        }
    }
    run_fini(run, tally, seed);
}

void run_given_up(run_t *run, int n_rounds, tally_t *tally, uint64_t seed)
{
    tally->runs++;
    run_rounds(run, n_rounds);
    run_fini(run, tally, seed);
}
