/* Kinds, and the linking of children; the constructions have tests of their own. */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "topo/trees/plan.h"

static void test_kinds(void)
{
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        const char *name = pb_kind_name((pb_kind_t) kind);
        ok(name != NULL && pb_kind_find(name) == kind, "kind %d is %s", kind, name);
    }
    ok(pb_kind_name(PB_KIND_COUNT) == NULL, "no kind has no name");
    ok(pb_kind_find("Chain") == PB_ERR_UNKNOWN && pb_kind_find("") == PB_ERR_UNKNOWN,
       "no name has no kind");
}

static void test_children(const pb_view_t *view)
{
    static const int parents[] = {2, 0, -1, 2, 0, 2};
    pb_plan_t *plan = pb_plan_new(view, PB_KIND_FLAT, 1);
    pb_stream_t *stream = &plan->streams[0];
    ok(plan->n_ranks == 6 && plan->n_members == 6 && plan->root == 2 && plan->n_streams == 1,
       "an empty plan");
    memcpy(stream->parent, parents, sizeof(parents));
    ok(pb_plan_link_children(plan, 0, view, NULL) == PB_SUCCESS && stream->height == 2, "height");
    static const int first[] = {0, 2, 2, 5, 5, 5, 5};
    ok(memcmp(stream->first_child, first, sizeof(first)) == 0, "ranges of children");
    ok(memcmp(stream->child, (int[]){1, 4, 0, 3, 5}, 5 * sizeof(int)) == 0, "children by position");
    ok(pb_plan_link_children(plan, 0, view, (int[]){5, -4, 3, 3, -5, 3}) == PB_SUCCESS &&
           memcmp(stream->child, (int[]){4, 1, 3, 5, 0}, 5 * sizeof(int)) == 0,
       "children by a given order, then by position");
    pb_plan_free(plan);
    pb_plan_free(NULL);
}

static void test_compute(const pb_view_t *view)
{
    pb_plan_t *plan = (pb_plan_t *) view;
    ok(pb_plan_compute(view, PB_KIND_COUNT, NULL, &plan) == PB_ERR_UNFIT && plan == NULL,
       "no kind, no plan");
    ok(pb_plan_compute(view, PB_KIND_CHAIN, NULL, &plan) == PB_SUCCESS &&
           plan->kind == PB_KIND_CHAIN && plan->streams[0].height == 5,
       "a chain");
    pb_plan_free(plan);
}

int main(void)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    pb_network_t *network = pb_network_one_switch(names, 6);
    pb_placement_t *placement = pb_placement_new(network, 6);
    for (int rank = 0; rank < 6; rank++) {
        placement->host[rank] = rank;
    }
    pb_view_t *view;
    pb_view_new(placement, 2, NULL, 0, &view);
    test_kinds();
    test_children(view);
    test_compute(view);
    pb_view_free(view);
    pb_placement_free(placement);
    pb_network_free(network);
    return tap_done();
}
