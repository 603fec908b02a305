/*
 * Merging spines, against a definition that is slow and plain. Parents of one switch are made one
 * until there are none. A random layered fabric has a tree if every two hosts are then as near as
 * in the fabric. Without memory, and at the bounds.
 */
#include <stdlib.h>
#include <string.h>

#include "test/failing_memory.h"
#include "test/tap.h"
#include "test/topo/network/given.h"
#include "topo/network/spines.h"
#include "topo/network/topology.h"
#include "topo/util/random.h"

#define MAX_SWITCHES 12
#define MAX_UPLINKS (MAX_SWITCHES * MAX_SWITCHES)

/* Layers of switches; host i is on the i-th switch of the lowest, and one more on any switch. */
typedef struct layered {
    int n_switches;
    int layer[MAX_SWITCHES]; /* 0: the top */
    int n_layers;
    int child[MAX_UPLINKS], parent[MAX_UPLINKS];
    int n_uplinks;
    int on[MAX_SWITCHES + 1]; /* by host */
    int n_hosts;
} layered_t;

static void draw(layered_t *f, pb_random_t *random)
{
    *f = (layered_t){.n_layers = 2 + pb_random_below(random, 2)};
    const int density = 30 + 10 * pb_random_below(random, 8);
    for (int layer = 0; layer < f->n_layers; layer++) {
        for (int n = 1 + pb_random_below(random, 4); n > 0; n--) {
            f->layer[f->n_switches++] = layer;
        }
    }
    for (int child = 0; child < f->n_switches; child++) {
        for (int parent = 0; parent < child; parent++) {
            if (f->layer[parent] == f->layer[child] - 1 && pb_random_below(random, 100) < density) {
                f->child[f->n_uplinks] = child;
                f->parent[f->n_uplinks++] = parent;
            }
        }
        if (f->layer[child] == f->n_layers - 1) {
            f->on[f->n_hosts++] = child;
        }
    }
    f->on[f->n_hosts++] = pb_random_below(random, f->n_switches);
}

/* Links between any two switches by the shortest way: Floyd and Warshall. */
static void find_distances(const layered_t *f, int distance[MAX_SWITCHES][MAX_SWITCHES])
{
    for (int a = 0; a < f->n_switches; a++) {
        for (int b = 0; b < f->n_switches; b++) {
            distance[a][b] = a == b ? 0 : 1000;
        }
    }
    for (int i = 0; i < f->n_uplinks; i++) {
        distance[f->child[i]][f->parent[i]] = distance[f->parent[i]][f->child[i]] = 1;
    }
    for (int by = 0; by < f->n_switches; by++) {
        for (int a = 0; a < f->n_switches; a++) {
            for (int b = 0; b < f->n_switches; b++) {
                const int way = distance[a][by] + distance[by][b];
                distance[a][b] = way < distance[a][b] ? way : distance[a][b];
            }
        }
    }
}

/* The same fabric with parents of one switch made one, the one of the lowest number. */
static layered_t merged(const layered_t *f)
{
    layered_t tree = *f;
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < tree.n_uplinks * tree.n_uplinks && !again; i++) {
            const int a = i / tree.n_uplinks, b = i % tree.n_uplinks;
            const int kept = tree.parent[a], gone = tree.parent[b];
            again = tree.child[a] == tree.child[b] && kept < gone;
            for (int j = 0; j < tree.n_uplinks && again; j++) {
                tree.child[j] = tree.child[j] == gone ? kept : tree.child[j];
                tree.parent[j] = tree.parent[j] == gone ? kept : tree.parent[j];
            }
            for (int host = 0; host < tree.n_hosts && again; host++) {
                tree.on[host] = tree.on[host] == gone ? kept : tree.on[host];
            }
        }
    }
    return tree;
}

/* Tells whether all hosts are connected, and as near as in the merged fabric. */
static bool has_tree(const layered_t *f, const layered_t *tree)
{
    int distance[MAX_SWITCHES][MAX_SWITCHES], in_tree[MAX_SWITCHES][MAX_SWITCHES];
    find_distances(f, distance);
    find_distances(tree, in_tree);
    for (int a = 0; a < f->n_hosts; a++) {
        for (int b = 0; b < f->n_hosts; b++) {
            if (distance[f->on[a]][f->on[b]] != in_tree[tree->on[a]][tree->on[b]]) {
                return false;
            }
        }
    }
    return true;
}

/* Tells whether each switch is connected to the first, so that no error but those of merging is
 * there. */
static bool is_connected(const layered_t *f)
{
    int distance[MAX_SWITCHES][MAX_SWITCHES];
    find_distances(f, distance);
    for (int a = 0; a < f->n_switches; a++) {
        if (distance[0][a] >= 1000) {
            return false;
        }
    }
    return true;
}

static int read_layered(const layered_t *f, pb_network_t **network_p, bool *is_warned_p)
{
    static char text[1 << 16];
    FILE *out = fmemopen(text, sizeof(text), "w");
    for (int i = 0; i < f->n_switches; i++) {
        fprintf(out, "SwitchName=s%d\n", i);
    }
    for (int i = 0; i < f->n_uplinks; i++) {
        fprintf(out, "SwitchName=s%d Switches=s%d\n", f->parent[i], f->child[i]);
    }
    for (int i = 0; i < f->n_hosts; i++) {
        fprintf(out, "SwitchName=s%d Nodes=h%d\n", f->on[i], i);
    }
    fclose(out);
    pb_diag_t diag;
    pb_diag_init(&diag);
    const pb_topology_text_t topology = {.text = text, .length = strlen(text), .name = "fabric"};
    pb_topology_t read;
    const int error = pb_topology_open_text(&topology, NULL, &read, &diag);
    *is_warned_p = read.warnings.n_errors > 0;
    *network_p = read.network;
    read.network = NULL;
    pb_topology_clear(&read);
    pb_diag_clear(&diag);
    return error;
}

/* Tells whether every two hosts are as far apart as in the slow tree. */
static bool is_like(const pb_network_t *network, const layered_t *tree)
{
    int distance[MAX_SWITCHES][MAX_SWITCHES], links[4 * MAX_SWITCHES], host[MAX_SWITCHES + 1];
    find_distances(tree, distance);
    for (int i = 0; i < tree->n_hosts; i++) {
        char name[20];
        snprintf(name, sizeof(name), "h%d", i);
        host[i] = pb_network_find(network, name);
    }
    for (int a = 0; a < tree->n_hosts; a++) {
        for (int b = 0; b < a; b++) {
            if (pb_network_path(network, host[a], host[b], links) !=
                distance[tree->on[a]][tree->on[b]] + 2) {
                return false;
            }
        }
    }
    return true;
}

static void test_random(void)
{
    const int n = tap_trials(100000, 10000);
    int n_trees = 0, n_none = 0, n_wrong = 0, n_unlike = 0;
    pb_random_t random = pb_random_seed(16);
    for (int i = 0; i < n; i++) {
        layered_t f;
        pb_network_t *network;
        draw(&f, &random);
        if (!is_connected(&f)) {
            continue;
        }
        const layered_t tree = merged(&f);
        const bool expected = has_tree(&f, &tree);
        bool is_warned;
        const int error = read_layered(&f, &network, &is_warned);
        n_trees += expected;
        n_none += !expected;
        n_wrong += error != PB_SUCCESS || is_warned == expected;
        n_unlike += error == PB_SUCCESS && expected && !is_like(network, &tree);
        pb_network_free(network);
    }
    ok(n_trees > n / 20 && n_none > n / 20, "%d random fabrics have an exact tree, %d have none",
       n_trees, n_none);
    ok(n_wrong == 0, "%d were judged differently", n_wrong);
    ok(n_unlike == 0, "%d trees are others", n_unlike);
}

/* Pods below planes, and a leaf that has some spines only. */
static const char fabric[] = "SwitchName=super1 Switches=a1,b1 LinkSpeed=40\n"
                             "SwitchName=super2 Switches=a2,b2 Uplinks=2\n"
                             "SwitchName=a1 Switches=l1,l2\n"
                             "SwitchName=a2 Switches=l1,l2,l3\n"
                             "SwitchName=b1 Switches=l4\n"
                             "SwitchName=b2 Switches=l4\n"
                             "SwitchName=l1 Nodes=n[1-3]\nSwitchName=l2 Nodes=n4\n"
                             "SwitchName=l3 Nodes=n5\nSwitchName=l4 Nodes=n6\n";

static int read_fabric(const void *context)
{
    const char *text = context;
    const pb_topology_text_t topology = {.text = text, .length = strlen(text), .name = "fabric"};
    pb_network_t *network;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = given_parse(&topology, &network, &diag);
    pb_diag_clear(&diag);
    pb_network_free(network);
    return error == PB_SUCCESS || network == NULL ? error : PB_ERR_IO;
}

static void test_no_memory(void)
{
    const failing_memory_t result = failing_memory_run(read_fabric, fabric);
    ok(result.with_memory == PB_SUCCESS, "pods below planes are a tree");
    ok(result.n_reported > 20 && result.n_wrong == 0,
       "without memory at %d places it is reported %d times, and never wrong", result.n_failed,
       result.n_reported);
}

/* Leaves; each two have a spine in common, and no two the same spines. */
static void test_many_sets(int n_leaves)
{
    enum { N_SPINES = 12 };
    size_t length;
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);
    for (int leaf = 0; leaf < n_leaves; leaf++) {
        for (int spine = 0; spine <= N_SPINES; spine++) {
            if (spine == N_SPINES || (leaf >> spine & 1) != 0) {
                fprintf(out, "SwitchName=s%d Switches=l%d\n", spine, leaf);
            }
        }
        fprintf(out, "SwitchName=l%d Nodes=n%d\n", leaf, leaf);
    }
    fclose(out);
    ok(read_fabric(text) == PB_SUCCESS, "%d leaves with different spines", n_leaves);
    free(text);
}

int main(void)
{
    test_random();
    test_no_memory();
    test_many_sets(PB_SPINES_MAX_SETS);
    test_many_sets(PB_SPINES_MAX_SETS + 1);
    return tap_done();
}
