/*
 * Plans of every kind of tree, as text for replay.cpp, with the time that the simulator gives each.
 *
 *   simgrid_plans TOPOLOGY...
 *
 * Cases: the topology files of the arguments and, after them, random networks; for each the plans
 * of all kinds that fit it, for messages of 8, 64 and 256 KB in segments of a frame.
 *
 *   network NAME NODES LINKS
 *   link NUMBER FROM TO SPEED          a directed link between two nodes, relative to the slowest
 *   plan KIND BYTES SEGMENTS RANKS STREAMS ROOT TIME  TIME in segments over the slowest link
 *   edge STREAM PARENT CHILD LINK...   in the order in which the parent sends
 *   end                                of a plan
 */
#include <stdio.h>
#include <stdlib.h>

#include "test/topo/check/completion.h"
#include "test/topo/trees/tree_case.h"
#include "topo/network/topology.h"

/** Payload of one frame by TCP, less the header of Open MPI's message. */
#define SEGMENT 1426

/** Every other one has links of unequal speed. */
enum { N_RANDOM = 20 };

static void must(int good)
{
    if (!good) {
        fprintf(stderr, "simgrid_plans: out of memory, or a file cannot be read\n");
        exit(EXIT_FAILURE);
    }
}

static void print_network(const pb_network_t *network, const char *name)
{
    const double base = pb_network_base_speed(network);
    int n = 0;
    for (int node = 0; node < pb_network_size(network); node++) {
        n += 2 * (pb_network_node(network, node)->parent >= 0);
    }
    printf("network %s %d %d\n", name, pb_network_size(network), n);
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *below = pb_network_node(network, node);
        if (below->parent >= 0) {
            const double speed = below->speed / base;
            printf("link %d %d %d %g\n", pb_link_up(node), node, below->parent, speed);
            printf("link %d %d %d %g\n", pb_link_down(node), below->parent, node, speed);
        }
    }
}

static void print_edges(const pb_placement_t *placement, const pb_plan_t *plan)
{
    int *path = malloc(((size_t) pb_network_max_path(placement->network) + 1) * sizeof(*path));
    must(path != NULL);
    for (int s = 0; s < plan->n_streams; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        for (int rank = 0; rank < plan->n_ranks; rank++) {
            for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
                const int n = pb_placement_path(placement, rank, stream->child[i], path);
                printf("edge %d %d %d", s, rank, stream->child[i]);
                for (int k = 0; k < n; k++) {
                    printf(" %d", path[k]);
                }
                printf("\n");
            }
        }
    }
    free(path);
}

/** All kinds but those whose frames switches copy: their plan is that of repairs. */
static void print_kinds(const tree_case_t *c, const char *name)
{
    static const int bytes[] = {8 << 10, 64 << 10, 256 << 10};
    print_network(c->network, name);
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        pb_plan_t *plan;
        if (pb_kind_row((pb_kind_t) kind)->copies ||
            pb_plan_compute(c->view, (pb_kind_t) kind, NULL, &plan) != PB_SUCCESS) {
            continue;
        }
        for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
            const int n_segments = (bytes[i] - 1) / SEGMENT + 1;
            printf("plan %s %d %d %d %d %d %.6f\n", pb_kind_name((pb_kind_t) kind), bytes[i],
                   n_segments, plan->n_ranks, plan->n_streams, plan->root,
                   completion(c->placement, plan, n_segments));
            print_edges(c->placement, plan);
            printf("end\n");
        }
        pb_plan_free(plan);
    }
}

/** With a rank on each host, in the order of the file. */
static void print_file(const char *path, const char *name)
{
    tree_case_t c = {.root = 0};
    pb_diag_t diag;
    int rank = 0;
    pb_diag_init(&diag);
    must(pb_topology_read(path, &c.network, &diag) == PB_SUCCESS);
    c.placement = pb_placement_new(c.network, pb_network_n_hosts(c.network));
    for (int node = 0; node < pb_network_size(c.network); node++) {
        if (pb_network_node(c.network, node)->kind == PB_NODE_HOST) {
            c.placement->host[rank++] = node;
        }
    }
    must(pb_view_new(c.placement, 0, NULL, 0, &c.view) == PB_SUCCESS);
    print_kinds(&c, name);
    tree_case_clear(&c);
    pb_diag_clear(&diag);
}

int main(int argc, char **argv)
{
    pb_random_t random = pb_random_seed(20);
    for (int i = 1; i < argc; i++) {
        char name[32];
        snprintf(name, sizeof(name), "topology%d", i);
        print_file(argv[i], name);
    }
    for (int i = 0; i < N_RANDOM; i++) {
        const int max_speed = i % 2 == 0 ? 0 : 4;
        char name[32];
        tree_case_t c;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT),
                       (tree_case_size_t){8, 32, 1, max_speed, false});
        snprintf(name, sizeof(name), "%s%d", max_speed > 0 ? "speeds" : "random", i + 1);
        print_kinds(&c, name);
        tree_case_clear(&c);
    }
    return EXIT_SUCCESS;
}
