/*
 * Plans of every kind of tree, as text for replay.cpp, with the time that the simulator gives each.
 *
 *   simgrid_plans TOPOLOGY...
 *
 * Cases: the topology files of the arguments, then random networks. For each the plans of all
 * kinds, for 8, 64 and 256 KB in segments of a frame.
 *
 *   network NAME NODES LINKS
 *   link NUMBER FROM TO SPEED          a directed link between two nodes, relative to the slowest
 *   plan KIND BYTES SEGMENTS RANKS STREAMS ROOT TIME  TIME in segments over the slowest link
 *   edge STREAM PARENT CHILD LINK...   in the order in which the parent sends
 *   end                                of a plan
 */
#include <stdio.h>
#include <stdlib.h>

#include "test/must.h"
#include "test/topo/check/completion.h"
#include "test/topo/check/random_network.h"
#include "topo/network/topology.h"

/** Payload of one frame by TCP, less the header of Open MPI's message. */
#define SEGMENT 1426

enum { N_RANDOM = 20, MOST_SWITCHES = 8, MOST_HOSTS = 32 };

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
    int *path =
        must_have(malloc(((size_t) pb_network_max_path(placement->network) + 1) * sizeof(*path)));
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

static void print_plans(const pb_placement_t *placement, pb_kind_t kind)
{
    static const int bytes[] = {8 << 10, 64 << 10, 256 << 10};
    pb_view_t *view;
    pb_plan_t *plan;
    must(pb_view_new(placement, 0, NULL, 0, &view) == PB_SUCCESS);
    must(pb_plan_compute(view, kind, NULL, &plan) == PB_SUCCESS);
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        const int n_segments = (bytes[i] - 1) / SEGMENT + 1;
        printf("plan %s %d %d %d %d %d %.6f\n", pb_kind_name(kind), bytes[i], n_segments,
               plan->n_ranks, plan->n_streams, plan->root, completion(placement, plan, n_segments));
        print_edges(placement, plan);
        printf("end\n");
    }
    pb_plan_free(plan);
    pb_view_free(view);
}

/** All kinds but those whose frames switches copy, whose plan is for repairs. */
static void print_kinds(const pb_network_t *network, const char *name)
{
    pb_placement_t *placement = pb_placement_new(network, pb_network_n_hosts(network));
    int rank = 0;
    must(placement != NULL);
    for (int node = 0; node < pb_network_size(network); node++) {
        if (pb_network_node(network, node)->kind == PB_NODE_HOST) {
            placement->host[rank++] = node;
        }
    }
    print_network(network, name);
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        if (!pb_kind_row((pb_kind_t) kind)->copies) {
            print_plans(placement, (pb_kind_t) kind);
        }
    }
    pb_placement_free(placement);
}

static void print_file(const char *path, const char *name)
{
    pb_network_t *network;
    pb_diag_t diag;
    pb_diag_init(&diag);
    must(pb_topology_read(path, &network, &diag) == PB_SUCCESS);
    print_kinds(network, name);
    pb_network_free(network);
    pb_diag_clear(&diag);
}

/** Every other one has links of unequal speed. */
static void print_random(pb_random_t *random, int number)
{
    char name[32];
    const int max_speed = number % 2 == 0 ? 0 : 4;
    pb_network_t *network =
        pb_random_network(random, (pb_shape_t) (number % PB_SHAPE_COUNT),
                          2 + pb_random_below(random, MOST_SWITCHES - 1),
                          4 + pb_random_below(random, MOST_HOSTS - 3), max_speed);
    snprintf(name, sizeof(name), "%s%d", max_speed > 0 ? "speeds" : "random", number + 1);
    print_kinds(network, name);
    pb_network_free(network);
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
        print_random(&random, i);
    }
    return EXIT_SUCCESS;
}
