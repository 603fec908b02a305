#include "topo/check/check_parity.h"

#include <stdlib.h>

typedef struct walk {
    const pb_placement_t *placement;
    const pb_plan_t *plan;
    pb_diag_t *diag;
    char *used; /**< by resource and parity; resources: senders, receivers, links */
    int *path;
    int n_faults;
} walk_t;

static void use(walk_t *walk, const char *what, int resource, int parity, int child)
{
    char *used = &walk->used[(size_t) resource * (size_t) walk->plan->n_streams + (size_t) parity];
    if (*used) {
        walk->n_faults++;
        pb_diag_fault(walk->diag, NULL, 0,
                      "two edges of parity %d share a %s, one of them into rank %d", parity, what,
                      child);
    }
    *used = 1;
}

static void use_edge(walk_t *walk, int parent, int child, int parity)
{
    const int n_ranks = walk->plan->n_ranks;
    const int n_links = pb_network_path(walk->placement->network, walk->placement->host[parent],
                                        walk->placement->host[child], walk->path);
    use(walk, "sender", parent, parity, child);
    use(walk, "receiver", n_ranks + child, parity, child);
    for (int i = 0; i < n_links; i++) {
        use(walk, "link", 2 * n_ranks + walk->path[i], parity, child);
    }
}

static void use_stream(walk_t *walk, int number)
{
    const pb_stream_t *stream = &walk->plan->streams[number];
    for (int rank = 0; rank < walk->plan->n_ranks; rank++) {
        if (stream->parent[rank] < 0) {
            continue;
        }
        if (stream->parity == NULL || stream->parity[rank] >= walk->plan->n_streams) {
            walk->n_faults++;
            pb_diag_fault(walk->diag, NULL, 0, "stream %d has no parity for rank %d", number, rank);
            continue;
        }
        use_edge(walk, stream->parent[rank], rank, stream->parity[rank]);
    }
}

int pb_check_parity(const pb_placement_t *placement, const pb_plan_t *plan, pb_diag_t *diag)
{
    const size_t n_resources =
        2 * (size_t) plan->n_ranks + 2 * (size_t) pb_network_size(placement->network);
    walk_t walk = {.placement = placement, .plan = plan, .diag = diag};
    walk.used = calloc(n_resources * (size_t) plan->n_streams, 1);
    walk.path = malloc(((size_t) pb_network_max_path(placement->network) + 1) * sizeof(int));
    int rc = walk.used != NULL && walk.path != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int i = 0; i < plan->n_streams && rc == PB_SUCCESS; i++) {
        use_stream(&walk, i);
    }
    free(walk.used);
    free(walk.path);
    return rc == PB_SUCCESS && walk.n_faults > 0 ? PB_ERR_INPUT : rc;
}
