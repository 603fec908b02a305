/*
 * The starts of a persistent broadcast that follows advice: all ranks as state machines in one
 * process, in starts of their own, some of them far ahead of others, over tags that come again.
 * There is a world (world.h) for each of the two tags of segments, and headers and settling words
 * are in memory. At random starts the root announces another random tree.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/adaptive/adaptive.h"
#include "engine/adaptive/header.h"
#include "plans.h"
#include "test/tap.h"
#include "topo/util/bytes.h"
#include "world.h"

enum { MAX_RANKS = 12, N_STARTS = 30, MAX_ROUNDS = 60000, MAX_TREES = N_STARTS + 1, N_TAGS = 2 };

/** A header as this test has it: what all begin with, in which the number of the start is, and the
 * number of a tree. */
enum { TREE_AT = 12, HEADER = 16 };

/** A message on its way, or that waits at its rank for being received. */
typedef struct mail {
    int from;
    int due; /* the round in which it arrives; a later one of the same pair is due later */
    size_t length;
    uint8_t bytes[HEADER];
    struct mail *next;
} mail_t;

typedef enum { HEADERS, WORDS, N_CHANNELS } channel_t;

struct pb_control {
    struct series *series;
    int rank;
    channel_t channel;
    mail_t *first, *last; /* in the order in which they were sent */
    void *buffer;         /* of the receive that is posted; NULL: none is */
};

struct pb_adaptive_caller {
    struct series *series;
    int rank;
};

typedef struct rank {
    int start;      /* the one that it is at, or comes to, from 1 */
    int begins;     /* in the round in which it comes to it */
    bool is_active; /* it is at it */
    int tree;       /* that it knows */
    int announced;  /* the tree of this start, -1: none */
    pb_adaptive_t part;
    pb_listening_t listening;
} rank_t;

typedef struct series {
    pb_random_t random;
    int n_ranks, root, n_trees, round;
    world_t *world[N_TAGS];
    pb_plan_t *plan[MAX_TREES];
    pb_role_t *role[MAX_TREES][MAX_RANKS];
    size_t segment_size[MAX_TREES];
    uint8_t header[HEADER]; /* of the root's announcement */
    pb_transfer_limits_t limits;
    pb_control_t control[N_CHANNELS][MAX_RANKS];
    pb_adaptive_caller_t caller[MAX_RANKS];
    rank_t rank[MAX_RANKS];
    int n_control;                 /* requests alive */
    int n_wrong, n_early, n_ahead; /* ranks that are wrong; headers that came early; most starts */
} series_t;

/* Control messages: each channel of a rank has a queue of what was sent to it by any rank. */

int pb_control_send(pb_control_t *control, const void *buffer, size_t bytes, int rank,
                    pb_request_t *request_p)
{
    series_t *s = control->series;
    pb_control_t *to = &s->control[control->channel][rank];
    mail_t *mail = calloc(1, sizeof(*mail));
    mail->from = control->rank;
    mail->length = bytes;
    mail->due = s->round + pb_random_below(&s->random, 200);
    memcpy(mail->bytes, buffer, bytes);
    for (const mail_t *before = to->first; before != NULL; before = before->next) {
        if (before->from == mail->from && before->due > mail->due) {
            mail->due = before->due;
        }
    }
    *(to->last != NULL ? &to->last->next : &to->first) = mail;
    to->last = mail;
    s->n_control++;
    *request_p = mail;
    return 0;
}

bool pb_control_sent(pb_control_t *control, pb_request_t *request_p, int *error_p)
{
    *error_p = 0;
    control->series->n_control--;
    *request_p = NULL; /* it goes without waiting for its receiver */
    return true;
}

int pb_control_receive(pb_control_t *control, void *buffer, size_t room, pb_request_t *request_p)
{
    (void) room;
    control->series->n_wrong += control->buffer != NULL;
    control->series->n_control++;
    control->buffer = buffer;
    *request_p = control;
    return 0;
}

static mail_t *take_mail(pb_control_t *control)
{
    mail_t *before = NULL, *mail = control->first;
    while (mail != NULL && mail->due > control->series->round) {
        before = mail;
        mail = mail->next;
    }
    if (mail != NULL) {
        *(before != NULL ? &before->next : &control->first) = mail->next;
        control->last = control->last == mail ? before : control->last;
    }
    return mail;
}

bool pb_control_received(pb_control_t *control, pb_request_t *request_p, int *rank_p,
                         size_t *bytes_p, int *error_p)
{
    mail_t *mail = take_mail(control);
    if (mail == NULL) {
        return false;
    }
    memcpy(control->buffer, mail->bytes, mail->length);
    control->buffer = NULL;
    control->series->n_control--;
    *rank_p = mail->from;
    *bytes_p = mail->length;
    *error_p = 0;
    *request_p = NULL;
    free(mail);
    return true;
}

bool pb_control_withdraw(pb_control_t *control, pb_request_t *request_p, int *rank_p)
{
    (void) rank_p;
    control->series->n_wrong += *request_p != control; /* nothing is under way at the end */
    control->series->n_control--;
    control->buffer = NULL;
    *request_p = NULL;
    return false;
}

/* The caller. */

int64_t pb_adaptive_caller_now(pb_adaptive_caller_t *caller)
{
    return 1000 * (int64_t) caller->series->round;
}

static pb_adaptive_part_t part_in(const series_t *s, int tree, int rank)
{
    return (pb_adaptive_part_t){.role = s->role[tree][rank], .segment_size = s->segment_size[tree]};
}

int pb_adaptive_caller_learn(pb_adaptive_caller_t *caller, const uint8_t *bytes, size_t length,
                             pb_adaptive_part_t *part)
{
    const int tree = length == HEADER ? (int) pb_bytes_get(bytes + TREE_AT, 4) : -1;
    if (tree < 0 || tree >= caller->series->n_trees) {
        return PB_ERR_MALFORMED;
    }
    caller->series->rank[caller->rank].announced = tree;
    *part = part_in(caller->series, tree, caller->rank);
    return 0;
}

/** The n-th tree has the tag n mod 2. */
static world_t *world_of(const series_t *s, int tree)
{
    return s->world[tree % N_TAGS];
}

pb_message_t *pb_adaptive_caller_message(pb_adaptive_caller_t *caller, pb_adaptive_tree_t tree,
                                         const pb_adaptive_part_t *part,
                                         pb_transfer_limits_t *limits_p)
{
    const series_t *s = caller->series;
    (void) part;
    *limits_p = s->limits;
    return &world_of(s, s->rank[caller->rank].tree + (tree == PB_ADAPTIVE_ANNOUNCED))
                ->messages[caller->rank];
}

/* The series. */

/** A further tree, whose segments have the tag that the last but one had: nobody is in that. */
static void add_tree(series_t *s)
{
    const int tree = s->n_trees++;
    s->plan[tree] = plans_random(&s->random, s->n_ranks, s->root,
                                 1 + pb_random_below(&s->random, PB_ADVICE_MAX_STREAMS));
    s->segment_size[tree] = 1 + (size_t) pb_random_below(&s->random, 20);
    world_of(s, tree)->segment_size = s->segment_size[tree];
    for (int rank = 0; rank < s->n_ranks; rank++) {
        s->role[tree][rank] = pb_role_new(s->plan[tree], rank);
    }
}

static series_t *series_new(uint64_t seed)
{
    series_t *s = calloc(1, sizeof(*s));
    s->random = pb_random_seed(seed);
    s->n_ranks = 3 + pb_random_below(&s->random, MAX_RANKS - 2);
    s->root = pb_random_below(&s->random, s->n_ranks);
    s->limits = (pb_transfer_limits_t){.receive_window = 1 + pb_random_below(&s->random, 4),
                                       .send_window = 1 + pb_random_below(&s->random, 4)};
    const size_t total = 1 + (size_t) pb_random_below(&s->random, 60);
    for (int tag = 0; tag < N_TAGS; tag++) {
        s->world[tag] = world_new(seed + (uint64_t) tag, s->n_ranks, s->root, total, 20);
        s->world[tag]->early_percent = 90;
        s->world[tag]->meet_percent = 20 + pb_random_below(&s->random, 60);
    }
    add_tree(s);
    for (int rank = 0; rank < s->n_ranks; rank++) {
        for (int channel = 0; channel < N_CHANNELS; channel++) {
            s->control[channel][rank] =
                (pb_control_t){.series = s, .rank = rank, .channel = (channel_t) channel};
        }
        s->caller[rank] = (pb_adaptive_caller_t){.series = s, .rank = rank};
        s->rank[rank] = (rank_t){.start = 1, .announced = -1};
    }
    return s;
}

static void series_free(series_t *s)
{
    for (int rank = 0; rank < s->n_ranks; rank++) {
        if (s->rank[rank].is_active) {
            pb_adaptive_finish(&s->rank[rank].part);
        }
        pb_listening_stop(&s->rank[rank].listening, &s->control[HEADERS][rank]);
        for (int channel = 0; channel < N_CHANNELS; channel++) {
            while (s->control[channel][rank].first != NULL) {
                mail_t *mail = s->control[channel][rank].first;
                s->control[channel][rank].first = mail->next;
                free(mail);
            }
        }
    }
    for (int tree = 0; tree < s->n_trees; tree++) {
        for (int rank = 0; rank < s->n_ranks; rank++) {
            free(s->role[tree][rank]);
        }
        plans_free(s->plan[tree]);
    }
    for (int tag = 0; tag < N_TAGS; tag++) {
        world_free(s->world[tag]);
    }
    free(s);
}

static bool begin_root(series_t *s, const pb_adaptive_env_t *env)
{
    rank_t *root = &s->rank[s->root];
    const bool announces = pb_random_below(&s->random, 3) == 0;
    if (announces) {
        add_tree(s);
        root->announced = s->n_trees - 1;
        (void) pb_adaptive_header_write(NULL, s->n_ranks, env->start, s->header);
        pb_bytes_put(s->header + TREE_AT, (uint64_t) root->announced, 4);
    }
    const pb_adaptive_part_t part = part_in(s, announces ? root->announced : root->tree, s->root);
    return pb_adaptive_start_root(&root->part, env, &part, announces ? s->header : NULL, HEADER);
}

static bool begin(series_t *s, int rank)
{
    rank_t *r = &s->rank[rank];
    const pb_adaptive_env_t env = {
        .caller = &s->caller[rank],
        .control = &s->control[HEADERS][rank],
        .settling = &s->control[WORDS][rank],
        .transport = {&world_of(s, r->tree)->transports[rank],
                      &world_of(s, r->tree + 1)->transports[rank]},
        .listening = rank != s->root ? &r->listening : NULL,
        .start = (uint32_t) r->start,
        .room = HEADER,
        .total = s->world[0]->total,
    };
    if (rank == s->root) {
        return begin_root(s, &env);
    }
    for (int tag = 0; tag < N_TAGS; tag++) {
        memset(s->world[tag]->messages[rank].data, 0, s->world[tag]->total);
    }
    const pb_adaptive_part_t part = part_in(s, r->tree, rank);
    return pb_adaptive_start_receiver(&r->part, &env, &part);
}

/** A start has ended: the rank must have every byte, and knows what was announced. */
static void end(series_t *s, int rank)
{
    rank_t *r = &s->rank[rank];
    s->n_wrong += pb_adaptive_error(&r->part) != 0;
    pb_adaptive_finish(&r->part);
    s->n_early += r->listening.has_heard;
    r->tree = r->announced >= 0 ? r->announced : r->tree;
    r->announced = -1;
    s->n_wrong += !world_rank_has_all(world_of(s, r->tree), rank);
    r->is_active = false;
    r->start++;
    r->begins =
        s->round + (pb_random_below(&s->random, 4) == 0 ? pb_random_below(&s->random, 300) : 0);
}

static void advance(series_t *s, int rank)
{
    rank_t *r = &s->rank[rank];
    if (r->start > N_STARTS || s->round < r->begins) {
        return;
    }
    if (!r->is_active) {
        r->is_active = begin(s, rank);
    }
    if (pb_adaptive_advance(&r->part)) {
        end(s, rank);
    }
}

/** Whether all ranks are through all starts. Notes how far one was ahead of another. */
static bool all_through(series_t *s)
{
    int least = N_STARTS + 1, most = 0;
    for (int rank = 0; rank < s->n_ranks; rank++) {
        least = s->rank[rank].start < least ? s->rank[rank].start : least;
        most = s->rank[rank].start > most ? s->rank[rank].start : most;
    }
    s->n_ahead = most - least > s->n_ahead ? most - least : s->n_ahead;
    return least > N_STARTS;
}

static bool run(series_t *s)
{
    for (s->round = 0; s->round < MAX_ROUNDS && s->n_wrong == 0 && !all_through(s); s->round++) {
        for (int i = 0; i < s->n_ranks; i++) {
            advance(s, pb_random_below(&s->random, s->n_ranks));
        }
        world_step(s->world[0]);
        world_step(s->world[1]);
    }
    return all_through(s);
}

/** What is left when all ranks are through: nothing but what they listen for. */
static int n_left(series_t *s)
{
    int n = s->world[0]->n_alive + s->world[1]->n_alive;
    for (int rank = 0; rank < s->n_ranks; rank++) {
        n += s->control[HEADERS][rank].first != NULL || s->control[WORDS][rank].first != NULL;
        n += s->rank[rank].listening.has_heard;
        pb_listening_stop(&s->rank[rank].listening, &s->control[HEADERS][rank]);
    }
    return n + s->n_control;
}

int main(void)
{
    int n_unfinished = 0, n_wrong = 0, n_left_over = 0, n_breaches = 0, n_early = 0, n_ahead = 0;
    int n_announced = 0;
    const int n_runs = tap_trials(300, 60);
    for (int seed = 0; seed < n_runs; seed++) {
        series_t *s = series_new((uint64_t) seed);
        n_unfinished += !run(s);
        n_wrong += s->n_wrong;
        n_left_over += n_left(s) != 0;
        n_breaches += s->world[0]->n_breaches + s->world[1]->n_breaches;
        n_early += s->n_early;
        n_ahead = s->n_ahead > n_ahead ? s->n_ahead : n_ahead;
        n_announced += s->n_trees - 1;
        series_free(s);
    }
    ok(n_unfinished == 0, "%d series of %d starts end", n_runs, N_STARTS);
    ok(n_wrong == 0, "each start brings every byte, without an error");
    ok(n_left_over == 0, "nothing is left over");
    ok(n_breaches == 0, "no segment meets a receive of another tree");
    ok(n_announced > 5 * n_runs, "trees were announced: %d", n_announced);
    ok(n_early > n_runs, "of headers, %d were kept at the end of an earlier start", n_early);
    ok(n_ahead > 3, "ranks were up to %d starts ahead", n_ahead);
    return tap_done();
}
