/*
 * Broadcasts while the advice changes. The root of a broadcast often publishes other trees first,
 * none, trees for some sizes or roots only, or trees that are stale already. Ranks come at
 * different times. Every byte is verified. Rank i is on host "n<i mod HOSTS>". Usage: run_adaptive
 * DIR HOSTS BROADCASTS [MAX_DELAY_US]
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "contrib/adaptive/advice/advice.h"
#include "contrib/adaptive/search/trees.h"
#include "test/must.h"

enum { MAX_BYTES = 60000, MAX_HOSTS = 64 };

static char names[MAX_HOSTS][16];
static const char *hosts[MAX_HOSTS];
static int n_hosts;

static void set_hosts(int n)
{
    n_hosts = n < MAX_HOSTS ? n : MAX_HOSTS;
    for (int i = 0; i < n_hosts; i++) {
        snprintf(names[i], sizeof(names[i]), "n%d", i);
        hosts[i] = names[i];
    }
}

static pb_tree_t *random_tree(pb_random_t *random, int root)
{
    int nodes[MAX_HOSTS];
    pb_tree_t *tree = pb_tree_new(n_hosts, root);
    for (int i = 0; i < n_hosts; i++) {
        nodes[i] = i == 0 ? root : i == root ? 0 : i;
    }
    pb_tree_random(random, nodes, n_hosts, tree);
    return tree;
}

/** A few trees for sizes that cut octaves, of one root. */
static void add_trees(pb_random_t *random, pb_advice_t *advice, int root)
{
    uint64_t least = (uint64_t) pb_random_below(random, 3000);
    const int n_trees = pb_random_below(random, 4);
    for (int i = 0; i < n_trees; i++) {
        pb_advice_tree_t tree = {.root = root,
                                 .least = least,
                                 .most = least + (uint64_t) pb_random_below(random, 30000),
                                 .segment = 40 + (uint32_t) pb_random_below(random, 4000),
                                 .n_streams = 1 + pb_random_below(random, PB_ADVICE_MAX_STREAMS)};
        for (int s = 0; s < tree.n_streams; s++) {
            tree.streams[s] = random_tree(random, root);
        }
        check(pb_advice_add(advice, &tree) == PB_SUCCESS, "a random tree is added");
        for (int s = 0; s < tree.n_streams; s++) {
            pb_tree_free(tree.streams[s]);
        }
        least = tree.most + 1;
    }
}

/** Advice at random, for all roots, put into the directory by the rank that publishes. */
static void random_advice(pb_random_t *random, const char *dir, bool publishes)
{
    pb_diag_t diag;
    pb_advice_t *advice;
    pb_diag_init(&diag);
    check(pb_advice_new(hosts, n_hosts, 3600, &advice) == PB_SUCCESS, "advice for the hosts");
    for (int root = 0; root < n_hosts; root++) {
        add_trees(random, advice, root);
    }
    if (publishes) {
        check(pb_advice_publish(dir, advice, &diag) == PB_SUCCESS, "advice is published");
    }
    pb_advice_free(advice);
    pb_diag_clear(&diag);
}

static pb_random_t random_state; /* alike on all ranks */

static void broadcast(const char *dir, int i, int max_delay)
{
    const int root = pb_random_below(&random_state, 3) % n_ranks;
    const size_t bytes = 64 + (size_t) pb_random_below(&random_state, MAX_BYTES - 64);
    if (pb_random_below(&random_state, 3) == 0) {
        random_advice(&random_state, dir, my_rank == root);
    }
    const int late = pb_random_below(&random_state, n_ranks);
    const int delay = pb_random_below(&random_state, max_delay + 1);
    if (my_rank == late) {
        wait_us(delay);
    }
    check_bcast(BLOCKING, bytes, root, MPI_COMM_WORLD, (unsigned) i, "changing advice");
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    must(argc >= 4);
    set_hosts(atoi(argv[2]));
    random_state = pb_random_seed(17);
    for (int i = 0; i < atoi(argv[3]); i++) {
        broadcast(argv[1], i, (int) argument(argc, argv, 4, 0));
    }
    return check_done("run_adaptive");
}
