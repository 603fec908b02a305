/*
 * The levels inside hosts: what places tell, which groups become nodes, and, on
 * thousands of random hosts with uneven ranks, plans that obey the rule at every
 * level and bring the message into a host, and out of it, as often as kinds promise.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/check/checker.h"
#include "topo/network/locality.h"

/* A place of up to four levels; a negative index ends it. */
static pb_locality_t place(int a, int b, int c, int d)
{
    const int indices[] = {a, b, c, d};
    pb_locality_t at = PB_LOCALITY_ANYWHERE;
    for (int i = 0; i < 4 && indices[i] >= 0; i++) {
        at = pb_locality_enter(at, (unsigned) indices[i]);
    }
    return at;
}

static void test_places(void)
{
    const pb_locality_t at = place(3, 0, PB_LOCALITY_MAX_INDEX, -1);
    ok(pb_locality_index(at, 0) == 3 && pb_locality_index(at, 1) == 0 &&
           pb_locality_index(at, 2) == PB_LOCALITY_MAX_INDEX && pb_locality_index(at, 3) == -1,
       "a place tells its levels in their order");
    ok(pb_locality_index(PB_LOCALITY_ANYWHERE, 0) == -1, "anywhere is no level");
    ok(pb_locality_enter(at, PB_LOCALITY_MAX_INDEX + 1) == at, "too large an index is no level");
    const pb_locality_t full = place(0, 1, 2, 3);
    ok(pb_locality_enter(full, 4) == full, "a full place keeps its levels");
}

/* One switch with hosts n0, n1, ... */
static pb_network_t *hosts(int n)
{
    char names[8][8];
    const char *list[8];
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof(names[i]), "n%d", i);
        list[i] = names[i];
    }
    pb_network_t *network = pb_network_one_switch(list, n);
    if (network == NULL) {
        abort();
    }
    return network;
}

/* Ranks in blocks of `per_host` on the hosts of a network. */
static pb_placement_t *blocks(const pb_network_t *network, int n_ranks, int per_host)
{
    pb_placement_t *placement = pb_placement_new(network, n_ranks);
    if (placement == NULL) {
        abort();
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        placement->host[rank] = rank / per_host;
    }
    return placement;
}

/* Where each rank is: "n0/1 n0/1 n0 n1". */
static const char *where(const pb_placement_t *placement)
{
    static char text[512];
    size_t length = 0;
    text[0] = '\0';
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        const char *name = pb_network_node(placement->network, placement->host[rank])->name;
        length += (size_t) snprintf(text + length, sizeof(text) - length, "%s%s",
                                    rank > 0 ? " " : "", name);
    }
    return text;
}

static void expect(const pb_locality_t *places, int n_ranks, int per_host, const char *wanted,
                   const char *what)
{
    pb_network_t *network = hosts((n_ranks + per_host - 1) / per_host), *levels;
    pb_placement_t *placement = blocks(network, n_ranks, per_host), *located;
    const int error = pb_locality_expand(placement, places, &levels, &located);
    const char *found = located != NULL ? where(located) : "";
    ok(error == PB_SUCCESS && strcmp(found, wanted) == 0, "%s", what);
    if (strcmp(found, wanted) != 0) {
        printf("# found '%s', wanted '%s'\n", found, wanted);
    }
    pb_placement_free(located);
    pb_network_free(levels);
    pb_placement_free(placement);
    pb_network_free(network);
}

static void test_groups(void)
{
    const pb_locality_t none[] = {0, 0, 0, 0};
    expect(none, 4, 2, "", "ranks that may be anywhere are in no group");
    const pb_locality_t two[] = {place(0, -1, 0, 0), place(1, -1, 0, 0), place(0, -1, 0, 0),
                                 place(1, -1, 0, 0), place(0, -1, 0, 0)};
    expect(two, 5, 4, "n0/0 n0/1 n0/0 n0/1 n1", "two packages; a rank that is alone");
    const pb_locality_t same[] = {place(0, 0, 0, -1), place(0, 0, 0, -1), place(0, 0, 1, -1),
                                  place(0, 0, 1, -1)};
    expect(same, 4, 4, "n0/0 n0/0 n0/1 n0/1", "a level that all share is left out");
    const pb_locality_t deep[] = {place(0, 0, -1, 0), place(0, 0, -1, 0), place(0, 1, -1, 0),
                                  place(1, 2, -1, 0), place(1, 2, -1, 0), place(1, 3, -1, 0)};
    expect(deep, 6, 6, "n0/0/0 n0/0/0 n0/0 n0/1/2 n0/1/2 n0/1",
           "levels in levels; who is alone stays above");
    const pb_locality_t uneven[] = {place(0, 0, -1, 0), place(0, 0, -1, 0), place(0, -1, 0, 0),
                                    place(-1, 0, 0, 0), place(1, 5, -1, 0)};
    expect(uneven, 5, 5, "n0/0/0 n0/0/0 n0/0 n0 n0", "bound and unbound ranks on one host");
    const pb_locality_t apart[] = {place(0, 0, -1, 0), place(1, 1, -1, 0), place(2, 2, -1, 0)};
    expect(apart, 3, 3, "", "ranks that share nothing but the host are in no group");
}

static void test_network(void)
{
    const pb_locality_t places[] = {place(0, -1, 0, 0), place(0, -1, 0, 0), place(1, -1, 0, 0),
                                    place(0, -1, 0, 0), place(0, -1, 0, 0), place(1, -1, 0, 0)};
    pb_network_t *network = hosts(2), *levels;
    pb_placement_t *placement = blocks(network, 6, 3), *located;
    const uint64_t hash = pb_network_hash(network);
    ok(pb_locality_expand(placement, places, &levels, &located) == PB_SUCCESS && levels != NULL,
       "a network with places");
    ok(pb_network_n_places(levels) == 2 && pb_network_n_hosts(levels) == 2 &&
           pb_network_n_switches(levels) == 1,
       "places are neither hosts nor switches");
    ok(pb_network_host_of(levels, located->host[0]) == 0 &&
           pb_network_host_of(levels, located->host[5]) == 1,
       "a place is in its host");
    ok(pb_placement_n_hosts(located) == 2, "ranks are on as many hosts as before");
    int links[16];
    ok(pb_placement_path(located, 0, 2, links) == 0 && pb_placement_path(located, 0, 5, links) == 2,
       "links are passed between hosts only");
    ok(pb_network_hash(levels) != hash && pb_network_hash(network) == hash,
       "places are part of a network's hash");
    pb_network_t *copy = pb_network_copy(levels);
    pb_diag_t diag;
    pb_diag_init(&diag);
    ok(copy != NULL && pb_network_finish(copy, NULL, &diag) == PB_SUCCESS &&
           pb_network_hash(copy) == pb_network_hash(levels),
       "a copy is equal");
    pb_diag_clear(&diag);
    pb_network_free(copy);
    pb_placement_free(located);
    pb_network_free(levels);
    pb_placement_free(placement);
    pb_network_free(network);
}

static void test_name_taken(void)
{
    const char *const names[] = {"n0", "n0/0"};
    const pb_locality_t places[] = {place(0, -1, 0, 0), place(0, -1, 0, 0), place(1, -1, 0, 0)};
    pb_network_t *network = pb_network_one_switch(names, 2), *levels;
    pb_placement_t *placement = blocks(network, 3, 3), *located;
    ok(pb_locality_expand(placement, places, &levels, &located) == PB_ERR_INPUT && levels == NULL &&
           located == NULL,
       "a host with the name of a place is an error");
    pb_placement_free(placement);
    pb_network_free(network);
}

/* ---- random hosts ---- */

enum { FANOUT = 4 };

/* How a kind loads links: whatever the mapping, the message comes into a host once, and goes
 * out of it no more often than one rank sends it. */
typedef struct kind_case {
    pb_kind_t kind;
    int fanout;    /* of "kary"; 0: as the kind has it */
    int max_sends; /* edges of a rank */
    int most_out;  /* messages up a host's uplink */
} kind_case_t;

static const kind_case_t kinds[] = {
    {PB_KIND_CHAIN, 0, 1, 1},
    {PB_KIND_TWOTREE, 0, 2, 1},
    {PB_KIND_BINARY, 0, 2, 2},
    {PB_KIND_KARY, 2, 2, 2},
    {PB_KIND_KARY, FANOUT, FANOUT, FANOUT},
};

enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

typedef struct tally {
    int faulty;   /* plans that the checker refused, or that break the rule at some level */
    int twice_in; /* with more than the message down to a host or place */
    int too_much; /* with more than allowed up from one */
    int over;     /* with equal links: chains and two trees with more than the message on any */
    int returns;  /* streams that come back to the root's host */
} tally_t;

static int host_of(const tree_case_t *c, int rank)
{
    return pb_network_host_of(c->network, c->placement->host[rank]);
}

static int count_returns(const tree_case_t *c, const pb_stream_t *stream)
{
    int n = 0;
    for (int rank = 0; rank < c->placement->n_ranks; rank++) {
        const int parent = stream->parent[rank];
        n += parent >= 0 && host_of(c, parent) != host_of(c, rank) &&
             host_of(c, rank) == host_of(c, c->root);
    }
    return n;
}

/* Judges the load of each link between a host or place and what is above it, and of all. */
static void judge_links(const tree_case_t *c, const kind_case_t *kind, const pb_plan_t *plan,
                        const pb_check_t *check, bool equal, tally_t *tally)
{
    bool twice_in = false, too_much = false;
    for (int node = 0; node < pb_network_size(c->network); node++) {
        if (pb_network_node(c->network, node)->kind != PB_NODE_SWITCH) {
            twice_in = twice_in || check->links[pb_link_down(node)].edges > plan->n_streams;
            too_much =
                too_much || check->links[pb_link_up(node)].edges > kind->most_out * plan->n_streams;
        }
    }
    tally->twice_in += twice_in;
    tally->too_much += too_much;
    tally->over += equal && kind->most_out == 1 && check->max_edges > plan->n_streams;
}

static void judge(const tree_case_t *c, const kind_case_t *kind, tree_case_rule_t rule,
                  tally_t *tally)
{
    pb_plan_t *plan = tree_case_plan(c, kind->kind, kind->fanout);
    pb_check_t check;
    pb_diag_t diag;
    pb_diag_init(&diag);
    tally->faulty += !tree_case_judge(c, plan, kind->max_sends, rule);
    if (pb_check_plan(c->placement, plan, c->members, &check, &diag) == PB_SUCCESS) {
        judge_links(c, kind, plan, &check, rule == TREE_CASE_ONE_SENDER, tally);
    }
    for (int s = 0; s < plan->n_streams; s++) {
        tally->returns += count_returns(c, &plan->streams[s]);
    }
    pb_check_clear(&check);
    pb_diag_clear(&diag);
    pb_plan_free(plan);
}

typedef enum { EQUAL, UNEQUAL, FAST_TRUNKS, LINKS } links_t;

static const char *const links_names[LINKS] = {"equal", "unequal", "fast between switches"};

static void report(const char *shape, links_t links, const tally_t *tallies)
{
    for (int k = 0; k < N_KINDS; k++) {
        const tally_t *t = &tallies[k];
        char what[80];
        snprintf(what, sizeof(what), "%s, links %s, %s of %d", shape, links_names[links],
                 pb_kind_name(kinds[k].kind), kinds[k].max_sends);
        ok(t->faulty == 0, "%s: every level is free of contention", what);
        ok(t->twice_in == 0, "%s: the message comes down to a host or place once (%d do not)", what,
           t->twice_in);
        ok(t->too_much == 0 && t->over == 0, "%s: and goes up %d times at most (%d, %d do not)",
           what, kinds[k].most_out, t->too_much, t->over);
        if (t->returns > 0) {
            printf("# streams that come back to the root's host: %d\n", t->returns);
        }
    }
}

/* Uneven ranks on hosts, in random order, all of them or some; where trunks are fast many
 * hosts, as else trees made for that are not the lowest. */
static void make_case(tree_case_t *c, pb_random_t *random, pb_shape_t shape, links_t links)
{
    static const tree_case_size_t sizes[LINKS] = {
        {6, 10, 12, 0, true}, {6, 10, 12, 8, true}, {40, 80, 4, 0, true}};
    tree_case_init(c, random, shape, sizes[links]);
    if (links == FAST_TRUNKS) {
        tree_case_t slow = *c;
        tree_case_with_speeds(c, &slow, 1, (uint32_t) (2 << pb_random_below(random, 4)));
        tree_case_clear(&slow);
    }
}

static void test_random_hosts(pb_shape_t shape, links_t links)
{
    pb_random_t random = {.state = 71 + (uint64_t) shape};
    tally_t tallies[N_KINDS] = {0};
    const int n_trials = tap_trials(100, 24);
    int n_located = 0;
    const tree_case_rule_t rule = links == EQUAL ? TREE_CASE_ONE_SENDER : TREE_CASE_LOAD;
    for (int i = 0; i < n_trials; i++) {
        tree_case_t c;
        make_case(&c, &random, shape, links);
        n_located += i % 4 > 0 && tree_case_locate(&c, &random);
        for (int k = 0; k < N_KINDS; k++) {
            /* Many hosts and fast trunks are long work for the two trees. */
            if (links != FAST_TRUNKS || kinds[k].kind != PB_KIND_TWOTREE || i % 8 == 0) {
                judge(&c, &kinds[k], rule, &tallies[k]);
            }
        }
        tree_case_clear(&c);
    }
    ok(n_located > n_trials / 10, "%s: %d cases with levels", pb_shape_name(shape), n_located);
    report(pb_shape_name(shape), links, tallies);
}

int main(void)
{
    test_places();
    test_groups();
    test_network();
    test_name_taken();
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        for (int links = 0; links < LINKS; links++) {
            test_random_hosts((pb_shape_t) shape, (links_t) links);
        }
    }
    return tap_done();
}
