/*
 * A sweep; see engine/sweep.h.
 */
#include "engine/sweep.h"

#include <assert.h>
#include <string.h>

#include "topo/util/bytes.h"

/** A rank that has held others has waited for less than this part of their mean wait. */
#define HOLDING_PART 8

static void refused(pb_sweep_t *s, int error)
{
    pb_keep_first_error(&s->error, error);
    s->broken = true;
}

void pb_sweep_start(pb_sweep_t *s, pb_control_t *control, const pb_role_t *role, int n_ranks,
                    int stream, uint8_t *room)
{
    *s = (pb_sweep_t){.control = control,
                      .parent = pb_role_parent_in(role, stream),
                      .n_ranks = n_ranks,
                      .children = room};
    memset(room, 0, pb_rank_set_bytes(n_ranks));
    for (int i = 0; i < role->n_children; i++) {
        if (pb_role_has_child_in(role, i, stream)) {
            pb_rank_set_add(s->children, role->child[i]);
            s->n_children++;
        }
    }
}

void pb_sweep_end(pb_sweep_t *s, const pb_sweep_times_t *times)
{
    s->has_ended = true;
    s->own = *times;
}

void pb_sweep_again(pb_sweep_t *s, uint32_t missed)
{
    s->own.missed = missed;
    s->sums = (pb_sweep_sums_t){0};
    s->n_reported = 0;
    s->state = PB_SWEEP_COLLECTING;
}

/* Messages. */

enum { VERDICT, KEY, HAS_CHECKSUM, SECRET, SUMS = SECRET + 2 };

/** Writes what this rank knows into `bytes`, which have PB_SWEEP_BYTES. */
static void write_message(const pb_sweep_t *s, uint8_t *bytes)
{
    uint64_t numbers[PB_SWEEP_NUMBERS] = {
        [VERDICT] = s->verdict,
        [KEY] = s->rule.key,
        [HAS_CHECKSUM] = s->rule.has_checksum,
        [SECRET] = s->rule.secret[0],
        [SECRET + 1] = s->rule.secret[1],
    };
    memcpy(numbers + SUMS, &s->sums, sizeof(s->sums));
    for (int i = 0; i < PB_SWEEP_NUMBERS; i++) {
        pb_bytes_put(bytes + (ptrdiff_t) 8 * i, numbers[i], 8);
    }
}

static void read_numbers(const uint8_t *bytes, uint64_t *numbers)
{
    for (int i = 0; i < PB_SWEEP_NUMBERS; i++) {
        numbers[i] = pb_bytes_get(bytes + (ptrdiff_t) 8 * i, 8);
    }
}

/* Sums. */

/** Takes times in before their ranks are counted. */
static void add_times(pb_sweep_sums_t *sums, uint64_t longest, uint64_t least_wait)
{
    if (sums->n_ranks == 0 || least_wait < sums->least_wait) {
        sums->least_wait = least_wait;
    }
    sums->longest = longest > sums->longest ? longest : sums->longest;
}

/** Takes in what became of multicast's frames, before the ranks are counted. */
static void add_frames(pb_sweep_sums_t *sums, uint64_t missed, uint64_t room)
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
    return report->n_ranks > 0 && report->n_free + report->n_held == report->n_ranks;
}

/** Returns whether this rank has held those below it: see engine/sweep.h. */
static bool has_held(const pb_sweep_t *s)
{
    const uint64_t n = s->sums.n_free;
    return (uint64_t) s->own.wait * HOLDING_PART * n < s->sums.free_wait &&
           (uint64_t) s->own.away * 2 * n > s->sums.free_wait;
}

/** Adds this rank to those below it. */
static void add_own(pb_sweep_t *s)
{
    pb_sweep_sums_t *sums = &s->sums;
    assert(s->own.wait >= 0 && s->own.transfer >= 0);
    if (has_held(s)) {
        sums->n_held += sums->n_free;
        sums->held_wait += sums->free_wait;
        sums->n_free = 0;
        sums->free_wait = 0;
    }
    add_times(sums, (uint64_t) (s->own.wait + s->own.transfer), (uint64_t) s->own.wait);
    add_frames(sums, s->own.missed, s->own.room);
    sums->n_ranks++;
    sums->n_free++;
    sums->free_wait += (uint64_t) s->own.wait;
    sums->transfer += (uint64_t) s->own.transfer;
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

/* Steps. */

/** A child's report has come; false if it makes no sense. */
static bool take_report(pb_sweep_t *s, int rank, const uint64_t *numbers)
{
    pb_sweep_sums_t report;
    memcpy(&report, numbers + SUMS, sizeof(report));
    s->n_reported++;
    return rank >= 0 && rank < s->n_ranks && pb_rank_set_has(s->children, rank) &&
           add_report(&s->sums, &report);
}

static void send_to(pb_sweep_t *s, int rank)
{
    uint8_t bytes[PB_SWEEP_BYTES];
    write_message(s, bytes);
    const int error = pb_control_send(s->control, bytes, sizeof(bytes), rank);
    if (error != 0) {
        refused(s, error);
    }
}

/** The verdict is known, and goes to the children. */
static void pass(pb_sweep_t *s)
{
    for (int rank = 0; rank < s->n_ranks && !s->broken; rank++) {
        if (pb_rank_set_has(s->children, rank)) {
            send_to(s, rank);
        }
    }
    s->state = PB_SWEEP_THROUGH;
}

/** Takes the verdict; false if it makes no sense. */
static bool take_verdict(pb_sweep_t *s, int rank, const uint64_t *numbers)
{
    if (rank != s->parent) {
        return false;
    }
    s->verdict = (pb_arrival_report_t) numbers[VERDICT];
    s->rule = (pb_frame_rule_t){
        .key = numbers[KEY],
        .has_checksum = numbers[HAS_CHECKSUM] != 0,
        .secret = {numbers[SECRET], numbers[SECRET + 1]},
    };
    memcpy(&s->sums, numbers + SUMS, sizeof(s->sums));
    pass(s);
    return true;
}

/** Takes in the next message; false if it is not there. */
static bool receive_one(pb_sweep_t *s)
{
    uint64_t numbers[PB_SWEEP_NUMBERS];
    int rank = -1, error = 0;
    size_t bytes = 0;
    if (s->receive == NULL) {
        error = pb_control_receive(s->control, s->in, sizeof(s->in), &s->receive);
    }
    if (error == 0 && !pb_control_received(s->control, &s->receive, &rank, &bytes, &error)) {
        return false;
    }
    if (error != 0) {
        refused(s, error);
        return false;
    }
    read_numbers(s->in, numbers);
    const bool makes_sense = bytes == PB_SWEEP_BYTES && numbers[VERDICT] <= PB_ARRIVAL_UNEVEN &&
                             (s->state == PB_SWEEP_COLLECTING ? take_report(s, rank, numbers)
                                                              : take_verdict(s, rank, numbers));
    if (!makes_sense) {
        refused(s, PB_ERR_MALFORMED);
    }
    return makes_sense;
}

/** Sends the sum of all reports and this rank's own to the parent, once all are there. */
static void report(pb_sweep_t *s)
{
    if (s->parent < 0) {
        const uint64_t own = (uint64_t) (s->own.wait + s->own.transfer);
        s->sums.longest = own > s->sums.longest ? own : s->sums.longest;
        add_frames(&s->sums, s->own.missed, s->own.room);
        s->state = PB_SWEEP_SUMMED;
        return;
    }
    add_own(s);
    s->state = PB_SWEEP_LISTENING;
    send_to(s, s->parent);
}

static bool collect(pb_sweep_t *s)
{
    if (s->n_reported < s->n_children) {
        return receive_one(s);
    }
    if (s->has_ended) {
        report(s);
    }
    return s->has_ended;
}

/** Does the next step; false if it has to wait. */
static bool step(pb_sweep_t *s)
{
    return s->state == PB_SWEEP_COLLECTING ? collect(s)
                                           : s->state == PB_SWEEP_LISTENING && receive_one(s);
}

bool pb_sweep_advance(pb_sweep_t *s)
{
    while (!s->broken && step(s)) {
    }
    return s->broken || s->state == PB_SWEEP_THROUGH;
}

void pb_sweep_announce(pb_sweep_t *s, pb_arrival_report_t verdict)
{
    s->verdict = verdict;
    pass(s);
}

void pb_sweep_finish(pb_sweep_t *s)
{
    pb_control_withdraw(s->control, &s->receive);
}
