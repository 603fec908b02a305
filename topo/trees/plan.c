#include "topo/trees/plan.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

/* Memory for one stream, without edges. False if out of memory; what was had is
 * then still in the stream. */
static bool stream_init(pb_stream_t *stream, int n_ranks, int n_members)
{
    size_t n = (size_t) n_ranks;
    stream->parent = malloc((n + 1) * sizeof(int));
    stream->first_child = calloc(n + 1, sizeof(int));
    stream->child = calloc((size_t) n_members, sizeof(int));
    if (stream->parent == NULL || stream->first_child == NULL || stream->child == NULL) {
        return false;
    }
    for (size_t rank = 0; rank < n; rank++) {
        stream->parent[rank] = -1;
    }
    return true;
}

pb_plan_t *pb_plan_new(const pb_view_t *view, pb_kind_t kind, int n_streams)
{
    assert(n_streams >= 1 && n_streams <= PB_PLAN_MAX_STREAMS);
    pb_plan_t *plan = calloc(1, sizeof(*plan));
    if (plan == NULL) {
        return NULL;
    }
    plan->kind = kind;
    plan->n_ranks = view->placement->n_ranks;
    plan->n_members = view->n_ranks;
    plan->root = view->order[0];
    plan->n_streams = n_streams;
    for (int i = 0; i < n_streams; i++) {
        if (!stream_init(&plan->streams[i], plan->n_ranks, plan->n_members)) {
            pb_plan_free(plan);
            return NULL;
        }
    }
    return plan;
}

void pb_plan_free(pb_plan_t *plan)
{
    if (plan == NULL) {
        return;
    }
    for (int i = 0; i < plan->n_streams; i++) {
        free(plan->streams[i].parent);
        free(plan->streams[i].first_child);
        free(plan->streams[i].child);
    }
    free(plan->leader);
    free(plan);
}

int pb_plan_end(pb_plan_t *plan, int rc, pb_plan_t **plan_p)
{
    if (rc != PB_SUCCESS) {
        pb_plan_free(plan);
        plan = NULL;
    }
    *plan_p = plan;
    return rc;
}

typedef struct keyed_rank {
    int key;
    int position;
    int rank;
} keyed_rank_t;

static int compare_keyed_ranks(const void *a, const void *b)
{
    const keyed_rank_t *x = a, *y = b;
    if (x->key != y->key) {
        return x->key < y->key ? -1 : 1;
    }
    return x->position < y->position ? -1 : x->position > y->position;
}

/* The members in the order in which each parent is to send to them. */
static int sort_members(const pb_view_t *view, const int *rank_order, int *sorted)
{
    const size_t n = (size_t) view->n_ranks;
    if (rank_order == NULL) {
        memcpy(sorted, view->order, n * sizeof(*sorted));
        return PB_SUCCESS;
    }
    keyed_rank_t *keyed = malloc(n * sizeof(*keyed));
    if (keyed == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < view->n_ranks; i++) {
        int rank = view->order[i];
        keyed[i] = (keyed_rank_t){.key = rank_order[rank], .position = i, .rank = rank};
    }
    qsort(keyed, n, sizeof(*keyed), compare_keyed_ranks);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = keyed[i].rank;
    }
    free(keyed);
    return PB_SUCCESS;
}

/* Counting sort of the members by parent, which keeps the order of `sorted`. */
static void fill_children(pb_stream_t *stream, int n_ranks, const int *sorted, int n_members)
{
    int *first = stream->first_child;
    memset(first, 0, ((size_t) n_ranks + 1) * sizeof(*first));
    for (int i = 0; i < n_members; i++) {
        int parent = stream->parent[sorted[i]];
        if (parent >= 0) {
            first[parent + 1]++;
        }
    }
    for (int rank = 0; rank < n_ranks; rank++) {
        first[rank + 1] += first[rank];
    }
    /* While filling, first[p] is the slot of p's next child. In the end it has reached the start of
     * p + 1, and all entries move up by one. */
    for (int i = 0; i < n_members; i++) {
        int parent = stream->parent[sorted[i]];
        if (parent >= 0) {
            stream->child[first[parent]++] = sorted[i];
        }
    }
    memmove(first + 1, first, (size_t) n_ranks * sizeof(*first));
    first[0] = 0;
}

/* Breadth-first, level by level; `queue` has room for the members. */
static int measure_height(const pb_stream_t *stream, int root, int *queue)
{
    int height = 0, begin = 0, end = 1;
    queue[0] = root;
    for (;;) {
        int level_end = end;
        for (; begin < level_end; begin++) {
            int rank = queue[begin];
            for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
                queue[end++] = stream->child[i];
            }
        }
        if (end == level_end) {
            return height;
        }
        height++;
    }
}

int pb_plan_link_children(pb_plan_t *plan, int stream, const pb_view_t *view, const int *rank_order)
{
    assert(stream >= 0 && stream < plan->n_streams);
    pb_stream_t *s = &plan->streams[stream];
    assert(s->parent[plan->root] == -1);
    int *members = malloc((size_t) view->n_ranks * sizeof(*members));
    if (members == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int error = sort_members(view, rank_order, members);
    if (error == PB_SUCCESS) {
        fill_children(s, plan->n_ranks, members, view->n_ranks);
        s->height = measure_height(s, plan->root, members);
    }
    free(members);
    return error;
}

/** Tells whether `peer` is a neighbor of the rank in one of the streams before `n_streams`. */
static bool is_neighbour(const pb_plan_t *plan, int n_streams, int rank, int peer)
{
    for (int s = 0; s < n_streams; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        if (stream->parent[rank] == peer || stream->parent[peer] == rank) {
            return true;
        }
    }
    return false;
}

static int count_neighbours(const pb_plan_t *plan, int rank)
{
    int n = 0;
    for (int s = 0; s < plan->n_streams; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        const int parent = stream->parent[rank];
        n += parent >= 0 && !is_neighbour(plan, s, rank, parent);
        for (int c = stream->first_child[rank]; c < stream->first_child[rank + 1]; c++) {
            n += !is_neighbour(plan, s, rank, stream->child[c]);
        }
    }
    return n;
}

int pb_plan_most_neighbours(const pb_plan_t *plan)
{
    int most = 0;
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        const int n = count_neighbours(plan, rank);
        most = n > most ? n : most;
    }
    return most;
}
