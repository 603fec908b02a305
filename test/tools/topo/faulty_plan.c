/*
 * Stands between the tool and pb_plan_compute() (the linker wraps it), and makes
 * what no construction makes: plans that break their promise.
 */
#include <stdlib.h>
#include <string.h>

#include "topo/trees/plan.h"

int __real_pb_plan_compute(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                           pb_plan_t **plan_p);
int __wrap_pb_plan_compute(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                           pb_plan_t **plan_p);

/* FAULTY_PLAN=contention: a chain in rank order that calls itself contention-free;
 * FAULTY_PLAN=orphan: a plan whose deepest rank nobody sends to. */
int __wrap_pb_plan_compute(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                           pb_plan_t **plan_p)
{
    const char *fault = getenv("FAULTY_PLAN");
    int error = __real_pb_plan_compute(view, PB_KIND_RANK_CHAIN, options, plan_p);
    if (error != PB_SUCCESS || fault == NULL) {
        return error;
    }
    (*plan_p)->kind = kind;
    if (strcmp(fault, "orphan") == 0) {
        pb_stream_t *stream = &(*plan_p)->streams[0];
        int last = stream->child[view->n_ranks - 2];
        stream->parent[last] = -1;
        for (int rank = last; rank <= view->placement->n_ranks; rank++) {
            stream->first_child[rank]--;
        }
    }
    return error;
}
