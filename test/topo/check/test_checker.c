/*
 * The checker must accept good plans and refuse bad ones. Each case starts from
 * the chain 0 -> 1 -> 2 -> 3 over two switches with two hosts each and
 * spoils it.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "topo/check/check_load.h"
#include "topo/network/topology.h"

static const char conf[] = "SwitchName=s0 Nodes=a,b Switches=s1;SwitchName=s1 Nodes=c,d";

typedef struct fixture {
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;
    pb_plan_t *plan;
    pb_diag_t diag;
} fixture_t;

static void set_up(fixture_t *f)
{
    pb_diag_init(&f->diag);
    pb_topology_parse(&(pb_topology_text_t){conf, strlen(conf), "conf", ';', NULL}, &f->network,
                      &f->diag);
    f->placement = pb_placement_new(f->network, 4);
    for (int rank = 0; rank < 4; rank++) {
        f->placement->host[rank] = pb_network_find(f->network, (char[]){(char) ('a' + rank), 0});
    }
    pb_view_new(f->placement, 0, NULL, 0, &f->view);
    pb_plan_compute(f->view, PB_KIND_CHAIN, NULL, &f->plan);
}

static void tear_down(fixture_t *f)
{
    pb_plan_free(f->plan);
    pb_view_free(f->view);
    pb_placement_free(f->placement);
    pb_network_free(f->network);
    pb_diag_clear(&f->diag);
}

/* Makes the plan one of `n_streams` streams with these parents, four for each. */
static void set_parents(fixture_t *f, int n_streams, const int *parents)
{
    pb_plan_free(f->plan);
    f->plan = pb_plan_new(f->view, PB_KIND_CHAIN, n_streams);
    for (int s = 0; s < n_streams; s++) {
        memcpy(f->plan->streams[s].parent, parents + 4 * s, 4 * sizeof(int));
        pb_plan_link_children(f->plan, s, f->view, NULL);
    }
}

static int has_message(const pb_diag_t *diag, const char *part)
{
    for (size_t i = 0; i < diag->n_kept; i++) {
        if (strstr(diag->messages[i], part) != NULL) {
            return 1;
        }
    }
    return 0;
}

/* The plan is no plan, and a message says why. Ends the fixture. */
static void refuse(fixture_t *f, const char *members, const char *part)
{
    pb_check_t check;
    int error = pb_check_plan(f->placement, f->plan, members, &check, &f->diag);
    if (!ok(error == PB_ERR_INPUT && has_message(&f->diag, part), "refused: %s", part)) {
        printf("# code %d, first: %s\n", error, pb_diag_first(&f->diag));
    }
    pb_check_clear(&check);
    tear_down(f);
}

/* The plan is sound; it has contention that a message tells, or none (NULL). */
static void judge(fixture_t *f, const char *what, const char *part, pb_check_t *check)
{
    ok(pb_check_plan(f->placement, f->plan, NULL, check, &f->diag) == PB_SUCCESS, "%s: sound",
       what);
    int error = pb_check_load(f->placement, f->plan, NULL, &f->diag);
    if (part == NULL) {
        ok(error == PB_SUCCESS && f->diag.n_faults == 0, "%s: free of contention", what);
    } else {
        ok(error == PB_ERR_INPUT && has_message(&f->diag, part), "%s: %s", what, part);
    }
}

static const pb_link_load_t *load(const fixture_t *f, const pb_check_t *check, const char *name,
                                  int up)
{
    int node = pb_network_find(f->network, name);
    return &check->links[up ? pb_link_up(node) : pb_link_down(node)];
}

static void test_good(void)
{
    fixture_t f;
    pb_check_t check;
    set_up(&f);
    judge(&f, "the chain", NULL, &check);
    ok(check.height == 3 && check.max_edges == 1 && check.max_senders == 1 && check.max_sends == 1,
       "its height and maxima");
    ok(check.sends[0] == 1 && check.sends[3] == 0 && check.receives[0] == 0 &&
           check.receives[3] == 1,
       "its sends and receives");
    ok(load(&f, &check, "s1", 0)->edges == 1 && load(&f, &check, "s1", 1)->edges == 0 &&
           load(&f, &check, "a", 1)->edges == 1 && load(&f, &check, "a", 0)->edges == 0,
       "its links");
    ok(check.n_links == 2 * pb_network_size(f.network), "and their number");
    pb_check_clear(&check);
    tear_down(&f);
}

static void test_contention(void)
{
    fixture_t f;
    pb_check_t check;
    set_up(&f);
    set_parents(&f, 1, (int[]){-1, 0, 0, 1});
    judge(&f, "two senders into s1",
          "the link down to s1 of speed 1 has 2 senders, together of speed 2", &check);
    ok(check.max_senders == 2 && check.max_edges == 2, "two edges of two senders");
    pb_check_clear(&check);
    set_parents(&f, 1, (int[]){-1, 2, 0, 2});
    pb_diag_clear(&f.diag);
    judge(&f, "into s1 and back", NULL, &check);
    pb_check_clear(&check);
    set_parents(&f, 1, (int[]){-1, 0, 0, 0});
    judge(&f, "one sender alone", NULL, &check);
    ok(check.max_sends == 3 && check.max_edges == 3 && check.max_senders == 1 && check.height == 1,
       "sends three times");
    pb_check_clear(&check);
    set_parents(&f, 1, (int[]){-1, 2, 3, 0});
    judge(&f, "out of s1 by one, into it by one", NULL, &check);
    pb_check_clear(&check);
    tear_down(&f);
}

static void test_contention_of_streams(void)
{
    fixture_t f;
    pb_check_t check;
    set_up(&f);
    set_parents(&f, 2, (int[]){-1, 0, 0, 2, -1, 3, 3, 0});
    judge(&f, "0 sends three times in two streams", "rank 0 sends over 3 edges", &check);
    pb_check_clear(&check);
    pb_diag_clear(&f.diag);
    set_parents(&f, 2, (int[]){-1, 0, 1, 2, -1, 3, 3, 0});
    judge(&f, "two halves into s1", NULL, &check);
    ok(load(&f, &check, "s1", 0)->edges == 2 && load(&f, &check, "s1", 0)->senders == 2,
       "of two senders are one message");
    pb_check_clear(&check);
    set_parents(&f, 2, (int[]){-1, 0, 1, 1, -1, 3, 3, 0});
    judge(&f, "three halves into s1",
          "the link down to s1 of speed 1 has 2 senders, together of speed 1", &check);
    ok(check.receives[1] == 2 && check.sends[0] == 2, "counted over both streams");
    pb_check_clear(&check);
    tear_down(&f);
}

/* Ranks of one host load no link among themselves. */
static void test_one_host(void)
{
    fixture_t f;
    pb_check_t check;
    set_up(&f);
    f.placement->host[1] = f.placement->host[0];
    f.placement->host[3] = f.placement->host[2];
    judge(&f, "two ranks on each host", NULL, &check);
    ok(load(&f, &check, "a", 1)->edges == 1 && load(&f, &check, "c", 1)->edges == 0 &&
           load(&f, &check, "c", 0)->edges == 1 && load(&f, &check, "c", 0)->senders == 1,
       "only 1 -> 2 uses links");
    pb_check_clear(&check);
    set_parents(&f, 1, (int[]){-1, 0, 0, 1});
    judge(&f, "both leave their host", "the link up from a of speed 1 has 2 senders", &check);
    pb_check_clear(&check);
    tear_down(&f);
}

static void test_no_tree(void)
{
    fixture_t f;
    set_up(&f);
    set_parents(&f, 1, (int[]){-1, 0, 3, 2});
    refuse(&f, NULL, "rank 2 is never reached: the ranks above it are a cycle");
    set_up(&f);
    set_parents(&f, 1, (int[]){-1, 0, 2, 2});
    refuse(&f, NULL, "rank 3 is never reached");
    set_up(&f);
    set_parents(&f, 1, (int[]){-1, 0, 1, -1});
    refuse(&f, NULL, "rank 3 is never reached: nobody sends to it");
    set_up(&f);
    set_parents(&f, 2, (int[]){-1, 0, 1, 2, -1, 0, 1, -1});
    refuse(&f, NULL, "stream 1: rank 3 is never reached");
    set_up(&f);
    f.plan->streams[0].height = 2;
    refuse(&f, NULL, "the height is 3, not 2");
}

static void test_wrong_arrays(void)
{
    fixture_t f;
    set_up(&f);
    f.plan->streams[0].child[2] = 2;
    refuse(&f, NULL, "rank 2 receives twice, from 1 and from 2");
    set_up(&f);
    f.plan->streams[0].child[2] = 0;
    refuse(&f, NULL, "rank 2 sends to the root, 0");
    set_up(&f);
    f.plan->streams[0].child[2] = 4;
    refuse(&f, NULL, "rank 2 has a child 4, which is no rank");
    set_up(&f);
    f.plan->streams[0].child[2] = -1;
    refuse(&f, NULL, "rank 3 waits for its parent 2, which does not send to it");
    set_up(&f);
    f.plan->streams[0].parent[3] = 1;
    refuse(&f, NULL, "rank 2 sends to 3, whose parent is 1");
    set_up(&f);
    f.plan->streams[0].parent[3] = -1;
    refuse(&f, NULL, "rank 2 sends to 3, whose parent is -1");
    set_up(&f);
    f.plan->streams[0].parent[0] = 3;
    refuse(&f, NULL, "rank 0, the root, must not have the parent 3");
    set_up(&f);
    f.plan->streams[0].parent[1] = -7;
    refuse(&f, NULL, "rank 1 must not have the parent -7");
    set_up(&f);
    f.plan->streams[0].first_child[1] = 3;
    refuse(&f, NULL, "first_child is not ordered");
    set_up(&f);
    f.plan->streams[0].first_child[4] = 1000000;
    refuse(&f, NULL, "first_child is not ordered");
    set_up(&f);
    f.plan->streams[0].first_child[0] = -1;
    refuse(&f, NULL, "first_child is not ordered");
}

static void test_wrong_frame(void)
{
    fixture_t f;
    set_up(&f);
    refuse(&f, (char[]){1, 1, 1, 0}, "the plan has 4 members instead of 3");
    set_up(&f);
    refuse(&f, (char[]){0, 1, 1, 1}, "the root, 0, is no member");
    set_up(&f);
    f.plan->n_members = 3;
    refuse(&f, (char[]){1, 1, 1, 0}, "first_child is not ordered from 0 to 2");
    set_up(&f);
    f.plan->root = 4;
    refuse(&f, NULL, "the root, 4, is no member");
    f.plan = NULL;
    set_up(&f);
    f.plan->n_ranks = 3;
    refuse(&f, NULL, "the plan is for 3 ranks, the placement for 4");
    set_up(&f);
    f.placement->host[3] = -1;
    refuse(&f, NULL, "rank 3 is on no host");
}

/* A subset's plan must keep to its members. */
static void test_members(void)
{
    fixture_t f;
    set_up(&f);
    pb_view_free(f.view);
    pb_plan_free(f.plan);
    pb_view_new(f.placement, 0, (int[]){0, 1, 3}, 3, &f.view);
    pb_plan_compute(f.view, PB_KIND_CHAIN, NULL, &f.plan);
    pb_check_t check;
    ok(pb_check_plan(f.placement, f.plan, (char[]){1, 1, 0, 1}, &check, &f.diag) == PB_SUCCESS &&
           check.height == 2,
       "a subset's chain");
    pb_check_clear(&check);
    refuse(&f, (char[]){1, 1, 1, 0}, "the edge 1 -> 3 meets a rank that is no member");
}

int main(void)
{
    test_good();
    test_contention();
    test_contention_of_streams();
    test_one_host();
    test_no_tree();
    test_wrong_arrays();
    test_wrong_frame();
    test_members();
    return tap_done();
}
