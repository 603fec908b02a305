/*
 * The series of broadcasts of group.h.
 */
#include "group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../plans.h"
#include "test/must.h"
#include "topo/trees/leaders.h"

/** A round, in nanoseconds. */
#define ROUND_NS 1000

void group_breach(group_t *g, const char *what, int rank)
{
    if (g->n_breaches++ == 0) {
        snprintf(g->breach, sizeof(g->breach), "%.150s (rank %d, round %d)", what, rank, g->round);
    }
}

static bool chance(group_t *g, int of_thousand)
{
    return pb_random_below(&g->random, 1000) < of_thousand;
}

static int draw(group_t *g, int n)
{
    return pb_random_below(&g->random, n);
}

static world_t *world_of(const group_t *g, int broadcast)
{
    return g->broadcasts[broadcast].words.world;
}

/** Parts may give up words, and empty messages may go in the place of pieces. */
static void let_fail(group_t *g)
{
    for (int i = 0; i < g->n_broadcasts; i++) {
        world_of(g, i)->failed = true;
    }
}

void group_fail(group_t *g, control_failure_t failure, int broadcast, int rank, int after)
{
    controls_t *words = &g->broadcasts[broadcast].words;
    g->may_fail = true;
    words->failure = failure;
    words->fail_rank = rank;
    words->fail_after = after;
    let_fail(g);
}

static uint8_t *copied(const void *bytes, size_t n)
{
    uint8_t *copy = must_zeroed(n, 1);
    memcpy(copy, bytes, n);
    return copy;
}

/* Datagrams. */

static memory_datagrams_t *memory_of(pb_datagrams_t *interface)
{
    return (memory_datagrams_t *) interface;
}

static void put_packet(memory_datagrams_t *d, const uint8_t *bytes, size_t length, int due,
                       bool is_own)
{
    if (d->n >= d->group->capacity) {
        d->n_dropped++;
        return;
    }
    d->packets = must_have(realloc(d->packets, ((size_t) d->n + 1) * sizeof(*d->packets)));
    d->packets[d->n++] =
        (packet_t){.due = due, .is_own = is_own, .length = length, .bytes = copied(bytes, length)};
    d->n_others += !is_own;
    if (d->n_others > d->group->most_waiting) {
        d->group->most_waiting = d->n_others;
    }
}

static void damage(group_t *g, uint8_t *bytes, size_t *length_p)
{
    if (draw(g, 4) == 0) {
        *length_p = (size_t) draw(g, (int) *length_p);
    } else {
        bytes[draw(g, (int) *length_p)] ^= (uint8_t) (1 << draw(g, 8));
    }
}

/** A datagram of somebody else: rubbish, another group's key, or a number that is not due. */
static size_t make_foreign(group_t *g, uint8_t *bytes)
{
    const pb_frame_rule_t *own = &g->multicasts[0].config.rule;
    pb_frame_rule_t rule = *own;
    static const char payload[64];
    const uint32_t n = (uint32_t) draw(g, 64);
    pb_frame_t frame = {.number = (uint64_t) draw(g, g->n_broadcasts + 2),
                        .index = (uint32_t) draw(g, 100),
                        .bytes = n,
                        .payload = payload};
    switch (draw(g, 4)) {
    case 0:
        for (int i = 0; i < 64; i++) {
            bytes[i] = (uint8_t) draw(g, 256);
        }
        return (size_t) draw(g, 65);
    case 1:
        rule.key ^= UINT64_C(1) << draw(g, 64);
        break;
    case 2:
        frame.number += (uint64_t) (g->n_broadcasts + 10) << draw(g, 40);
        break;
    default:
        if (rule.has_checksum) {
            rule.secret[0]++;
        } else {
            frame.index = UINT32_MAX - (uint32_t) draw(g, 10);
        }
    }
    const size_t header = pb_frame_write(&rule, &frame, bytes);
    memcpy(bytes + header, payload, n);
    return header + n;
}

/** Passes a datagram to one receiver. */
static void deliver(memory_datagrams_t *d, const uint8_t *bytes, size_t length, bool is_last,
                    bool is_own)
{
    group_t *g = d->group;
    if (chance(g, is_last ? g->last_lost : g->lost)) {
        return;
    }
    uint8_t *copy = copied(bytes, length);
    if (chance(g, g->damaged)) {
        damage(g, copy, &length);
    }
    put_packet(d, copy, length, g->round + 1 + draw(g, g->delay + 1), is_own);
    if (chance(g, g->repeated)) {
        put_packet(d, copy, length, g->round + 1 + draw(g, g->delay + 1), is_own);
    }
    if (chance(g, g->foreign)) {
        uint8_t rubbish[128];
        const size_t n = make_foreign(g, rubbish);
        put_packet(d, rubbish, n, g->round + 1 + draw(g, g->delay + 1), is_own);
    }
    free(copy);
}

static int memory_send(pb_datagrams_t *interface, const pb_datagram_t *batch, int n)
{
    memory_datagrams_t *d = memory_of(interface);
    group_t *g = d->group;
    if (d->rank == g->mute) {
        return PB_ERR_IO;
    }
    if (n < 1 || n > PB_DATAGRAMS_MAX_BATCH) {
        group_breach(g, "a batch of wrong size", d->rank);
    }
    const int sent = draw(g, n + 1);
    for (int i = 0; i < sent; i++) {
        const size_t length = batch[i].header_bytes + batch[i].bytes;
        uint8_t *bytes = must_zeroed(length, 1);
        memcpy(bytes, batch[i].header, batch[i].header_bytes);
        memcpy(bytes + batch[i].header_bytes, batch[i].payload, batch[i].bytes);
        for (int rank = 0; rank < g->n_ranks; rank++) {
            deliver(&g->datagrams[rank], bytes, length, batch[i].bytes < g->payload,
                    rank == d->rank);
        }
        free(bytes);
    }
    d->leaves = g->round + 1 + draw(g, 3); /* not before it is there, where nothing delays it */
    return sent;
}

static bool memory_is_sending(pb_datagrams_t *interface)
{
    const memory_datagrams_t *d = memory_of(interface);
    return d->leaves > d->group->round;
}

static bool memory_next(pb_datagrams_t *interface, const uint8_t **bytes_p, size_t *length_p)
{
    memory_datagrams_t *d = memory_of(interface);
    int first = -1;
    for (int i = 0; i < d->n; i++) {
        if (d->packets[i].due <= d->group->round &&
            (first < 0 || d->packets[i].due < d->packets[first].due)) {
            first = i;
        }
    }
    free(d->taken);
    d->taken = NULL;
    if (first < 0) {
        return false;
    }
    d->taken = d->packets[first].bytes;
    *bytes_p = d->taken;
    *length_p = d->packets[first].length;
    d->n--;
    d->n_others -= !d->packets[first].is_own;
    memmove(d->packets + first, d->packets + first + 1,
            (size_t) (d->n - first) * sizeof(*d->packets));
    return true;
}

static uint32_t memory_dropped(pb_datagrams_t *interface)
{
    return (memory_of(interface)->n_dropped + 31) / 32; /* the kernel counts runs of frames */
}

/* The group. */

static void set_roles(group_t *g, int index, const pb_plan_t *plan)
{
    for (int rank = 0; rank < g->n_ranks; rank++) {
        member_t *m = &g->broadcasts[index].members[rank];
        free(m->role);
        m->role = pb_role_new(plan, rank);
    }
}

static void set_tree(group_t *g, int index, pb_plan_t *plan)
{
    set_roles(g, index, plan);
    plans_free(plan);
}

void group_set(group_t *g, int index, int root, size_t total)
{
    broadcast_t *b = &g->broadcasts[index];
    world_free(b->words.world);
    b->words.world = world_new(g->seed + (uint64_t) index, g->n_ranks, root, total, 1);
    world_fill(b->words.world, (size_t) index * 7919 + 1);
    set_tree(g, index, plans_random(&g->random, g->n_ranks, root, 1));
}

void group_set_chain(group_t *g, int index, int root, size_t total)
{
    group_set(g, index, root, total);
    set_tree(g, index, plans_chain(g->n_ranks, root));
}

group_t *group_new(uint64_t seed, int n_ranks, int n_broadcasts, uint32_t payload, uint32_t window,
                   size_t max_bytes)
{
    group_t *g = must_zeroed(1, sizeof(*g));
    *g = (group_t){.seed = seed,
                   .random = pb_random_seed(seed),
                   .n_ranks = n_ranks,
                   .n_broadcasts = n_broadcasts,
                   .payload = payload,
                   .window = window,
                   .capacity = 2 * (int) window,
                   .task_percent = 20,
                   .overlap = 1,
                   .deaf = -1,
                   .mute = -1};
    g->broadcasts = must_zeroed((size_t) n_broadcasts, sizeof(*g->broadcasts));
    g->multicasts = must_zeroed((size_t) n_ranks, sizeof(*g->multicasts));
    g->datagrams = must_zeroed((size_t) n_ranks, sizeof(*g->datagrams));
    g->current = must_zeroed((size_t) n_ranks, sizeof(*g->current));
    g->since = must_zeroed((size_t) n_ranks, sizeof(*g->since));
    for (int rank = 0; rank < n_ranks; rank++) {
        g->datagrams[rank] = (memory_datagrams_t){.interface = {.send = memory_send,
                                                                .is_sending = memory_is_sending,
                                                                .next = memory_next,
                                                                .dropped = memory_dropped,
                                                                .capacity = 2 * window},
                                                  .group = g,
                                                  .rank = rank};
        const pb_multicast_config_t config = {.rule = {.key = seed * 31 + 5},
                                              .payload = payload,
                                              .window = window,
                                              .datagrams = &g->datagrams[rank].interface,
                                              .patience = INT64_C(200) * ROUND_NS};
        pb_multicast_init(&g->multicasts[rank], &config);
    }
    for (int i = 0; i < n_broadcasts; i++) {
        broadcast_t *b = &g->broadcasts[i];
        b->members = must_zeroed((size_t) n_ranks, sizeof(*b->members));
        controls_init(&b->words, world_new(seed, n_ranks, 0, 1, 1));
        for (int rank = 0; rank < n_ranks; rank++) {
            b->members[rank].wait = draw(g, 10);
        }
        group_set(g, i, draw(g, n_ranks), 1 + (size_t) draw(g, (int) max_bytes));
    }
    return g;
}

/** The plan of one broadcast by leaders; NULL where these do not apply. */
static pb_plan_t *plan_by_leaders(const pb_placement_t *placement, int root)
{
    const pb_plan_options_t options = {.leaders = true};
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    must(pb_view_new(placement, root, NULL, 0, &view) == PB_SUCCESS &&
         (!pb_leaders_apply(view, PB_KIND_MULTICAST) ||
          pb_plan_compute(view, PB_KIND_MULTICAST, &options, &plan) == PB_SUCCESS));
    pb_view_free(view);
    return plan;
}

/** The members' roles are those of the plan, and their messages go in pieces inside hosts. */
static void use_pieces(group_t *g, int index, const pb_plan_t *plan)
{
    world_t *world = world_of(g, index);
    world->segment_size = 1 + (size_t) draw(g, 3 * (int) g->payload);
    set_roles(g, index, plan);
}

void group_place(group_t *g, const pb_placement_t *placement)
{
    for (int rank = 0; rank < g->n_ranks; rank++) {
        for (int lower = 0; lower < rank; lower++) {
            g->multicasts[rank].config.is_deaf |=
                pb_network_host_of(placement->network, placement->host[lower]) ==
                pb_network_host_of(placement->network, placement->host[rank]);
        }
    }
    for (int i = 0; i < g->n_broadcasts; i++) {
        pb_plan_t *plan = plan_by_leaders(placement, world_of(g, i)->root);
        if (plan != NULL) {
            use_pieces(g, i, plan);
        }
        pb_plan_free(plan);
    }
}

void group_use_checksums(group_t *g)
{
    for (int rank = 0; rank < g->n_ranks; rank++) {
        g->multicasts[rank].config.rule.has_checksum = true;
        g->multicasts[rank].config.rule.secret[0] = 0x1234;
        g->multicasts[rank].config.rule.secret[1] = 0x5678;
    }
}

static void free_broadcast(const group_t *g, broadcast_t *b)
{
    for (int rank = 0; rank < g->n_ranks; rank++) {
        member_t *m = &b->members[rank];
        if (m->has_inside) {
            pb_transfer_finish(&m->inside);
        }
        free(m->role);
    }
    free(b->members);
    controls_fini(&b->words);
    world_free(b->words.world);
}

void group_free(group_t *g)
{
    for (int i = 0; i < g->n_broadcasts; i++) {
        free_broadcast(g, &g->broadcasts[i]);
    }
    for (int rank = 0; rank < g->n_ranks; rank++) {
        memory_datagrams_t *d = &g->datagrams[rank];
        for (int i = 0; i < d->n; i++) {
            free(d->packets[i].bytes);
        }
        free(d->packets);
        free(d->taken);
    }
    free(g->since);
    free(g->current);
    free(g->datagrams);
    free(g->multicasts);
    free(g->broadcasts);
    free(g);
}

int group_left(const group_t *g)
{
    int n = 0;
    for (int i = 0; i < g->n_broadcasts; i++) {
        for (int rank = 0; rank < g->n_ranks; rank++) {
            n += g->broadcasts[i].words.mail[rank] != NULL;
        }
        n += g->broadcasts[i].words.n_alive != 0;
        n += world_of(g, i)->n_alive != 0;
    }
    return n;
}

uint64_t group_sum(const group_t *g, size_t offset)
{
    uint64_t sum = 0;
    for (int rank = 0; rank < g->n_ranks; rank++) {
        uint64_t count;
        memcpy(&count, (const char *) &g->multicasts[rank].counters + offset, sizeof(count));
        sum += count;
    }
    return sum;
}

/* The ranks' way through the broadcasts. */

/** Prepares what goes on inside the rank's host, if anything does. */
static void begin_inside(broadcast_t *b, int rank)
{
    const pb_transfer_limits_t limits = {
        .receive_window = 2, .send_window = 3, .ahead = 200, .offered = true};
    member_t *m = &b->members[rank];
    world_t *world = b->words.world;
    const pb_role_t of_host = pb_role_inside_host(m->role);
    if (of_host.n_parents + of_host.n_children == 0) {
        return;
    }
    m->has_inside = pb_transfer_start(&m->inside, &of_host, &limits, world->segment_size,
                                      &world->transports[rank], &world->messages[rank]);
    must(m->has_inside);
}

static void begin(group_t *g, int index, int rank)
{
    broadcast_t *b = &g->broadcasts[index];
    member_t *m = &b->members[rank];
    pb_multicast_t *multicast = &g->multicasts[rank];
    begin_inside(b, rank);
    multicast->config.datagrams = rank == g->deaf   ? NULL
                                  : g->real != NULL ? g->real[rank]
                                                    : &g->datagrams[rank].interface;
    const bool good = pb_multicast_part_start(&m->part, multicast, &b->words.of[rank], m->role,
                                              b->words.world->data[rank], b->words.world->total);
    must(good);
    m->has_begun = true;
    m->begun = g->round;
}

/** The message must be right where the part has ended without an error. */
static void check_data(group_t *g, int index, int rank)
{
    const world_t *world = world_of(g, index);
    const bool is_whole = g->broadcasts[index].members[rank].result == 0;
    if (!(is_whole ? world_rank_has_all(world, rank) : world_rank_has_guard(world, rank))) {
        group_breach(g, "a wrong byte", rank);
    }
}

/** The call returns if it may; then the buffer is the user's, who writes into it. */
static void leave(group_t *g, int index, int rank)
{
    member_t *m = &g->broadcasts[index].members[rank];
    pb_multicast_part_t *part = &g->broadcasts[index].members[rank].part;
    const bool inside_is_through = !m->has_inside || m->inside_is_through;
    if (!m->is_through &&
        (m->is_over || (inside_is_through && pb_multicast_part_is_through(part)))) {
        m->is_through = true;
        m->result = part->error == 0 && m->has_inside ? m->inside.error : part->error;
        m->ended = g->round;
        check_data(g, index, rank);
    }
    if (m->is_through && !m->is_free &&
        (m->is_over || (!g->never_detaches && pb_multicast_part_detach(part)))) {
        m->is_free = true;
        memset(world_of(g, index)->data[rank], '!', world_of(g, index)->total);
    }
}

static bool advance_part(group_t *g, int index, int rank)
{
    member_t *m = &g->broadcasts[index].members[rank];
    return pb_multicast_part_advance(&m->part, (int64_t) g->round * ROUND_NS);
}

static void advance_inside(member_t *m)
{
    if (!m->has_inside || m->inside_is_through) {
        return;
    }
    if (!m->role->is_led) {
        pb_multicast_part_offer(&m->part, &m->inside);
    }
    m->inside_is_through = pb_transfer_advance(&m->inside);
    if (m->part.broken && !m->inside.broken) { /* as a caller does who is lost */
        pb_transfer_cancel(&m->inside);
    } else if (m->inside.broken && !m->part.broken) {
        pb_multicast_part_cancel(&m->part);
    }
}

static void advance(group_t *g, int index, int rank)
{
    member_t *m = &g->broadcasts[index].members[rank];
    m->is_over = advance_part(g, index, rank);
    advance_inside(m);
    /* Sends that nobody will ever take are abandoned. */
    m->is_over = m->is_over && (!m->has_inside || m->inside_is_through || g->is_cancelled);
    leave(g, index, rank);
    if (m->is_over) {
        pb_multicast_part_finish(&g->broadcasts[index].members[rank].part);
    }
}

/** Advances all parts of a rank; notes how much it keeps. */
static void advance_all(group_t *g, int rank)
{
    int n_parts = 0;
    size_t kept = 0;
    for (int i = 0; i < g->n_broadcasts; i++) {
        member_t *m = &g->broadcasts[i].members[rank];
        if (m->has_begun && !m->is_over) {
            advance(g, i, rank);
            n_parts += !m->is_over;
            kept += !m->is_over && m->part.copy != NULL ? world_of(g, i)->total : 0;
        }
    }
    g->most_parts = n_parts > g->most_parts ? n_parts : g->most_parts;
    g->most_kept = kept > g->most_kept ? kept : g->most_kept;
}

/** Calls that have not returned. */
static int n_calls(const group_t *g, int rank)
{
    int n = 0;
    for (int i = 0; i < g->current[rank]; i++) {
        n += !g->broadcasts[i].members[rank].is_free;
    }
    return n;
}

static void step(group_t *g, int rank)
{
    const int calls = n_calls(g, rank);
    if (g->current[rank] < g->n_broadcasts && calls < g->overlap && !g->is_cancelled) {
        const member_t *m = &g->broadcasts[g->current[rank]].members[rank];
        if (g->round - g->since[rank] >= m->wait) {
            begin(g, g->current[rank]++, rank);
            g->since[rank] = g->round;
        }
    }
    const bool is_at_end = g->current[rank] == g->n_broadcasts;
    if (n_calls(g, rank) > 0 || is_at_end || g->is_cancelled || chance(g, 10 * g->task_percent)) {
        advance_all(g, rank);
        if (n_calls(g, rank) < calls) {
            g->since[rank] = g->round;
        }
    }
}

static bool all_are_over(const group_t *g)
{
    for (int i = 0; i < g->n_broadcasts; i++) {
        for (int rank = 0; rank < g->n_ranks; rank++) {
            const member_t *m = &g->broadcasts[i].members[rank];
            if (g->is_cancelled ? m->has_begun && !m->is_over : !m->is_over) {
                return false;
            }
        }
    }
    return true;
}

/** Pieces get on; notes what went on with them and with words. */
static void step_worlds(group_t *g)
{
    for (int i = 0; i < g->n_broadcasts; i++) {
        world_t *world = world_of(g, i);
        (void) world_step(world);
        g->has_failed = g->has_failed || g->broadcasts[i].words.failed;
        if (world->n_breaches > 0) {
            group_breach(g, world->breach, -1);
        }
    }
}

bool group_run(group_t *g, int max_rounds)
{
    for (int i = 0; i < g->n_broadcasts; i++) {
        g->broadcasts[i].words.prompt = g->is_prompt;
    }
    for (int i = 0; i < max_rounds && !all_are_over(g); i++) {
        g->round++;
        const int first = draw(g, g->n_ranks);
        for (int k = 0; k < g->n_ranks; k++) {
            step(g, (first + k) % g->n_ranks);
        }
        step_worlds(g);
    }
    return all_are_over(g);
}

void group_cancel(group_t *g)
{
    g->is_cancelled = true;
    let_fail(g);
    for (int i = 0; i < g->n_broadcasts; i++) {
        for (int rank = 0; rank < g->n_ranks; rank++) {
            member_t *m = &g->broadcasts[i].members[rank];
            if (m->has_begun && !m->is_over) {
                pb_multicast_part_cancel(&m->part);
                if (m->has_inside) {
                    pb_transfer_cancel(&m->inside);
                }
            }
        }
    }
}
