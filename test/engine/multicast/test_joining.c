/*
 * Joining a group over random trees, and when a group is probed, used and given up: over the
 * control messages of arrivals.h, which come in any order and fail at random.
 */
#include <stdlib.h>
#include <string.h>

#include "../arrivals.h"
#include "engine/multicast/health.h"
#include "engine/multicast/joining.h"
#include "test/tap.h"

enum { MAX_RANKS = 40, MAX_ROUNDS = 20000 };

/** The joinings of all ranks of a group. */
typedef struct run {
    arrivals_t *arrivals; /**< for its control messages and random numbers */
    int n_ranks, root;
    int parent[MAX_RANKS];
    int rooms[MAX_RANKS][MAX_RANKS];
    pb_joining_offer_t offer;
    pb_joining_answer_t answers[MAX_RANKS];
    pb_joining_t joinings[MAX_RANKS];
    int n_offered[MAX_RANKS]; /**< times that it was to join */
    bool through[MAX_RANKS];
} run_t;

static int draw(run_t *run, int n)
{
    return pb_random_below(&run->arrivals->random, n);
}

static void start_rank(run_t *run, int rank)
{
    int parent = run->parent[rank], children[MAX_RANKS];
    uint32_t masks[MAX_RANKS];
    pb_role_t role = {.n_streams = 1,
                      .n_parents = parent >= 0,
                      .parent = &parent,
                      .child = children,
                      .parent_mask = masks,
                      .child_mask = masks};
    masks[0] = 1;
    for (int child = 0; child < run->n_ranks; child++) {
        masks[child] = 1;
        if (run->parent[child] == rank) {
            children[role.n_children++] = child;
        }
    }
    pb_joining_start(&run->joinings[rank], &run->arrivals->broadcasts[0].controls[rank], &role,
                     rank == run->root ? &run->offer : NULL, run->rooms[rank], 0);
}

static run_t *run_new(uint64_t seed)
{
    run_t *run = calloc(1, sizeof(*run));
    if (run == NULL) {
        abort();
    }
    const int n_ranks = 2 + (int) (seed % (MAX_RANKS - 1));
    run->arrivals = arrivals_new_of(seed, n_ranks, 1);
    run->n_ranks = n_ranks;
    run->root = draw(run, n_ranks);
    for (int i = 0; i < n_ranks; i++) {
        const int rank = (run->root + i) % n_ranks;
        run->parent[rank] = i == 0 ? -1 : (run->root + draw(run, i)) % n_ranks;
        run->answers[rank] = (pb_joining_answer_t){.has_joined = true,
                                                   .frame_bytes = 100 + (uint32_t) draw(run, 9000),
                                                   .capacity = 2 + (uint32_t) draw(run, 1000)};
    }
    run->offer = (pb_joining_offer_t){
        .address = 0xefc00000U + (uint32_t) draw(run, 1000),
        .port = (uint16_t) (1 + draw(run, 65535)),
        .rule = {.key = (uint64_t) draw(run, 1000000) << 32 | (uint64_t) draw(run, 1000000),
                 .has_checksum = draw(run, 2) == 0,
                 .secret = {(uint64_t) draw(run, 1000000), (uint64_t) draw(run, 1000000)}}};
    return run;
}

static void run_free(run_t *run)
{
    arrivals_free(run->arrivals);
    free(run);
}

static void advance(run_t *run, int rank, int64_t now)
{
    pb_joining_t *joining = &run->joinings[rank];
    run->through[rank] = pb_joining_advance(joining, now);
    if (joining->state == PB_JOINING_OFFERED && joining->error == 0) {
        run->n_offered[rank]++;
        pb_joining_answer(joining, &run->answers[rank]);
    }
}

/** Advances ranks at random until all are through; how many are. */
static int run_rounds(run_t *run)
{
    int n_through = 0;
    for (int rank = 0; rank < run->n_ranks; rank++) {
        start_rank(run, rank);
    }
    for (int round = 0; round < MAX_ROUNDS && n_through < run->n_ranks; round++) {
        const int rank = draw(run, run->n_ranks);
        if (!run->through[rank]) {
            advance(run, rank, 1000 * round);
            n_through += run->through[rank];
        }
    }
    return n_through;
}

static bool is_same_offer(const pb_joining_offer_t *a, const pb_joining_offer_t *b)
{
    return a->is_refused == b->is_refused && a->address == b->address && a->port == b->port &&
           a->rule.key == b->rule.key && a->rule.has_checksum == b->rule.has_checksum &&
           a->rule.secret[0] == b->rule.secret[0] && a->rule.secret[1] == b->rule.secret[1];
}

/** Whether all have the offer, and the terms that follow from all answers. */
static bool is_right(const run_t *run)
{
    uint32_t frame = UINT32_MAX, capacity = UINT32_MAX;
    bool good = true, all_joined = !run->offer.is_refused;
    for (int rank = 0; rank < run->n_ranks; rank++) {
        const pb_joining_answer_t *answer = &run->answers[rank];
        all_joined = all_joined && answer->has_joined;
        frame = answer->frame_bytes < frame ? answer->frame_bytes : frame;
        capacity = answer->capacity < capacity ? answer->capacity : capacity;
    }
    for (int rank = 0; rank < run->n_ranks; rank++) {
        const pb_joining_t *joining = &run->joinings[rank];
        const pb_joining_terms_t *terms = &joining->terms;
        good = good && run->n_offered[rank] == 1 && terms->is_refused == !all_joined &&
               (run->offer.is_refused ? joining->offer.is_refused
                                      : is_same_offer(&joining->offer, &run->offer)) &&
               (!all_joined || (terms->payload == frame - pb_frame_header_bytes(&run->offer.rule) &&
                                terms->window == capacity / 2 && terms->patience >= 1000000 &&
                                terms->patience == run->joinings[run->root].terms.patience));
    }
    return good;
}

/** Joins groups of 300 random trees, of which `spoil` has changed something. */
static void test_groups(void (*spoil)(run_t *), const char *what)
{
    int n_right = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        run_t *run = run_new(seed);
        if (spoil != NULL) {
            spoil(run);
        }
        n_right += run_rounds(run) == run->n_ranks && is_right(run);
        run_free(run);
    }
    ok(n_right == 300, "%s (%d of 300 groups)", what, n_right);
}

static void refuse_one(run_t *run)
{
    run->answers[draw(run, run->n_ranks)].has_joined = false;
}

static void refuse_offer(run_t *run)
{
    run->offer.is_refused = true;
}

/** Where one control message fails, the rank concerned has the error, and nobody crashes. */
static void test_failures(void)
{
    int n_failed = 0, n_right = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        run_t *run = run_new(seed);
        arrivals_t *arrivals = run->arrivals;
        arrivals->failure = (control_failure_t) (1 + draw(run, FAIL_MEMORY - 1));
        arrivals->fail_rank = draw(run, run->n_ranks);
        arrivals->fail_after = draw(run, 3);
        (void) run_rounds(run);
        bool good = !arrivals->failed;
        for (int rank = 0; rank < run->n_ranks; rank++) {
            good = good || (run->joinings[rank].error != 0 && run->through[rank]);
            pb_joining_finish(&run->joinings[rank]);
            pb_joining_finish(&run->joinings[rank]);
        }
        n_failed += arrivals->failed;
        n_right += good && arrivals->broadcasts[0].n_control == 0;
        run_free(run);
    }
    ok(n_failed > 200 && n_right == 600,
       "where a message fails the rank has the error, and no request is left (%d of 600, %d "
       "failed)",
       n_right, n_failed);
}

/** The broadcasts at which something happens, until it is given up: 'p' probed, 'w' outcome. */
static void test_health(void)
{
    pb_health_t health;
    uint64_t at[8] = {0};
    int n = 0;
    pb_health_init(&health);
    while (health.state != PB_HEALTH_GIVEN_UP && health.n_broadcasts < 100000) {
        pb_health_count(&health);
        if (pb_health_is_due(&health)) {
            pb_health_probed(&health, false);
        }
        if (pb_health_begins_probe(&health) && n < 8) {
            at[n++] = health.n_broadcasts;
        }
    }
    ok(n == PB_HEALTH_FAILURES && at[0] == PB_HEALTH_FIRST &&
           at[1] == at[0] + PB_HEALTH_LAG + PB_HEALTH_REST &&
           at[2] == at[1] + PB_HEALTH_LAG + 8 * PB_HEALTH_REST,
       "a group that never works is probed three times, and then no more");
}

static bool judge(pb_health_t *health, uint64_t number, uint32_t asked)
{
    const pb_multicast_result_t result = {
        .number = number, .frames = 10, .asked = {.most = asked, .all = asked}};
    return pb_health_judge(health, &result);
}

static pb_health_t working(void)
{
    pb_health_t health;
    pb_health_init(&health);
    for (int i = 0; i < PB_HEALTH_FIRST; i++) {
        pb_health_count(&health);
    }
    (void) pb_health_begins_probe(&health);
    pb_health_probed(&health, true);
    return health;
}

static void test_silence(void)
{
    pb_health_t health = working();
    ok(health.state == PB_HEALTH_WORKING && !judge(&health, 5, 4) && !judge(&health, 6, 5) &&
           !judge(&health, 7, 4) && !judge(&health, 8, 8) && health.state == PB_HEALTH_WORKING,
       "loss is no silence, nor is one deaf mark");
    ok(!judge(&health, 8, 8) && health.state == PB_HEALTH_WORKING, "each mark is judged once");
    ok(judge(&health, 9, 5) && health.state == PB_HEALTH_RESTING && !judge(&health, 10, 10),
       "two in a row are: broadcasts go by trees");
    health = working();
    health.n_failures = 2;
    for (uint64_t i = 0; i < PB_HEALTH_REST; i++) {
        (void) judge(&health, i, 0);
    }
    (void) judge(&health, 1000, 10);
    ok(health.state == PB_HEALTH_RESTING && health.n_failures == 1,
       "a group that has worked for long begins to count anew");
}

int main(void)
{
    test_groups(NULL, "all ranks learn the group and agree on the least of all answers");
    test_groups(refuse_one, "where one rank cannot join, all know that there is no group");
    test_groups(refuse_offer, "likewise where the root offers none");
    test_failures();
    test_health();
    test_silence();
    return tap_done();
}
