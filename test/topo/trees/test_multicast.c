/* The tree of repairs: low, of small degree, contention-free, and it enters each host once, by the
 * lowest rank there. */
#include <stdlib.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"

static int host_of(const tree_case_t *c, int rank)
{
    return pb_network_host_of(c->network, c->placement->host[rank]);
}

/** Whether no lower rank of the view is on its host. */
static bool is_lowest(const tree_case_t *c, int rank)
{
    for (int i = 0; i < c->view->n_ranks; i++) {
        const int other = c->view->order[i];
        if (other < rank && host_of(c, other) == host_of(c, rank)) {
            return false;
        }
    }
    return true;
}

/** Whether one rank of each host but the root's has its parent elsewhere, the lowest one. */
static bool enters_once(const tree_case_t *c, const pb_plan_t *plan)
{
    int *n_entries = calloc((size_t) pb_network_size(c->network), sizeof(*n_entries));
    bool good = true;
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        const int parent = plan->streams[0].parent[rank];
        if (parent >= 0 && host_of(c, parent) != host_of(c, rank)) {
            n_entries[host_of(c, rank)]++;
            good = good && is_lowest(c, rank);
        }
    }
    for (int i = 0; i < c->view->n_ranks; i++) {
        const int host = host_of(c, c->view->order[i]);
        good = good && n_entries[host] == (host != host_of(c, plan->root));
    }
    free(n_entries);
    return good;
}

/** With places inside hosts, links between these are not judged. */
static bool is_right(const tree_case_t *c, bool has_places)
{
    pb_plan_t *plan = tree_case_plan(c, PB_KIND_MULTICAST, 0);
    pb_plan_t *binary = tree_case_plan(c, PB_KIND_BINARY, 0);
    const pb_stream_t *stream = &plan->streams[0];
    bool good = plan->kind == PB_KIND_MULTICAST && plan->n_streams == 1 &&
                (has_places || tree_case_judge(c, plan, 3, TREE_CASE_LOAD)) &&
                enters_once(c, plan) && tree_case_height(plan) <= tree_case_height(binary);
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        const int n = stream->first_child[rank + 1] - stream->first_child[rank];
        good = good && n <= 2 + (rank == plan->root);
    }
    pb_plan_free(binary);
    pb_plan_free(plan);
    return good;
}

int main(void)
{
    const int n_trials = tap_trials(200, 60);
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        const char *name = pb_shape_name((pb_shape_t) shape);
        pb_random_t random = pb_random_seed(7200 + (uint64_t) shape);
        int n_equal = 0, n_unequal = 0, n_places = 0;
        for (int i = 0; i < n_trials; i++) {
            tree_case_t c;
            tree_case_init(&c, &random, (pb_shape_t) shape, (tree_case_size_t){20, 80, 4, 0, true});
            n_equal += is_right(&c, false);
            (void) tree_case_locate(&c, &random);
            n_places += is_right(&c, true);
            tree_case_clear(&c);
            tree_case_init(&c, &random, (pb_shape_t) shape,
                           (tree_case_size_t){20, 60, 3, 10, true});
            n_unequal += is_right(&c, false);
            tree_case_clear(&c);
        }
        ok(n_equal == n_trials, "%s: right in %d of %d", name, n_equal, n_trials);
        ok(n_places == n_trials, "%s, places inside hosts: in %d of %d", name, n_places, n_trials);
        ok(n_unequal == n_trials, "%s, links of unequal speed: in %d of %d", name, n_unequal,
           n_trials);
    }
    return tap_done();
}
