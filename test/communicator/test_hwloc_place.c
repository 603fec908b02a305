/*
 * Recorded hosts, as hwloc exports them: which ranks are grouped, for ranks bound in
 * several ways. Golden files hwloc/NAME.xml and NAME.expected.
 */
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator/hwloc_place.h"
#include "test/must.h"
#include "test/tap.h"
#include "test/topo/util/golden.h"

enum { MAX_RANKS = 64 };

/* Cores between neighbors by rank, where ranks are dealt out; no host has a multiple. */
enum { STRIDE = 7 };

/* Ranks 0, 1, ... are bound to the objects of a type, in hwloc's order. */
static int bind_to(hwloc_topology_t topology, hwloc_obj_type_t type, int every,
                   pb_locality_t *places)
{
    int n = 0;
    hwloc_obj_t object = NULL;
    for (int i = 0; (object = hwloc_get_next_obj_by_type(topology, type, object)) != NULL; i++) {
        if (i % every == 0 && n < MAX_RANKS) {
            places[n++] = pb_hwloc_place(topology, object->cpuset);
        }
    }
    return n;
}

/* The same places, in another order of ranks. */
static void deal_out(const pb_locality_t *places, int n, pb_locality_t *dealt)
{
    for (int rank = 0; rank < n; rank++) {
        dealt[rank] = places[rank * STRIDE % n];
    }
}

/* Prints a node of the host's levels with the ranks that sit right there, and those below. */
static void print_node(FILE *out, const pb_placement_t *placement, int node, int depth)
{
    const pb_node_t *at = pb_network_node(placement->network, node);
    fprintf(out, "%*s%s:", 2 * depth + 2, "", at->name);
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        if (placement->host[rank] == node) {
            fprintf(out, " %d", rank);
        }
    }
    fprintf(out, "\n");
    for (int child = at->first_child; child >= 0;
         child = pb_network_node(placement->network, child)->next_sibling) {
        print_node(out, placement, child, depth + 1);
    }
}

static void print_groups(FILE *out, const char *how, const pb_locality_t *places, int n_ranks)
{
    const char *const names[] = {"n0"};
    pb_network_t *network = pb_network_one_switch(names, 1), *levels = NULL;
    pb_placement_t *placement = network != NULL ? pb_placement_new(network, n_ranks) : NULL;
    pb_placement_t *located = NULL;
    must(placement != NULL);
    for (int rank = 0; rank < n_ranks; rank++) {
        placement->host[rank] = 0;
    }
    must(pb_locality_expand(placement, places, &levels, &located) == PB_SUCCESS);
    fprintf(out, "%d ranks, %s:\n", n_ranks, how);
    print_node(out, located != NULL ? located : placement, 0, 0);
    pb_placement_free(located);
    pb_network_free(levels);
    pb_placement_free(placement);
    pb_network_free(network);
}

/* The host of a file; NULL if hwloc does not read it. */
static hwloc_topology_t load(const char *file)
{
    char why[256];
    hwloc_topology_t topology;
    setenv("HWLOC_XMLFILE", file, 1);
    topology = pb_hwloc_load(why, sizeof(why));
    if (topology == NULL) {
        printf("# %s: %s\n", file, why);
    }
    return topology;
}

static char *print_host(const char *file)
{
    pb_locality_t places[MAX_RANKS], dealt[MAX_RANKS];
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    hwloc_topology_t topology = load(file);
    must(out != NULL);
    if (topology != NULL) {
        const int n = bind_to(topology, HWLOC_OBJ_CORE, 1, places);
        print_groups(out, "one on each core", places, n);
        deal_out(places, n, dealt);
        print_groups(out, "one on each core, dealt out", dealt, n);
        print_groups(out, "the first half of these", dealt, n / 2);
        print_groups(out, "on every third core", places,
                     bind_to(topology, HWLOC_OBJ_CORE, 3, places));
        print_groups(out, "one on each NUMA node", places,
                     bind_to(topology, HWLOC_OBJ_NUMANODE, 1, places));
        print_groups(out, "one on each package", places,
                     bind_to(topology, HWLOC_OBJ_PACKAGE, 1, places));
        print_groups(out, "bound to the host", places,
                     bind_to(topology, HWLOC_OBJ_MACHINE, 1, places));
        hwloc_topology_destroy(topology);
    }
    fclose(out);
    return text;
}

static void verdict(const char *file, bool equal)
{
    ok(equal, "%s", file);
}

static void test_bounds(void)
{
    hwloc_topology_t topology = load("two_packages.xml");
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    must(topology != NULL && set != NULL);
    ok(pb_hwloc_place(topology, set) == PB_LOCALITY_ANYWHERE, "no processor is anywhere");
    hwloc_bitmap_only(set, 4000);
    ok(pb_hwloc_place(topology, set) == PB_LOCALITY_ANYWHERE,
       "a processor that the host does not have is anywhere");
    hwloc_bitmap_set_range(set, 3, 9);
    ok(pb_hwloc_place(topology, set) == PB_LOCALITY_ANYWHERE, "so are processors of both packages");
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(topology);
    unsetenv("HWLOC_XMLFILE");
}

int main(void)
{
    ok(golden_check("hwloc", print_host, verdict) >= 5, "all recorded hosts");
    test_bounds();
    return tap_done();
}
