#include "test/topo/trees/phases.h"

#include <stdlib.h>
#include <string.h>

#include "test/must.h"

/* The phase in which each rank receives, if every rank sends to its children in order, one per
 * phase after its own. */
static int find_phases(const tree_case_t *c, const pb_stream_t *stream, int *phase)
{
    int n_phases = 0, *queue = malloc((size_t) c->view->n_ranks * sizeof(int)), end = 1;
    queue[0] = c->root;
    phase[c->root] = -1;
    for (int begin = 0; begin < end; begin++) {
        int rank = queue[begin], next = phase[rank];
        for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
            phase[stream->child[i]] = ++next;
            queue[end++] = stream->child[i];
            n_phases = next + 1 > n_phases ? next + 1 : n_phases;
        }
    }
    free(queue);
    return n_phases;
}

/* Tells whether no directed link has two transfers in one phase. */
static bool each_is_free(const tree_case_t *c, const pb_stream_t *stream, const int *phase,
                         int n_phases)
{
    const pb_placement_t *placement = c->placement;
    size_t n_links = 2 * (size_t) pb_network_size(placement->network);
    char *used = malloc(n_links);
    int *path = malloc(((size_t) pb_network_max_path(placement->network) + 1) * sizeof(int));
    bool is_free = true;
    for (int p = 0; p < n_phases; p++) {
        memset(used, 0, n_links);
        for (int i = 1; i < c->view->n_ranks; i++) {
            int rank = c->view->order[i];
            if (phase[rank] != p) {
                continue;
            }
            int n = pb_network_path(placement->network, placement->host[stream->parent[rank]],
                                    placement->host[rank], path);
            for (int a = 0; a < n; a++) {
                is_free = is_free && !used[path[a]];
                used[path[a]] = 1;
            }
        }
    }
    free(used);
    free(path);
    return is_free;
}

bool phases_are_free(const tree_case_t *c, const pb_plan_t *plan)
{
    int *phase = must_zeroed((size_t) plan->n_ranks, sizeof(*phase));
    const int n_phases = find_phases(c, &plan->streams[0], phase);
    const bool is_free = n_phases == tree_case_log2_up(plan->n_members) &&
                         each_is_free(c, &plan->streams[0], phase, n_phases);
    free(phase);
    return is_free;
}
