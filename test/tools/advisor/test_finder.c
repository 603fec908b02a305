/* Tree that is advised, of four clusters of four nodes, in different states. */
#include "contrib/adaptive/advisor/finder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/search/tree_cost.h"
#include "test/adaptive/search/given_matrix.h"
#include "test/must.h"
#include "test/tap.h"

enum { N = 16, PER_CLUSTER = 4, LOCAL = 8000000, WIDE = 1000000, BYTES = 1 << 20, SEGMENT = 2874 };

/** Links without a topology. */
static struct advise_network network_of(pb_link_matrix_t *matrix)
{
    struct advise_network network = {.matrix = matrix};
    must(pb_placement_one_switch((const char *const *) matrix->node, matrix->n_nodes,
                                 &network.one_switch, &network.placement) == PB_SUCCESS);
    return network;
}

/** Two sites of two clusters each. */
static void make_network(struct advise_network *network)
{
    *network = network_of(given_matrix(2, 4, N, 10000, 2000000, WIDE));
    for (int cluster = 0; cluster < 4; cluster++) {
        given_way(network->matrix, cluster, cluster, 50000, LOCAL);
    }
    must(advise_network_share(network) == PB_SUCCESS);
}

static int64_t no_time(void *context)
{
    int64_t *calls = context;
    return ++*calls;
}

static struct advise_wish make_wish(enum advise_method method, int64_t *calls)
{
    return (struct advise_wish){.method = method,
                                .root = 0,
                                .bytes = BYTES,
                                .segment = SEGMENT,
                                .seed = 1,
                                .budget = 3000,
                                .now = no_time,
                                .context = calls};
}

static struct advise_found find(const struct advise_network *network,
                                const struct advise_wish *wish)
{
    struct advise_found found;
    must(advise_find(network, wish, &found) == PB_SUCCESS);
    return found;
}

static bool same_tree(const pb_tree_t *a, const pb_tree_t *b)
{
    return memcmp(a->parent, b->parent, N * sizeof(int)) == 0;
}

/** The only child outside of its own cluster that a cluster feeds, or how many there are. */
static int edges_out_of(const pb_tree_t *tree, int cluster)
{
    int n = 0;
    for (int i = 0; i < N; i++) {
        const int parent = tree->parent[i];
        n += parent >= 0 && parent / PER_CLUSTER == cluster && i / PER_CLUSTER != cluster;
    }
    return n;
}

static void test_free(const struct advise_network *network)
{
    int64_t calls = 0;
    const struct advise_wish wish = make_wish(ADVISE_ANNEALED, &calls);
    const struct advise_wish plain = make_wish(ADVISE_MULTILEVEL, &calls);
    const struct advise_wish other = make_wish(ADVISE_MATEESCU, &calls);
    struct advise_found ours = find(network, &wish), multilevel = find(network, &plain),
                        mateescu = find(network, &other);
    ok(ours.cost <= multilevel.cost && ours.cost <= mateescu.cost, "no worse than the others");
    ok(multilevel.cost == multilevel.multilevel && multilevel.cost == ours.multilevel,
       "the multilevel tree's cost is reported");
    ok(ours.segment == SEGMENT, "the segment size that is wanted");
    ok(ours.cost <= ours.multilevel / 100 * ADVISE_WORTH_PERCENT || ours.n_streams > 1 ||
           same_tree(ours.streams[0], multilevel.streams[0]),
       "either clearly better than the multilevel tree, or known without a search");
    advise_found_clear(&ours);
    advise_found_clear(&multilevel);
    advise_found_clear(&mateescu);
}

static void test_loaded(struct advise_network *network)
{
    int64_t calls = 0;
    struct advise_wish wish = make_wish(ADVISE_ANNEALED, &calls);
    given_way(network->matrix, 2, 3, 2000000,
              WIDE / 5); /* out of the cluster that the multilevel tree relays by */
    (void) advise_network_share(network);
    struct advise_found found = find(network, &wish);
    ok(edges_out_of(found.streams[0], 2) == 0, "a loaded way is not used");
    ok(found.cost * 2 < found.multilevel, "and that is worth it");

    const pb_advice_tree_t in_use = {.root = 0,
                                     .least = 1,
                                     .most = BYTES,
                                     .segment = SEGMENT,
                                     .n_streams = 1,
                                     .streams = {found.streams[0]}};
    wish.in_use = &in_use;
    wish.seed = 2;
    struct advise_found again = find(network, &wish);
    ok((again.kept && same_tree(again.streams[0], found.streams[0])) ||
           again.cost <= found.cost / 100 * ADVISE_WORTH_PERCENT,
       "the tree in use stays unless another is clearly better");
    advise_found_clear(&again);
    advise_found_clear(&found);
}

static void test_segments(const struct advise_network *network)
{
    int64_t calls = 0;
    struct advise_wish wish = make_wish(ADVISE_MULTILEVEL, &calls);
    wish.segment = 0;
    struct advise_found large = find(network, &wish);
    wish.bytes = 1000;
    struct advise_found small = find(network, &wish);
    ok(large.segment >= 1426 && large.segment < BYTES, "a large message is cut: %u",
       (unsigned) large.segment);
    ok(small.segment > 0, "a small one has a segment size, too");
    advise_found_clear(&large);
    advise_found_clear(&small);
    wish.root = N;
    ok(advise_find(network, &wish, &small) == PB_ERR_INPUT && small.n_streams == 0, "no such root");
}

/** Where all links are alike, the static two trees beat a tree; not where one is loaded. */
static void test_streams(void)
{
    int64_t calls = 0;
    struct advise_network network = network_of(given_matrix(1, 1, N, 10000, 50000, LOCAL));
    struct advise_wish wish = make_wish(ADVISE_ANNEALED, &calls);
    (void) advise_network_share(&network);
    wish.bytes = (uint64_t) 24 * SEGMENT;
    struct advise_found alike = find(&network, &wish);
    ok(alike.n_streams == 2 && !alike.kept, "links that are alike: two streams");
    ok(alike.n_streams == 2 && alike.streams[0]->root == 0 && alike.streams[1]->root == 0,
       "both from the root");

    const pb_advice_tree_t in_use = {.segment = SEGMENT, .n_streams = 2};
    wish.in_use = &in_use;
    struct advise_found again = find(&network, &wish);
    ok(again.n_streams == 2 && again.kept, "and they stay");
    for (int i = 0; i < N; i++) { /* out of a node that forwards in one of the two */
        network.matrix->bandwidth[1 * N + i] = LOCAL / 50;
        network.matrix->bandwidth[2 * N + i] = LOCAL / 50;
    }
    (void) advise_network_share(&network);
    struct advise_found loaded = find(&network, &wish);
    ok(loaded.n_streams == 1 && loaded.cost > alike.cost, "loaded links: an annealed tree");
    advise_found_clear(&alike);
    advise_found_clear(&again);
    advise_found_clear(&loaded);
    advise_network_clear(&network);
}

int main(void)
{
    struct advise_network network;
    test_streams();
    make_network(&network);
    test_free(&network);
    test_segments(&network);
    test_loaded(&network);
    advise_network_clear(&network);
    return tap_done();
}
