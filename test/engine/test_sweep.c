/*
 * Sweeps over random trees, and which broadcasts have one: over the control messages of control.h,
 * which come in any order and fail at random.
 */
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "engine/schedule.h"
#include "engine/sweep.h"
#include "plans.h"
#include "test/must.h"
#include "test/tap.h"

enum { MAX_RANKS = 40, MAX_ROUNDS = 20000, STREAMS = 2, MS = 1000000 };

/** The sweeps of all ranks of one broadcast. */
typedef struct run {
    controls_t controls; /**< over a world that is for its random numbers alone */
    int n_ranks, root;
    pb_plan_t *plan;
    int stream;        /**< of the sweeps */
    const int *parent; /**< its tree, by rank; -1: the root */
    pb_sweep_times_t times[MAX_RANKS];
    int ends_at[MAX_RANKS]; /**< the round in which the rank is through */
    pb_sweep_t sweeps[MAX_RANKS];
    uint8_t rooms[MAX_RANKS][(MAX_RANKS + 7) / 8];
    bool through[MAX_RANKS];
    pb_arrival_report_t verdict; /**< that the root announces */
    pb_sweep_sums_t sums;        /**< that it had */
    bool again[MAX_RANKS];       /**< the rank goes on a second time, with no frame missed */
} run_t;

static int draw(run_t *run, int n)
{
    return pb_random_below(&run->controls.world->random, n);
}

/** The sweeps of all ranks of a plan, which run_free() frees. */
static run_t *run_of(uint64_t seed, pb_plan_t *plan)
{
    run_t *run = must_zeroed(1, sizeof(*run));
    controls_init(&run->controls, world_new(seed, plan->n_ranks, 0, 1, 1));
    run->n_ranks = plan->n_ranks;
    run->root = plan->root;
    run->plan = plan;
    run->stream = draw(run, plan->n_streams);
    run->parent = plan->streams[run->stream].parent;
    run->verdict = (pb_arrival_report_t) (1 + draw(run, 2));
    for (int rank = 0; rank < run->n_ranks; rank++) {
        run->ends_at[rank] = draw(run, 200);
        run->times[rank] = (pb_sweep_times_t){.away = draw(run, 1000),
                                              .wait = draw(run, 1000),
                                              .transfer = draw(run, 1000),
                                              .missed = (uint32_t) draw(run, 50),
                                              .room = (uint32_t) draw(run, 1000)};
    }
    return run;
}

static run_t *run_new(uint64_t seed, int n_ranks)
{
    pb_random_t random = pb_random_seed(seed);
    return run_of(seed, plans_random(&random, n_ranks, pb_random_below(&random, n_ranks), STREAMS));
}

static void run_free(run_t *run)
{
    controls_fini(&run->controls);
    world_free(run->controls.world);
    plans_free(run->plan);
    free(run);
}

static void start_all(run_t *run)
{
    for (int rank = 0; rank < run->n_ranks; rank++) {
        pb_role_t *role = pb_role_new(run->plan, rank);
        pb_sweep_start(&run->sweeps[rank], &run->controls.of[rank], role, run->n_ranks, run->stream,
                       run->rooms[rank]);
        free(role);
    }
}

static void advance(run_t *run, int rank, int round)
{
    pb_sweep_t *sweep = &run->sweeps[rank];
    if (!sweep->has_ended && round >= run->ends_at[rank]) {
        pb_sweep_end(sweep, &run->times[rank]);
    }
    run->through[rank] = pb_sweep_advance(sweep);
    if (sweep->state == PB_SWEEP_SUMMED) {
        run->sums = sweep->sums;
        sweep->rule = (pb_frame_rule_t){run->sums.longest, true, {1, run->sums.missed}};
        pb_sweep_announce(sweep, run->verdict);
    }
    if (run->again[rank] && run->through[rank] && !sweep->broken) {
        run->again[rank] = run->through[rank] = false;
        pb_sweep_again(sweep, 0);
    }
}

/** Advances ranks at random until all are through; how many are. */
static int run_rounds(run_t *run)
{
    int n_through = 0;
    for (int round = 0; round < MAX_ROUNDS && n_through < run->n_ranks; round++) {
        const int rank = draw(run, run->n_ranks);
        if (!run->through[rank]) {
            advance(run, rank, round);
            n_through += run->through[rank];
        }
    }
    return n_through;
}

static bool is_above(const run_t *run, int above, int rank)
{
    while (rank >= 0 && rank != above) {
        rank = run->parent[rank];
    }
    return rank == above;
}

/** The sums by the definition: ranks are held by the lowest one above them that has held some. */
static pb_sweep_sums_t expected(const run_t *run)
{
    bool held[MAX_RANKS] = {false};
    pb_sweep_sums_t sums = {.n_ranks = (uint32_t) run->n_ranks - 1};
    int depth[MAX_RANKS];
    for (int rank = 0; rank < run->n_ranks; rank++) {
        depth[rank] = 0;
        for (int above = rank; above != run->root; above = run->parent[above]) {
            depth[rank]++;
        }
    }
    for (int level = run->n_ranks; level > 0; level--) {
        for (int rank = 0; rank < run->n_ranks; rank++) {
            int64_t wait = 0, n = 0;
            for (int below = 0; depth[rank] == level && below < run->n_ranks; below++) {
                if (below != rank && !held[below] && is_above(run, rank, below)) {
                    wait += run->times[below].wait;
                    n++;
                }
            }
            if (run->times[rank].wait * 8 * n >= wait || run->times[rank].away * 2 * n <= wait) {
                continue;
            }
            for (int below = 0; below < run->n_ranks; below++) {
                held[below] = held[below] || (below != rank && is_above(run, rank, below));
            }
        }
    }
    for (int rank = 0; rank < run->n_ranks; rank++) {
        if (rank != run->root) {
            sums.n_held += held[rank];
            sums.n_free += !held[rank];
            *(held[rank] ? &sums.held_wait : &sums.free_wait) += (uint64_t) run->times[rank].wait;
            sums.transfer += (uint64_t) run->times[rank].transfer;
        }
    }
    return sums;
}

/** The longest time of any rank, and the least wait of all but the root. */
static void add_extremes(const run_t *run, pb_sweep_sums_t *sums)
{
    sums->least_wait = UINT64_MAX;
    sums->room = UINT32_MAX;
    for (int rank = 0; rank < run->n_ranks; rank++) {
        const uint64_t wait = (uint64_t) run->times[rank].wait;
        const uint64_t time = wait + (uint64_t) run->times[rank].transfer;
        sums->missed =
            run->times[rank].missed > sums->missed ? run->times[rank].missed : sums->missed;
        sums->room = run->times[rank].room < sums->room ? run->times[rank].room : sums->room;
        sums->longest = time > sums->longest ? time : sums->longest;
        sums->least_wait = rank != run->root && wait < sums->least_wait ? wait : sums->least_wait;
    }
}

static void test_random(void)
{
    int unfinished = 0, differ = 0, wrong = 0, left = 0, beyond = 0;
    uint64_t n_held = 0;
    for (int i = 0; i < tap_trials(3000, 600); i++) {
        run_t *run = run_new((uint64_t) i, 2 + i % (MAX_RANKS - 1));
        const bool goes_again = i % 3 == 0;
        memset(run->again, goes_again, sizeof(run->again));
        start_all(run);
        unfinished += run_rounds(run) < run->n_ranks;
        for (int rank = 0; rank < run->n_ranks; rank++) {
            const pb_sweep_t *sweep = &run->sweeps[rank];
            differ += sweep->verdict != run->verdict || sweep->sums.missed != run->sums.missed ||
                      sweep->sums.room != run->sums.room;
            differ += sweep->rule.key != sweep->sums.longest || !sweep->rule.has_checksum ||
                      sweep->rule.secret[0] != 1 || sweep->rule.secret[1] != sweep->sums.missed;
            differ += sweep->error != 0;
            differ += run->sweeps[rank].sums.longest != run->sums.longest ||
                      run->sweeps[rank].sums.least_wait != run->sums.least_wait;
            left += run->controls.mail[rank] != NULL;
        }
        pb_sweep_sums_t sums = expected(run);
        add_extremes(run, &sums);
        sums.missed = goes_again ? 0 : sums.missed;
        wrong += memcmp(&sums, &run->sums, sizeof(sums)) != 0;
        n_held += sums.n_held;
        left += run->controls.n_alive != 0 || run->controls.world->n_breaches != 0;
        beyond += run->controls.n_taken != (goes_again ? 4 : 2) * (run->n_ranks - 1);
        run_free(run);
    }
    ok(beyond == 0, "a message goes up and one down each edge of a tree, or two");
    ok(unfinished == 0, "sweeps over random trees end");
    ok(differ == 0, "every rank learns what the root concludes");
    ok(wrong == 0 && n_held > 0, "the root has the sums of all ranks (%llu held)",
       (unsigned long long) n_held);
    ok(left == 0, "and nothing is left under way");
}

static void test_failures(void)
{
    static const control_failure_t failures[] = {FAIL_SEND, FAIL_RECEIVE, FAIL_RECEIVED,
                                                 FAIL_GARBLED};
    int n_failed = 0, unnoticed = 0, left = 0;
    for (int i = 0; i < tap_trials(2000, 400); i++) {
        run_t *run = run_new((uint64_t) i, 2 + i % 11);
        controls_t *c = &run->controls;
        c->failure = failures[i % 4];
        c->fail_rank = draw(run, run->n_ranks);
        c->fail_after = draw(run, 3);
        start_all(run);
        (void) run_rounds(run);
        int n_broken = 0;
        for (int rank = 0; rank < run->n_ranks; rank++) {
            n_broken += run->sweeps[rank].broken;
            unnoticed += run->sweeps[rank].broken && run->sweeps[rank].error == 0;
            pb_sweep_finish(&run->sweeps[rank]);
            pb_sweep_finish(&run->sweeps[rank]);
        }
        n_failed += c->failed;
        unnoticed += c->failed && n_broken == 0;
        left += c->n_alive != 0 || c->world->n_breaches != 0;
        run_free(run);
    }
    ok(n_failed > 100 && unnoticed == 0, "a message that fails, or makes no sense, is noticed (%d)",
       n_failed);
    ok(left == 0, "and what is under way then is withdrawn");
}

/* Conclusions. A chain of ranks, or a root with the others below it. */

typedef enum { CHAIN, STAR } shape_t;

/** The verdict where a message takes 1 ms, and the ranks did what is in `times` (from rank 1 on).
 */
static pb_arrival_report_t verdict(shape_t shape, int n_ranks, const pb_sweep_times_t *times)
{
    run_t *run = run_of(1, shape == STAR ? plans_flat(n_ranks, 0) : plans_chain(n_ranks, 0));
    for (int rank = 0; rank < n_ranks; rank++) {
        run->times[rank] = rank > 0 ? times[rank - 1] : (pb_sweep_times_t){0};
    }
    start_all(run);
    const bool all = run_rounds(run) == n_ranks;
    const pb_arrival_report_t report =
        all ? pb_sweep_judge(&run->sums, 1.0 * MS, false, 0.2) : PB_ARRIVAL_UNKNOWN;
    run_free(run);
    return report;
}

static void test_verdicts(void)
{
    enum { N = 8 };
    pb_sweep_times_t times[N - 1];
    for (int i = 0; i < N - 1; i++) {
        times[i] = (pb_sweep_times_t){.away = 20 * MS, .wait = MS / 10 * i, .transfer = MS};
    }
    ok(verdict(CHAIN, N, times) == PB_ARRIVAL_EVEN, "ranks of a chain wait for its pipeline: even");
    for (int i = 0; i < N - 1; i++) {
        times[i].wait = i == 0 ? 0 : 10 * MS;
    }
    ok(verdict(CHAIN, N, times) == PB_ARRIVAL_UNEVEN, "the first of a chain is late: uneven");
    ok(verdict(STAR, N, times) == PB_ARRIVAL_EVEN, "no one waits for it: even");
    times[0].away = MS / 10;
    ok(verdict(CHAIN, N, times) == PB_ARRIVAL_EVEN, "it was not away: even");
    times[0].away = 20 * MS;
    for (int i = 1; i < N - 1; i++) {
        times[i].transfer = 40 * MS;
    }
    ok(verdict(CHAIN, N, times) == PB_ARRIVAL_EVEN,
       "the message takes longer than the ranks are late: even");
    for (int i = 0; i < N - 1; i++) {
        times[i] = (pb_sweep_times_t){.away = 20 * MS, .wait = (9 + i) * MS, .transfer = MS};
    }
    ok(verdict(CHAIN, N, times) == PB_ARRIVAL_EVEN && verdict(STAR, N, times) == PB_ARRIVAL_EVEN,
       "all wait for the root: even");
    const pb_sweep_sums_t long_transfers = {
        .n_ranks = 4, .n_free = 2, .n_held = 2, .held_wait = 20 * MS, .transfer = 160 * MS};
    ok(pb_sweep_judge(&long_transfers, MS, false, 0.2) == PB_ARRIVAL_EVEN &&
           pb_sweep_judge(&long_transfers, MS, true, 0.2) == PB_ARRIVAL_UNEVEN,
       "where it is known how long the message takes, it was not that: uneven");
    const pb_sweep_sums_t none = {0};
    ok(pb_sweep_judge(&none, MS, false, 0) == PB_ARRIVAL_EVEN, "no sums: even");
}

/* Broadcasts that are swept. */

/** Results of a series of broadcasts. */
typedef struct played {
    int n_swept;
    int lag;             /**< broadcasts from a swept one to its verdict, at most */
    uint64_t most_ahead; /**< bytes that a root gets ahead of a rank that stops at some broadcast */
} played_t;

/** Some broadcasts, of `most` bytes or of random sizes up to that; all are asked for, or none. */
static played_t play(pb_schedule_t *schedule, int n, size_t most, pb_random_t *random, bool asked)
{
    played_t played = {.n_swept = 0};
    uint64_t before = 0, since = 0;
    int n_since = 0;
    for (int i = 0; i < n; i++) {
        const size_t bytes =
            random == NULL ? most : 1 + (size_t) pb_random_below(random, (int) most);
        if (pb_schedule_is_due(schedule)) {
            /* All have been in the swept broadcast: what is behind it may wait. */
            pb_schedule_close(schedule);
            before = since;
            played.lag = n_since > played.lag ? n_since : played.lag;
        }
        if (pb_schedule_begin(schedule, bytes, asked)) {
            played.n_swept++;
            n_since = 0;
            since = 0;
        } else {
            since += schedule->is_open ? bytes : 0;
            before += bytes;
        }
        n_since++;
        played.most_ahead = before > played.most_ahead ? before : played.most_ahead;
    }
    return played;
}

static void test_schedule(void)
{
    static const size_t sizes[] = {1, 1024, 8192, 100000, PB_SCHEDULE_MAX_WEIGHT};
    pb_schedule_t schedule;
    int beyond = 0;
    for (int i = 0; i < 5; i++) {
        pb_random_t random = pb_random_seed((uint64_t) i);
        pb_schedule_init(&schedule);
        beyond += play(&schedule, 20000, sizes[i], &random, false).most_ahead > PB_SCHEDULE_BOUND;
    }
    ok(beyond == 0, "what may wait at a slow rank is bounded, whatever the messages' sizes");
    pb_schedule_init(&schedule);
    ok(!pb_schedule_begin(&schedule, 1 << 20, false) &&
           pb_schedule_begin(&schedule, 1 << 20, false),
       "the second broadcast is the first that is swept");
    played_t played = play(&schedule, 400, 1 << 20, NULL, false);
    ok(played.n_swept >= 100 && played.n_swept <= 120 && played.lag <= (int) PB_SCHEDULE_LONG,
       "of 400 long ones %d are", played.n_swept);
    pb_schedule_init(&schedule);
    played = play(&schedule, 20, 4096, NULL, true);
    ok(played.n_swept == 10 && played.lag <= PB_SCHEDULE_FEWEST_LAG,
       "that are asked for: every second one (%d of 20)", played.n_swept);
    pb_schedule_init(&schedule);
    const bool first = pb_schedule_begin(&schedule, 4096, true);
    ok(first && !pb_schedule_begin(&schedule, 4096, true) && pb_schedule_is_due(&schedule),
       "from the first on, and none while the one before is open");
}

/** 16 ranks: a sweep is up and down a tree in 10 messages. */
static void test_schedule_by_time(void)
{
    enum { SHORT = 200000, PER_MIB = 900000000 }; /* 10 Mbit/s */
    pb_schedule_t schedule;
    pb_schedule_init(&schedule);
    pb_schedule_set_times(&schedule, SHORT, PER_MIB, 16);
    played_t played = play(&schedule, 400, 65536, NULL, false);
    ok(played.n_swept >= 70 && played.n_swept <= 80 && played.lag == PB_SCHEDULE_FEWEST_LAG,
       "long broadcasts over slow links: every fourth to seventh, two later it is known");
    pb_schedule_init(&schedule);
    pb_schedule_set_times(&schedule, SHORT, PER_MIB, 16);
    played = play(&schedule, 400, 1, NULL, false);
    ok(played.n_swept >= 6 && played.n_swept <= 10 && played.lag >= 19 && played.lag <= 21,
       "short ones: one in the time of 50 messages (%d), known after 20 (%d)", played.n_swept,
       played.lag);
}

/** Sizes in turn. */
static void test_loops(void)
{
    static const size_t loops[][2] = {{4, 65536}, {1 << 20, 1 << 20}};
    for (int i = 0; i < 2; i++) {
        pb_schedule_t schedule;
        int n_swept[2] = {0};
        pb_schedule_init(&schedule);
        pb_schedule_set_times(&schedule, 27000, 2600000, 16);
        for (int k = 0; k < 400; k++) {
            if (pb_schedule_is_due(&schedule)) {
                pb_schedule_close(&schedule);
            }
            n_swept[k % 2] += pb_schedule_begin(&schedule, loops[i][k % 2], false);
        }
        ok(n_swept[0] > 5 && n_swept[1] > 5, "of a loop each broadcast is swept (%d, %d)",
           n_swept[0], n_swept[1]);
    }
}

int main(void)
{
    test_loops();
    test_random();
    test_failures();
    test_verdicts();
    test_schedule();
    test_schedule_by_time();
    return tap_done();
}
