/*
 * A kind whose frames switches copy. A frame travels from the root to every host, over each link
 * once, and inside a host along the plan's tree.
 *
 * Each link is fed by one other alone, and all serve segments in order. So one pass over the tree
 * for each segment is enough, without a queue of events.
 */
#include <stdlib.h>

#include "topo/check/simulate_internal.h"
#include "topo/util/kit.h"

typedef struct copies {
    pb_sim_t *sim;
    int *ranks;    /**< of the plan, each behind its parent */
    int *previous; /**< by directed link: the link that feeds it; -1: the root does */
    int *links;    /**< that are used, each behind the one that feeds it */
    int n_links;
    int *into;          /**< by rank: the link by which it gets frames; -1: inside its host */
    int64_t *link_time; /**< by directed link: when the last segment has passed it */
    int64_t *rank_time; /**< by rank: when it has the last segment, and has sent it on */
} copies_t;

/** Adds the way from the root to a rank of another host. */
static void add_path(copies_t *copies, const int *path, int n)
{
    for (int i = 0; i < n; i++) {
        if (copies->previous[path[i]] == -2) {
            copies->previous[path[i]] = i > 0 ? path[i - 1] : -1;
            copies->links[copies->n_links++] = path[i];
        }
    }
}

/** Walks the plan: the order of ranks, and the links to the first one of each host. */
static void walk(copies_t *copies, const pb_placement_t *placement, int *path)
{
    const pb_plan_t *plan = copies->sim->plan;
    const pb_stream_t *stream = &plan->streams[0];
    int n_ranks = 0;
    copies->ranks[n_ranks++] = plan->root;
    for (int at = 0; at < n_ranks; at++) {
        const int rank = copies->ranks[at];
        for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
            const int child = stream->child[i];
            const bool inside = pb_placement_path(placement, rank, child, path) == 0;
            const int n = inside ? 0 : pb_placement_path(placement, plan->root, child, path);
            add_path(copies, path, n);
            copies->into[child] = n > 0 ? path[n - 1] : -1;
            copies->ranks[n_ranks++] = child;
        }
    }
}

/** A segment passes all links. */
static void pass_links(copies_t *copies)
{
    pb_simulation_t *result = copies->sim->result;
    for (int i = 0; i < copies->n_links; i++) {
        const int link = copies->links[i], previous = copies->previous[link];
        const int64_t ticks = copies->sim->link_ticks[link];
        const int64_t comes = previous >= 0 ? copies->link_time[previous] : 0;
        const int64_t starts = pb_max64(comes, copies->link_time[link]);
        result->link_busy[link] += ticks;
        result->max_wait =
            previous >= 0 ? pb_max64(result->max_wait, starts - comes) : result->max_wait;
        copies->link_time[link] = starts + ticks;
    }
}

/** Ranks send it on inside their hosts, one child after the other. */
static void pass_ranks(copies_t *copies)
{
    pb_sim_t *sim = copies->sim;
    const pb_plan_t *plan = sim->plan;
    const pb_stream_t *stream = &plan->streams[0];
    for (int i = 0; i < plan->n_members; i++) {
        const int rank = copies->ranks[i];
        int64_t *time = &copies->rank_time[rank];
        if (rank != plan->root && copies->into[rank] >= 0) {
            *time = pb_max64(*time, copies->link_time[copies->into[rank]]);
            pb_sim_delivered(sim, rank, *time);
        }
        for (int c = stream->first_child[rank]; c < stream->first_child[rank + 1]; c++) {
            const int child = stream->child[c];
            if (copies->into[child] < 0) {
                *time += sim->memory_ticks;
                pb_sim_delivered(sim, child, *time);
                copies->rank_time[child] = pb_max64(copies->rank_time[child], *time);
            }
        }
    }
}

static int prepare(copies_t *copies, pb_sim_t *sim, const pb_placement_t *placement)
{
    const size_t n_ranks = (size_t) sim->plan->n_ranks, n_links = (size_t) sim->result->n_links;
    int *path = malloc(((size_t) pb_network_max_path(placement->network) + 1) * sizeof(*path));
    copies->sim = sim;
    copies->ranks = calloc(n_ranks, sizeof(*copies->ranks));
    copies->into = calloc(n_ranks, sizeof(*copies->into));
    copies->rank_time = calloc(n_ranks, sizeof(*copies->rank_time));
    copies->previous = calloc(n_links + 1, sizeof(*copies->previous));
    copies->links = calloc(n_links + 1, sizeof(*copies->links));
    copies->link_time = calloc(n_links + 1, sizeof(*copies->link_time));
    const bool good = path != NULL && copies->ranks != NULL && copies->into != NULL &&
                      copies->rank_time != NULL && copies->previous != NULL &&
                      copies->links != NULL && copies->link_time != NULL;
    for (size_t link = 0; good && link < n_links; link++) {
        copies->previous[link] = -2;
    }
    if (good) {
        walk(copies, placement, path);
    }
    free(path);
    return good ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

int pb_sim_run_copies(pb_sim_t *sim, const pb_placement_t *placement)
{
    copies_t copies = {0};
    const int rc = prepare(&copies, sim, placement);
    for (int segment = 0; rc == PB_SUCCESS && segment < sim->options->n_segments; segment++) {
        pass_links(&copies);
        pass_ranks(&copies);
    }
    free(copies.ranks);
    free(copies.into);
    free(copies.rank_time);
    free(copies.previous);
    free(copies.links);
    free(copies.link_time);
    return rc;
}
