/*
 * The checker must accept good plans and refuse bad ones. Each case starts from the chain
 * 0 -> 1 -> 2 -> 3 over two switches with two hosts each and spoils it.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/check/check_load.h"

typedef struct fixture {
    tree_case_t c;
    pb_plan_t *plan;
    pb_check_t check;
    pb_diag_t diag;
} fixture_t;

static void set_up(fixture_t *f, const char *hosts)
{
    *f = (fixture_t){.plan = NULL};
    pb_diag_init(&f->diag);
    tree_case_read(&f->c, "SwitchName=s0 Nodes=a,b Switches=s1;SwitchName=s1 Nodes=c,d", hosts, 0);
    f->plan = tree_case_plan(&f->c, PB_KIND_CHAIN, 0);
}

static void tear_down(fixture_t *f)
{
    pb_check_clear(&f->check);
    pb_plan_free(f->plan);
    tree_case_clear(&f->c);
    pb_diag_clear(&f->diag);
}

/* Makes the plan one of `n_streams` streams with these parents, four for each. */
static void set_parents(fixture_t *f, int n_streams, const int *parents)
{
    pb_plan_free(f->plan);
    f->plan = pb_plan_new(f->c.view, PB_KIND_CHAIN, n_streams);
    for (int s = 0; s < n_streams; s++) {
        memcpy(f->plan->streams[s].parent, parents + 4 * s, 4 * sizeof(int));
        pb_plan_link_children(f->plan, s, f->c.view, NULL);
    }
}

static bool has_message(const pb_diag_t *diag, const char *part)
{
    for (size_t i = 0; i < diag->n_kept; i++) {
        if (strstr(diag->messages[i], part) != NULL) {
            return true;
        }
    }
    return false;
}

static const pb_link_load_t *load(const fixture_t *f, const char *name, bool up)
{
    const int node = pb_network_find(f->c.network, name);
    return &f->check.links[up ? pb_link_up(node) : pb_link_down(node)];
}

/* ---- plans that reach everyone ---- */

static const struct {
    const char *what, *hosts;
    int n_streams, parents[8];
    const char *fault; /* NULL: no contention */
    int height, max_edges, max_senders, max_sends;
} sound[] = {
    {"the chain", "a,b,c,d", 1, {-1, 0, 1, 2}, NULL, 3, 1, 1, 1},
    {"two senders into s1",
     "a,b,c,d",
     1,
     {-1, 0, 0, 1},
     "the link down to s1 of speed 1 has 2 senders, together of speed 2",
     2,
     2,
     2,
     2},
    {"into s1 and back", "a,b,c,d", 1, {-1, 2, 0, 2}, NULL, 2, 2, 1, 2},
    {"one sender alone", "a,b,c,d", 1, {-1, 0, 0, 0}, NULL, 1, 3, 1, 3},
    {"out of s1 by one, into it by one", "a,b,c,d", 1, {-1, 2, 3, 0}, NULL, 3, 1, 1, 1},
    {"three sends in two streams",
     "a,b,c,d",
     2,
     {-1, 0, 0, 2, -1, 3, 3, 0},
     "rank 0 sends over 3 edges",
     2,
     3,
     2,
     3},
    {"two halves into s1", "a,b,c,d", 2, {-1, 0, 1, 2, -1, 3, 3, 0}, NULL, 3, 2, 2, 2},
    {"three halves into s1",
     "a,b,c,d",
     2,
     {-1, 0, 1, 1, -1, 3, 3, 0},
     "the link down to s1 of speed 1 has 2 senders, together of speed 1",
     2,
     3,
     2,
     2},
    {"two ranks on each host", "a,a,c,c", 1, {-1, 0, 1, 2}, NULL, 3, 1, 1, 1},
    {"both leave their host",
     "a,a,c,c",
     1,
     {-1, 0, 0, 1},
     "the link up from a of speed 1 has 2 senders",
     2,
     2,
     2,
     2},
};

static void test_sound(void)
{
    for (size_t i = 0; i < sizeof(sound) / sizeof(sound[0]); i++) {
        fixture_t f;
        set_up(&f, sound[i].hosts);
        set_parents(&f, sound[i].n_streams, sound[i].parents);
        const pb_check_t *check = &f.check;
        const int rc = pb_check_plan(f.c.placement, f.plan, NULL, &f.check, &f.diag);
        ok(rc == PB_SUCCESS && check->height == sound[i].height &&
               check->max_edges == sound[i].max_edges &&
               check->max_senders == sound[i].max_senders && check->max_sends == sound[i].max_sends,
           "%s: sound, of height %d, at most %d edges of %d ranks, %d sends", sound[i].what,
           check->height, check->max_edges, check->max_senders, check->max_sends);
        const int contends = pb_check_load(f.c.placement, f.plan, NULL, &f.diag);
        ok(sound[i].fault == NULL
               ? contends == PB_SUCCESS && f.diag.n_faults == 0
               : contends == PB_ERR_INPUT && has_message(&f.diag, sound[i].fault),
           "%s: %s", sound[i].what, sound[i].fault != NULL ? sound[i].fault : "no contention");
        tear_down(&f);
    }
}

/* Loads, of the chain and of one over ranks of one host, which load no link among themselves. */
static void test_loads(void)
{
    fixture_t f;
    set_up(&f, "a,b,c,d");
    ok(pb_check_plan(f.c.placement, f.plan, NULL, &f.check, &f.diag) == PB_SUCCESS &&
           f.check.sends[0] == 1 && f.check.sends[3] == 0 && f.check.receives[0] == 0 &&
           f.check.receives[3] == 1,
       "the chain's sends and receives");
    ok(load(&f, "s1", false)->edges == 1 && load(&f, "s1", true)->edges == 0 &&
           load(&f, "a", true)->edges == 1 && load(&f, "a", false)->edges == 0 &&
           f.check.n_links == 2 * pb_network_size(f.c.network),
       "its links, and their number");
    tear_down(&f);
    set_up(&f, "a,a,c,c");
    ok(pb_check_plan(f.c.placement, f.plan, NULL, &f.check, &f.diag) == PB_SUCCESS &&
           load(&f, "a", true)->edges == 1 && load(&f, "c", true)->edges == 0 &&
           load(&f, "c", false)->edges == 1 && load(&f, "c", false)->senders == 1,
       "only 1 -> 2 uses links");
    tear_down(&f);
}

/* ---- plans that are none ---- */

/* What of the chain is set to a value. */
typedef enum { NOTHING, CHILD, PARENT, FIRST, HEIGHT, N_MEMBERS, ROOT, N_RANKS, HOST } spoilt_t;

static const struct {
    int n_streams, parents[8]; /* 0: the chain */
    spoilt_t what;
    int at, value;
    const char *members; /* NULL: all */
    const char *fault;
} none[] = {
    {1, {-1, 0, 3, 2}, NOTHING, 0, 0, NULL, "rank 2 is never reached: the ranks above it are a"},
    {1, {-1, 0, 2, 2}, NOTHING, 0, 0, NULL, "rank 3 is never reached"},
    {1, {-1, 0, 1, -1}, NOTHING, 0, 0, NULL, "rank 3 is never reached: nobody sends to it"},
    {2, {-1, 0, 1, 2, -1, 0, 1, -1}, NOTHING, 0, 0, NULL, "stream 1: rank 3 is never reached"},
    {0, {0}, HEIGHT, 0, 2, NULL, "the height is 3, not 2"},
    {0, {0}, CHILD, 2, 2, NULL, "rank 2 receives twice, from 1 and from 2"},
    {0, {0}, CHILD, 2, 0, NULL, "rank 2 sends to the root, 0"},
    {0, {0}, CHILD, 2, 4, NULL, "rank 2 has a child 4, which is no rank"},
    {0, {0}, CHILD, 2, -1, NULL, "rank 3 waits for its parent 2, which does not send to it"},
    {0, {0}, PARENT, 3, 1, NULL, "rank 2 sends to 3, whose parent is 1"},
    {0, {0}, PARENT, 3, -1, NULL, "rank 2 sends to 3, whose parent is -1"},
    {0, {0}, PARENT, 0, 3, NULL, "rank 0, the root, must not have the parent 3"},
    {0, {0}, PARENT, 1, -7, NULL, "rank 1 must not have the parent -7"},
    {0, {0}, FIRST, 1, 3, NULL, "first_child is not ordered"},
    {0, {0}, FIRST, 4, 1000000, NULL, "first_child is not ordered"},
    {0, {0}, FIRST, 0, -1, NULL, "first_child is not ordered"},
    {0, {0}, NOTHING, 0, 0, "\1\1\1", "the plan has 4 members instead of 3"},
    {0, {0}, NOTHING, 0, 0, "\0\1\1\1", "the root, 0, is no member"},
    {0, {0}, N_MEMBERS, 0, 3, "\1\1\1", "first_child is not ordered from 0 to 2"},
    {0, {0}, ROOT, 0, 4, NULL, "the root, 4, is no member"},
    {0, {0}, N_RANKS, 0, 3, NULL, "the plan is for 3 ranks, the placement for 4"},
    {0, {0}, HOST, 3, -1, NULL, "rank 3 is on no host"},
};

static void spoil(fixture_t *f, spoilt_t what, int at, int value)
{
    pb_stream_t *stream = &f->plan->streams[0];
    int *const places[] = {
        [NOTHING] = &at,
        [CHILD] = &stream->child[at],
        [PARENT] = &stream->parent[at],
        [FIRST] = &stream->first_child[at],
        [HEIGHT] = &stream->height,
        [N_MEMBERS] = &f->plan->n_members,
        [ROOT] = &f->plan->root,
        [N_RANKS] = &f->plan->n_ranks,
        [HOST] = &f->c.placement->host[at],
    };
    *places[what] = value;
}

static void test_none(void)
{
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        fixture_t f;
        set_up(&f, "a,b,c,d");
        if (none[i].n_streams > 0) {
            set_parents(&f, none[i].n_streams, none[i].parents);
        }
        const int n_ranks = f.plan->n_ranks;
        spoil(&f, none[i].what, none[i].at, none[i].value);
        ok(pb_check_plan(f.c.placement, f.plan, none[i].members, &f.check, &f.diag) ==
                   PB_ERR_INPUT &&
               has_message(&f.diag, none[i].fault),
           "refused: %s", none[i].fault);
        f.plan->n_ranks = n_ranks;
        tear_down(&f);
    }
}

/* A subset's plan must keep to its members. */
static void test_members(void)
{
    fixture_t f;
    set_up(&f, "a,b,c,d");
    pb_view_free(f.c.view);
    pb_plan_free(f.plan);
    pb_view_new(f.c.placement, 0, (int[]){0, 1, 3}, 3, &f.c.view);
    f.plan = tree_case_plan(&f.c, PB_KIND_CHAIN, 0);
    ok(pb_check_plan(f.c.placement, f.plan, (char[]){1, 1, 0, 1}, &f.check, &f.diag) ==
               PB_SUCCESS &&
           f.check.height == 2,
       "a subset's chain");
    pb_check_clear(&f.check);
    ok(pb_check_plan(f.c.placement, f.plan, (char[]){1, 1, 1, 0}, &f.check, &f.diag) ==
               PB_ERR_INPUT &&
           has_message(&f.diag, "the edge 1 -> 3 meets a rank that is no member"),
       "which meets a rank that is no member");
    tear_down(&f);
}

int main(void)
{
    test_sound();
    test_loads();
    test_none();
    test_members();
    return tap_done();
}
