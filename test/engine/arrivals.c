/*
 * The series of broadcasts of arrivals.h.
 */
#include "arrivals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/failing_memory.h"
#include "test/must.h"
#include "topo/check/check_load.h"

#define ROUND_NS 1000
#define WAIT_BOUND 1400

void arrivals_breach(arrivals_t *a, const char *what, int rank)
{
    if (a->n_breaches++ == 0) {
        snprintf(a->breach, sizeof(a->breach), "%s (rank %d)", what, rank);
    }
}

static bool chance(arrivals_t *a, int percent)
{
    return pb_random_below(&a->random, 100) < percent;
}

/* The caller. */

static controls_t *controls_of(const pb_arrival_caller_t *caller)
{
    return &caller->arrivals->broadcasts[caller->broadcast].controls;
}

int64_t pb_arrival_caller_now(pb_arrival_caller_t *caller)
{
    return caller->arrivals->now;
}

const int *pb_arrival_caller_order(pb_arrival_caller_t *caller)
{
    const arrivals_t *a = caller->arrivals;
    const int root = a->broadcasts[caller->broadcast].root;
    if (caller->order == NULL) {
        caller->order = must_zeroed((size_t) a->n_ranks, sizeof(*caller->order));
        for (int rank = 0, i = 0; rank < a->n_ranks; rank++) {
            if (rank != root) {
                caller->order[i++] = rank;
            }
        }
    }
    return caller->order;
}

/** The plan of a group; its tree must be contention-free. NULL: it has none. */
static pb_plan_t *plan_of(const pb_arrival_caller_t *caller, const pb_arrival_header_t *header)
{
    arrivals_t *a = caller->arrivals;
    const int root = a->broadcasts[caller->broadcast].root;
    int *ranks = must_zeroed((size_t) a->n_ranks, sizeof(*ranks));
    char *members = must_zeroed((size_t) a->n_ranks, 1);
    const int n = pb_arrival_members(header, a->n_ranks, ranks);
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    pb_check_t check = {0};
    pb_diag_t diag;
    pb_diag_init(&diag);
    for (int i = 0; i < n; i++) {
        members[ranks[i]] = 1;
    }
    if (pb_view_new(a->placement, root, ranks, n, &view) != PB_SUCCESS) {
        if (controls_of(caller)->failure != FAIL_DAMAGED) {
            arrivals_breach(a, "a group that is none", caller->rank);
        }
    } else if (pb_plan_compute(view, header->kind, NULL, &plan) == PB_SUCCESS &&
               caller->rank == root) {
        if (pb_check_plan(a->placement, plan, members, &check, &diag) != PB_SUCCESS ||
            pb_check_load(a->placement, plan, NULL, &diag) != PB_SUCCESS) {
            arrivals_breach(a, "a group's tree is not contention-free", caller->rank);
        }
        pb_check_clear(&check);
    }
    pb_diag_clear(&diag);
    pb_view_free(view);
    free(members);
    free(ranks);
    return plan;
}

/** Tells whether out of memory for the role; for what comes after it, it will be. */
static bool has_no_role(pb_arrival_caller_t *caller)
{
    arrivals_t *a = caller->arrivals;
    if (!controls_fail(controls_of(caller), caller->rank, FAIL_MEMORY)) {
        return false;
    }
    failing_memory_after(a->memory_after - 1);
    return a->memory_after == 0;
}

int pb_arrival_caller_part(pb_arrival_caller_t *caller, const pb_arrival_header_t *header,
                           pb_group_part_t *part)
{
    const arrivals_t *a = caller->arrivals;
    world_t *world = a->broadcasts[caller->broadcast].world;
    pb_plan_t *plan = plan_of(caller, header);
    free(caller->role);
    caller->role = plan != NULL ? pb_role_new(plan, caller->rank) : NULL;
    pb_plan_free(plan);
    if (has_no_role(caller)) {
        free(caller->role);
        caller->role = NULL;
    }
    if (header->total != world->total && controls_of(caller)->failure == FAIL_DAMAGED) {
        world_lose(world, caller->rank, (size_t) header->total);
    } else if (header->total != world->total) {
        arrivals_breach(caller->arrivals, "a header of another size", caller->rank);
    }
    *part = (pb_group_part_t){.role = caller->role,
                              .segment_size = header->segment_size,
                              .message = &world->messages[caller->rank],
                              .limits = a->limits};
    part->limits.ahead = header->unasked ? 0 : part->limits.ahead;
    return caller->role == NULL ? PB_ERR_NO_MEMORY : 0;
}

static const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_BINARY, PB_KIND_TWOTREE};

int pb_arrival_caller_choose(pb_arrival_caller_t *caller, pb_arrival_header_t *header)
{
    arrivals_t *a = caller->arrivals;
    header->kind = header->unasked ? PB_KIND_CHAIN
                   : a->kind >= 0  ? (pb_kind_t) a->kind
                                   : kinds[pb_random_below(&a->random, 3)];
    header->segment_size = (uint32_t) a->broadcasts[caller->broadcast].world->segment_size;
    a->n_groups++;
    return 0;
}

/* The ranks' way through the broadcasts. */

static pb_arrival_env_t env_of(arrivals_t *a, int index, int rank)
{
    broadcast_t *b = &a->broadcasts[index];
    return (pb_arrival_env_t){
        .caller = &b->callers[rank],
        .control = &b->controls.of[rank],
        .transport = &b->world->transports[rank],
        .n_ranks = a->n_ranks,
        .rank = rank,
        .root = b->root,
        .total = b->world->total,
        .mode = a->is_auto ? &a->modes[rank] : NULL,
        .credit = a->unasked ? &a->credits[rank] : NULL,
    };
}

/** Plain broadcasts are not carried out here; in place of a fold, some of them are suspicious. */
static bool is_suspicious(int index)
{
    return index % 4 == 2;
}

/** Tells whether the broadcast is arrival-aware, on which all ranks agree. */
static bool is_aware(arrivals_t *a, int index, int rank)
{
    broadcast_t *b = &a->broadcasts[index];
    if (is_suspicious(index)) {
        pb_arrival_mode_suspect(&a->modes[rank]);
    }
    const bool own = !a->is_auto || pb_arrival_mode_is_aware(&a->modes[rank]);
    if (b->is_decided && own != b->is_aware) {
        arrivals_breach(a, "ranks differ about a broadcast's mode", rank);
    }
    b->is_decided = true;
    b->is_aware = own;
    return own;
}

static void begin(arrivals_t *a, int index, int rank)
{
    broadcast_t *b = &a->broadcasts[index];
    const pb_arrival_env_t env = env_of(a, index, rank);
    b->has_begun[rank] = true;
    b->begun[rank] = a->round;
    if (!is_aware(a, index, rank)) {
        return;
    }
    if (a->unasked && rank != b->root) {
        pb_arrival_credit_other(&a->credits[rank], env.total);
    }
    if (rank == b->root ? !pb_arrival_root_start(&b->at_root, &env, a->expected)
                        : !pb_arrival_receiver_start(&b->receivers[rank], &env)) {
        abort();
    }
}

/** Facts that the ranks learn from a broadcast. */
static void learn(arrivals_t *a, const broadcast_t *b, int rank, uint8_t announced)
{
    pb_arrival_mode_end(&a->modes[rank], announced, b->root,
                        rank == b->root ? pb_arrival_root_report(&b->at_root) : PB_ARRIVAL_UNKNOWN);
}

/** The broadcast has ended on a rank: nothing may be to come, see world_rank_ends(). */
static void has_ended(arrivals_t *a, broadcast_t *b, int rank)
{
    if (b->errors[rank] != 0 || a->is_cancelled) {
        return;
    }
    if (b->controls.mail[rank] != NULL) {
        arrivals_breach(a, "a control message is still to come to a rank that has ended", rank);
    }
    world_rank_ends(b->world, rank);
}

/** Gives back what a rank's part took; what its root still has to hear may linger. */
static void end(arrivals_t *a, int index, int rank)
{
    broadcast_t *b = &a->broadcasts[index];
    if (rank == b->root) {
        b->errors[rank] = b->at_root.error;
        learn(a, b, rank, b->at_root.mode);
    } else {
        const pb_arrival_receiver_t *receiver = &b->receivers[rank];
        b->errors[rank] = pb_member_error(&receiver->member);
        learn(a, b, rank, receiver->header.mode);
        pb_member_finish(&b->receivers[rank].member);
    }
    if (rank != b->root) {
        has_ended(a, b, rank);
    }
}

static void linger(arrivals_t *a, int rank)
{
    for (int i = 0; i < a->current[rank]; i++) {
        broadcast_t *b = &a->broadcasts[i];
        if (b->root == rank && b->at_root.state != NULL && pb_arrival_root_linger(&b->at_root)) {
            pb_arrival_root_finish(&b->at_root);
            has_ended(a, b, rank);
        }
    }
}

/** Tells whether the rank is still on its way to a broadcast. */
static bool is_away(const arrivals_t *a, const broadcast_t *b, int rank)
{
    return a->round - a->since[rank] < b->late[rank] || a->n_groups < b->groups_before[rank];
}

/** A root's call; its control messages are counted. */
static bool advance_root(arrivals_t *a, broadcast_t *b)
{
    const int before = b->controls.n_taken;
    a->n_root_calls += b->at_root.n_to_come > 0;
    const bool through = pb_arrival_root_advance(&b->at_root);
    a->most_taken =
        b->controls.n_taken - before > a->most_taken ? b->controls.n_taken - before : a->most_taken;
    return through;
}

static void advance(arrivals_t *a, int rank)
{
    const int index = a->current[rank];
    linger(a, rank);
    if (index == a->n_broadcasts || is_away(a, &a->broadcasts[index], rank)) {
        return;
    }
    broadcast_t *b = &a->broadcasts[index];
    if (!b->has_begun[rank]) {
        begin(a, index, rank);
    }
    const bool through =
        !b->is_aware ||
        (rank == b->root ? advance_root(a, b) : pb_member_advance(&b->receivers[rank].member));
    if (through) {
        if (b->is_aware) {
            end(a, index, rank);
        }
        b->ended[rank] = a->round;
        a->current[rank]++;
        a->since[rank] = a->round;
    }
}

/** Looks how much waits at ranks that have not come: a header there brings its message. */
static void measure_waiting(arrivals_t *a)
{
    for (int rank = 0; rank < a->n_ranks; rank++) {
        uint64_t waiting = 0;
        for (int i = a->current[rank]; i < a->n_broadcasts; i++) {
            const broadcast_t *b = &a->broadcasts[i];
            waiting += rank != b->root && b->controls.mail[rank] != NULL && !b->has_begun[rank]
                           ? b->world->total
                           : 0;
        }
        a->most_waiting = waiting > a->most_waiting ? waiting : a->most_waiting;
    }
}

static void measure_leads(arrivals_t *a)
{
    int first = a->current[0], last = first;
    for (int rank = 0; rank < a->n_ranks; rank++) {
        first = a->current[rank] > first ? a->current[rank] : first;
        last = a->current[rank] < last ? a->current[rank] : last;
    }
    a->most_ahead = first - last > a->most_ahead ? first - last : a->most_ahead;
}

static bool is_through(const arrivals_t *a)
{
    for (int rank = 0; rank < a->n_ranks; rank++) {
        if (a->current[rank] < a->n_broadcasts) {
            return false;
        }
    }
    for (int i = 0; i < a->n_broadcasts; i++) {
        const controls_t *c = &a->broadcasts[i].controls;
        if (a->broadcasts[i].at_root.state != NULL && (!c->failed || c->failure == FAIL_MEMORY)) {
            return false;
        }
    }
    return true;
}

bool arrivals_run(arrivals_t *a, int max_rounds)
{
    for (a->round = 0; a->round < max_rounds && !is_through(a); a->round++) {
        for (int i = 0; i < a->n_ranks; i++) {
            advance(a, a->in_turn ? i : pb_random_below(&a->random, a->n_ranks));
        }
        for (int i = 0; i < a->n_broadcasts; i++) {
            world_step(a->broadcasts[i].world);
        }
        measure_waiting(a);
        measure_leads(a);
        a->now += ROUND_NS;
    }
    return is_through(a);
}

static void broadcast_init(arrivals_t *a, int index)
{
    static const int percents[] = {0, 20, 80, 100};
    static const int delays[] = {1, 1, 30, 300};
    broadcast_t *b = &a->broadcasts[index];
    const size_t n = (size_t) a->n_ranks;
    const size_t segment_size = 1 + (size_t) pb_random_below(&a->random, 20);
    b->root = pb_random_below(&a->random, a->n_ranks);
    b->world = world_new((uint64_t) pb_random_below(&a->random, 1000000), a->n_ranks, b->root,
                         1 + (size_t) pb_random_below(&a->random, 200), segment_size);
    if (chance(a, 50)) {
        world_pack(b->world, false);
    }
    b->world->early_percent = percents[pb_random_below(&a->random, 4)];
    b->world->meet_percent = percents[1 + pb_random_below(&a->random, 3)];
    controls_init(&b->controls, b->world);
    b->callers = must_zeroed(n, sizeof(*b->callers));
    b->receivers = must_zeroed(n, sizeof(*b->receivers));
    b->late = must_zeroed(n, sizeof(*b->late));
    b->groups_before = must_zeroed(n, sizeof(*b->groups_before));
    b->has_begun = must_zeroed(n, sizeof(*b->has_begun));
    b->errors = must_zeroed(n, sizeof(*b->errors));
    b->begun = must_zeroed(n, sizeof(*b->begun));
    b->ended = must_zeroed(n, sizeof(*b->ended));
    const int delay = delays[pb_random_below(&a->random, 4)];
    for (int rank = 0; rank < a->n_ranks; rank++) {
        b->callers[rank] = (pb_arrival_caller_t){.arrivals = a, .broadcast = index, .rank = rank};
        b->late[rank] = pb_random_below(&a->random, delay);
    }
}

static void broadcast_fini(arrivals_t *a, broadcast_t *b)
{
    for (int rank = 0; rank < a->n_ranks; rank++) {
        pb_member_finish(&b->receivers[rank].member);
        free(b->callers[rank].role);
        free(b->callers[rank].order);
    }
    pb_arrival_root_finish(&b->at_root);
    free(b->ended);
    free(b->begun);
    free(b->errors);
    free(b->has_begun);
    free(b->groups_before);
    free(b->late);
    free(b->receivers);
    free(b->callers);
    controls_fini(&b->controls);
    world_free(b->world);
}

/** All but the network and the placement of the ranks, which are there. */
static void series_init(arrivals_t *a, int n_broadcasts)
{
    a->n_ranks = a->placement->n_ranks;
    a->n_broadcasts = n_broadcasts;
    a->kind = -1;
    a->expected = ROUND_NS * (int64_t) (1 + pb_random_below(&a->random, 60));
    a->limits = (pb_transfer_limits_t){.receive_window = 1 + pb_random_below(&a->random, 8),
                                       .send_window = 1 + pb_random_below(&a->random, 8),
                                       .ahead = chance(a, 50) ? 30 : 0};
    a->modes = must_zeroed((size_t) a->n_ranks, sizeof(*a->modes));
    a->credits = must_zeroed((size_t) a->n_ranks, sizeof(*a->credits));
    a->current = must_zeroed((size_t) a->n_ranks, sizeof(*a->current));
    a->since = must_zeroed((size_t) a->n_ranks, sizeof(*a->since));
    a->broadcasts = must_zeroed((size_t) n_broadcasts, sizeof(*a->broadcasts));
    for (int i = 0; i < n_broadcasts; i++) {
        broadcast_init(a, i);
    }
    for (int rank = 0; rank < a->n_ranks; rank++) {
        pb_arrival_mode_init(&a->modes[rank]);
        pb_arrival_credit_init(&a->credits[rank], WAIT_BOUND);
        must(pb_arrival_credit_reserve(&a->credits[rank], a->n_ranks));
    }
}

arrivals_t *arrivals_new(uint64_t seed, int max_ranks, int n_broadcasts)
{
    arrivals_t *a = must_zeroed(1, sizeof(*a));
    a->random = pb_random_seed(seed);
    a->network = pb_random_network(
        &a->random, (pb_shape_t) pb_random_below(&a->random, PB_SHAPE_COUNT),
        1 + pb_random_below(&a->random, 4), 1 + pb_random_below(&a->random, max_ranks / 2), 0);
    a->placement = pb_random_placement(&a->random, a->network, 2);
    series_init(a, n_broadcasts);
    return a;
}

arrivals_t *arrivals_new_of(uint64_t seed, int n_ranks, int n_broadcasts)
{
    arrivals_t *a = must_zeroed(1, sizeof(*a));
    a->random = pb_random_seed(seed);
    a->network = pb_random_network(&a->random, PB_SHAPE_PAPER, n_ranks / 16 + 1, n_ranks, 0);
    a->placement = pb_random_placement(&a->random, a->network, 1);
    series_init(a, n_broadcasts);
    return a;
}

void arrivals_free(arrivals_t *a)
{
    for (int i = 0; i < a->n_broadcasts; i++) {
        broadcast_fini(a, &a->broadcasts[i]);
    }
    for (int rank = 0; rank < a->n_ranks; rank++) {
        pb_arrival_credit_fini(&a->credits[rank]);
    }
    free(a->broadcasts);
    free(a->since);
    free(a->current);
    free(a->credits);
    free(a->modes);
    pb_placement_free(a->placement);
    pb_network_free(a->network);
    free(a);
}
