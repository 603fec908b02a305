/* The circulant schedule for every number of ranks up to a bound. */
#include <stdlib.h>

#include "test/tap.h"
#include "test/topo/check/completion.h"
#include "topo/check/checker.h"
#include "topo/trees/plan.h"

#define MAX_RANKS 200

static int log2_up(int n)
{
    int log = 0;
    while ((1 << log) < n) {
        log++;
    }
    return log;
}

static pb_placement_t *one_switch(int n, pb_network_t **network_p)
{
    char text[MAX_RANKS][16];
    const char *names[MAX_RANKS] = {NULL};
    for (int i = 0; i < n; i++) {
        snprintf(text[i], sizeof(text[i]), "m%d", i);
        names[i] = text[i];
    }
    pb_network_t *network = pb_network_one_switch(names, n);
    pb_placement_t *placement = pb_placement_new(network, n);
    for (int i = 0; i < n; i++) {
        placement->host[i] = pb_network_find(network, names[i]);
    }
    *network_p = network;
    return placement;
}

static pb_plan_t *plan_of(const pb_placement_t *placement, int root)
{
    pb_view_t *view = NULL;
    pb_plan_t *plan = NULL;
    if (pb_view_new(placement, root, NULL, 0, &view) == PB_SUCCESS) {
        pb_plan_compute(view, PB_KIND_CIRCULANT, NULL, &plan);
    }
    pb_view_free(view);
    return plan;
}

/* A rank's number in the schedule: the root is 0, the others follow in order. */
static int number_of(const pb_plan_t *plan, int rank)
{
    return rank == plan->root ? 0 : rank + (rank < plan->root);
}

/* The round of the period in which the edge into a rank sends: skips halve from n down, rounded up,
 * and the last of them is that of round 0. -1 for an edge that is none of the schedule's. */
static int round_of(const pb_plan_t *plan, int stream, int rank)
{
    const int n = plan->n_ranks;
    const int parent = plan->streams[stream].parent[rank];
    const int skip = (number_of(plan, rank) - number_of(plan, parent) + n) % n;
    int length = n;
    for (int k = log2_up(n) - 1; k >= 0; k--) {
        length = (length + 1) / 2;
        if (length == skip) {
            return k;
        }
    }
    return -1;
}

/* In each round a rank receives from one other and sends to one: the round says which, so that it
 * is enough if a rank receives in each round once, all streams together. */
static int rounds_are_right(const pb_plan_t *plan)
{
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        unsigned int seen = 0;
        for (int s = 0; s < plan->n_streams && rank != plan->root; s++) {
            const int k = round_of(plan, s, rank);
            if (k < 0 || (seen & 1u << k) != 0) {
                return 0;
            }
            seen |= 1u << k;
        }
    }
    return 1;
}

/* The first slot at or after `time` that is one of round k. */
static int next_slot(int time, int k, int q)
{
    return time + ((k - time) % q + q) % q;
}

/* Slots until all ranks have all segments if every edge sends in the slots of its round alone. */
static int schedule_length(const pb_plan_t *plan, int n_segments)
{
    const int q = plan->n_streams;
    int length = 0;
    for (int s = 0; s < q; s++) {
        for (int rank = 0; rank < plan->n_ranks; rank++) {
            int way[MAX_RANKS], n = 0, time = 0;
            for (int at = rank; at != plan->root; at = plan->streams[s].parent[at]) {
                way[n++] = round_of(plan, s, at);
            }
            while (n > 0) {
                time = next_slot(time, way[--n], q) + 1;
            }
            /* Further segments of the stream follow every q slots. */
            time = rank != plan->root ? time + (n_segments / q - 1) * q : 0;
            length = time > length ? time : length;
        }
    }
    return length;
}

/* A rank sends a segment on in the rounds that follow the one in which it came, one after the
 * other; the root has it before round 0. */
static int order_is_right(const pb_plan_t *plan)
{
    const int q = plan->n_streams;
    for (int s = 0; s < q; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        for (int rank = 0; rank < plan->n_ranks; rank++) {
            int time = rank != plan->root ? round_of(plan, s, rank) + 1 : 0;
            const int last = time + q;
            for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
                time = next_slot(time, round_of(plan, s, stream->child[i]), q) + 1;
            }
            if (time > last) {
                return 0;
            }
        }
    }
    return 1;
}

/* Every stream a spanning tree, and no two edges of a round in conflict. */
static int is_right(const pb_placement_t *placement, const pb_plan_t *plan)
{
    pb_diag_t diag;
    pb_check_t check;
    pb_diag_init(&diag);
    int right = pb_check_plan(placement, plan, NULL, &check, &diag) == PB_SUCCESS &&
                pb_check_contention_free(placement, plan, &check, &diag) == PB_SUCCESS &&
                rounds_are_right(plan) && order_is_right(plan);
    if (!right) {
        printf("# %s\n", pb_diag_first(&diag));
    }
    pb_check_clear(&check);
    pb_diag_clear(&diag);
    return right;
}

/* With q streams, X a multiple of q: X - 1 + q is the bound of any broadcast, X + ceil(log2 (P -
 * 1)) that of fixed trees at full rate, one more at most for P not just above a power of two. */
static void test_all(void)
{
    int n_wrong = 0, n_late = 0, worst = 0;
    for (int n = 2; n <= MAX_RANKS; n++) {
        pb_network_t *network;
        pb_placement_t *placement = one_switch(n, &network);
        int roots[3] = {0, n / 3, n - 1}, q = log2_up(n), n_segments = 6 * q;
        for (int i = 0; i < 3; i++) {
            pb_plan_t *plan = plan_of(placement, roots[i]);
            int right = plan != NULL && plan->n_streams == q && is_right(placement, plan);
            n_wrong += !right;
            if (right) {
                int above = schedule_length(plan, n_segments) - (n_segments - 1 + q);
                n_late += above > 1;
                worst = above > worst ? above : worst;
            }
            pb_plan_free(plan);
        }
        pb_placement_free(placement);
        pb_network_free(network);
    }
    ok(n_wrong == 0, "2 to %d ranks, three roots: %d wrong", MAX_RANKS, n_wrong);
    ok(n_late == 0, "at most one slot above X - 1 + ceil(log2 P): %d later, by up to %d", n_late,
       worst);
}

static void test_small(void)
{
    pb_network_t *network;
    pb_placement_t *placement = one_switch(2, &network);
    pb_plan_t *plan = plan_of(placement, 1);
    ok(plan != NULL && completion(placement, plan, PB_SIMULATE_SLOT, 10) == 10,
       "two ranks: X slots, the bound");
    pb_plan_free(plan);
    pb_placement_free(placement);
    pb_network_free(network);
    placement = one_switch(1, &network);
    plan = plan_of(placement, 0);
    ok(plan != NULL && plan->n_streams == 1 && is_right(placement, plan), "a rank alone");
    pb_plan_free(plan);
    pb_placement_free(placement);
    pb_network_free(network);
}

/* Two ranks on one of three hosts: the host is a vertex of its own. */
static void test_unfit(void)
{
    pb_network_t *network;
    pb_placement_t *placement = one_switch(4, &network);
    placement->host[3] = placement->host[2];
    pb_view_t *view;
    pb_plan_t *plan = NULL;
    int error = pb_view_new(placement, 0, NULL, 0, &view);
    error = error == PB_SUCCESS ? pb_plan_compute(view, PB_KIND_CIRCULANT, NULL, &plan) : error;
    ok(error == PB_ERR_UNFIT && plan == NULL, "more than one vertex is unfit");
    pb_plan_free(plan);
    pb_view_free(view);
    pb_placement_free(placement);
    pb_network_free(network);
}

int main(void)
{
    test_all();
    test_small();
    test_unfit();
    return tap_done();
}
