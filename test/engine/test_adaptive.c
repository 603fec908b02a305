/*
 * The engine of adaptive broadcasts: all ranks as state machines in one process, over a
 * world (world.h) for each of the two trees, with headers in memory. Known and
 * announced trees are random; ranks begin at random times.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/adaptive/adaptive.h"
#include "engine/adaptive/header.h"
#include "plans.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "world.h"

enum { MAX_RANKS = 16, MAX_ROUNDS = 20000, HEADER = 16 };

struct pb_control {
    struct scene *scene;
    int rank;
};

struct pb_adaptive_caller {
    struct scene *scene;
    int rank;
};

/** What goes wrong at one rank. */
typedef enum {
    NOTHING,
    REFUSED_RECEIVE, /* no header can be received */
    REFUSED_SEND,    /* none can be passed on */
    MALFORMED,       /* the caller makes nothing of it */
} failure_t;

/** One broadcast. */
typedef struct scene {
    pb_random_t random;
    int n_ranks, root;
    bool announces;
    failure_t failure;
    int fail_rank;
    bool failed;
    world_t *world[PB_ADAPTIVE_N_TREES];
    pb_plan_t *plan[PB_ADAPTIVE_N_TREES];
    pb_role_t *role[PB_ADAPTIVE_N_TREES][MAX_RANKS];
    pb_transfer_limits_t limits;
    pb_control_t controls[MAX_RANKS];
    pb_adaptive_caller_t callers[MAX_RANKS];
    int mail[MAX_RANKS];    /* headers that wait at a rank */
    int n_heard[MAX_RANKS]; /* and that it received */
    int n_control;          /* requests alive */
    int begins[MAX_RANKS];  /* the round */
    bool has_begun[MAX_RANKS], is_through[MAX_RANKS];
    int error[MAX_RANKS];
    pb_adaptive_t part[MAX_RANKS];
    int64_t now;
} scene_t;

static const uint8_t header[HEADER] = "a tree: 8 bytes";

/* Control messages and the caller. */

static pb_request_t new_request(scene_t *s)
{
    s->n_control++;
    return malloc(1);
}

static void drop_request(scene_t *s, pb_request_t *request_p)
{
    s->n_control--;
    free(*request_p);
    *request_p = NULL;
}

static bool fails(scene_t *s, failure_t failure, int rank)
{
    const bool does = s->failure == failure && s->fail_rank == rank;
    s->failed = s->failed || does;
    return does;
}

int pb_control_send(pb_control_t *control, const void *buffer, size_t bytes, int rank,
                    pb_request_t *request_p)
{
    scene_t *s = control->scene;
    if (fails(s, REFUSED_SEND, control->rank)) {
        return WORLD_ERROR;
    }
    s->mail[rank] += bytes == HEADER && memcmp(buffer, header, HEADER) == 0;
    *request_p = new_request(s);
    return 0;
}

int pb_control_receive(pb_control_t *control, void *buffer, size_t room, pb_request_t *request_p)
{
    scene_t *s = control->scene;
    if (fails(s, REFUSED_RECEIVE, control->rank)) {
        return WORLD_ERROR;
    }
    memcpy(buffer, header, room); /* it is looked at only when it has come */
    *request_p = new_request(s);
    return 0;
}

bool pb_control_sent(pb_control_t *control, pb_request_t *request_p, int *error_p)
{
    if (pb_random_below(&control->scene->random, 2) == 0) {
        return false;
    }
    *error_p = 0;
    drop_request(control->scene, request_p);
    return true;
}

bool pb_control_received(pb_control_t *control, pb_request_t *request_p, int *rank_p,
                         size_t *bytes_p, int *error_p)
{
    scene_t *s = control->scene;
    if (s->mail[control->rank] == 0 || pb_random_below(&s->random, 2) == 0) {
        return false;
    }
    s->mail[control->rank]--;
    s->n_heard[control->rank]++;
    *rank_p = 0;
    *bytes_p = HEADER;
    *error_p = 0;
    drop_request(s, request_p);
    return true;
}

bool pb_control_withdraw(pb_control_t *control, pb_request_t *request_p, int *rank_p)
{
    (void) rank_p;
    drop_request(control->scene, request_p);
    return false;
}

int64_t pb_adaptive_caller_now(pb_adaptive_caller_t *caller)
{
    return caller->scene->now;
}

static pb_adaptive_part_t part_of(const scene_t *s, pb_adaptive_tree_t tree, int rank)
{
    return (pb_adaptive_part_t){.role = s->role[tree][rank],
                                .segment_size = s->world[tree]->segment_size};
}

int pb_adaptive_caller_learn(pb_adaptive_caller_t *caller, const uint8_t *bytes, size_t length,
                             pb_adaptive_part_t *part)
{
    if (fails(caller->scene, MALFORMED, caller->rank) || length != HEADER ||
        memcmp(bytes, header, HEADER) != 0) {
        return PB_ERR_MALFORMED;
    }
    *part = part_of(caller->scene, PB_ADAPTIVE_ANNOUNCED, caller->rank);
    return 0;
}

pb_message_t *pb_adaptive_caller_message(pb_adaptive_caller_t *caller, pb_adaptive_tree_t tree,
                                         const pb_adaptive_part_t *part,
                                         pb_transfer_limits_t *limits_p)
{
    (void) part;
    *limits_p = caller->scene->limits;
    return &caller->scene->world[tree]->messages[caller->rank];
}

/* The scene. */

static scene_t *scene_new(uint64_t seed)
{
    scene_t *s = calloc(1, sizeof(*s));
    s->random = pb_random_seed(seed);
    s->n_ranks = 2 + pb_random_below(&s->random, MAX_RANKS - 1);
    s->root = pb_random_below(&s->random, s->n_ranks);
    s->limits = (pb_transfer_limits_t){.receive_window = 1 + pb_random_below(&s->random, 8),
                                       .send_window = 1 + pb_random_below(&s->random, 8),
                                       .ahead = seed % 2 == 0 ? 30 : 0};
    const size_t total = 1 + (size_t) pb_random_below(&s->random, 300);
    for (int tree = 0; tree < PB_ADAPTIVE_N_TREES; tree++) {
        s->world[tree] = world_new(seed + (uint64_t) tree, s->n_ranks, s->root, total,
                                   1 + (size_t) pb_random_below(&s->random, 20));
        s->world[tree]->meet_percent = 70;
        s->world[tree]->early_percent = 50;
        s->plan[tree] = plans_random(&s->random, s->n_ranks, s->root,
                                     1 + pb_random_below(&s->random, PB_ADVICE_MAX_STREAMS));
        for (int rank = 0; rank < s->n_ranks; rank++) {
            s->role[tree][rank] = pb_role_new(s->plan[tree], rank);
        }
    }
    for (int rank = 0; rank < s->n_ranks; rank++) {
        s->controls[rank] = (pb_control_t){.scene = s, .rank = rank};
        s->callers[rank] = (pb_adaptive_caller_t){.scene = s, .rank = rank};
        s->begins[rank] = pb_random_below(&s->random, 50);
    }
    return s;
}

static void scene_free(scene_t *s)
{
    for (int rank = 0; rank < s->n_ranks; rank++) {
        if (s->has_begun[rank] && !s->is_through[rank]) {
            pb_adaptive_finish(&s->part[rank]);
        }
    }
    for (int tree = 0; tree < PB_ADAPTIVE_N_TREES; tree++) {
        for (int rank = 0; rank < s->n_ranks; rank++) {
            free(s->role[tree][rank]);
        }
        plans_free(s->plan[tree]);
        world_free(s->world[tree]);
    }
    free(s);
}

static bool begin(scene_t *s, int rank)
{
    const pb_adaptive_env_t env = {
        .caller = &s->callers[rank],
        .control = &s->controls[rank],
        .transport = {&s->world[0]->transports[rank], &s->world[1]->transports[rank]},
        .room = HEADER,
        .total = s->world[0]->total,
    };
    const pb_adaptive_tree_t tree =
        rank == s->root && s->announces ? PB_ADAPTIVE_ANNOUNCED : PB_ADAPTIVE_KNOWN;
    const pb_adaptive_part_t part = part_of(s, tree, rank);
    return rank == s->root ? pb_adaptive_start_root(&s->part[rank], &env, &part,
                                                    s->announces ? header : NULL, HEADER)
                           : pb_adaptive_start_receiver(&s->part[rank], &env, &part);
}

static void advance(scene_t *s, int rank, int round)
{
    if (s->is_through[rank] || round < s->begins[rank]) {
        return;
    }
    if (!s->has_begun[rank]) {
        s->has_begun[rank] = begin(s, rank);
    }
    if (pb_adaptive_advance(&s->part[rank])) {
        s->error[rank] = pb_adaptive_error(&s->part[rank]);
        if (s->error[rank] == 0) {
            world_rank_ends(s->world[0], rank);
            world_rank_ends(s->world[1], rank);
        }
        pb_adaptive_finish(&s->part[rank]);
        s->is_through[rank] = true;
    }
}

static bool all_through(const scene_t *s)
{
    for (int rank = 0; rank < s->n_ranks; rank++) {
        if (!s->is_through[rank]) {
            return false;
        }
    }
    return true;
}

static bool run(scene_t *s, int max_rounds)
{
    for (int round = 0; round < max_rounds && !all_through(s); round++) {
        for (int i = 0; i < s->n_ranks; i++) {
            advance(s, pb_random_below(&s->random, s->n_ranks), round);
        }
        world_step(s->world[0]);
        world_step(s->world[1]);
        s->now += 1000;
    }
    return all_through(s);
}

typedef struct tally {
    int runs, unfinished, wrong, heard, leaks, breaches;
} tally_t;

static void judge(const scene_t *s, tally_t *tally)
{
    const world_t *used = s->world[s->announces], *other = s->world[!s->announces];
    for (int rank = 0; rank < s->n_ranks; rank++) {
        tally->wrong += !world_rank_has_all(used, rank) || s->error[rank] != 0;
        tally->heard += s->n_heard[rank] != (s->announces && rank != s->root) || s->mail[rank] != 0;
    }
    tally->leaks +=
        s->n_control != 0 || used->n_alive != 0 || other->n_alive != 0 || used->n_buffers != 0;
    tally->breaches += used->n_breaches != 0 || other->n_breaches != 0;
}

static void test_broadcasts(bool announces, const char *name)
{
    tally_t tally = {0};
    for (uint64_t seed = 0; seed < 500; seed++) {
        scene_t *s = scene_new(seed);
        s->announces = announces;
        tally.runs++;
        if (run(s, MAX_ROUNDS)) {
            judge(s, &tally);
        } else {
            tally.unfinished++;
        }
        scene_free(s);
    }
    ok(tally.runs > 0 && tally.unfinished == 0, "%s: all %d broadcasts end", name, tally.runs);
    ok(tally.wrong == 0, "%s: every rank has every byte, without an error", name);
    ok(tally.heard == 0, "%s: each receiver hears as many headers as it should", name);
    ok(tally.leaks == 0, "%s: every request and buffer is taken back", name);
    ok(tally.breaches == 0, "%s: interfaces are used as they may be", name);
}

/** The rank where something goes wrong ends, with an error; those below it may wait forever. */
static void test_failure(failure_t failure, const char *name)
{
    int n_failed = 0, n_stuck = 0, n_silent = 0, n_leaks = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        scene_t *s = scene_new(seed);
        s->announces = true;
        s->failure = failure;
        s->fail_rank = (s->root + (seed % 3 == 0 && failure == REFUSED_SEND ? 0 : 1)) % s->n_ranks;
        (void) run(s, 2000);
        if (s->failed) {
            n_failed++;
            n_stuck += !s->is_through[s->fail_rank];
            n_silent += s->is_through[s->fail_rank] && s->error[s->fail_rank] == 0;
        }
        const int n_alive = s->n_control;
        n_leaks += all_through(s) && n_alive != 0;
        scene_free(s);
    }
    ok(n_failed > 20 && n_stuck == 0, "%s: the rank ends (%d runs)", name, n_failed);
    ok(n_silent == 0, "%s: with an error", name);
    ok(n_leaks == 0, "%s: and gives everything back", name);
}

/** A rank of a scene begins, and one of its allocations after the other fails. */
static void test_memory_of(const char *what, bool as_root, int n_to_refuse)
{
    int n_refused = 0, n_leaks = 0;
    for (int after = 0; after < 6; after++) {
        scene_t *s = scene_new(3);
        const int rank = (s->root + !as_root) % s->n_ranks;
        const long before = failing_memory_alive();
        failing_memory_after(after);
        const bool started = begin(s, rank);
        failing_memory_after(-1);
        n_refused += !started;
        if (started) {
            pb_adaptive_finish(&s->part[rank]);
        }
        n_leaks += failing_memory_alive() != before;
        scene_free(s);
    }
    ok(n_refused == n_to_refuse, "%s: does not start at %d of %d allocations", what, n_refused,
       n_to_refuse);
    ok(n_leaks == 0, "%s: leaves nothing behind", what);
}

static void test_memory(void)
{
    test_memory_of("a receiver without memory", false, 3);
    test_memory_of("a root without memory", true, 2);
}

/* Headers. */

static void test_header(void)
{
    uint8_t bytes[64 * PB_ADVICE_MAX_STREAMS];
    const int parent[] = {2, 0, -1, 2};
    const int place[] = {1, 0, 0, 0};
    pb_tree_t *stream = pb_tree_new(4, 2);
    memcpy(stream->parent, parent, sizeof(parent));
    memcpy(stream->child_index, place, sizeof(place));
    const pb_advice_tree_t tree = {
        .root = 2, .segment = 1426, .n_streams = 2, .streams = {stream, stream}};
    pb_advice_tree_t read;
    const size_t length = pb_adaptive_header_write(&tree, 4, bytes);
    ok(length == 8 + 2 * 3 * 4 && length <= pb_adaptive_header_room(4), "a header of two streams");
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, length) == PB_SUCCESS && read.segment == 1426 &&
           read.n_streams == 2 && memcmp(read.streams[1]->parent, parent, sizeof(parent)) == 0 &&
           memcmp(read.streams[1]->child_index, place, sizeof(place)) == 0,
       "is read as it was written");
    pb_adaptive_header_clear(&read);
    ok(pb_adaptive_header_read(&read, 4, 1, bytes, length) == PB_ERR_INPUT, "not for another root");
    ok(pb_adaptive_header_read(&read, 5, 2, bytes, length) == PB_ERR_INPUT, "nor other hosts");
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, length - 1) == PB_ERR_INPUT &&
           pb_adaptive_header_read(&read, 4, 2, bytes, 3) == PB_ERR_INPUT,
       "nor if it is short");
    bytes[8] = 1; /* 0 and 1 below each other */
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, length) == PB_ERR_INPUT, "a cycle");
    bytes[8] = 200;
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, length) == PB_ERR_INPUT, "no such host");
    bytes[8] = 2;
    memset(bytes + 4, 0, 4);
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, length) == PB_ERR_INPUT, "no segment");
    const size_t short_length = pb_adaptive_header_write(NULL, 4, bytes);
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, short_length) == PB_SUCCESS &&
           read.n_streams == 0,
       "the static plan");
    bytes[0] = 99;
    ok(pb_adaptive_header_read(&read, 4, 2, bytes, short_length) == PB_ERR_INPUT, "another form");
    pb_tree_free(stream);
}

/* Rates. */

static void test_delivery(void)
{
    pb_delivery_t delivery;
    pb_lane_t lanes[2] = {{.rank = 5, .mask = 1}, {.rank = 6, .mask = 2}};
    pb_transfer_t t = {.lanes = lanes,
                       .arrived = {0, 3},
                       .n_parents = 2,
                       .n_streams = 2,
                       .segment_size = 100,
                       .n_segments = 20,
                       .total = 1950};
    uint64_t bytes;
    int64_t taken;
    pb_delivery_init(&delivery);
    ok(pb_delivery_is_behind(&delivery, &t), "at first it has to look");
    pb_delivery_look(&delivery, &t, 1000);
    ok(!pb_delivery_is_behind(&delivery, &t), "and then only when more has come");
    t.arrived[0] = 1;
    pb_delivery_look(&delivery, &t, 2000);
    t.arrived[0] = t.arrived[1] = 10;
    ok(pb_delivery_is_behind(&delivery, &t), "as now");
    pb_delivery_look(&delivery, &t, 5000);
    ok(pb_delivery_rate(&delivery, &t, 0, &bytes, &taken) && bytes == 900 && taken == 3000,
       "what came after the first segment, and the time");
    ok(!pb_delivery_rate(&delivery, &t, 1, &bytes, &taken),
       "nothing is said of a parent that was there before the child");
    delivery.parent[1].waited = true;
    delivery.parent[1].first = 1500;
    ok(pb_delivery_rate(&delivery, &t, 1, &bytes, &taken) && bytes == 650 && taken == 3500,
       "the last segment is shorter");
    t.error = 1;
    ok(!pb_delivery_rate(&delivery, &t, 0, &bytes, &taken), "nothing after an error");
    t.error = 0;
    delivery.parent[0].n_first = 7;
    ok(!pb_delivery_rate(&delivery, &t, 0, &bytes, &taken), "nothing of few segments");
}

int main(void)
{
    test_broadcasts(false, "known tree");
    test_broadcasts(true, "announced tree");
    test_failure(REFUSED_RECEIVE, "no header can be received");
    test_failure(REFUSED_SEND, "no header can be passed on");
    test_failure(MALFORMED, "a malformed header");
    test_memory();
    test_header();
    test_delivery();
    return tap_done();
}
