/*
 * The levels inside machines: what places tell, which groups become nodes, and, on
 * thousands of random machines with uneven ranks, plans that obey the rule at every
 * level and load no machine's cable with more than the message each way.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/tree_case.h"
#include "topo/check.h"
#include "topo/locality.h"

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

/* One switch with machines n0, n1, ... */
static pb_network_t *machines(int n)
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

/* Ranks in blocks of `per_machine` on the machines of a network. */
static pb_placement_t *blocks(const pb_network_t *network, int n_ranks, int per_machine)
{
    pb_placement_t *placement = pb_placement_new(network, n_ranks);
    if (placement == NULL) {
        abort();
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        placement->machine[rank] = rank / per_machine;
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
        const char *name = pb_network_node(placement->network, placement->machine[rank])->name;
        length += (size_t) snprintf(text + length, sizeof(text) - length, "%s%s",
                                    rank > 0 ? " " : "", name);
    }
    return text;
}

static void expect(const pb_locality_t *places, int n_ranks, int per_machine, const char *wanted,
                   const char *what)
{
    pb_network_t *network = machines((n_ranks + per_machine - 1) / per_machine), *levels;
    pb_placement_t *placement = blocks(network, n_ranks, per_machine), *located;
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
    expect(uneven, 5, 5, "n0/0/0 n0/0/0 n0/0 n0 n0", "bound and unbound ranks on one machine");
    const pb_locality_t apart[] = {place(0, 0, -1, 0), place(1, 1, -1, 0), place(2, 2, -1, 0)};
    expect(apart, 3, 3, "", "ranks that share nothing but the machine are in no group");
}

static void test_network(void)
{
    const pb_locality_t places[] = {place(0, -1, 0, 0), place(0, -1, 0, 0), place(1, -1, 0, 0),
                                    place(0, -1, 0, 0), place(0, -1, 0, 0), place(1, -1, 0, 0)};
    pb_network_t *network = machines(2), *levels;
    pb_placement_t *placement = blocks(network, 6, 3), *located;
    const uint64_t hash = pb_network_hash(network);
    ok(pb_locality_expand(placement, places, &levels, &located) == PB_SUCCESS && levels != NULL,
       "a network with places");
    ok(pb_network_n_places(levels) == 2 && pb_network_n_machines(levels) == 2 &&
           pb_network_n_switches(levels) == 1,
       "places are neither machines nor switches");
    ok(pb_network_machine_of(levels, located->machine[0]) == 0 &&
           pb_network_machine_of(levels, located->machine[5]) == 1,
       "a place is in its machine");
    ok(pb_placement_n_machines(located) == 2, "ranks are on as many machines as before");
    int links[16];
    ok(pb_placement_path(located, 0, 2, links) == 0 && pb_placement_path(located, 0, 5, links) == 2,
       "cables are passed between machines only");
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
       "a machine with the name of a place is an error");
    pb_placement_free(placement);
    pb_network_free(network);
}

/* ---- random machines ---- */

enum { TRIALS = 250 };

typedef struct tally {
    int faulty;     /* plans that the checker refused, or that break the rule at some level */
    int overloaded; /* plans with more than the message on a machine's cable */
    int entries;    /* streams that enter a machine, not the root's, at more than one rank */
    int returns;    /* streams that come back to the root's machine */
    int exits;      /* machines that a stream leaves from more than one rank */
    int located;    /* cases with places */
} tally_t;

/* Up to three levels of up to four groups. Ranks of a machine may differ in how many they tell. */
static pb_locality_t random_place(pb_random_t *random)
{
    pb_locality_t at = PB_LOCALITY_ANYWHERE;
    for (int n = pb_random_below(random, 4); n > 0; n--) {
        at = pb_locality_enter(at, (unsigned) pb_random_below(random, 4));
    }
    return at;
}

/* The case's placement with levels; false if no ranks are in groups. */
static bool locate(tree_case_t *c, pb_random_t *random)
{
    const int n = c->placement->n_ranks;
    pb_locality_t *places = malloc((size_t) n * sizeof(*places));
    pb_network_t *levels;
    pb_placement_t *located;
    pb_view_t *view;
    for (int rank = 0; places != NULL && rank < n; rank++) {
        places[rank] = random_place(random);
    }
    if (places == NULL || pb_locality_expand(c->placement, places, &levels, &located) != 0) {
        abort();
    }
    free(places);
    if (levels == NULL) {
        return false;
    }
    if (pb_view_new(located, c->root, c->view->order, c->view->n_ranks, &view) != PB_SUCCESS) {
        abort();
    }
    pb_view_free(c->view);
    pb_placement_free(c->placement);
    pb_network_free(c->network);
    c->view = view;
    c->placement = located;
    c->network = levels;
    return true;
}

static int machine_of(const tree_case_t *c, int rank)
{
    return pb_network_machine_of(c->network, c->placement->machine[rank]);
}

/* How a stream crosses the cables of machines. */
static void count_crossings(const tree_case_t *c, const pb_stream_t *stream, tally_t *tally)
{
    const int n_nodes = pb_network_size(c->network);
    int *entries = calloc((size_t) n_nodes, sizeof(int));
    int *leaver = malloc((size_t) n_nodes * sizeof(int));
    if (entries == NULL || leaver == NULL) {
        abort();
    }
    memset(leaver, 0xff, (size_t) n_nodes * sizeof(int));
    for (int rank = 0; rank < c->placement->n_ranks; rank++) {
        const int parent = stream->parent[rank];
        if (parent < 0 || machine_of(c, parent) == machine_of(c, rank)) {
            continue;
        }
        int *left_by = &leaver[machine_of(c, parent)];
        tally->exits += *left_by >= 0 && *left_by != parent;
        *left_by = parent;
        const int machine = machine_of(c, rank);
        const bool is_roots = machine == machine_of(c, c->root);
        tally->entries += ++entries[machine] > 1 && !is_roots;
        tally->returns += is_roots;
    }
    free(entries);
    free(leaver);
}

/* Whether a cable between machines or switches has more than the message in some direction. */
static bool overloads(const tree_case_t *c, const pb_plan_t *plan)
{
    pb_check_t check;
    pb_diag_t diag;
    bool too_much = false;
    pb_diag_init(&diag);
    if (pb_check_plan(c->placement, plan, c->members, &check, &diag) == PB_SUCCESS) {
        for (int link = 0; link < check.n_links; link++) {
            too_much = too_much || check.links[link].edges > plan->n_streams;
        }
    }
    pb_check_clear(&check);
    pb_diag_clear(&diag);
    return too_much;
}

static void judge(const tree_case_t *c, pb_kind_t kind, int max_sends, bool once, tally_t *tally)
{
    pb_plan_t *plan = tree_case_plan(c, kind, 0);
    tally->faulty += !tree_case_judge(c, plan, max_sends, TREE_CASE_ONE_SENDER);
    tally->overloaded += once && overloads(c, plan);
    for (int s = 0; s < plan->n_streams; s++) {
        count_crossings(c, &plan->streams[s], tally);
    }
    pb_plan_free(plan);
}

static void test_random_machines(pb_shape_t shape)
{
    pb_random_t random = {.state = 71 + (uint64_t) shape};
    tally_t pipelined = {0}, trees = {0};
    for (int i = 0; i < TRIALS; i++) {
        tree_case_t c;
        tree_case_init(&c, &random, shape, (tree_case_size_t){6, 10, 12, 0, true});
        if (locate(&c, &random)) {
            pipelined.located++;
            judge(&c, PB_KIND_CHAIN, 1, true, &pipelined);
            judge(&c, PB_KIND_TWOTREE, 2, true, &pipelined);
            judge(&c, PB_KIND_BINARY, 2, false, &trees);
            judge(&c, PB_KIND_BINARY_PAPER, 2, false, &trees);
            judge(&c, PB_KIND_KARY, 3, false, &trees);
        }
        tree_case_clear(&c);
    }
    ok(pipelined.located > TRIALS / 4, "%s: %d cases with levels", pb_shape_name(shape),
       pipelined.located);
    ok(pipelined.faulty == 0 && trees.faulty == 0, "%s: every level is free of contention",
       pb_shape_name(shape));
    ok(pipelined.overloaded == 0,
       "%s: chain and two trees carry the message at most once each way over everything",
       pb_shape_name(shape));
    ok(pipelined.entries == 0,
       "%s: a stream of a chain or of two trees enters a machine but the root's at one rank",
       pb_shape_name(shape));
    printf("# machines that a stream leaves from two ranks: %d of chains and two trees, %d of "
           "others; streams that come back to the root's machine: %d, %d\n",
           pipelined.exits, trees.exits, pipelined.returns, trees.returns);
}

int main(void)
{
    test_places();
    test_groups();
    test_network();
    test_name_taken();
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        test_random_machines((pb_shape_t) shape);
    }
    return tap_done();
}
