/*
 * Engine of arrival-aware broadcasts: all ranks are state machines in one process (arrivals.h),
 * which arrive, run ahead and fail at random.
 */
#include <stdlib.h>
#include <string.h>

#include "arrivals.h"
#include "run.h"
#include "test/failing_memory.h"
#include "test/must.h"
#include "test/tap.h"

/** As in arrivals.c. */
#define WAIT_BOUND 1400

static void judge_broadcast(const arrivals_t *a, const broadcast_t *b, tally_t *tally,
                            uint64_t seed)
{
    for (int rank = 0; rank < a->n_ranks && b->is_aware; rank++) {
        if (!world_rank_has_all(b->world, rank)) {
            tally_note(tally, seed, "wrong bytes at a rank");
        }
        if (b->errors[rank] != 0) {
            tally_note(tally, seed, "an error although nothing failed");
        }
        if (b->controls.mail[rank] != NULL) {
            tally_note(tally, seed, "a control message was never received");
        }
    }
    if (b->world->n_alive != 0 || b->controls.n_alive != 0) {
        tally_note(tally, seed, "requests or buffers were left");
    }
    if (b->world->n_breaches != 0) {
        tally_note(tally, seed, b->world->breach);
    }
}

/** A series in which nothing fails: every rank ends with every byte, and all is given back. */
static void run_sound(arrivals_t *a, tally_t *tally, uint64_t seed)
{
    tally->runs++;
    if (!arrivals_run(a, MAX_ROUNDS)) {
        tally_note(tally, seed, "a rank never gets through");
        return;
    }
    for (int i = 0; i < a->n_broadcasts; i++) {
        judge_broadcast(a, &a->broadcasts[i], tally, seed);
    }
    if (a->n_breaches != 0) {
        tally_note(tally, seed, a->breach);
    }
    if (a->most_waiting > WAIT_BOUND || (!a->unasked && a->most_waiting > 0)) {
        tally_note(tally, seed, "too much waits at a rank that has not arrived");
    }
}

static void report(const tally_t *t, const char *name)
{
    ok(t->runs > 20 && t->failures == 0, "%s: %d runs are as they must be %s", name, t->runs,
       t->first);
}

typedef enum { BLOCKING, NONBLOCKING, AUTO } kind_t;

static void test_series(kind_t kind, int n_runs, int n_broadcasts, const char *name)
{
    tally_t tally = {0};
    int n_aware = 0, n_waiting = 0, most_ahead = 0;
    for (uint64_t seed = 0; seed < (uint64_t) n_runs; seed++) {
        arrivals_t *a = arrivals_new(seed, 16, n_broadcasts);
        a->unasked = kind == NONBLOCKING;
        a->is_auto = kind == AUTO;
        run_sound(a, &tally, seed);
        for (int i = 0; i < n_broadcasts; i++) {
            n_aware += a->broadcasts[i].is_aware;
        }
        n_waiting += a->most_waiting > 0;
        most_ahead = a->most_ahead > most_ahead ? a->most_ahead : most_ahead;
        arrivals_free(a);
    }
    ok(tally.failures == 0, "%s: %d series are as they must be %s", name, n_runs, tally.first);
    ok(most_ahead > 2, "%s: ranks are up to %d broadcasts ahead of others", name, most_ahead);
    ok(n_aware > 0 && (n_aware < n_runs * n_broadcasts) == (kind == AUTO),
       "%s: %d of %d broadcasts are arrival-aware", name, n_aware, n_runs * n_broadcasts);
    ok(kind != NONBLOCKING || n_waiting > n_runs / 10, "%s: data wait at ranks that are late: %d",
       name, n_waiting);
}

static void test_credit(void)
{
    pb_arrival_credit_t credit;
    int n = 0;
    pb_arrival_credit_init(&credit, 1000);
    pb_arrival_credit_other(&credit, 60);
    must(pb_arrival_credit_reserve(&credit, 3));
    ok(!pb_arrival_credit_take(&credit, 1, 500) && pb_arrival_credit_take(&credit, 1, 400),
       "what others have sent before counts");
    pb_arrival_credit_return(&credit, 2, credit.others, 0);
    ok(pb_arrival_credit_take(&credit, 2, 740), "a rank that has come has all of it");
    pb_arrival_credit_return(&credit, 1, credit.others, 400);
    while (n < 100 && pb_arrival_credit_take(&credit, 1, 1)) {
        n++;
    }
    ok(n == 3, "and so has one that has taken a message; a short one counts for 257 bytes");
    pb_arrival_credit_fini(&credit);
}

/** Some ranks come when the root has just formed its first group: a later one is theirs. */
static void test_late_joiners(void)
{
    tally_t tally = {0};
    int n_late_runs = 0, n_without_group = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        arrivals_t *a = arrivals_new(seed, 24, 1);
        broadcast_t *b = &a->broadcasts[0];
        int n_late = 0;
        for (int rank = 0; rank < a->n_ranks; rank++) {
            b->late[rank] = 0;
            /* The first receiver is on time, so that there is a first group. */
            const bool may_be_late = rank != b->root && rank != (b->root + 1) % a->n_ranks;
            b->groups_before[rank] = may_be_late && pb_random_below(&a->random, 2) == 0;
            n_late += b->groups_before[rank];
        }
        run_sound(a, &tally, seed);
        n_late_runs += n_late > 0;
        n_without_group += n_late > 0 && a->n_groups < 2;
        arrivals_free(a);
    }
    report(&tally, "late joiners");
    ok(n_late_runs > 100 && n_without_group == 0, "late joiners: a group of their own (%d runs)",
       n_late_runs);
}

/** As many ARRIVED as the root takes in by one call; see engine/arrival/root.c. */
#define MOST_TAKEN 32

/** A root with very many receivers that come together does a bounded part of its work each time. */
static void test_many_ranks(int n_ranks)
{
    tally_t tally = {0};
    arrivals_t *a = arrivals_new_of(7, n_ranks, 1);
    a->broadcasts[0].controls.prompt = true;
    a->kind = PB_KIND_BINARY;
    for (int rank = 0; rank < a->n_ranks; rank++) {
        /* The root finds them all waiting. */
        a->broadcasts[0].late[rank] = rank == a->broadcasts[0].root ? 20 : 0;
    }
    run_sound(a, &tally, 7);
    ok(tally.failures == 0, "%d ranks in %d rounds %s", a->n_ranks, a->round, tally.first);
    ok(a->most_taken <= MOST_TAKEN, "%d ranks: at most %d messages taken in by one call",
       a->n_ranks, a->most_taken);
    ok(a->n_root_calls <= a->n_ranks / MOST_TAKEN + 2, "and all within %d calls, if they are there",
       a->n_root_calls);
    ok(a->n_groups == 1, "who waits already is served in one group, not in one for each call");
    arrivals_free(a);
}

/* ---- failures ---- */

/** A call that fails once, its place, and the ranks that end in spite of it. */
typedef struct failing {
    const char *name;
    control_failure_t control; /**< FAIL_NOTHING: a call for a segment fails */
    call_t call;
    enum { AT_ROOT, AT_NEXT, AT_ANY } at;
    int after; /**< calls that go well before are fewer */
    enum { NOBODY, THE_RANK, ALL } ends;
    int error;    /**< of the rank; 0: any */
    bool unasked; /**< every other run is arrival_nb */
} failing_t;

static bool has_failed(const failing_t *f, const broadcast_t *b)
{
    return f->control == FAIL_NOTHING ? b->world->failed : b->controls.failed;
}

/** Lets it fail at a random time. */
static int make_fail(const failing_t *f, arrivals_t *a, broadcast_t *b)
{
    const int rank = f->at == AT_ANY ? pb_random_below(&a->random, a->n_ranks)
                                     : (b->root + (f->at == AT_NEXT)) % a->n_ranks;
    const int after = pb_random_below(&a->random, f->after);
    b->controls.failure = f->control;
    if (f->call == CALL_CONVERT) {
        world_pack(b->world, true);
    }
    if (f->control == FAIL_NOTHING) {
        b->world->fail_rank = rank;
        b->world->fail_call = f->call;
        b->world->fail_after = after;
    } else {
        b->controls.fail_rank = rank;
        b->controls.fail_after = after;
    }
    return rank;
}

/** Ranks that can end do, someone is told, and no rank takes part of a message for all of it. */
static bool let_fail(const failing_t *f, tally_t *tally, uint64_t seed)
{
    arrivals_t *a = arrivals_new(seed, 12, 1);
    broadcast_t *b = &a->broadcasts[0];
    const int at = make_fail(f, a, b);
    bool has_error = false;
    a->unasked = f->unasked && seed % 2;
    const bool all_ended = arrivals_run(a, f->ends == ALL ? MAX_ROUNDS : 3000);
    const bool at_ended = a->current[at] > 0;
    failing_memory_after(-1);
    for (int rank = 0; rank < a->n_ranks; rank++) {
        has_error = has_error || b->errors[rank] != 0;
        if (a->current[rank] > 0 && b->errors[rank] == 0 && !world_rank_has_all(b->world, rank)) {
            tally_note(tally, seed, "a rank takes part of a message for all of it");
        }
    }
    if (has_failed(f, b) && f->ends != NOBODY) {
        const bool is_told = f->ends == ALL ? has_error : b->errors[at] != 0;
        if (!(f->ends == ALL ? all_ended : at_ended)) {
            tally_note(tally, seed, "a rank waits for ever");
        } else if (!is_told || (f->error != 0 && b->errors[at] != f->error)) {
            tally_note(tally, seed, "the failure is not reported");
        } else if (f->ends == ALL && a->n_breaches != 0) {
            tally_note(tally, seed, a->breach);
        }
    }
    tally->runs += has_failed(f, b);
    arrivals_free(a);
    return has_error;
}

static void test_failures(void)
{
    static const failing_t rows[] = {
        {"the message is not converted", FAIL_NOTHING, CALL_CONVERT, AT_ANY, 4, ALL, 0, true},
        {"a segment is sent with an error", FAIL_NOTHING, CALL_SENT, AT_ANY, 4, ALL, 0, true},
        {"the root cannot receive", FAIL_RECEIVE, 0, AT_ROOT, 5, THE_RANK, 0, false},
        {"the root receives an error", FAIL_RECEIVED, 0, AT_ROOT, 5, THE_RANK, 0, false},
        {"the root is told nonsense", FAIL_GARBLED, 0, AT_NEXT, 1, ALL, 0, false},
        {"a control message cannot be sent", FAIL_SEND, 0, AT_ANY, 1, THE_RANK, 0, false},
        {"one cannot be received", FAIL_RECEIVE, 0, AT_ANY, 1, THE_RANK, 0, false},
        {"one comes with an error", FAIL_RECEIVED, 0, AT_ANY, 1, THE_RANK, 0, false},
        {"no role in a group", FAIL_MEMORY, 0, AT_ANY, 1, THE_RANK, PB_ERR_NO_MEMORY, true},
        {"another byte, to the root", FAIL_DAMAGED, 0, AT_ROOT, 3, NOBODY, 0, true},
        {"another byte, to any rank", FAIL_DAMAGED, 0, AT_ANY, 3, NOBODY, 0, true},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const int n = rows[i].control == FAIL_DAMAGED ? tap_trials(10000, 1000) : 300;
        tally_t tally = {0};
        int n_errors = 0;
        for (uint64_t seed = 0; seed < (uint64_t) n; seed++) {
            n_errors += let_fail(&rows[i], &tally, seed);
        }
        report(&tally, rows[i].name);
        ok(n_errors > 20, "%s: %d have an error", rows[i].name, n_errors);
    }
}

/** An allocation that fails once when a group begins, and is tried again, harms no one. */
static void test_group_memory(void)
{
    tally_t tally = {0};
    int n_failed = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        arrivals_t *a = arrivals_new(seed, 12, 1);
        controls_t *controls = &a->broadcasts[0].controls;
        controls->fail_rank = pb_random_below(&a->random, a->n_ranks);
        controls->failure = FAIL_MEMORY;
        a->unasked = seed % 2;
        a->memory_after = 1;
        run_sound(a, &tally, seed);
        failing_memory_after(-1);
        n_failed += controls->failed;
        arrivals_free(a);
    }
    report(&tally, "an allocation for a group that fails once");
    ok(n_failed > 20, "%d times", n_failed);
}

/** Every rank that has begun leaves in the middle. */
static void cancel_all(arrivals_t *a, int *n_cancelled_p, int *n_sound_p)
{
    broadcast_t *b = &a->broadcasts[0];
    a->is_cancelled = b->controls.withdraws = true;
    for (int rank = 0; rank < a->n_ranks; rank++) {
        if (!b->has_begun[rank] || a->current[rank] > 0 || rank == b->root) {
            continue;
        }
        pb_member_cancel(&b->receivers[rank].member);
        *n_sound_p -= !pb_member_is_broken(&b->receivers[rank].member);
        ++*n_cancelled_p;
    }
    if (b->has_begun[b->root] && a->current[b->root] == 0) {
        pb_arrival_root_cancel(&b->at_root);
        *n_sound_p -= !pb_arrival_root_is_broken(&b->at_root);
        ++*n_cancelled_p;
    }
}

static void test_cancel(void)
{
    int n_cancelled = 0, n_ended = 0, n_breaches = 0, n_sound = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        arrivals_t *a = arrivals_new(seed, 12, 1);
        bool was_through[64] = {false};
        arrivals_run(a, (int) seed % 40);
        for (int rank = 0; rank < a->n_ranks && rank < 64; rank++) {
            was_through[rank] = a->current[rank] > 0;
        }
        cancel_all(a, &n_cancelled, &n_sound);
        arrivals_run(a, 200);
        for (int rank = 0; rank < a->n_ranks && rank < 64; rank++) {
            n_ended += a->current[rank] > 0 && !was_through[rank];
        }
        n_breaches += a->broadcasts[0].world->n_breaches;
        arrivals_free(a);
    }
    ok(n_cancelled > 100 && n_sound == 0, "%d ranks leave in the middle", n_cancelled);
    ok(n_ended > n_cancelled / 2, "most ranks end then: %d", n_ended);
    ok(n_breaches == 0, "and messages are used as they may be");
}

static void test_memory(void)
{
    enum { N_RANKS = 1000, BOUND = 256 + 3 * N_RANKS };
    int n_failed = 0, n_leaks = 0;
    long bytes = 0;
    for (int after = 0; after < 8; after++) {
        arrivals_t *a = arrivals_new_of((uint64_t) after, N_RANKS, 1);
        pb_arrival_root_t root;
        const pb_arrival_env_t env = {.caller = &a->broadcasts[0].callers[0],
                                      .control = &a->broadcasts[0].controls.of[0],
                                      .n_ranks = a->n_ranks,
                                      .total = 1};
        const long before = failing_memory_alive(), bytes_before = failing_memory_bytes();
        failing_memory_after(after);
        const bool started = pb_arrival_root_start(&root, &env, 1);
        failing_memory_after(-1);
        bytes = started ? failing_memory_bytes() - bytes_before : 0;
        if (started) {
            pb_arrival_root_finish(&root);
        }
        n_failed += !started;
        n_leaks += failing_memory_alive() != before;
        arrivals_free(a);
    }
    ok(n_failed == 4, "a root without memory does not start: %d of 4 allocations", n_failed);
    ok(n_leaks == 0, "it leaves nothing behind");
    ok(bytes > 0 && bytes <= BOUND, "it keeps %ld bytes for %d ranks, at most %d", bytes, N_RANKS,
       BOUND);
}

/** One broadcast after a fold that has found arrivals to be `watched`. Its root sees `seen`. Tells
 * whether it was arrival-aware. */
static bool one_by_mode(pb_arrival_mode_t *mode, pb_arrival_report_t watched,
                        pb_arrival_report_t seen)
{
    if (watched == PB_ARRIVAL_UNEVEN) {
        pb_arrival_mode_suspect(mode);
    }
    if (!pb_arrival_mode_is_aware(mode)) {
        return false;
    }
    pb_arrival_mode_end(mode, pb_arrival_mode_decide(mode, seen), 0, seen);
    return true;
}

static int aware_of_thousand(pb_arrival_mode_t *mode, pb_arrival_report_t watched,
                             pb_arrival_report_t seen)
{
    int n_aware = 0;
    for (int i = 0; i < 1000; i++) {
        n_aware += one_by_mode(mode, watched, seen);
    }
    return n_aware;
}

static void test_mode(void)
{
    pb_arrival_mode_t mode;
    pb_arrival_mode_init(&mode);
    ok(aware_of_thousand(&mode, PB_ARRIVAL_EVEN, PB_ARRIVAL_EVEN) == 0,
       "even arrivals: no broadcast is arrival-aware");
    int n_aware = aware_of_thousand(&mode, PB_ARRIVAL_UNEVEN, PB_ARRIVAL_EVEN);
    ok(n_aware > 0 && n_aware < 100, "suspicions in vain: %d of 1000 are", n_aware);
    pb_arrival_mode_init(&mode);
    n_aware = aware_of_thousand(&mode, PB_ARRIVAL_UNEVEN, PB_ARRIVAL_UNEVEN);
    ok(n_aware == 1000, "uneven arrivals: %d of 1000 are, from the first suspicion on", n_aware);
    ok(mode.uneven, "and it stays so");
    const uint8_t before = mode.patience;
    ok(pb_arrival_mode_decide(&mode, PB_ARRIVAL_UNKNOWN) == before,
       "while the last root is not heard, nothing changes");
    int n_until_plain = 0;
    while (one_by_mode(&mode, PB_ARRIVAL_EVEN, PB_ARRIVAL_EVEN)) {
        n_until_plain++;
    }
    ok(n_until_plain > 2 && n_until_plain < 20, "after %d even ones broadcasts are plain again",
       n_until_plain);
}

int main(void)
{
    test_mode();
    test_series(BLOCKING, tap_trials(600, 120), 4, "arrival_b");
    test_series(NONBLOCKING, tap_trials(600, 120), 6, "arrival_nb");
    test_series(AUTO, tap_trials(60, 15), 60, "auto");
    test_credit();
    test_late_joiners();
    test_many_ranks(tap_trials(1000, 300));
    test_failures();
    test_group_memory();
    test_cancel();
    test_memory();
    return tap_done();
}
