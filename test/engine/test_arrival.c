/*
 * The engine of arrival-aware broadcasts: all ranks of a series of broadcasts as
 * state machines in one process (arrivals.h), arriving, running ahead and
 * failing at random.
 */
#include <stdlib.h>
#include <string.h>

#include "arrivals.h"
#include "test/failing_memory.h"
#include "test/tap.h"

/** Far more than any right engine needs. */
#define MAX_ROUNDS 20000

/** As in arrivals.c. */
#define WAIT_BOUND 400

/** What went wrong in many runs; the first is described. */
typedef struct tally {
    int runs, unfinished, wrong_bytes, breaches, leaks, codes, waiting, silent;
    int n_groups, n_aware, n_broadcasts, n_unasked_runs, most_ahead;
    char first[300];
} tally_t;

static void note(tally_t *tally, int *counter, uint64_t seed, const char *what)
{
    (*counter)++;
    if (tally->first[0] == '\0') {
        snprintf(tally->first, sizeof(tally->first), "seed %llu: %s", (unsigned long long) seed,
                 what);
    }
}

static void judge_broadcast(const arrivals_t *a, const broadcast_t *b, tally_t *tally,
                            uint64_t seed)
{
    for (int rank = 0; rank < a->n_ranks && b->is_aware; rank++) {
        if (!world_rank_has_all(b->world, rank)) {
            note(tally, &tally->wrong_bytes, seed, "wrong bytes at a rank");
        }
        if (b->errors[rank] != 0) {
            note(tally, &tally->codes, seed, "an error although nothing failed");
        }
        if (b->controls.mail[rank] != NULL) {
            note(tally, &tally->leaks, seed, "a control message was never received");
        }
    }
    if (b->world->n_alive != 0 || b->world->n_buffers != 0 || b->controls.n_alive != 0) {
        note(tally, &tally->leaks, seed, "requests or buffers were left");
    }
    if (b->world->n_breaches != 0) {
        note(tally, &tally->breaches, seed, b->world->breach);
    }
    tally->n_aware += b->is_aware;
    tally->n_broadcasts++;
}

static void judge(const arrivals_t *a, tally_t *tally, uint64_t seed)
{
    for (int i = 0; i < a->n_broadcasts; i++) {
        judge_broadcast(a, &a->broadcasts[i], tally, seed);
    }
    if (a->n_breaches != 0) {
        note(tally, &tally->breaches, seed, a->breach);
    }
    if (a->most_waiting > WAIT_BOUND || (!a->unasked && a->most_waiting > 0)) {
        note(tally, &tally->waiting, seed, "too much waits at a rank that has not arrived");
    }
    tally->n_unasked_runs += a->most_waiting > 0;
    tally->n_groups += a->n_groups;
    tally->most_ahead = a->most_ahead > tally->most_ahead ? a->most_ahead : tally->most_ahead;
}

static void report(const tally_t *t, const char *name)
{
    printf("# %s: %d of %d broadcasts arrival-aware, %d groups; data waited in %d of %d runs\n",
           name, t->n_aware, t->n_broadcasts, t->n_groups, t->n_unasked_runs, t->runs);
    ok(t->runs > 0 && t->unfinished == 0, "%s: all of %d series end %s", name, t->runs, t->first);
    ok(t->wrong_bytes == 0, "%s: every rank has every byte", name);
    ok(t->codes == 0, "%s: no error without cause", name);
    ok(t->leaks == 0, "%s: every request, buffer and control message is taken back", name);
    ok(t->breaches == 0, "%s: interfaces are used as they may be, groups are contention-free",
       name);
    ok(t->waiting == 0, "%s: what waits at a rank that has not arrived is bounded", name);
}

typedef enum { BLOCKING, NONBLOCKING, AUTO } kind_t;

static void test_series(kind_t kind, int n_runs, int n_broadcasts, const char *name)
{
    tally_t tally = {0};
    for (uint64_t seed = 0; seed < (uint64_t) n_runs; seed++) {
        arrivals_t *a = arrivals_new(seed, 16, n_broadcasts);
        a->unasked = kind == NONBLOCKING;
        a->is_auto = kind == AUTO;
        tally.runs++;
        if (!arrivals_run(a, MAX_ROUNDS)) {
            note(&tally, &tally.unfinished, seed, "a rank never gets through");
        } else {
            judge(a, &tally, seed);
        }
        arrivals_free(a);
    }
    report(&tally, name);
    ok(tally.most_ahead > 2, "%s: ranks are up to %d broadcasts ahead of others", name,
       tally.most_ahead);
    if (kind == AUTO) {
        ok(tally.n_aware > 0 && tally.n_aware < tally.n_broadcasts,
           "%s: some broadcasts are arrival-aware and some are plain", name);
    }
    if (kind == NONBLOCKING) {
        ok(tally.n_unasked_runs > n_runs / 10, "%s: data wait at ranks that are late", name);
    }
}

static void test_credit(void)
{
    pb_arrival_credit_t credit;
    pb_arrival_credit_init(&credit, 100);
    pb_arrival_credit_other(&credit, 60);
    if (!pb_arrival_credit_reserve(&credit, 3)) {
        abort();
    }
    ok(!pb_arrival_credit_take(&credit, 1, 50) && pb_arrival_credit_take(&credit, 1, 40),
       "what others have sent before counts");
    pb_arrival_credit_return(&credit, 2, 60, 0);
    ok(pb_arrival_credit_take(&credit, 2, 100), "a rank that has come has all of it");
    pb_arrival_credit_return(&credit, 1, 60, 40);
    ok(pb_arrival_credit_take(&credit, 1, 100) && !pb_arrival_credit_take(&credit, 1, 1),
       "and so has one that has taken a message, not more");
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
        tally.runs++;
        if (!arrivals_run(a, MAX_ROUNDS)) {
            note(&tally, &tally.unfinished, seed, "a rank never gets through");
        } else {
            judge(a, &tally, seed);
        }
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

/** A root with very many receivers that come at once does a bounded part of its work each time. */
static void test_many_ranks(int n_ranks)
{
    tally_t tally = {.runs = 1};
    arrivals_t *a = arrivals_new_of(7, n_ranks, 1);
    a->broadcasts[0].controls.prompt = true;
    a->kind = PB_KIND_BINARY;
    for (int rank = 0; rank < a->n_ranks; rank++) {
        /* The root finds them all waiting. */
        a->broadcasts[0].late[rank] = rank == a->broadcasts[0].root ? 20 : 0;
    }
    if (!arrivals_run(a, MAX_ROUNDS)) {
        note(&tally, &tally.unfinished, 7, "a rank never gets through");
    } else {
        judge(a, &tally, 7);
    }
    report(&tally, "many ranks");
    printf("# %d ranks: %d rounds, %d groups, %d calls of the root until it had heard all\n",
           a->n_ranks, a->round, a->n_groups, a->n_root_calls);
    ok(a->most_taken <= MOST_TAKEN, "%d ranks: at most %d messages taken in by one call",
       a->n_ranks, a->most_taken);
    ok(a->n_root_calls <= a->n_ranks / MOST_TAKEN + 2, "and all within %d calls, if they are there",
       a->n_root_calls);
    ok(a->n_groups == 1, "who waits already is served in one group, not in one for each call");
    arrivals_free(a);
}

static bool has_error(const arrivals_t *a, int index)
{
    for (int rank = 0; rank < a->n_ranks; rank++) {
        if (a->broadcasts[index].errors[rank] != 0) {
            return true;
        }
    }
    return false;
}

/** After a failure that leaves the transport working, all ranks end and someone is told. */
static void judge_failure(arrivals_t *a, bool ended, tally_t *tally, uint64_t seed)
{
    tally->runs++;
    if (!ended) {
        note(tally, &tally->unfinished, seed, "a rank waits for ever");
    } else if (!has_error(a, 0)) {
        note(tally, &tally->silent, seed, "no rank has an error");
    }
    if (a->n_breaches != 0) {
        note(tally, &tally->breaches, seed, a->breach);
    }
}

static void report_failures(const tally_t *t, const char *name)
{
    ok(t->runs > 20 && t->unfinished == 0, "%s: every rank ends (%d runs) %s", name, t->runs,
       t->first);
    ok(t->silent == 0, "%s: the failure is reported", name);
    ok(t->breaches == 0, "%s: interfaces are used as they may be", name);
}

/** Failures of the messages' segments: the rank's children are told by empty messages. */
static void test_segment_failures(void)
{
    static const call_t calls[] = {CALL_TO_SEND, CALL_TO_RECEIVE, CALL_RECEIVED, CALL_SENT};
    for (size_t c = 0; c < sizeof(calls) / sizeof(calls[0]); c++) {
        tally_t tally = {0};
        for (uint64_t seed = 0; seed < 300; seed++) {
            arrivals_t *a = arrivals_new(seed, 12, 1);
            world_t *world = a->broadcasts[0].world;
            a->unasked = seed % 2;
            world->fail_rank = pb_random_below(&a->random, a->n_ranks);
            world->fail_call = calls[c];
            world->fail_after = pb_random_below(&a->random, 4);
            const bool ended = arrivals_run(a, MAX_ROUNDS);
            if (world->failed) {
                judge_failure(a, ended, &tally, seed);
            }
            arrivals_free(a);
        }
        report_failures(&tally, call_name(calls[c]));
    }
}

/** The root can hear no one (any more), or hears nonsense: whoever is left is served all the same.
 */
static void test_deaf_root(control_failure_t failure, const char *name)
{
    const bool at_root = failure != FAIL_GARBLED;
    tally_t tally = {0};
    for (uint64_t seed = 0; seed < 300; seed++) {
        arrivals_t *a = arrivals_new(seed, 12, 1);
        a->broadcasts[0].controls.failure = failure;
        a->broadcasts[0].controls.fail_rank = (a->broadcasts[0].root + !at_root) % a->n_ranks;
        a->broadcasts[0].controls.fail_after = at_root ? pb_random_below(&a->random, 5) : 0;
        const bool ended = arrivals_run(a, MAX_ROUNDS);
        if (a->broadcasts[0].controls.failed) {
            judge_failure(a, ended, &tally, seed);
        }
        arrivals_free(a);
    }
    report_failures(&tally, name);
}

/** A rank of which the transport wants nothing: it ends itself, and gives everything back. */
static void test_refusals(control_failure_t failure, const char *name)
{
    int n_failed = 0, n_stuck = 0, n_silent = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        arrivals_t *a = arrivals_new(seed, 12, 1);
        a->broadcasts[0].controls.failure = failure;
        a->broadcasts[0].controls.fail_rank = pb_random_below(&a->random, a->n_ranks);
        (void) arrivals_run(a, 3000);
        if (a->broadcasts[0].controls.failed) {
            const int rank = a->broadcasts[0].controls.fail_rank;
            n_failed++;
            n_stuck += a->current[rank] == 0;
            n_silent += a->current[rank] > 0 && a->broadcasts[0].errors[rank] == 0;
        }
        arrivals_free(a);
    }
    ok(n_failed > 20 && n_stuck == 0, "%s: the rank ends (%d runs)", name, n_failed);
    ok(n_silent == 0, "%s: the failure is reported", name);
}

/** A control message with another byte: no rank ends without an error and without every byte. */
static void test_damage(void)
{
    int n_damaged = 0, n_errors = 0, n_wrong = 0;
    for (uint64_t seed = 0; seed < (uint64_t) tap_trials(20000, 2000); seed++) {
        arrivals_t *a = arrivals_new(seed, 12, 1);
        const broadcast_t *b = &a->broadcasts[0];
        a->unasked = seed % 2;
        a->broadcasts[0].controls.failure = FAIL_DAMAGED;
        a->broadcasts[0].controls.fail_rank =
            seed % 3 == 0 ? pb_random_below(&a->random, a->n_ranks) : b->root;
        a->broadcasts[0].controls.fail_after = pb_random_below(&a->random, 3);
        (void) arrivals_run(a, 2000);
        n_damaged += a->broadcasts[0].controls.failed;
        n_errors += has_error(a, 0);
        for (int rank = 0; rank < a->n_ranks; rank++) {
            n_wrong +=
                a->current[rank] > 0 && b->errors[rank] == 0 && !world_rank_has_all(b->world, rank);
        }
        arrivals_free(a);
    }
    ok(n_damaged > 1000 && n_errors > 100, "%d control messages are damaged, %d are errors",
       n_damaged, n_errors);
    ok(n_wrong == 0, "and no rank takes part of a message for all of it");
}

/**
 * Memory that runs out at the start of a group. An allocation that fails once, which is tried
 * again, harms no one; a role that cannot be had ends the rank, with an error.
 */
static void test_group_memory(void)
{
    enum { N_ALLOCATIONS = 3 }; /* the role, and what a group and its transfer allocate */
    tally_t tally = {0};
    int n_of[N_ALLOCATIONS] = {0};
    int n_stuck = 0, n_silent = 0;
    bool everywhere = true;
    for (uint64_t seed = 0; seed < 400; seed++) {
        arrivals_t *a = arrivals_new(seed, 12, 1);
        const int rank = a->broadcasts[0].controls.fail_rank =
            pb_random_below(&a->random, a->n_ranks);
        a->broadcasts[0].controls.failure = FAIL_MEMORY;
        a->unasked = seed % 2;
        a->memory_after = (int) (seed % N_ALLOCATIONS);
        const bool ended = arrivals_run(a, a->memory_after == 0 ? 3000 : MAX_ROUNDS);
        failing_memory_after(-1);
        n_of[a->memory_after] += a->broadcasts[0].controls.failed;
        if (a->memory_after == 0 && a->broadcasts[0].controls.failed) {
            n_stuck += a->current[rank] == 0;
            n_silent += a->current[rank] > 0 && a->broadcasts[0].errors[rank] != PB_ERR_NO_MEMORY;
        } else if (!ended) {
            note(&tally, &tally.unfinished, seed, "a rank waits for ever");
        } else {
            judge(a, &tally, seed);
        }
        tally.runs++;
        arrivals_free(a);
    }
    for (int i = 0; i < N_ALLOCATIONS; i++) {
        everywhere = everywhere && n_of[i] > 10;
    }
    report(&tally, "an allocation for a group that fails once");
    ok(everywhere, "memory runs out at each of %d allocations for a group", N_ALLOCATIONS);
    ok(n_stuck == 0, "no role in a group: the rank ends");
    ok(n_silent == 0, "no role in a group: the failure is reported");
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

static void test_header(void)
{
    uint8_t members[3] = {0}, bytes[64];
    pb_arrival_header_t out = {.kind = PB_KIND_TWOTREE,
                               .mode = 3,
                               .segment_size = 1u << 30,
                               .total = UINT64_C(0x123456789abc),
                               .members = members};
    pb_arrival_header_t in;
    int ranks[20];
    pb_rank_set_add(members, 0);
    pb_rank_set_add(members, 9);
    pb_rank_set_add(members, 19);
    const size_t length = pb_arrival_header_write(&out, 20, bytes);
    ok(length == pb_arrival_header_room(20) && length == PB_ARRIVAL_HEADER_FIXED + 3,
       "a header has one bit per rank");
    ok(pb_arrival_header_read(&in, 20, 9, bytes, length) && in.kind == out.kind &&
           in.mode == out.mode && in.segment_size == out.segment_size && in.total == out.total &&
           !in.all,
       "a header is read as it was written");
    ok(pb_arrival_members(&in, 20, ranks) == 3 && ranks[0] == 0 && ranks[1] == 9 && ranks[2] == 19,
       "its members, too");
    ok(!pb_arrival_header_read(&in, 20, 8, bytes, length), "it is not for those it does not name");
    ok(!pb_arrival_header_read(&in, 20, 9, bytes, length - 1) &&
           !pb_arrival_header_read(&in, 20, 9, bytes, 3) &&
           !pb_arrival_header_read(&in, 40, 9, bytes, length),
       "a header of wrong length is none");
    bytes[length - 1] |= 1u << 4;
    ok(!pb_arrival_header_read(&in, 20, 9, bytes, length), "there is no rank 20 of 20 to name");
    bytes[length - 1] = 1u << 3;
    bytes[4]++;
    ok(!pb_arrival_header_read(&in, 20, 9, bytes, length), "segments have a largest size");
    bytes[4]--;
    ok(pb_arrival_header_read(&in, 20, 9, bytes, length), "and that one is read");
    out.all = true;
    const size_t short_length = pb_arrival_header_write(&out, 20, bytes);
    ok(short_length == PB_ARRIVAL_HEADER_FIXED &&
           pb_arrival_header_read(&in, 20, 8, bytes, short_length) &&
           pb_arrival_members(&in, 20, ranks) == 20,
       "a header of all ranks names none");
    bytes[1] = PB_KIND_COUNT;
    ok(!pb_arrival_header_read(&in, 20, 8, bytes, short_length), "an unknown kind is refused");
}

/** One broadcast, before which a fold has found arrivals to be `watched`, and of which the root
 * sees `seen`; whether it was arrival-aware. */
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

/** How many of 1000 broadcasts are arrival-aware. */
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
    test_header();
    test_mode();
    test_series(BLOCKING, tap_trials(600, 120), 4, "arrival_b");
    test_series(NONBLOCKING, tap_trials(600, 120), 6, "arrival_nb");
    test_series(AUTO, tap_trials(60, 15), 60, "auto");
    test_credit();
    test_late_joiners();
    test_many_ranks(tap_trials(1000, 300));
    test_segment_failures();
    test_deaf_root(FAIL_RECEIVE, "the root cannot receive");
    test_deaf_root(FAIL_RECEIVED, "the root receives an error");
    test_deaf_root(FAIL_GARBLED, "the root is told nonsense");
    test_refusals(FAIL_SEND, "a control message cannot be sent");
    test_refusals(FAIL_RECEIVE, "a control message cannot be received");
    test_refusals(FAIL_RECEIVED, "a control message comes with an error");
    test_damage();
    test_group_memory();
    test_cancel();
    test_memory();
    return tap_done();
}
