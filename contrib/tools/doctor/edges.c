#include "edges.h"

#include <stdlib.h>

#include "contrib/tools/common/clock.h"
#include "contrib/tools/common/hosts.h"
#include "contrib/tools/common/report.h"
#include "contrib/tools/common/sleep.h"
#include "facts.h"
#include "topo/network/placement.h"
#include "topo/network/view.h"
#include "topo/trees/plan.h"
#include "topo/util/error.h"
#include "topo/util/kit.h"

enum { TAG_EDGE = 21, NAP_NS = 1000000 };

struct edge {
    int parent, child; /**< ranks */
};

/** Rank 0's list while it grows. */
struct list {
    struct edge *edges; /**< owned */
    int n, capacity;
};

static void add_edge(struct list *list, int parent, int child)
{
    struct edge *edges = pb_grow(list->edges, list->n, &list->capacity, sizeof *edges);
    if (edges == NULL) {
        common_end_error(PB_ERR_NO_MEMORY);
    }
    list->edges = edges;
    edges[list->n++] = (struct edge){parent, child};
}

static int compare(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->parent != y->parent ? x->parent - y->parent : x->child - y->child;
}

/** Removes edges that several trees have. */
static void unite(struct list *list)
{
    int n = 0;
    if (list->n > 0) {
        qsort(list->edges, (size_t) list->n, sizeof *list->edges, compare);
    }
    for (int i = 0; i < list->n; i++) {
        if (n == 0 || compare(&list->edges[n - 1], &list->edges[i]) != 0) {
            list->edges[n++] = list->edges[i];
        }
    }
    list->n = n;
}

static void add_plan(struct list *list, const pb_view_t *view, pb_kind_t kind)
{
    const pb_plan_options_t options = {.fanout = PB_DEFAULT_FANOUT, .leaders = true};
    pb_plan_t *plan = NULL;
    if (pb_plan_compute(view, kind, &options, &plan) != PB_SUCCESS) {
        return; /* out of memory: the others are tried */
    }
    for (int s = 0; s < plan->n_streams; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        for (int rank = 0; rank < plan->n_ranks; rank++) {
            for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
                add_edge(list, rank, stream->child[i]);
            }
        }
    }
    pb_plan_free(plan);
}

/** The network of the topology file, or one switch; NULL: none can be made. The page has messages
 * on the file. */
static pb_network_t *find_network(const doctor_cluster_t *cluster)
{
    const char *path = doctor_cluster_value(cluster, 0, "coll_pipebcast_topology_file");
    const char *name = doctor_cluster_value(cluster, 0, "coll_pipebcast_topology_name");
    return common_hosts_network(cluster->hosts, cluster->roll->n_ranks, path != NULL ? path : "",
                                name != NULL ? name : "", false);
}

static void find_edges(struct list *list, const doctor_cluster_t *cluster)
{
    const int n_ranks = cluster->roll->n_ranks;
    pb_network_t *network = find_network(cluster);
    pb_placement_t *placement = network != NULL ? pb_placement_new(network, n_ranks) : NULL;
    pb_view_t *view = NULL;
    bool good = placement != NULL;
    for (int rank = 0; good && rank < n_ranks; rank++) {
        placement->host[rank] = pb_network_find_host(network, cluster->hosts[rank]);
        good = placement->host[rank] >= 0;
    }
    if (good && pb_view_new(placement, 0, NULL, 0, &view) == PB_SUCCESS) {
        pb_kind_t kinds[PB_KIND_COUNT];
        const int n_kinds = pb_kinds_by_turn(0, kinds);
        for (int i = 0; i < n_kinds; i++) {
            add_plan(list, view, kinds[i]);
        }
    }
    unite(list);
    pb_view_free(view);
    pb_placement_free(placement);
    pb_network_free(network);
}

/** Hands the list of rank 0 to all, over connections that the roll has made. A broadcast may need
 * the very one that is broken. */
static void share(MPI_Comm comm, int rank, struct list *list)
{
    int n_ranks;
    MPI_Comm_size(comm, &n_ranks);
    if (rank != 0) {
        MPI_Recv(&list->n, 1, MPI_INT, 0, TAG_EDGE, comm, MPI_STATUS_IGNORE);
        list->edges = common_alloc((size_t) list->n, sizeof *list->edges);
        MPI_Recv(list->edges, 2 * list->n, MPI_INT, 0, TAG_EDGE, comm, MPI_STATUS_IGNORE);
        return;
    }
    for (int other = 1; other < n_ranks; other++) {
        MPI_Send(&list->n, 1, MPI_INT, other, TAG_EDGE, comm);
        MPI_Send(list->edges, 2 * list->n, MPI_INT, other, TAG_EDGE, comm);
    }
}

/** Sends one message over each edge of this rank. Returns the parent whose message did not come, or
 * -1. */
static int try_own(MPI_Comm comm, int rank, const struct list *list, double patience_s)
{
    const int64_t end_ns = coll_pipebcast_now() + (int64_t) (patience_s * 1e9);
    MPI_Request *requests = common_alloc((size_t) list->n, sizeof(MPI_Request));
    int broken = -1, done = 0;
    for (int i = 0; i < list->n; i++) {
        const struct edge *edge = &list->edges[i];
        requests[i] = MPI_REQUEST_NULL;
        if (edge->child == rank) {
            MPI_Irecv(NULL, 0, MPI_BYTE, edge->parent, TAG_EDGE, comm, &requests[i]);
        } else if (edge->parent == rank) {
            MPI_Isend(NULL, 0, MPI_BYTE, edge->child, TAG_EDGE, comm, &requests[i]);
        }
    }
    do {
        MPI_Testall(list->n, requests, &done, MPI_STATUSES_IGNORE);
        common_sleep(done ? 0 : NAP_NS);
    } while (!done && coll_pipebcast_now() < end_ns);
    for (int i = 0; !done && i < list->n && broken < 0; i++) {
        int own = 0;
        if (list->edges[i].child == rank && requests[i] != MPI_REQUEST_NULL) {
            MPI_Test(&requests[i], &own, MPI_STATUS_IGNORE);
            broken = own ? -1 : list->edges[i].parent;
        }
    }
    free(requests); /* MPI may still have those of a broken edge: the job ends by rank 0's word */
    return broken;
}

void doctor_edges_try(MPI_Comm comm, const doctor_cluster_t *cluster, double patience_s,
                      json_t *record)
{
    struct list list = {.n = 0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        find_edges(&list, cluster);
        doctor_record_add(record, "edges", "%d", list.n);
    }
    share(comm, rank, &list);
    const int broken = try_own(comm, rank, &list, patience_s);
    if (broken >= 0) {
        doctor_record_add(record, "edge_broken_from", "%d", broken + 1);
    }
    free(list.edges);
}
