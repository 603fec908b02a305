#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/check/random_network.h"
#include "topo/network/network.h"
#include "topo/network/placement.h"

enum { DEEP = 1000000 };

/* Finishes a network; its first fault in `fault`, or "". */
static int finish(pb_network_t *network, char *fault, size_t size)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    int error = pb_network_finish(network, "file", &diag);
    snprintf(fault, size, "%s", diag.n_faults > 0 ? pb_diag_first(&diag) : "");
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

static void check_host(const pb_network_t *network, const char *host, const char *expected)
{
    int node = pb_network_find_host(network, host);
    const char *is = node >= 0 ? pb_network_node(network, node)->name : "unknown";
    ok(strcmp(is, expected) == 0 && (node >= 0 || node == PB_ERR_UNKNOWN), "%s is %s", host, is);
}

static void test_hosts(void)
{
    static const char *const names[] = {"n1", "N2.cluster.org", "n3.a.org", "n3.b.org", "N4",
                                        "n4", "10.0.0.7",       "10.0.0.8", "fe80::1",  "x5.a",
                                        "x5"};
    pb_network_t *network = pb_network_one_switch(names, 11);
    check_host(network, "n1", "n1");
    check_host(network, "N1", "n1");
    check_host(network, "n1.cluster.org", "n1");
    check_host(network, "n1.other.org", "n1");
    check_host(network, "n2", "N2.cluster.org");
    check_host(network, "N2.CLUSTER.ORG", "N2.cluster.org");
    check_host(network, "n2.other.org", "unknown");
    check_host(network, "n3", "unknown");
    check_host(network, "n3.a.org", "n3.a.org");
    check_host(network, "N3.B.org", "n3.b.org");
    check_host(network, "n3.c.org", "unknown");
    check_host(network, "n4", "n4");
    check_host(network, "N4", "N4");
    check_host(network, "n4.a", "unknown");
    check_host(network, "x5", "x5");
    check_host(network, "X5.A", "x5.a");
    check_host(network, "10.0.0.7", "10.0.0.7");
    check_host(network, "10.0.0.9", "unknown");
    check_host(network, "10", "unknown");
    check_host(network, "fe80::1", "fe80::1");
    check_host(network, "FE80::1", "unknown");
    check_host(network, "switch", "unknown");
    check_host(network, "", "unknown");
    check_host(network, ".org", "unknown");
    check_host(network, "n11", "unknown");
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

static void test_paths(void)
{
    int n_wrong = 0, n_long = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        pb_random_t random = pb_random_seed(seed);
        pb_network_t *network =
            pb_random_network(&random, (pb_shape_t) (seed % PB_SHAPE_COUNT), 10, 20, 0);
        int *links = malloc((size_t) pb_network_max_path(network) * sizeof(*links));
        for (int i = 0; i < 200; i++) {
            int from = pb_random_below(&random, pb_network_size(network));
            int to = pb_random_below(&random, pb_network_size(network));
            int n = pb_network_path(network, from, to, links);
            n_wrong += !is_path(network, from, to, links, n) || (from == to && n != 0);
            n_long += n > pb_network_max_path(network);
        }
        free(links);
        pb_network_free(network);
    }
    ok(n_wrong == 0, "40000 random paths lead from one end to the other, over no link twice");
    ok(n_long == 0, "none is longer than the longest");
}

/* The hash of s0 with m0 and s1 with m1, with one thing changed. */
static uint64_t hash_changed(int change)
{
    pb_network_t *network = pb_network_new();
    char fault[100];
    int s1 = change == 1 ? pb_network_add(network, PB_NODE_SWITCH, "s1") : -1;
    int s0 = pb_network_add(network, PB_NODE_SWITCH, "s0");
    int m0 = pb_network_add(network, PB_NODE_HOST, change == 2 ? "m9" : "m0");
    int m1 = pb_network_add(network, PB_NODE_HOST, "m1");
    if (s1 < 0) {
        s1 = pb_network_add(network, PB_NODE_SWITCH, "s1");
    }
    if (change == 3) {
        pb_network_connect(network, s0, s1, 0);
    }
    uint32_t both = change >= 9 ? 5 : 0;
    pb_network_connect(network, s0, m0, change == 4 ? 2 : both);
    pb_network_connect(network, change == 5 ? s0 : s1, m1, change == 4 ? 3 : both);
    if (change != 3) {
        pb_network_connect(network, s0, s1, change == 9 ? 20 : change == 6 ? 5 : both);
    }
    if (change == 10) {
        ok(pb_network_bundle(network, s1, 0) == PB_ERR_INPUT &&
               pb_network_bundle(network, s1, PB_NETWORK_MAX_MEMBERS + 1) == PB_ERR_INPUT &&
               pb_network_bundle(network, s1, 4) == PB_SUCCESS &&
               pb_network_members(network, s1) == 4 && pb_network_node(network, s1)->speed == 5,
           "a bundle has 1 to %d links and the speed of one", PB_NETWORK_MAX_MEMBERS);
    }
    if (change == 11) {
        pb_network_set_spines(network, s0, 2);
    }
    if (change == 7) {
        pb_network_connect(network, s1, pb_network_add(network, PB_NODE_SWITCH, "s2"), 0);
    }
    if (change == 8) {
        pb_network_connect(network, s1, pb_network_add(network, PB_NODE_HOST, "s2"), 0);
    }
    finish(network, fault, sizeof(fault));
    uint64_t hash = pb_network_hash(network);
    pb_network_free(network);
    return hash;
}

static void test_hash(void)
{
    static const char *const changes[] = {"nothing",      "numbering", "a name",
                                          "child order",  "speeds",    "a parent",
                                          "base speed",   "a switch",  "a host of its name",
                                          "a fast trunk", "a bundle",  "a merged switch"};
    uint64_t hashes[12];
    for (int change = 0; change < 12; change++) {
        hashes[change] = hash_changed(change);
        int same = 0;
        for (int i = 0; i < change; i++) {
            same += hashes[i] == hashes[change];
        }
        if (change == 1) {
            ok(same == 1, "numbering does not change the hash");
        } else if (change > 1) {
            ok(same == 0, "%s changes the hash", changes[change]);
        }
    }
    ok(hashes[0] == UINT64_C(0x9feb0b06632582a1), "the hash is the same on every host");
}

static void test_placement(void)
{
    pb_network_t *network = small_network();
    char fault[100];
    finish(network, fault, sizeof(fault));
    pb_placement_t *placement = pb_placement_new(network, 3);
    ok(placement->host[2] == -1 && pb_placement_n_hosts(placement) == 0,
       "a new placement is empty");
    placement->host[0] = 1;
    placement->host[1] = 3;
    placement->host[2] = 1;
    ok(pb_placement_n_hosts(placement) == 2, "two hosts");
    pb_placement_free(placement);
    pb_network_free(network);
}

int main(void)
{
    test_building();
    test_faults();
    test_hosts();
    test_one_switch();
    test_paths();
    test_hash();
    test_placement();
    test_deep();
    pb_network_free(NULL);
    pb_placement_free(NULL);
    return tap_done();
}
