/*
 * Broadcasts by multicast over datagrams that get lost, over the in-memory group of group.h. Every
 * rank ends with every byte right, or as an error of the words ends it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "group.h"
#include "test/engine/run.h"
#include "test/failing_memory.h"
#include "test/tap.h"

/** Results of a number of runs. */
typedef struct series {
    tally_t tally;
    uint64_t reporting, asked, foreign, impatient, lost;
} series_t;

/** Parts that a rank may have at a time: one for each frame that is not settled, its calls', and
 * some awaiting SETTLED. */
static int most_parts(const group_t *g)
{
    return (int) g->window + g->overlap + 8;
}

/** Bytes that a rank may keep for others. */
static size_t most_kept(const group_t *g)
{
    return (size_t) (g->window + g->window / 4 + 1) * g->payload;
}

static bool results_are_alike(const group_t *g)
{
    const pb_multicast_t *first = &g->multicasts[0];
    bool good = true;
    for (int rank = 1; rank < g->n_ranks; rank++) {
        const pb_multicast_t *m = &g->multicasts[rank];
        good = good && m->settled == first->settled && m->settled == m->marks.marked;
    }
    return good;
}

/** Runs a group, notes what went wrong, and frees the group. */
static void run(series_t *series, group_t *g, int seed)
{
    tally_t *tally = &series->tally;
    if (!group_run(g, MAX_ROUNDS)) {
        tally_note(tally, (uint64_t) seed, "a part does not end");
    }
    if (!g->may_fail && !g->is_cancelled && !results_are_alike(g)) {
        group_breach(g, "what marks have brought is not alike", 0);
    }
    if (g->n_breaches != 0) {
        tally_note(tally, (uint64_t) seed, g->breach);
    }
    if (group_left(g) != 0) {
        tally_note(tally, (uint64_t) seed, "words or requests are left");
    }
    if (g->most_parts > most_parts(g) || g->most_kept > most_kept(g)) {
        tally_note(tally, (uint64_t) seed, "too much is kept");
    }
    for (int at = 0; at < g->n_broadcasts * g->n_ranks; at++) {
        if (g->broadcasts[at / g->n_ranks].members[at % g->n_ranks].result != 0) {
            tally_note(tally, (uint64_t) seed, "an error although nothing failed");
        }
    }
    tally->runs++;
    series->reporting += group_count(g, reporting);
    series->asked += group_count(g, asked);
    series->foreign += group_count(g, foreign);
    series->impatient += group_count(g, impatient);
    for (int rank = 0; rank < g->n_ranks; rank++) {
        series->lost += pb_multicast_take_lost(&g->multicasts[rank], &(pb_multicast_loss_t){0});
    }
    group_free(g);
}

static bool all_well(const series_t *series)
{
    if (series->tally.failures > 0) {
        printf("# of %d runs, %d things: %s\n", series->tally.runs, series->tally.failures,
               series->tally.first);
    }
    return series->tally.failures == 0;
}

/** A group of random frames and window, and messages of a few windows; 0 ranks: of some. */
static group_t *drawn_group(pb_random_t *random, int seed, int n_ranks, int n_broadcasts)
{
    const uint32_t payload = 1 + (uint32_t) pb_random_below(random, 40);
    const uint32_t window = 1 + (uint32_t) pb_random_below(random, 24);
    const size_t most = (size_t) payload * (1 + (size_t) pb_random_below(random, 3 * (int) window));
    n_ranks = n_ranks > 0 ? n_ranks : 1 + pb_random_below(random, 10);
    return group_new((uint64_t) seed, n_ranks, n_broadcasts, payload, window, most);
}

/** A random group; everything about it follows from the seed, and `n_ranks` if that is not 0. */
static group_t *random_group_of(int seed, int n_ranks)
{
    static const int shares[] = {0, 10, 50, 200, 600, 1000};
    pb_random_t random = pb_random_seed((uint64_t) seed + 77);
    group_t *g = drawn_group(&random, seed, n_ranks, 1 + pb_random_below(&random, 12));
    g->lost = shares[pb_random_below(&random, 6)];
    g->last_lost = shares[pb_random_below(&random, 6)];
    g->repeated = shares[pb_random_below(&random, 3)];
    g->foreign = shares[pb_random_below(&random, 3)];
    g->delay = pb_random_below(&random, 3) * pb_random_below(&random, 10);
    g->overlap = 1 + pb_random_below(&random, 2) * pb_random_below(&random, 4);
    g->task_percent = pb_random_below(&random, 2) * 30;
    g->never_detaches = pb_random_below(&random, 4) == 0;
    g->capacity = pb_random_below(&random, 2) ? g->capacity : 1 + pb_random_below(&random, 10);
    g->is_prompt = pb_random_below(&random, 2) == 0;
    if (pb_random_below(&random, 2)) {
        group_use_checksums(g);
        g->damaged = shares[pb_random_below(&random, 4)];
    }
    if (pb_random_below(&random, 3) == 0) {
        g->deaf = pb_random_below(&random, g->n_ranks);
    }
    if (pb_random_below(&random, 3) == 0) { /* a rank is late */
        member_t *late = &g->broadcasts[pb_random_below(&random, g->n_broadcasts)]
                              .members[pb_random_below(&random, g->n_ranks)];
        late->wait = 500 + pb_random_below(&random, 2000);
    }
    return g;
}

static group_t *random_group(int seed)
{
    return random_group_of(seed, 0);
}

static void test_random(void)
{
    series_t series = {0};
    for (int seed = 0; seed < tap_trials(20000, 400); seed++) {
        run(&series, random_group(seed), seed);
    }
    ok(all_well(&series),
       "whatever is lost, late, repeated or damaged, every byte is right and nothing is left");
    ok(series.reporting > 100 && series.asked > 1000 && series.foreign > 100 &&
           series.impatient > 0 && series.lost > 1000,
       "ranks report and ask, hear others' frames, and roots lose patience");
}

/** A group in a network that loses and reorders nothing. Where broadcasts overlap, ranks drop
 * frames of those that they have not begun, and report none: there the root waits as usual. */
static group_t *clean_group(int seed, int overlap)
{
    pb_random_t random = pb_random_seed((uint64_t) seed);
    group_t *g = drawn_group(&random, seed, 0, 12);
    g->is_prompt = true;
    g->capacity = 1 << 20;
    g->task_percent = 30;
    g->overlap = overlap;
    for (int rank = 0; rank < g->n_ranks && overlap == 1; rank++) {
        g->multicasts[rank].config.patience = INT64_MAX / 16;
    }
    return g;
}

/** No rank is asked for anything, and no buffer is filled beyond what marks.h proves. */
static void test_clean(void)
{
    series_t series = {0}, overlapping = {0};
    int too_full = 0;
    for (int seed = 0; seed < tap_trials(2000, 100); seed++) {
        group_t *g = clean_group(seed, 1);
        if (seed % 3 == 0) { /* not even where a rank is late: the others wait when they must */
            g->broadcasts[seed % g->n_broadcasts].members[seed % g->n_ranks].wait = 1000;
        }
        (void) group_run(g, MAX_ROUNDS);
        too_full += g->most_waiting > (int) g->window;
        run(&series, g, seed);
        run(&overlapping, clean_group(seed, 4), seed);
    }
    ok(all_well(&overlapping) && overlapping.asked > 0 && overlapping.lost == 0,
       "frames that are asked for in vain count as none that are lost");
    ok(all_well(&series) && series.asked == 0 && series.reporting > 100,
       "where nothing is lost, nobody asks for anything (%llu)", (unsigned long long) series.asked);
    ok(too_full == 0, "and no buffer holds more than a window of the frames of others");
}

/** Many short broadcasts with loss and late ranks: what is kept does not grow with them. */
static void test_series(void)
{
    series_t series = {0};
    group_t *g = group_new(11, 5, 300, 10, 12, 60);
    g->lost = g->last_lost = 50;
    for (int i = 0; i < g->n_broadcasts; i += 50) {
        g->broadcasts[i].members[i % g->n_ranks].wait = 500;
    }
    (void) group_run(g, MAX_ROUNDS);
    printf("# at most %d parts and %zu bytes of copies\n", g->most_parts, g->most_kept);
    run(&series, g, 0);
    ok(all_well(&series) && series.asked > 100,
       "300 broadcasts keep no more than a dozen (%llu asked)", (unsigned long long) series.asked);
}

/* Late ranks. */

enum { N_LATE = 6, LATE = 20000 };

/** Broadcasts of `bytes` down chains; a rank comes late to the first. */
static group_t *late_group(int n_broadcasts, size_t bytes, int late)
{
    group_t *g = group_new(3, N_LATE, n_broadcasts, 10, 16, bytes);
    for (int i = 0; i < n_broadcasts; i++) {
        group_set_chain(g, i, 0, bytes);
    }
    g->broadcasts[0].members[late].wait = LATE;
    return g;
}

/** Number of ranks that have ended a broadcast before the late one has begun the first. */
static int n_before(const group_t *g, int index)
{
    int n = 0;
    for (int rank = 0; rank < g->n_ranks; rank++) {
        const member_t *m = &g->broadcasts[index].members[rank];
        n += m->is_through && m->ended < LATE;
    }
    return n;
}

static void test_late_short(void)
{
    series_t series = {0};
    group_t *g = late_group(8, 40, 1); /* four frames each, a window has 16 */
    const bool ended = group_run(g, MAX_ROUNDS);
    const int n_first = n_before(g, 0), n_fourth = n_before(g, 3), n_fifth = n_before(g, 4);
    ok(ended && n_first == N_LATE - 1 && n_fourth == N_LATE - 1,
       "nobody waits for a late rank (%d, %d)", n_first, n_fourth);
    ok(n_fifth == 0, "but behind a window of frames the root does");
    ok(group_count(g, asked) == 0, "and the late one finds all frames in its buffer");
    run(&series, g, 0);
    ok(all_well(&series), "with every byte right");
}

static void test_late_report(int late)
{
    series_t series = {0};
    group_t *g = late_group(3, 1000, late); /* a hundred frames */
    const bool ended = group_run(g, MAX_ROUNDS);
    const int n_first = n_before(g, 0), n_second = n_before(g, 1);
    const uint64_t asked = g->multicasts[late].counters.asked;
    const uint64_t others = group_count(g, asked) - asked;
    ok(ended && n_first == N_LATE - 1 && group_count(g, impatient) > 0,
       "where ranks report, the others go on without rank %d (%d)", late, n_first);
    ok(n_second == 0, "in one broadcast");
    ok(asked >= 60 && others == 0,
       "the late one gets its copy by the tree (%llu), and only that one (%llu)",
       (unsigned long long) asked, (unsigned long long) others);
    run(&series, g, 0);
    ok(all_well(&series) && series.lost == 0, "with every byte right, and nothing was lost");
}

/* Ranks that cannot. */

static void test_without_datagrams(void)
{
    series_t series = {0};
    for (int seed = 0; seed < 40; seed++) {
        group_t *deaf = clean_group(seed, 1), *mute = clean_group(seed, 1);
        deaf->deaf = seed % deaf->n_ranks;
        run(&series, deaf, seed);
        mute->mute = seed % mute->n_ranks;
        run(&series, mute, seed);
    }
    ok(all_well(&series) && series.asked > 1000,
       "a rank that hears nothing, or cannot send to the group, has no need of it");
}

/** A long message that nobody hears does not wait for a report of each of its blocks. */
static void test_silence(void)
{
    series_t series = {0};
    group_t *g = group_new(5, 4, 1, 10, 16, 10000);
    g->lost = g->last_lost = 1000;
    group_set_chain(g, 0, 0, 10000); /* a thousand frames, 250 blocks */
    run(&series, g, 0);
    ok(all_well(&series) && series.impatient > 0 && series.impatient <= 10,
       "where nobody hears anything, the root waits ten times at most");
}

/** The rank behind one that hears them. */
static void test_deaf(void)
{
    series_t series = {0};
    group_t *g = group_new(1, 3, 1, 10, 1000, 4000);
    g->is_prompt = true;
    g->capacity = 1 << 20;
    g->deaf = 2;
    group_set_chain(g, 0, 0, 4000); /* four hundred frames */
    const bool ended = group_run(g, MAX_ROUNDS);
    const int n = g->broadcasts[0].words.n_taken;
    const uint64_t asked = g->multicasts[2].counters.asked;
    run(&series, g, 1);
    ok(ended && all_well(&series) && asked == 400 && n >= 400 / PB_WORD_MAX_ASKED && n < 40,
       "a rank that hears nothing gets %llu frames in %d words", (unsigned long long) asked, n);
}

/* Several ranks on a host. */

/** Ranks on random hosts, several on many of them, and nothing else of the group is known. */
static group_t *placed_group(int seed)
{
    pb_random_t random = pb_random_seed((uint64_t) seed + 4711);
    pb_network_t *network =
        pb_random_network(&random, (pb_shape_t) pb_random_below(&random, PB_SHAPE_COUNT),
                          1 + pb_random_below(&random, 3), 1 + pb_random_below(&random, 4), 0);
    pb_placement_t *placement = pb_random_placement(&random, network, 4);
    group_t *g = random_group_of(seed, placement->n_ranks);
    g->deaf = -1;
    group_place(g, placement);
    pb_placement_free(placement);
    pb_network_free(network);
    return g;
}

/** Frames that ranks below a leader have asked for, of broadcasts in pieces alone. */
static uint64_t asked_by_led(const group_t *g)
{
    uint64_t asked = 0;
    for (int rank = 0; rank < g->n_ranks; rank++) {
        bool is_led = true;
        for (int i = 0; i < g->n_broadcasts; i++) {
            is_led = is_led && g->broadcasts[i].members[rank].role->is_led;
        }
        asked += is_led ? g->multicasts[rank].counters.asked : 0;
    }
    return asked;
}

static void test_inside(void)
{
    series_t series = {0};
    int n_inside = 0;
    uint64_t asked = 0;
    for (int seed = 0; seed < tap_trials(10000, 300); seed++) {
        group_t *g = placed_group(seed);
        (void) group_run(g, MAX_ROUNDS);
        for (int rank = 0; rank < g->n_ranks; rank++) {
            n_inside += g->broadcasts[0].members[rank].has_inside;
        }
        asked += asked_by_led(g);
        run(&series, g, seed);
    }
    ok(all_well(&series) && n_inside > 100,
       "in pieces inside hosts every byte is right, and nothing is left (%d parts)", n_inside);
    ok(asked == 0, "whom a leader serves asks for no frame");
}

/** A leader has sent all that its host needs, and so keeps no copy for it. */
static void test_no_copy(void)
{
    size_t most = 0;
    for (int seed = 0; seed < 100; seed++) {
        group_t *g = placed_group(seed);
        g->lost = g->last_lost = g->damaged = 0;
        bool is_one_leader = true; /* and all others are below it */
        for (int i = 0; i < g->n_broadcasts; i++) {
            for (int rank = 0; rank < g->n_ranks; rank++) {
                const pb_role_t *role = g->broadcasts[i].members[rank].role;
                is_one_leader = is_one_leader && role->n_children == role->n_inside;
            }
        }
        (void) group_run(g, MAX_ROUNDS);
        most = is_one_leader && g->most_kept > most ? g->most_kept : most;
        group_free(g);
    }
    ok(most == 0, "for ranks of its own host a rank keeps no copy");
}

/* Errors. */

/** A word fails at a random rank; what comes of that, where nobody else ends the others' parts. */
static void test_failures(group_t *(*make)(int seed), const char *where)
{
    static const control_failure_t failures[] = {FAIL_SEND, FAIL_RECEIVE, FAIL_RECEIVED,
                                                 FAIL_GARBLED};
    int n_failed = 0, n_propagated = 0, unnoticed = 0, unfinished = 0, breaches = 0, leaks = 0;
    char breach[240] = "";
    for (int seed = 0; seed < tap_trials(10000, 500); seed++) {
        const long before = failing_memory_alive();
        group_t *g = make(seed);
        group_fail(g, failures[seed % 4], seed % g->n_broadcasts, seed / 3 % g->n_ranks, seed % 7);
        if (!group_run(g, 6000)) {
            group_cancel(g);
            unfinished += !group_run(g, 6000);
        } else {
            n_propagated += g->has_failed;
        }
        int n_errors = 0;
        for (int i = 0; i < g->n_broadcasts; i++) {
            for (int rank = 0; rank < g->n_ranks; rank++) {
                n_errors += g->broadcasts[i].members[rank].result != 0;
            }
        }
        n_failed += g->has_failed;
        /* The rank that failed may have ended its call before, and others may need nothing of it.
         */
        unnoticed += !g->has_failed && n_errors > 0 && !g->is_cancelled;
        breaches += g->n_breaches != 0;
        if (breach[0] == '\0' && g->n_breaches != 0) {
            snprintf(breach, sizeof(breach), "seed %d: %s", seed, g->breach);
        }
        group_free(g);
        /* Allocations of the C library for a network's text count only when it is freed. */
        leaks += failing_memory_alive() > before;
    }
    ok(n_failed > 100 && unfinished == 0, "%s: after an error of a word all parts end (%d of them)",
       where, n_failed);
    ok(n_propagated > 0, "in many cases without help from outside (%d)", n_propagated);
    ok(breaches == 0 && unnoticed == 0, "no rank has a wrong byte without an error %s", breach);
    ok(leaks == 0, "and all memory is given back");
}

/** An error at the root reaches all that lack frames. */
static void test_failed_root(void)
{
    group_t *g = group_new(9, N_LATE, 1, 10, 16, 100);
    group_set_chain(g, 0, 0, 100);
    g->mute = 0; /* so that nobody has any */
    /* The root does not understand the question of rank 1. */
    group_fail(g, FAIL_GARBLED, 0, 1, 0);
    const bool ended = group_run(g, MAX_ROUNDS);
    int n_right = 0;
    for (int rank = 0; rank < N_LATE; rank++) {
        const int result = g->broadcasts[0].members[rank].result;
        n_right += result == (rank == 0 ? 0 : PB_ERR_EMPTY); /* the root's call has returned */
    }
    ok(ended && n_right == N_LATE && g->n_breaches == 0,
       "an error of the root is an error of all that need something of it (%d)", n_right);
    group_free(g);
}

/* Memory. */

static void test_no_memory(void)
{
    group_t *g = group_new(4, 5, 1, 10, 16, 100);
    pb_multicast_t *m = &g->multicasts[0];
    pb_multicast_part_t part;
    member_t *member = &g->broadcasts[0].members[0];
    char data[100];
    int n_refused = 0;
    bool started = false;
    const long before = failing_memory_alive();
    group_set(g, 0, 0, 100);
    for (int i = 0; i < 10 && !started; i++) {
        failing_memory_after(i);
        started = pb_multicast_part_start(&part, m, &g->broadcasts[0].words.of[0], member->role,
                                          data, sizeof(data));
        failing_memory_after(-1);
        n_refused += !started;
    }
    ok(started && n_refused == 3 && m->next == 1 && part.number == 0,
       "a start without memory is refused, and may be tried again");
    failing_memory_after(0);
    part.frames.first_missing = part.frames.n_frames;
    const bool detached = pb_multicast_part_detach(&part);
    failing_memory_after(-1);
    ok(!detached, "without memory for a copy the user's data are needed for longer");
    pb_multicast_part_cancel(&part);
    pb_multicast_part_finish(&part);
    pb_multicast_part_finish(&part);
    ok(m->parts == NULL && failing_memory_alive() == before, "a part may be finished twice");
    group_free(g);
}

int main(void)
{
    test_random();
    test_clean();
    test_series();
    test_late_short();
    test_late_report(3);
    test_late_report(1); /* with all others below it */
    test_late_report(N_LATE - 1);
    test_without_datagrams();
    test_silence();
    test_deaf();
    test_inside();
    test_no_copy();
    test_failures(random_group, "one rank on a host");
    test_failures(placed_group, "several");
    test_failed_root();
    test_no_memory();
    return tap_done();
}
