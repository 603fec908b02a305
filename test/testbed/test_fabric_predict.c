/*
 * Predictions of multicast, compared with the fabric's model of its frames, on the testbed's
 * topologies and random networks, at 2 Mbit/s.
 */
#include <stdio.h>
#include <stdlib.h>

#include "test/tap.h"
#include "test/testbed/fabric_bench.h"
#include "test/topo/check/random_network.h"
#include "topo/model/choose.h"
#include "topo/model/profile.h"
#include "topo/network/topology.h"

#define MBIT UINT64_C(1000000)

enum {
    PAYLOAD = 1448,
    HEADERS = 14 + 20 + 8 + 24, /* Ethernet, IP, UDP and of a frame of ours */
    N_SIZES = 11,               /* 1 KB to 1 MB */
};

/** The last arrival of a message of `bytes` that host `root` sends to all, frame by frame. */
static int64_t flood(pb_network_t *network, int root, uint64_t bytes)
{
    fabric_links_t links = bench_links;
    links.rate = 2 * MBIT;
    links.host_queue = links.switch_queue = UINT64_C(1) << 30;
    bench_t bench = bench_on(network, links);
    const char *from = pb_network_node(network, root)->name;
    int64_t last = 0;
    for (uint64_t sent = 0; sent < bytes; sent += PAYLOAD) {
        const uint64_t left = bytes - sent;
        bench_send(&bench, from, NULL, (uint32_t) (left < PAYLOAD ? left : PAYLOAD) + HEADERS, 0,
                   0);
    }
    for (int64_t time = 0; time >= 0; time = bench_next(&bench, INT64_MAX)) {
        last = time;
    }
    fabric_model_free(bench.model);
    return last;
}

/** The least and the most of predicted over emulated times, and how many there are. */
typedef struct ratios {
    double least, most;
    int n;
} ratios_t;

/** From some roots, of all sizes. */
static void compare(pb_network_t *network, int n_roots, ratios_t *ratios)
{
    static const pb_choose_options_t options = {
        .kind = PB_KIND_MULTICAST, .frame = PAYLOAD, .plan.fanout = 3};
    pb_placement_t *placement = pb_placement_new(network, pb_network_n_hosts(network));
    static pb_model_t model;
    int rank = 0;
    for (int node = 0; node < pb_network_size(network); node++) {
        if (pb_network_node(network, node)->kind == PB_NODE_HOST) {
            placement->host[rank++] = node;
        }
    }
    /* The network's lowest speed is 2 Mbit/s; models are of the slowest host's. */
    pb_model_assume(2 * MBIT * pb_profile_host_speed(placement) / pb_network_base_speed(network),
                    1500, &model);
    pb_chooser_t *chooser = pb_chooser_new(placement, &model, &options);
    for (int i = 0; i < n_roots; i++) {
        const int root = i * (placement->n_ranks - 1) / n_roots;
        for (int size = 0; size < N_SIZES; size++) {
            const uint64_t bytes = UINT64_C(1024) << size;
            const pb_candidate_t candidate = {.kind = PB_KIND_MULTICAST, .segment = PAYLOAD};
            const double predicted = (double) pb_choose_time(chooser, root, bytes, &candidate);
            const double ratio = predicted / (double) flood(network, placement->host[root], bytes);
            ratios->least = ratios->n == 0 || ratio < ratios->least ? ratio : ratios->least;
            ratios->most = ratio > ratios->most ? ratio : ratios->most;
            ratios->n++;
        }
    }
    pb_chooser_free(chooser);
    pb_placement_free(placement);
}

static void report(const ratios_t *ratios, double most, const char *what)
{
    ok(ratios->n > 0 && ratios->least > 0.99 && ratios->most < most,
       "%s: predicted / emulated from %.4f to %.4f in %d cases", what, ratios->least, ratios->most,
       ratios->n);
}

static void test_topologies(void)
{
    for (int n = 1; n <= 5; n++) {
        char path[1024], what[32];
        pb_network_t *network;
        pb_diag_t diag;
        ratios_t ratios = {0};
        pb_diag_init(&diag);
        snprintf(path, sizeof(path), "%s/contrib/testbed/topology%d.conf",
                 getenv("PIPEBCAST_SRCDIR"), n);
        snprintf(what, sizeof(what), "topology %d", n);
        if (pb_topology_read(path, &network, &diag) == PB_SUCCESS) {
            compare(network, 5, &ratios);
        }
        report(&ratios, 1.01, what);
        pb_network_free(network);
        pb_diag_clear(&diag);
    }
}

static void test_random(int max_speed, double most, const char *what)
{
    pb_random_t random = pb_random_seed(31);
    ratios_t ratios = {0};
    for (int i = 0; i < 20; i++) {
        pb_network_t *network = pb_random_network(&random, (pb_shape_t) (i % PB_SHAPE_COUNT),
                                                  1 + pb_random_below(&random, 8),
                                                  2 + pb_random_below(&random, 40), max_speed);
        compare(network, 2, &ratios);
        pb_network_free(network);
    }
    report(&ratios, most, what);
}

int main(void)
{
    test_topologies();
    test_random(0, 1.01, "20 random networks");
    /* Behind a slow link a short last frame is faster than the frames before it. */
    test_random(4, 1.2, "and with links of unequal speed");
    return tap_done();
}
