/*
 * The levels inside hosts: what places tell, and which groups become nodes. Then plans on thousands
 * of random hosts with uneven ranks. They obey the rule at every level, and bring the message into
 * a host, and out of it, as often as kinds promise.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "test/topo/util/golden.h"
#include "topo/check/checker.h"
#include "topo/network/locality.h"

/* A place of levels with '/' between; "-": anywhere. */
static pb_locality_t place(const char *text)
{
    pb_locality_t at = PB_LOCALITY_ANYWHERE;
    char *end;
    for (; *text != '\0' && *text != '-'; text = *end == '/' ? end + 1 : end) {
        at = pb_locality_enter(at, (unsigned) strtoul(text, &end, 10));
    }
    return at;
}

/* Places with blanks between. */
static int read_places(const char *text, pb_locality_t *places)
{
    char copy[100], *rest = copy, *one;
    int n = 0;
    snprintf(copy, sizeof(copy), "%s", text);
    while ((one = strsep(&rest, " ")) != NULL) {
        places[n++] = place(one);
    }
    return n;
}

static void test_places(void)
{
    const pb_locality_t at = pb_locality_enter(place("3/0"), PB_LOCALITY_MAX_INDEX);
    ok(pb_locality_index(at, 0) == 3 && pb_locality_index(at, 1) == 0 &&
           pb_locality_index(at, 2) == PB_LOCALITY_MAX_INDEX && pb_locality_index(at, 3) == -1,
       "a place tells its levels in their order");
    ok(pb_locality_index(PB_LOCALITY_ANYWHERE, 0) == -1, "anywhere is no level");
    ok(pb_locality_enter(at, PB_LOCALITY_MAX_INDEX + 1) == at, "too large an index is no level");
    const pb_locality_t full = place("0/1/2/3");
    ok(pb_locality_enter(full, 4) == full, "a full place keeps its levels");
}

/* Ranks in blocks of `per_host` on hosts n0, n1, ... of one switch. */
static void blocks(tree_case_t *c, int n_ranks, int per_host)
{
    char hosts[200] = "";
    size_t n = 0;
    for (int rank = 0; rank < n_ranks; rank++) {
        n += (size_t) snprintf(hosts + n, sizeof(hosts) - n, "n%d ", rank / per_host);
    }
    tree_case_read(c, "SwitchName=s Nodes=n[0-2]", hosts, 0);
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

static void check_groups(char *const *columns, int n)
{
    tree_case_t c;
    pb_locality_t places[8];
    pb_network_t *levels;
    pb_placement_t *located;
    blocks(&c, read_places(columns[1], places), atoi(columns[2]));
    const int error = pb_locality_expand(c.placement, places, &levels, &located);
    const char *found = located != NULL ? where(located) : "";
    ok(n == 4 && error == PB_SUCCESS && golden_equal(found, columns[3]), "%s: '%s'", columns[0],
       found);
    pb_placement_free(located);
    pb_network_free(levels);
    tree_case_clear(&c);
}

static void test_network(void)
{
    pb_locality_t places[6];
    tree_case_t c;
    pb_network_t *levels;
    pb_placement_t *located;
    pb_diag_t diag;
    int links[16], n_hosts, most;
    blocks(&c, read_places("0 0 1 0 0 1", places), 3);
    const uint64_t hash = pb_network_hash(c.network);
    ok(pb_locality_expand(c.placement, places, &levels, &located) == PB_SUCCESS &&
           pb_network_n_places(levels) == 2 && pb_network_n_hosts(levels) == 2 &&
           pb_network_n_switches(levels) == 1,
       "places are neither hosts nor switches, and a host without ranks is left out");
    ok(pb_network_host_of(levels, located->host[0]) == pb_network_find(levels, "n0") &&
           pb_network_host_of(levels, located->host[5]) == pb_network_find(levels, "n1") &&
           pb_placement_count(located, &n_hosts, &most) && n_hosts == 2,
       "a place is in its host, and ranks are on as many hosts as before");
    ok(pb_placement_path(located, 0, 2, links) == 0 && pb_placement_path(located, 0, 5, links) == 2,
       "links are passed between hosts only");
    ok(pb_network_hash(levels) != hash && pb_network_hash(c.network) == hash,
       "places are part of a network's hash");
    int numbers[16] = {0};
    pb_network_t *copy = pb_network_part(levels, numbers);
    pb_diag_init(&diag);
    ok(copy != NULL && pb_network_finish(copy, NULL, &diag) == PB_SUCCESS &&
           pb_network_hash(copy) == pb_network_hash(levels),
       "a copy is equal");
    pb_diag_clear(&diag);
    pb_network_free(copy);
    pb_placement_free(located);
    pb_network_free(levels);
    tree_case_clear(&c);
    tree_case_read(&c, "SwitchName=s Nodes=n0,n0/0", "n0,n0,n0,n0/0", 0);
    ok(pb_locality_expand(c.placement, places, &levels, &located) == PB_ERR_INPUT &&
           levels == NULL && located == NULL,
       "a host with the name of a place is an error");
    tree_case_clear(&c);
}

/* ---- random hosts ---- */

enum { FANOUT = 4 };

/* Loads of links by a kind. Whatever the mapping, the message comes into a host once, and goes out
 * of it no more often than one rank sends it. */
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

/* Tells whether the message comes down to each host and place once, and goes up from it as often as
 * the kind allows. With equal links, chains and two trees have no more than it on any link. */
static bool links_are_right(const tree_case_t *c, const kind_case_t *kind, const pb_plan_t *plan,
                            bool equal)
{
    pb_check_t check;
    pb_diag_t diag;
    pb_diag_init(&diag);
    bool good = pb_check_plan(c->placement, plan, c->members, &check, &diag) == PB_SUCCESS &&
                (!equal || kind->most_out > 1 || check.max_edges <= plan->n_streams);
    for (int node = 0; good && node < pb_network_size(c->network); node++) {
        good = pb_network_node(c->network, node)->kind == PB_NODE_SWITCH ||
               (check.links[pb_link_down(node)].edges <= plan->n_streams &&
                check.links[pb_link_up(node)].edges <= kind->most_out * plan->n_streams);
    }
    pb_check_clear(&check);
    pb_diag_clear(&diag);
    return good;
}

typedef enum { EQUAL, UNEQUAL, FAST_TRUNKS } links_t;

/* Properties for which plans of a kind are judged, over given links; and cases that have levels. */
typedef struct world {
    const kind_case_t *kind;
    links_t links;
    int n_located;
} world_t;

static bool is_right(tree_case_t *c, pb_random_t *random, void *context)
{
    world_t *world = context;
    const kind_case_t *kind = world->kind;
    if (world->links == FAST_TRUNKS) {
        tree_case_t slow = *c;
        tree_case_with_speeds(c, &slow, 1, (uint32_t) (2 << pb_random_below(random, 4)));
        tree_case_clear(&slow);
    }
    world->n_located += pb_random_below(random, 4) > 0 && tree_case_locate(c, random);
    pb_plan_t *plan = tree_case_plan(c, kind->kind, kind->fanout);
    const bool equal = world->links == EQUAL;
    const bool good =
        tree_case_judge(c, plan, kind->max_sends, equal ? TREE_CASE_ONE_SENDER : TREE_CASE_LOAD) &&
        links_are_right(c, kind, plan, equal);
    pb_plan_free(plan);
    return good;
}

/* Uneven ranks on hosts, in random order, all or some. Where trunks are fast there are many hosts,
 * as else their trees are not the lowest. */
static void test_random_hosts(const kind_case_t *kind)
{
    static const tree_case_size_t sizes[] = {
        {6, 10, 12, 0, true}, {6, 10, 12, 8, true}, {40, 80, 4, 0, true}};
    static const char *const names[] = {"equal links", "unequal links", "fast trunks"};
    for (links_t links = EQUAL; links <= FAST_TRUNKS; links++) {
        /* Many hosts and fast trunks are long work for the two trees. */
        const bool is_long = links == FAST_TRUNKS && kind->kind == PB_KIND_TWOTREE;
        world_t world = {.kind = kind, .links = links};
        char what[80];
        snprintf(what, sizeof(what), "%s of %d, %s: every level obeys the rule",
                 pb_kind_name(kind->kind), kind->max_sends, names[links]);
        tree_case_hold(what, 71, is_long ? 4 : tap_trials(100, 24), sizes[links], is_right, &world);
        ok(world.n_located > 2, "%s, in %d cases with levels", what, world.n_located);
    }
}

int main(void)
{
    test_places();
    ok(golden_rows("network/levels.rows", check_groups) == 6, "there are rows");
    test_network();
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        test_random_hosts(&kinds[k]);
    }
    return tap_done();
}
