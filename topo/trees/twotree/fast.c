/*
 * Two trees where trunks are faster than hosts.
 *
 * A trunk of c times the speed of the fastest host's uplink may carry 2c
 * edges of both trees together. Vertices that such trunks join are merged into
 * one (topo/network/view_merge.h), for which the ordinary construction makes lower trees, and
 * ranks take slots of the trees so that few edges cross (near.c). The trunks that
 * are overloaded nevertheless are un-merged, and it is tried again. A link of
 * one host is never merged, as no link of a host is slower than the
 * speed that counts.
 *
 * Lower is not always sooner: where ranks of several switches are mixed, edges
 * are longer. So the plans are compared by how long they take (estimate.c).
 */
#include <stdlib.h>

#include "topo/network/view_merge.h"
#include "topo/trees/link_load.h"
#include "topo/trees/twotree/internal.h"

/** Merged views that are tried. */
#define MAX_ATTEMPTS 4

/** Exchanges of ranks that are tried in all, for each rank. */
#define TRIES_PER_RANK 60

typedef struct trial {
    const pb_view_t *view;
    pb_tables_t *tables;
    pb_tt_near_t near;
    bool *joined;
    int n_vertices; /**< of the merged views that may still be made; time goes with it */
    int height;     /**< of the best plan */
    int64_t ticks;  /**< of the best plan; -1: not known yet */
} trial_t;

/** The edges that each vertex's uplink carries each way, and which can be joined; how many can. */
static int find_capacities(trial_t *trial)
{
    const pb_view_t *view = trial->view;
    const uint32_t sender_speed = pb_link_sender_speed(view);
    int n_joined = 0;
    trial->near.capacity[0] = 0;
    trial->joined[0] = false;
    for (int v = 1; v < view->n_vertices; v++) {
        const pb_vertex_t *vertex = &view->vertices[v];
        const uint32_t speed =
            vertex->speed_in < vertex->speed_out ? vertex->speed_in : vertex->speed_out;
        trial->near.capacity[v] = 2 * pb_link_senders(speed, sender_speed);
        trial->joined[v] = trial->near.capacity[v] > 2;
        n_joined += trial->joined[v];
    }
    return n_joined;
}

/** Un-merges what is overloaded; returns how many remain joined. */
static int unmerge(trial_t *trial)
{
    int n_joined = 0;
    for (int v = 1; v < trial->view->n_vertices; v++) {
        trial->joined[v] = trial->joined[v] && trial->near.overload[v] == 0;
        n_joined += trial->joined[v];
    }
    return n_joined;
}

/** Makes the two trees of the merged view. */
static int make_merged(trial_t *trial, pb_plan_t **plan_p)
{
    pb_view_t *merged;
    *plan_p = NULL;
    int rc = pb_view_merge(trial->view, trial->joined, &merged);
    if (rc == PB_SUCCESS) {
        trial->n_vertices -= merged->n_vertices;
        rc = pb_tt_make_plan(merged, &trial->near, trial->tables, plan_p);
    }
    pb_view_free(merged);
    return rc;
}

/** Puts `plan` in the place of *best_p if it is better; frees the other one. */
static int choose(trial_t *trial, pb_plan_t *plan, pb_plan_t **best_p)
{
    int64_t ticks = 0;
    bool better = trial->near.n_overloaded == 0 && pb_tt_height(plan) <= trial->height;
    int rc = better ? pb_tt_estimate(trial->view, plan, &ticks) : PB_SUCCESS;
    if (better && rc == PB_SUCCESS && trial->ticks < 0) {
        rc = pb_tt_estimate(trial->view, *best_p, &trial->ticks);
    }
    better = better && rc == PB_SUCCESS && ticks < trial->ticks;
    pb_plan_free(better ? *best_p : plan);
    if (better) {
        *best_p = plan;
        trial->height = pb_tt_height(plan);
        trial->ticks = ticks;
    }
    return rc;
}

static int try_merged(trial_t *trial, pb_plan_t **best_p)
{
    int n_joined = find_capacities(trial);
    int rc = PB_SUCCESS;
    for (int i = 0; i < MAX_ATTEMPTS && n_joined > 0 && rc == PB_SUCCESS; i++) {
        if (trial->near.tries <= 0 || trial->view->n_vertices - n_joined > trial->n_vertices) {
            break;
        }
        pb_plan_t *plan;
        rc = make_merged(trial, &plan);
        if (rc == PB_SUCCESS) {
            const bool fits = trial->near.n_overloaded == 0;
            const bool lower = pb_tt_height(plan) < trial->height;
            rc = choose(trial, plan, best_p);
            /* With less merged, trees are higher. */
            n_joined = fits || !lower ? 0 : unmerge(trial);
        }
    }
    return rc;
}

int pb_tt_use_fast_trunks(const pb_view_t *view, pb_tables_t *tables, pb_plan_t **plan_p)
{
    const size_t n = (size_t) view->n_vertices;
    trial_t trial = {.view = view,
                     .tables = tables,
                     .n_vertices = view->n_vertices / 2 + 1,
                     .height = pb_tt_height(*plan_p),
                     .ticks = -1};
    trial.near = (pb_tt_near_t){.view = view, .tries = TRIES_PER_RANK * (long) view->n_ranks};
    trial.near.capacity = malloc(n * sizeof(*trial.near.capacity));
    trial.near.overload = malloc(n * sizeof(*trial.near.overload));
    trial.joined = malloc(n * sizeof(*trial.joined));
    int rc = PB_ERR_NO_MEMORY;
    if (trial.near.capacity != NULL && trial.near.overload != NULL && trial.joined != NULL) {
        rc = try_merged(&trial, plan_p);
    }
    free(trial.near.capacity);
    free(trial.near.overload);
    free(trial.joined);
    return rc;
}
