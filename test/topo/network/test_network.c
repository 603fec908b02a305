#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "test/topo/util/golden.h"

enum { DEEP = 1000000 };

/* Finishes a network; its first error in `error`, or "". */
static int finish(pb_network_t *network, char *fault, size_t size)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    int error = pb_network_finish(network, "file", &diag);
    snprintf(fault, size, "%s", diag.n_errors > 0 ? pb_diag_first(&diag) : "");
    pb_diag_clear(&diag);
    return error;
}

/* s0 with m0 and s1; s1 with m1. */
static pb_network_t *small_network(void)
{
    pb_network_t *network = pb_network_new();
    int s0 = pb_network_add(network, PB_NODE_SWITCH, "s0");
    int m0 = pb_network_add(network, PB_NODE_HOST, "m0");
    int s1 = pb_network_add(network, PB_NODE_SWITCH, "s1");
    int m1 = pb_network_add(network, PB_NODE_HOST, "m1");
    pb_network_connect(network, s1, m1, 0);
    pb_network_connect(network, s0, m0, 30);
    pb_network_connect(network, s0, s1, 20);
    return network;
}

static void test_building(void)
{
    char fault[300];
    pb_network_t *network = small_network();
    ok(pb_network_add(network, PB_NODE_HOST, "m1") == PB_ERR_INPUT &&
           pb_network_add(network, PB_NODE_SWITCH, "s1") == PB_ERR_INPUT,
       "a name is taken once among hosts, and once among switches");
    ok(pb_network_add(network, PB_NODE_HOST, "") == PB_ERR_INPUT, "a name is not empty");
    ok(pb_network_connect(network, 0, 1, 0) == PB_ERR_INPUT, "a node has one parent");
    int m2 = pb_network_add(network, PB_NODE_HOST, "m2");
    ok(pb_network_connect(network, 1, m2, 0) == PB_ERR_INPUT, "a host is no parent");
    ok(pb_network_connect(network, 2, m2, 0) == PB_SUCCESS, "a switch is");
    ok(finish(network, fault, sizeof(fault)) == PB_SUCCESS, "finished %s", fault);
    ok(pb_network_size(network) == 5 && pb_network_n_hosts(network) == 3 &&
           pb_network_n_switches(network) == 2,
       "counts");
    ok(pb_network_top(network) == 0 && pb_network_depth(network, 0) == 0 &&
           pb_network_depth(network, 3) == 2,
       "top and depths");
    ok(pb_network_base_speed(network) == 20 && pb_network_node(network, 3)->speed == 20 &&
           pb_network_node(network, 1)->speed == 30,
       "links without a speed have the lowest");
    ok(pb_network_node(network, 0)->first_child == 1 &&
           pb_network_node(network, 1)->next_sibling == 2,
       "children keep their order");
    pb_network_free(network);
}

static void test_faults(void)
{
    char fault[1000];
    pb_network_t *network = pb_network_new();
    ok(finish(network, fault, sizeof(fault)) == PB_ERR_INPUT, "empty: %s", fault);
    int a = pb_network_add(network, PB_NODE_SWITCH, "a");
    ok(finish(network, fault, sizeof(fault)) == PB_SUCCESS, "a network without hosts");
    pb_network_connect(network, a, pb_network_add(network, PB_NODE_HOST, "m"), 7);
    int b = pb_network_add(network, PB_NODE_SWITCH, "b");
    pb_network_connect(network, b, pb_network_add(network, PB_NODE_HOST, "n"), 9);
    ok(finish(network, fault, sizeof(fault)) == PB_SUCCESS, "two tops");
    const pb_node_t *top = pb_network_node(network, pb_network_top(network));
    ok(top->is_virtual && top->first_child == a && top->last_child == b &&
           pb_network_node(network, a)->speed == 7 && pb_network_node(network, b)->speed == 7 &&
           pb_network_depth(network, b) == 1,
       "are below a virtual switch, whose links are as fast as the slowest host's");
    int c = pb_network_add(network, PB_NODE_SWITCH, "c"),
        d = pb_network_add(network, PB_NODE_SWITCH, "d");
    pb_network_connect(network, c, d, 0);
    pb_network_connect(network, d, c, 0);
    pb_network_connect(network, d, pb_network_add(network, PB_NODE_SWITCH, "e"), 0);
    ok(finish(network, fault, sizeof(fault)) == PB_ERR_INPUT && strstr(fault, "above itself"),
       "a cycle next to a tree: %s", fault);
    pb_network_free(network);
}

/* A list of any depth takes no stack. */
static void test_deep(void)
{
    char fault[300], name[20];
    pb_network_t *network = pb_network_new();
    for (int i = 0; i < DEEP; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        pb_network_add(network, PB_NODE_SWITCH, name);
        if (i > 0) {
            pb_network_connect(network, i - 1, i, 0);
        }
    }
    int m = pb_network_add(network, PB_NODE_HOST, "m");
    pb_network_connect(network, DEEP - 1, m, 0);
    ok(finish(network, fault, sizeof(fault)) == PB_SUCCESS && pb_network_depth(network, m) == DEEP,
       "a line of %d switches %s", DEEP, fault);
    ok(pb_network_hash(network) != 0, "its hash");
    pb_network_free(network);
    network = pb_network_new();
    for (int i = 0; i < DEEP; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        pb_network_add(network, PB_NODE_SWITCH, name);
    }
    for (int i = 0; i < DEEP; i++) {
        pb_network_connect(network, i, (i + 1) % DEEP, 0);
    }
    ok(finish(network, fault, sizeof(fault)) == PB_ERR_INPUT && strstr(fault, "above itself"),
       "a cycle of %d switches: %.60s...", DEEP, fault);
    for (int i = pb_network_size(network); i < PB_NETWORK_MAX_NODES; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        pb_network_add(network, PB_NODE_SWITCH, name);
    }
    ok(pb_network_add(network, PB_NODE_SWITCH, "more") == PB_ERR_INPUT, "a full network");
    pb_network_free(network);
}

static void check_host(char *const *columns, int n)
{
    static const char *const names[] = {"n1", "N2.cluster.org", "n3.a.org", "n3.b.org", "N4",
                                        "n4", "10.0.0.7",       "10.0.0.8", "fe80::1",  "x5.a",
                                        "x5"};
    pb_network_t *network = pb_network_one_switch(names, 11);
    const int node = pb_network_find_host(network, columns[0]);
    const char *is = node >= 0 ? pb_network_node(network, node)->name : "unknown";
    ok(n == 2 && golden_equal(is, columns[1]) && (node >= 0 || node == PB_ERR_UNKNOWN), "%s is %s",
       columns[0], is);
    pb_network_free(network);
}

static void test_one_switch(void)
{
    static const char *const names[] = {"a", "b", "a", "switch"};
    pb_network_t *network = pb_network_one_switch(names, 4);
    ok(network != NULL && pb_network_n_hosts(network) == 3 && pb_network_n_switches(network) == 1,
       "a repeated name is added once, and a host may be called switch");
    ok(pb_network_find_switch(network, "switch") == pb_network_top(network) &&
           pb_network_find(network, "switch") != pb_network_top(network),
       "and is found before the switch");
    pb_network_free(network);
    ok(pb_network_one_switch(names, 0) == NULL, "no name, no network");
}

/* The path as an independent walk finds it: all ancestors of both ends. */
static int is_path(const pb_network_t *network, int from, int to, const int *links, int n)
{
    int at = from;
    for (int i = 0; i < n; i++) {
        int below = pb_link_node(links[i]), above = pb_network_node(network, below)->parent;
        if (at != (pb_link_is_up(links[i]) ? below : above)) {
            return 0;
        }
        at = pb_link_is_up(links[i]) ? above : below;
        for (int j = 0; j < i; j++) {
            if (pb_link_node(links[j]) == below) {
                return 0;
            }
        }
    }
    return at == to;
}

static bool leads_there(tree_case_t *c, pb_random_t *random, void *context)
{
    const int size = pb_network_size(c->network), most = pb_network_max_path(c->network);
    int *links = malloc(((size_t) most + 1) * sizeof(*links));
    bool good = true;
    (void) context;
    for (int i = 0; i < 200 && good; i++) {
        const int from = pb_random_below(random, size), to = pb_random_below(random, size);
        const int n = pb_network_path(c->network, from, to, links);
        good = n <= most && (from != to || n == 0) && is_path(c->network, from, to, links, n);
    }
    free(links);
    return good;
}

enum { N_HASHES = 11 };
static uint64_t hashes[N_HASHES];
static int n_hashes;

/* The hash of s0 with m0 and s1 with m1, with one thing changed each time. */
static void check_hash(char *const *columns, int n)
{
    tree_case_t c;
    int n_same = 0;
    tree_case_read(&c, columns[1], columns[2], 0);
    const uint64_t hash = pb_network_hash(c.network);
    for (int i = 0; i < n_hashes; i++) {
        n_same += hashes[i] == hash;
    }
    ok(n == 3 && n_same == (n_hashes == 1), "%s %s the hash", columns[0],
       n_hashes < 2 ? "does not change" : "changes");
    hashes[n_hashes++] = hash;
    tree_case_clear(&c);
}

static void test_hash(void)
{
    tree_case_t c;
    ok(golden_rows("network/hashes.rows", check_hash) == N_HASHES, "there are rows");
    ok(hashes[0] == UINT64_C(0x9feb0b06632582a1), "the hash is the same on every host");
    tree_case_read(&c,
                   "SwitchName=s0 Nodes=m0 LinkSpeed=5;SwitchName=s1 Nodes=m1 "
                   "LinkSpeed=5;SwitchName=s0 Switches=s1 LinkSpeed=20",
                   "m0", 0);
    const int s1 = pb_network_find_switch(c.network, "s1");
    pb_network_set_spines(c.network, pb_network_find_switch(c.network, "s0"), 2);
    ok(pb_network_hash(c.network) != hashes[9], "a merged switch changes the hash");
    ok(pb_network_bundle(c.network, s1, 0) == PB_ERR_INPUT &&
           pb_network_bundle(c.network, s1, PB_NETWORK_MAX_MEMBERS + 1) == PB_ERR_INPUT &&
           pb_network_bundle(c.network, s1, 4) == PB_SUCCESS &&
           pb_network_node(c.network, s1)->members == 4 &&
           pb_network_node(c.network, s1)->speed == 20,
       "a bundle has 1 to %d links and the speed of one", PB_NETWORK_MAX_MEMBERS);
    tree_case_clear(&c);
}

int main(void)
{
    test_building();
    test_faults();
    ok(golden_rows("network/found_hosts.rows", check_host) == 25, "there are rows");
    test_one_switch();
    tree_case_hold("paths lead from one end to the other, over no link twice", 2, 35,
                   (tree_case_size_t){10, 20, 1, 0, false}, leads_there, NULL);
    test_hash();
    test_deep();
    pb_network_free(NULL);
    pb_placement_free(NULL);
    return tap_done();
}
