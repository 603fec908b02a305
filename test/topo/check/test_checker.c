/*
 * The checker must accept good plans and refuse bad ones. Each case starts from the chain
 * 0 -> 1 -> 2 -> 3 over two switches with two hosts each and spoils it.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "test/topo/util/golden.h"
#include "topo/check/check_load.h"

typedef struct fixture {
    tree_case_t c;
    pb_plan_t *plan;
    pb_check_t check;
    pb_diag_t diag;
} fixture_t;

static const char two_switches[] = "SwitchName=s0 Nodes=a,b Switches=s1;SwitchName=s1 Nodes=c,d";

static void set_up(fixture_t *f, const char *conf, const char *hosts)
{
    *f = (fixture_t){.plan = NULL};
    pb_diag_init(&f->diag);
    tree_case_read(&f->c, conf, hosts, 0);
    f->plan = tree_case_plan(&f->c, PB_KIND_CHAIN, 0);
}

static void tear_down(fixture_t *f)
{
    pb_check_clear(&f->check);
    pb_plan_free(f->plan);
    tree_case_clear(&f->c);
    pb_diag_clear(&f->diag);
}

/* Makes the plan one of `n_streams` streams with these parents, of all ranks for each. */
static void set_parents(fixture_t *f, int n_streams, const int *parents)
{
    pb_plan_free(f->plan);
    f->plan = pb_plan_new(f->c.view, PB_KIND_CHAIN, n_streams);
    for (int s = 0; s < n_streams; s++) {
        const int n = f->plan->n_ranks;
        memcpy(f->plan->streams[s].parent, parents + n * s, (size_t) n * sizeof(int));
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

/* The most senders of a link. */
static int most_senders(const pb_check_t *check)
{
    int most = 0;
    for (int link = 0; link < check->n_links; link++) {
        most = check->links[link].senders > most ? check->links[link].senders : most;
    }
    return most;
}

/* Numbers with blanks between. */
static void read_numbers(const char *text, int *numbers, int most)
{
    for (int i = 0; i < most && *text != '\0'; i++) {
        char *end;
        numbers[i] = (int) strtol(text, &end, 10);
        text = end;
    }
}

/* ---- plans that reach everyone ---- */

static void test_sound(char *const *columns, int n)
{
    const char *what = columns[0], *fault = columns[4];
    int parents[16] = {0}, most[4] = {0};
    fixture_t f;
    set_up(&f, columns[6][0] != '\0' ? columns[6] : two_switches, columns[1]);
    read_numbers(columns[3], parents, 16);
    read_numbers(columns[5], most, 4);
    set_parents(&f, atoi(columns[2]), parents);
    const pb_check_t *check = &f.check;
    const int rc = pb_check_plan(f.c.placement, f.plan, NULL, &f.check, &f.diag);
    ok(n == 7 && rc == PB_SUCCESS && check->height == most[0] && check->max_edges == most[1] &&
           most_senders(check) == most[2] && check->max_sends == most[3],
       "%s: sound, of height %d, at most %d edges of %d ranks, %d sends", what, check->height,
       check->max_edges, most_senders(check), check->max_sends);
    const int contends = pb_check_load(f.c.placement, f.plan, NULL, &f.diag);
    ok(fault[0] == '\0' ? contends == PB_SUCCESS && f.diag.n_errors == 0
                        : contends == PB_ERR_INPUT && has_message(&f.diag, fault),
       "%s: %s", what, fault[0] != '\0' ? fault : "no contention");
    tear_down(&f);
}

/* Loads, of the chain and of one over ranks of one host, which load no link among themselves. */
static void test_loads(void)
{
    fixture_t f;
    set_up(&f, two_switches, "a,b,c,d");
    ok(pb_check_plan(f.c.placement, f.plan, NULL, &f.check, &f.diag) == PB_SUCCESS &&
           f.check.sends[0] == 1 && f.check.sends[3] == 0,
       "the chain's sends");
    ok(load(&f, "s1", false)->edges == 1 && load(&f, "s1", true)->edges == 0 &&
           load(&f, "a", true)->edges == 1 && load(&f, "a", false)->edges == 0 &&
           f.check.n_links == 2 * pb_network_size(f.c.network),
       "its links, and their number");
    tear_down(&f);
    set_up(&f, two_switches, "a,a,c,c");
    ok(pb_check_plan(f.c.placement, f.plan, NULL, &f.check, &f.diag) == PB_SUCCESS &&
           load(&f, "a", true)->edges == 1 && load(&f, "c", true)->edges == 0 &&
           load(&f, "c", false)->edges == 1 && load(&f, "c", false)->senders == 1,
       "only 1 -> 2 uses links");
    tear_down(&f);
}

/* ---- plans that are none ---- */

/* Sets a number of the plan or the placement. */
static void spoil(fixture_t *f, const char *what, int at, int value)
{
    pb_stream_t *stream = &f->plan->streams[0];
    int *number = strcmp(what, "child") == 0       ? &stream->child[at]
                  : strcmp(what, "parent") == 0    ? &stream->parent[at]
                  : strcmp(what, "first") == 0     ? &stream->first_child[at]
                  : strcmp(what, "height") == 0    ? &stream->height
                  : strcmp(what, "n_members") == 0 ? &f->plan->n_members
                  : strcmp(what, "root") == 0      ? &f->plan->root
                  : strcmp(what, "n_ranks") == 0   ? &f->plan->n_ranks
                  : strcmp(what, "host") == 0      ? &f->c.placement->host[at]
                                                   : &at;
    *number = value;
}

static void test_none(char *const *columns, int n)
{
    char members[4];
    int parents[8];
    fixture_t f;
    set_up(&f, two_switches, "a,b,c,d");
    if (columns[1][0] != '\0') {
        read_numbers(columns[1], parents, 8);
        set_parents(&f, atoi(columns[0]), parents);
    }
    for (int i = 0; i < 4; i++) {
        members[i] = columns[5][0] == '\0' || columns[5][i] == '1';
    }
    const int n_ranks = f.plan->n_ranks;
    spoil(&f, columns[2], atoi(columns[3]), atoi(columns[4]));
    ok(n == 7 &&
           pb_check_plan(f.c.placement, f.plan, columns[5][0] != '\0' ? members : NULL, &f.check,
                         &f.diag) == PB_ERR_INPUT &&
           has_message(&f.diag, columns[6]),
       "refused: %s", columns[6]);
    f.plan->n_ranks = n_ranks;
    tear_down(&f);
}

/* A subset's plan must keep to its members. */
static void test_members(void)
{
    fixture_t f;
    set_up(&f, two_switches, "a,b,c,d");
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
    ok(golden_rows("check/sound.rows", test_sound) == 15, "there are sound plans");
    test_loads();
    ok(golden_rows("check/none.rows", test_none) == 22, "there are plans that are none");
    test_members();
    return tap_done();
}
