/*
 * A sweep; see engine/sweep.h.
 */
#include "engine/sweep.h"

#include <string.h>

#include "topo/util/bytes.h"

/** A rank that has held others has waited for less than this part of their mean wait. */
#define HOLDING_PART 8

static void refused(pb_sweep_t *f, int error)
{
    f->error = f->error != 0 ? f->error : error;
    f->broken = true;
}

void pb_sweep_start(pb_sweep_t *f, pb_control_t *control, const pb_role_t *role, int rank,
                    int n_ranks, int stream, uint8_t *room)
{
    const uint32_t mask = UINT32_C(1) << stream;
    *f = (pb_sweep_t){
        .control = control, .rank = rank, .parent = -1, .n_ranks = n_ranks, .children = room};
    memset(room, 0, pb_rank_set_bytes(n_ranks));
    for (int i = 0; i < role->n_parents; i++) {
        if ((role->parent_mask[i] & mask) != 0) {
            f->parent = role->parent[i];
        }
    }
    for (int i = 0; i < role->n_children; i++) {
        if ((role->child_mask[i] & mask) != 0) {
            pb_rank_set_add(f->children, role->child[i]);
            f->n_children++;
        }
    }
}

void pb_sweep_end(pb_sweep_t *f, const pb_sweep_times_t *times)
{
    f->has_ended = true;
    f->own = *times;
}

void pb_sweep_again(pb_sweep_t *f, uint32_t missed)
{
    f->own.missed = missed;
    f->sums = (pb_sweep_sums_t){0};
    f->n_reported = 0;
    f->state = PB_SWEEP_COLLECTING;
}

/* Sums, and how they travel. */

static void write_sums(const pb_sweep_sums_t *sums, uint8_t *bytes)
{
    pb_bytes_put(bytes, sums->n_ranks, 4);
    pb_bytes_put(bytes + 4, sums->n_free, 4);
    pb_bytes_put(bytes + 8, sums->n_held, 4);
    pb_bytes_put(bytes + 12, sums->missed, 4);
    pb_bytes_put(bytes + 16, sums->free_wait, 8);
    pb_bytes_put(bytes + 24, sums->held_wait, 8);
    pb_bytes_put(bytes + 32, sums->transfer, 8);
    pb_bytes_put(bytes + 40, sums->longest, 8);
    pb_bytes_put(bytes + 48, sums->least_wait, 8);
    pb_bytes_put(bytes + 56, sums->room, 4);
}

static pb_sweep_sums_t read_sums(const uint8_t *bytes)
{
    return (pb_sweep_sums_t){
        .n_ranks = (uint32_t) pb_bytes_get(bytes, 4),
        .n_free = (uint32_t) pb_bytes_get(bytes + 4, 4),
        .n_held = (uint32_t) pb_bytes_get(bytes + 8, 4),
        .missed = (uint32_t) pb_bytes_get(bytes + 12, 4),
        .free_wait = pb_bytes_get(bytes + 16, 8),
        .held_wait = pb_bytes_get(bytes + 24, 8),
        .transfer = pb_bytes_get(bytes + 32, 8),
        .longest = pb_bytes_get(bytes + 40, 8),
        .least_wait = pb_bytes_get(bytes + 48, 8),
        .room = (uint32_t) pb_bytes_get(bytes + 56, 4),
    };
}

/** Takes times in before their ranks are counted. */
static void add_times(pb_sweep_sums_t *sums, uint64_t longest, uint64_t least_wait)
{
    if (sums->n_ranks == 0 || least_wait < sums->least_wait) {
        sums->least_wait = least_wait;
    }
    sums->longest = longest > sums->longest ? longest : sums->longest;
}

/** Takes in what became of multicast's frames, before the ranks are counted. */
static void add_frames(pb_sweep_sums_t *sums, uint32_t missed, uint32_t room)
{
    sums->missed = missed > sums->missed ? missed : sums->missed;
    sums->room = sums->n_ranks == 0 || room < sums->room ? room : sums->room;
}

/** Adds what a child has reported; false if that makes no sense. */
static bool add_report(pb_sweep_sums_t *sums, const pb_sweep_sums_t *report)
{
    add_times(sums, report->longest, report->least_wait);
    add_frames(sums, report->missed, report->room);
    sums->n_ranks += report->n_ranks;
    sums->n_free += report->n_free;
    sums->n_held += report->n_held;
    sums->free_wait += report->free_wait;
    sums->held_wait += report->held_wait;
    sums->transfer += report->transfer;
    return report->n_ranks > 0 && (uint64_t) report->n_free + report->n_held == report->n_ranks;
}

/** Returns whether this rank has held those below it: see engine/sweep.h. */
static bool has_held(const pb_sweep_t *f)
{
    const uint64_t n = f->sums.n_free;
    return (uint64_t) f->own.wait * HOLDING_PART * n < f->sums.free_wait &&
           (uint64_t) f->own.away * 2 * n > f->sums.free_wait;
}

/** Adds this rank to those below it. */
static void add_own(pb_sweep_t *f)
{
    pb_sweep_sums_t *sums = &f->sums;
    if (has_held(f)) {
        sums->n_held += sums->n_free;
        sums->held_wait += sums->free_wait;
        sums->n_free = 0;
        sums->free_wait = 0;
    }
    add_times(sums, (uint64_t) (f->own.wait + f->own.transfer), (uint64_t) f->own.wait);
    add_frames(sums, f->own.missed, f->own.room);
    sums->n_ranks++;
    sums->n_free++;
    sums->free_wait += (uint64_t) f->own.wait;
    sums->transfer += (uint64_t) f->own.transfer;
}

pb_arrival_report_t pb_sweep_judge(const pb_sweep_sums_t *sums, double message_ns, bool measured,
                                   double fill)
{
    if (sums->n_ranks == 0) {
        return PB_ARRIVAL_EVEN;
    }
    /* Ranks that were held have waited for the root, too, as long as the others have. */
    const double for_root = sums->n_free > 0 ? (double) sums->free_wait / (double) sums->n_free : 0;
    const double held = (double) sums->held_wait - (double) sums->n_held * for_root;
    const double seen = (double) sums->transfer / (double) sums->n_ranks;
    const double message = seen > message_ns && !measured ? seen : message_ns;
    return held / (double) sums->n_ranks > (0.5 + fill) * message ? PB_ARRIVAL_UNEVEN
                                                                  : PB_ARRIVAL_EVEN;
}

/* Messages. */

static bool is_child(const pb_sweep_t *f, int rank)
{
    return rank >= 0 && rank < f->n_ranks && pb_rank_set_has(f->children, rank);
}

/** A child's report has come; false if it makes no sense. */
static bool take_report(pb_sweep_t *f, int rank, size_t bytes)
{
    const pb_sweep_sums_t report = read_sums(f->in);
    f->n_reported++;
    return is_child(f, rank) && bytes == PB_SWEEP_BYTES && add_report(&f->sums, &report);
}

static void send_bytes(pb_sweep_t *f, const uint8_t *bytes, size_t n, int rank)
{
    const int error = pb_control_send(f->control, bytes, n, rank);
    if (error != 0) {
        refused(f, error);
    }
}

/** The verdict is known, and goes to the children. */
static void pass(pb_sweep_t *f, const uint8_t *bytes)
{
    f->verdict = bytes[0];
    f->longest = pb_bytes_get(bytes + 1, 8);
    f->least_wait = pb_bytes_get(bytes + 9, 8);
    f->missed = (uint32_t) pb_bytes_get(bytes + 17, 4);
    f->room = (uint32_t) pb_bytes_get(bytes + 21, 4);
    f->rule = (pb_frame_rule_t){
        .key = pb_bytes_get(bytes + 25, 8),
        .has_checksum = bytes[33] != 0,
        .secret = {pb_bytes_get(bytes + 34, 8), pb_bytes_get(bytes + 42, 8)},
    };
    for (int rank = 0; rank < f->n_ranks && !f->broken; rank++) {
        if (pb_rank_set_has(f->children, rank)) {
            send_bytes(f, bytes, PB_SWEEP_VERDICT_BYTES, rank);
        }
    }
    f->state = PB_SWEEP_THROUGH;
}

/** Takes the verdict; false if it makes no sense. */
static bool take_verdict(pb_sweep_t *f, int rank, size_t bytes)
{
    const bool makes_sense =
        rank == f->parent && bytes == PB_SWEEP_VERDICT_BYTES && f->in[0] <= PB_ARRIVAL_UNEVEN;
    if (makes_sense) {
        pass(f, f->in);
    }
    return makes_sense;
}

/** Takes in the next message; false if it is not there. */
static bool receive_one(pb_sweep_t *f)
{
    int rank = -1, error = 0;
    size_t bytes = 0;
    if (f->receive == NULL) {
        error = pb_control_receive(f->control, f->in, sizeof(f->in), &f->receive);
    }
    if (error == 0 && !pb_control_received(f->control, &f->receive, &rank, &bytes, &error)) {
        return false;
    }
    if (error != 0) {
        refused(f, error);
        return false;
    }
    const bool makes_sense = f->state == PB_SWEEP_COLLECTING ? take_report(f, rank, bytes)
                                                             : take_verdict(f, rank, bytes);
    if (!makes_sense) {
        refused(f, PB_ERR_MALFORMED);
    }
    return makes_sense;
}

/** Sends the sum of all reports and this rank's own to the parent, once all are there. */
static void report(pb_sweep_t *f)
{
    if (f->parent < 0) {
        const uint64_t own = (uint64_t) (f->own.wait + f->own.transfer);
        f->sums.longest = own > f->sums.longest ? own : f->sums.longest;
        add_frames(&f->sums, f->own.missed, f->own.room);
        f->state = PB_SWEEP_SUMMED;
        return;
    }
    uint8_t bytes[PB_SWEEP_BYTES];
    add_own(f);
    write_sums(&f->sums, bytes);
    f->state = PB_SWEEP_LISTENING;
    send_bytes(f, bytes, sizeof(bytes), f->parent);
}

static bool collect(pb_sweep_t *f)
{
    if (f->n_reported < f->n_children) {
        return receive_one(f);
    }
    if (f->has_ended) {
        report(f);
    }
    return f->has_ended;
}

/** Does the next step; false if it has to wait. */
static bool step(pb_sweep_t *f)
{
    switch (f->state) {
    case PB_SWEEP_COLLECTING:
        return collect(f);
    case PB_SWEEP_LISTENING:
        return receive_one(f);
    case PB_SWEEP_SUMMED:
    case PB_SWEEP_THROUGH:
        break;
    }
    return false;
}

bool pb_sweep_advance(pb_sweep_t *f)
{
    while (!f->broken && step(f)) {
    }
    return f->broken || f->state == PB_SWEEP_THROUGH;
}

void pb_sweep_announce(pb_sweep_t *f, pb_arrival_report_t verdict)
{
    uint8_t bytes[PB_SWEEP_VERDICT_BYTES] = {(uint8_t) verdict};
    pb_bytes_put(bytes + 1, f->sums.longest, 8);
    pb_bytes_put(bytes + 9, f->sums.least_wait, 8);
    pb_bytes_put(bytes + 17, f->sums.missed, 4);
    pb_bytes_put(bytes + 21, f->sums.room, 4);
    pb_bytes_put(bytes + 25, f->rule.key, 8);
    bytes[33] = f->rule.has_checksum;
    pb_bytes_put(bytes + 34, f->rule.secret[0], 8);
    pb_bytes_put(bytes + 42, f->rule.secret[1], 8);
    pass(f, bytes);
}

void pb_sweep_finish(pb_sweep_t *f)
{
    pb_control_withdraw(f->control, &f->receive);
}
