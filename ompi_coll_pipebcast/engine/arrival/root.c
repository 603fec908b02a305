/*
 * The root's part of an arrival-aware broadcast; see engine/arrival/root.h.
 */
#include "engine/arrival/root.h"

#include <stdlib.h>
#include <string.h>

/** ARRIVED messages that one call takes in, at most. */
#define MAX_TAKEN 32

/** The grace, as parts of T: without an arrival, and in all. */
#define QUIET_PART 32
#define GRACE_PART 8

/** States of a rank, as the root knows them. */
enum {
    ABSENT,
    WAITING, /**< it has arrived, and belongs to no group yet */
    UNASKED, /**< the message was sent to it, and it has not arrived */
    SERVED,  /**< it has arrived, and the message was sent to it */
};

static void refused(pb_arrival_root_t *r, int error)
{
    pb_keep_first_error(&r->error, error);
    r->broken = true;
}

static int64_t now(const pb_arrival_root_t *r)
{
    return pb_arrival_caller_now(r->env.caller);
}

static void return_credit(pb_arrival_root_t *r, int rank)
{
    if (r->env.credit != NULL) {
        pb_arrival_credit_return(r->env.credit, rank, r->others,
                                 r->state[rank] == UNASKED ? r->env.total : 0);
    }
}

/** Rank `rank` has arrived, with a report of this length. */
static void note_arrival(pb_arrival_root_t *r, int rank, size_t bytes)
{
    const bool is_awaited = rank >= 0 && rank < r->env.n_ranks && rank != r->env.root &&
                            (r->state[rank] == ABSENT || r->state[rank] == UNASKED);
    const bool is_sound = bytes == 1 && r->notice <= PB_ARRIVAL_UNEVEN;
    if (!is_awaited || !is_sound) {
        pb_keep_first_error(&r->error, PB_ERR_MALFORMED);
    }
    if (!is_awaited) {
        return;
    }
    return_credit(r, rank);
    r->n_waiting += r->state[rank] == ABSENT;
    r->state[rank] = r->state[rank] == ABSENT ? WAITING : SERVED;
    r->reports[rank] = is_sound ? r->notice : PB_ARRIVAL_UNKNOWN;
    r->n_to_come--;
}

/** Takes in one ARRIVED; false if none is there. */
static bool take_one(pb_arrival_root_t *r)
{
    int rank = -1;
    size_t bytes = 0;
    int error = 0;
    if (r->listening == NULL) {
        error = pb_control_receive(r->env.control, &r->notice, sizeof(r->notice), &r->listening);
    }
    if (error == 0 && !pb_control_received(r->env.control, &r->listening, &rank, &bytes, &error)) {
        return false;
    }
    if (error != 0) {
        refused(r, error);
        return false;
    }
    note_arrival(r, rank, bytes);
    return true;
}

/** Takes in what has come, within the bound; returns how many. */
static int take_arrivals(pb_arrival_root_t *r)
{
    int n = 0;
    while (n < MAX_TAKEN && r->n_to_come > 0 && !r->broken && take_one(r)) {
        n++;
    }
    return n;
}

/** The same while the broadcast is under way, when the times count. */
static bool take_and_time_arrivals(pb_arrival_root_t *r)
{
    const int n = take_arrivals(r);
    if (n > 0) {
        r->last_arrival = now(r);
        r->sum_of_arrivals += (double) n * (double) (r->last_arrival - r->started);
    }
    return n == MAX_TAKEN;
}

bool pb_arrival_root_linger(pb_arrival_root_t *r)
{
    (void) take_arrivals(r);
    return r->n_to_come == 0 || r->broken;
}

/** Returns whether no rank has arrived for so long that none is expected soon. */
static bool is_quiet(const pb_arrival_root_t *r)
{
    return now(r) - r->last_arrival >= r->expected / QUIET_PART;
}

/**
 * Returns whether absent ranks may be sent to. Where the user has set the mode: as soon as arrivals
 * stop. Else: after T without an arrival, as a rank that comes meanwhile waits until the port is
 * free again.
 */
static bool is_deserted(const pb_arrival_root_t *r)
{
    return r->env.mode != NULL ? now(r) - r->last_arrival >= r->expected : is_quiet(r);
}

/** Returns whether the group of the waiting ranks is to be closed now. */
static bool grace_is_over(pb_arrival_root_t *r)
{
    if (r->ready_since < 0) {
        r->ready_since = now(r);
    }
    return r->n_waiting == r->n_unserved || is_quiet(r) ||
           now(r) - r->ready_since >= r->expected / GRACE_PART;
}

/** Returns the last root's report of the last arrival-aware broadcast. */
static pb_arrival_report_t last_report(const pb_arrival_root_t *r)
{
    const pb_arrival_mode_t *mode = r->env.mode;
    if (mode->last_root < 0) {
        return PB_ARRIVAL_UNKNOWN;
    }
    return mode->last_root == r->env.rank ? mode->report
                                          : (pb_arrival_report_t) r->reports[mode->last_root];
}

static void clear_members(pb_arrival_root_t *r)
{
    memset(r->members, 0, pb_rank_set_bytes(r->env.n_ranks));
    pb_rank_set_add(r->members, r->env.root);
}

static int start_group(pb_arrival_root_t *r, pb_transfer_t *transfer, pb_arrival_header_t *header)
{
    pb_group_part_t own;
    int rc = pb_arrival_caller_choose(r->env.caller, header);
    if (rc == 0) {
        rc = pb_arrival_caller_part(r->env.caller, header, &own);
    }
    if (rc == 0) {
        const size_t length = pb_arrival_header_write(header, r->env.n_ranks, r->bytes);
        rc = pb_group_start(transfer, r->env.control, r->env.transport, &own, r->bytes, length);
    }
    return rc;
}

/** Starts a part with the group of the members that are set. */
static void start_part(pb_arrival_root_t *r, pb_arrival_part_t *part, bool all)
{
    if (r->n_groups == 0 && r->env.mode != NULL) {
        r->mode = pb_arrival_mode_decide(r->env.mode, last_report(r));
    }
    pb_arrival_header_t header = {.mode = r->mode,
                                  .total = r->env.total,
                                  .all = all,
                                  .unasked = part == &r->unasked,
                                  .members = r->members};
    const int rc = start_group(r, &part->transfer, &header);
    if (rc != 0) {
        refused(r, rc);
        return;
    }
    /* After an error members get empty messages: they must end as well. */
    part->transfer.error = r->error != 0 ? r->error : part->transfer.error;
    part->was_started = true;
    part->started = now(r);
    r->ready_since = -1;
    r->n_groups++;
}

bool pb_arrival_root_start(pb_arrival_root_t *r, const pb_arrival_env_t *env, int64_t expected)
{
    *r = (pb_arrival_root_t){
        .env = *env,
        .expected = expected,
        .n_to_come = env->n_ranks - 1,
        .n_unserved = env->n_ranks - 1,
        .started = pb_arrival_caller_now(env->caller),
        .ready_since = -1,
        .others = env->credit != NULL ? env->credit->others : 0,
    };
    r->last_arrival = r->started;
    r->state = calloc((size_t) env->n_ranks, 1);
    r->reports = calloc((size_t) env->n_ranks, 1);
    r->members = malloc(pb_rank_set_bytes(env->n_ranks));
    r->bytes = malloc(pb_arrival_header_room(env->n_ranks));
    if (r->state == NULL || r->reports == NULL || r->members == NULL || r->bytes == NULL) {
        pb_arrival_root_finish(r);
        return false;
    }
    return true;
}

/** Starts a group of all waiting ranks. */
static void start_asked(pb_arrival_root_t *r)
{
    const bool all = r->n_waiting == r->env.n_ranks - 1;
    clear_members(r);
    for (int rank = 0; rank < r->env.n_ranks; rank++) {
        if (r->state[rank] == WAITING) {
            r->state[rank] = SERVED;
            pb_rank_set_add(r->members, rank);
        }
    }
    r->n_unserved -= r->n_waiting;
    r->n_waiting = 0;
    start_part(r, &r->asked, all);
}

/** The next rank in the root's order that has not arrived and may be sent to; -1: none. */
static int next_absent(pb_arrival_root_t *r)
{
    const int *order = pb_arrival_caller_order(r->env.caller);
    while (order != NULL && r->next_unasked < r->env.n_ranks - 1) {
        const int rank = order[r->next_unasked++];
        if (r->state[rank] == ABSENT && pb_arrival_credit_take(r->env.credit, rank, r->env.total)) {
            return rank;
        }
    }
    return -1;
}

/** Sends to one that has not arrived, if there is one that may be sent to. */
static void start_unasked(pb_arrival_root_t *r)
{
    const int rank = next_absent(r);
    if (rank < 0) {
        return;
    }
    clear_members(r);
    pb_rank_set_add(r->members, rank);
    r->state[rank] = UNASKED;
    r->n_unserved--;
    start_part(r, &r->unasked, false);
}

/** A group took so long at the root. The shortest counts: others were held up by something. */
static void learn_time(pb_arrival_root_t *r, int64_t time)
{
    if (!r->is_measured || time < r->expected) {
        r->expected = time;
    }
    r->is_measured = true;
}

/** Moves a part's group; true if there is none (any more). */
static bool advance_part(pb_arrival_root_t *r, pb_arrival_part_t *part)
{
    if (!pb_transfer_is_started(&part->transfer)) {
        return true;
    }
    if (!pb_transfer_advance(&part->transfer)) {
        return false;
    }
    pb_keep_first_error(&r->error, part->transfer.error);
    if (part->transfer.broken) {
        r->broken = true;
    } else if (part == &r->asked) {
        learn_time(r, now(r) - part->started);
    }
    pb_transfer_finish(&part->transfer);
    return true;
}

/**
 * Returns whether the last unasked send occupies the port. It does so for T: not shorter if sockets
 * have swallowed it, and not longer if they have not.
 */
static bool is_sending_unasked(const pb_arrival_root_t *r)
{
    return r->unasked.was_started && now(r) - r->unasked.started < r->expected;
}

/** The port is free: starts what can be started. */
static void start_next(pb_arrival_root_t *r)
{
    if (r->n_unserved == 0 || is_sending_unasked(r)) {
        return;
    }
    if (r->n_waiting > 0) {
        if (grace_is_over(r)) {
            start_asked(r);
        }
    } else if (r->env.credit != NULL && !pb_transfer_is_started(&r->unasked.transfer) &&
               is_deserted(r)) {
        start_unasked(r);
    }
}

bool pb_arrival_root_advance(pb_arrival_root_t *r)
{
    const bool more_to_take = !r->broken && take_and_time_arrivals(r);
    bool is_free = advance_part(r, &r->asked);
    bool is_through = advance_part(r, &r->unasked) && is_free;
    if (is_free && !more_to_take && !r->broken) {
        start_next(r);
        is_free = advance_part(r, &r->asked);
        is_through = advance_part(r, &r->unasked) && is_free;
    }
    return is_through && (r->broken || r->n_unserved == 0);
}

int pb_arrival_root_error(const pb_arrival_root_t *r)
{
    const int asked = r->asked.transfer.error;
    return r->error != 0 ? r->error : asked != 0 ? asked : r->unasked.transfer.error;
}

bool pb_arrival_root_is_broken(const pb_arrival_root_t *r)
{
    return r->broken || r->asked.transfer.broken || r->unasked.transfer.broken;
}

void pb_arrival_root_cancel(pb_arrival_root_t *r)
{
    r->broken = true;
    pb_transfer_cancel(&r->asked.transfer);
    pb_transfer_cancel(&r->unasked.transfer);
}

pb_arrival_report_t pb_arrival_root_report(const pb_arrival_root_t *r)
{
    /* Without regard to arrivals everyone would have waited for the last: what
     * that costs on average is compared with what a further group costs. */
    const double last = (double) (r->last_arrival - r->started);
    const double mean_wait = last - r->sum_of_arrivals / r->env.n_ranks;
    return r->n_to_come > 0 || mean_wait > (double) r->expected / 2 ? PB_ARRIVAL_UNEVEN
                                                                    : PB_ARRIVAL_EVEN;
}

void pb_arrival_root_finish(pb_arrival_root_t *r)
{
    pb_transfer_finish(&r->asked.transfer);
    pb_transfer_finish(&r->unasked.transfer);
    pb_control_withdraw(r->env.control, &r->listening);
    free(r->bytes);
    free(r->members);
    free(r->reports);
    free(r->state);
    r->bytes = r->members = r->reports = r->state = NULL;
}
