#include "contrib/adaptive/advice/host_plan.h"

#include <stdbool.h>
#include <stdlib.h>

/** Where each rank is on its host. */
typedef struct seats {
    int *leader;   /**< by host: the rank */
    int *n_seated; /**< by host: its ranks so far */
    int *above;    /**< by rank: its parent on the host; -1 for leaders */
    int *nth;      /**< by host and seat, from first[host] on: the rank */
    int *first;    /**< by host */
    int *order;    /**< by rank: when its parent serves it */
} seats_t;

/** All are parts of one block, which begins with `leader`. False if out of memory. */
static bool seats_init(seats_t *seats, size_t n_ranks, size_t n_hosts)
{
    seats->leader = calloc(3 * n_hosts + 1 + 3 * n_ranks, sizeof(int));
    if (seats->leader == NULL) {
        return false;
    }
    seats->n_seated = seats->leader + n_hosts;
    seats->first = seats->n_seated + n_hosts;
    seats->above = seats->first + n_hosts + 1;
    seats->nth = seats->above + n_ranks;
    seats->order = seats->nth + n_ranks;
    return true;
}

/** Gives the rank the next seat of its host; seat i is below seat (i - 1) / 2. */
static void seat(seats_t *seats, const int *host, int rank)
{
    const int h = host[rank], i = seats->n_seated[h]++;
    int *nth = seats->nth + seats->first[h];
    nth[i] = rank;
    seats->above[rank] = i == 0 ? -1 : nth[(i - 1) / 2];
    if (i == 0) {
        seats->leader[h] = rank;
    }
}

/** Seats the root first, then the others. False if a host is out of range or stays empty. */
static bool seat_all(seats_t *seats, const int *host, int n_ranks, int n_hosts, int root)
{
    for (int rank = 0; rank < n_ranks; rank++) {
        if (host[rank] < 0 || host[rank] >= n_hosts) {
            return false;
        }
        seats->first[host[rank] + 1]++;
    }
    for (int h = 0; h < n_hosts; h++) {
        if (seats->first[h + 1] == 0) {
            return false;
        }
        seats->first[h + 1] += seats->first[h];
    }
    seat(seats, host, root);
    for (int rank = 0; rank < n_ranks; rank++) {
        if (rank != root) {
            seat(seats, host, rank);
        }
    }
    return true;
}

static int fill_stream(pb_plan_t *plan, int stream, const pb_view_t *view, const pb_tree_t *tree,
                       const int *host, const seats_t *seats)
{
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        const int h = host[rank];
        const bool leads = seats->leader[h] == rank;
        const int above = leads ? tree->parent[h] : -1;
        plan->streams[stream].parent[rank] = !leads      ? seats->above[rank]
                                             : above < 0 ? -1
                                                         : seats->leader[above];
        seats->order[rank] = leads ? tree->child_index[h] : INT32_MAX;
    }
    return pb_plan_link_children(plan, stream, view, seats->order);
}

int pb_host_plan(const pb_view_t *view, const int *host, int n_hosts,
                 const pb_tree_t *const *streams, int n_streams, pb_plan_t **plan_p)
{
    const int n_ranks = view->placement->n_ranks, root = view->order[0];
    seats_t seats = {0};
    pb_plan_t *plan = NULL;
    int error = PB_SUCCESS;
    *plan_p = NULL;
    if (view->n_ranks != n_ranks || n_hosts < 1 || n_streams < 1 ||
        n_streams > PB_PLAN_MAX_STREAMS) {
        return PB_ERR_INPUT;
    }
    if (!seats_init(&seats, (size_t) n_ranks, (size_t) n_hosts)) {
        error = PB_ERR_NO_MEMORY;
    } else if (!seat_all(&seats, host, n_ranks, n_hosts, root)) {
        error = PB_ERR_INPUT;
    }
    for (int s = 0; s < n_streams && error == PB_SUCCESS; s++) {
        error = pb_tree_check_all(streams[s], n_hosts, host[root]);
    }
    if (error == PB_SUCCESS) {
        plan = pb_plan_new(view, PB_KIND_COUNT, n_streams);
        error = plan == NULL ? PB_ERR_NO_MEMORY : PB_SUCCESS;
    }
    for (int s = 0; s < n_streams && error == PB_SUCCESS; s++) {
        error = fill_stream(plan, s, view, streams[s], host, &seats);
    }
    free(seats.leader);
    if (error != PB_SUCCESS) {
        pb_plan_free(plan);
        return error;
    }
    *plan_p = plan;
    return PB_SUCCESS;
}
