#include "cluster.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/hosts.h"
#include "contrib/tools/common/report.h"
#include "ompi_coll_pipebcast/pml/route.h"
#include "topo/network/network.h"
#include "topo/network/view.h"
#include "topo/util/kit.h"

/** Rank 0's knowledge while it chooses. */
struct choosing {
    int n_ranks;
    char *const *hosts;       /**< of the ranks, in order; borrowed */
    const pb_medium_t *media; /**< of the ranks, to other hosts; borrowed */
    pb_network_t *network;
    pb_placement_t *placement;
    int *links;   /**< room for a path */
    int *leaders; /**< the first rank of each host that has ranks, in rank order */
    int n_leaders;
};

/* ---- places of ranks ---- */

/** Leaves one leader to a host of the file, which several names of hosts may mean. */
static void merge_leaders(struct choosing *c)
{
    bool *has = common_alloc((size_t) pb_network_size(c->network), sizeof *has);
    int n = 0;
    for (int i = 0; i < c->n_leaders; i++) {
        const int host = c->placement->host[c->leaders[i]];
        if (!has[host]) {
            c->leaders[n++] = c->leaders[i];
        }
        has[host] = true;
    }
    c->n_leaders = n;
    free(has);
}

static bool place_ranks(struct choosing *c, const char *path)
{
    c->links = common_alloc((size_t) pb_network_max_path(c->network) + 1, sizeof *c->links);
    c->leaders = common_hosts_leaders(c->hosts, c->n_ranks, &c->n_leaders);
    c->placement = common_hosts_place(c->network, c->hosts, c->n_ranks, path);
    if (c->placement != NULL) {
        merge_leaders(c);
    }
    if (c->placement != NULL && c->n_leaders < 2) {
        common_report(
            "all ranks are on the host '%s', but a network is measured between hosts; give "
            "--hostfile with two hosts or more (for a trial on one host, give --pretend-hosts)",
            c->hosts[0]);
    }
    return c->placement != NULL && c->n_leaders > 1;
}

/* ---- pairs ---- */

static int distance(const struct choosing *c, int a, int b)
{
    const int *host = c->placement->host;
    return pb_network_path(c->network, host[a], host[b], c->links);
}

/** The first rank in the list that is farthest from, or nearest to, a rank on another host. */
static int extreme_from(const struct choosing *c, int rank, bool farthest)
{
    int best = -1, best_links = 0;
    for (int i = 0; i < c->n_leaders; i++) {
        const int other = c->leaders[i];
        const int n_links = distance(c, rank, other);
        if (n_links > 0 && (best < 0 || (farthest ? n_links > best_links : n_links < best_links))) {
            best = other;
            best_links = n_links;
        }
    }
    return best;
}

/** Chooses the farthest pair with `slow`, one of the slowest hosts, as a model is theirs. */
static void choose_far(const struct choosing *c, int slow, struct tune_place *place)
{
    place->pair[0] = slow;
    place->pair[1] = extreme_from(c, slow, true);
    place->n_links = distance(c, place->pair[0], place->pair[1]);
}

/** Bits per second of a rank's interface; one that is not known is the fastest. */
static uint64_t rate_of(const struct choosing *c, int rank)
{
    return c->media[rank].bits_per_second > 0 ? c->media[rank].bits_per_second : UINT64_MAX;
}

static uint64_t slowest_rate(const struct choosing *c)
{
    uint64_t slowest = UINT64_MAX;
    for (int i = 0; i < c->n_leaders; i++) {
        slowest = pb_minu64(slowest, rate_of(c, c->leaders[i]));
    }
    return slowest;
}

/**
 * The nearest pair with one of the slowest hosts. O(hosts) where the first of them shares its
 * switch, else O(hosts) for each.
 */
static void choose_near(const struct choosing *c, struct tune_place *place)
{
    const uint64_t slowest = slowest_rate(c);
    for (int i = 0; i < c->n_leaders && (place->pair[0] < 0 || place->n_links > 2); i++) {
        const int rank = c->leaders[i];
        const int other = rate_of(c, rank) == slowest ? extreme_from(c, rank, false) : rank;
        const int n_links = distance(c, rank, other);
        if (other != rank && (place->pair[0] < 0 || n_links < place->n_links)) {
            *place = (struct tune_place){.n_links = n_links, .pair = {rank, other}};
        }
    }
}

/** Chooses two ranks on one host: the first rank that leads none, and its host's leader. */
static void choose_inside(const struct choosing *c, struct tune_place *place)
{
    const int *host = c->placement->host;
    int rank = 0;
    while (rank < c->n_leaders && c->leaders[rank] == rank) {
        rank++;
    }
    for (int i = 0; rank < c->n_ranks && i < c->n_leaders; i++) {
        if (host[c->leaders[i]] == host[rank]) {
            place->pair[0] = c->leaders[i];
            place->pair[1] = rank;
        }
    }
}

/* ---- rings ---- */

/** Tells whether a rank belongs to the ring of a place. */
static bool in_ring(const struct choosing *c, pb_place_t where, const struct tune_place *place,
                    int rank, bool leads)
{
    const int host = c->placement->host[rank];
    const int of_pair = c->placement->host[place->pair[0]];
    if (where == PB_PLACE_HOST) {
        return host == of_pair;
    }
    return leads && (where == PB_PLACE_FAR || place->n_links > 2 ||
                     pb_network_node(c->network, host)->parent ==
                         pb_network_node(c->network, of_pair)->parent);
}

/**
 * The ring of a place, in the depth-first order of Algorithm 1 (paper 2, section 4.1), in which a
 * ring is free of contention.
 */
static void choose_ring(const struct choosing *c, pb_place_t where, struct tune_place *place)
{
    pb_view_t *view = NULL;
    int next_leader = 0;
    place->ring = common_alloc((size_t) c->n_ranks, sizeof *place->ring);
    for (int rank = 0; rank < c->n_ranks; rank++) {
        const bool leads = next_leader < c->n_leaders && c->leaders[next_leader] == rank;
        next_leader += leads;
        if (in_ring(c, where, place, rank, leads)) {
            place->ring[place->n_ring++] = rank;
        }
    }
    const int code = pb_view_new(c->placement, place->ring[0], place->ring, place->n_ring, &view);
    if (code != PB_SUCCESS) {
        common_end_error(code);
    }
    memcpy(place->ring, view->order, (size_t) place->n_ring * sizeof *place->ring);
    pb_view_free(view);
}

static void choose_places(const struct choosing *c, struct tune_cluster *cluster)
{
    struct tune_place *places = cluster->places;
    choose_inside(c, &places[PB_PLACE_HOST]);
    choose_near(c, &places[PB_PLACE_SWITCH]);
    choose_far(c, places[PB_PLACE_SWITCH].pair[0], &places[PB_PLACE_FAR]);
    cluster->n_hosts = c->n_leaders;
    cluster->switch_links = places[PB_PLACE_SWITCH].n_links;
    if (places[PB_PLACE_FAR].n_links <= cluster->switch_links) {
        places[PB_PLACE_FAR].pair[0] = -1;
    }
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        if (places[place].pair[0] >= 0) {
            choose_ring(c, (pb_place_t) place, &places[place]);
        }
    }
}

/** The medium of a pair, as the first has it; rate and MTU are the lower ones of both. */
static pb_medium_t medium_of(const struct choosing *c, const int pair[2])
{
    pb_medium_t medium = c->media[pair[0]];
    const pb_medium_t *other = &c->media[pair[1]];
    pb_medium_limit_rate(&medium, other->bits_per_second);
    medium.mtu = other->mtu > 0 && other->mtu < medium.mtu ? other->mtu : medium.mtu;
    return medium;
}

/** Rank 0's part. */
static bool choose(const struct tune_options *options, int n_ranks, char *const *hosts,
                   const pb_medium_t *media, struct tune_cluster *cluster)
{
    struct choosing c = {.n_ranks = n_ranks, .hosts = hosts, .media = media};
    c.network =
        common_hosts_network(hosts, n_ranks, options->topology, options->topology_name, true);
    const bool good = c.network != NULL && place_ranks(&c, options->topology);
    if (good) {
        choose_places(&c, cluster);
        cluster->medium = medium_of(&c, cluster->places[PB_PLACE_SWITCH].pair);
        cluster->topology = options->topology[0] != '\0' ? pb_network_hash_described(c.network) : 0;
    }
    free(c.leaders);
    free(c.links);
    pb_placement_free(c.placement);
    pb_network_free(c.network);
    return good;
}

/* ---- all ranks ---- */

static void share_place(struct tune_place *place, MPI_Comm comm, int rank)
{
    int head[4] = {place->n_links, place->pair[0], place->pair[1], place->n_ring};
    MPI_Bcast(head, 4, MPI_INT, 0, comm);
    if (rank != 0) {
        *place =
            (struct tune_place){.n_links = head[0], .pair = {head[1], head[2]}, .n_ring = head[3]};
        place->ring = common_alloc((size_t) head[3], sizeof *place->ring);
    }
    MPI_Bcast(place->ring, place->n_ring, MPI_INT, 0, comm);
}

/** Returns every rank's, to be freed, at rank 0. Collective. */
static pb_medium_t *gather_media(bool on_one_host, MPI_Comm comm, int rank, int n_ranks)
{
    pb_medium_t own, *media = rank == 0 ? common_alloc((size_t) n_ranks, sizeof *media) : NULL;
    coll_pipebcast_route_elsewhere(on_one_host, &own);
    MPI_Gather(&own, sizeof own, MPI_BYTE, media, sizeof own, MPI_BYTE, 0, comm);
    return media;
}

void tune_cluster_find(const struct tune_options *options, MPI_Comm comm,
                       struct tune_cluster *cluster)
{
    char **hosts;
    int rank, n_ranks;
    memset(cluster, 0, sizeof *cluster);
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        cluster->places[place].pair[0] = -1;
    }
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n_ranks);
    common_require(common_hosts_find(comm, options->hosts, &hosts), comm);
    pb_medium_t *media = gather_media(options->hosts[0] != '\0', comm, rank, n_ranks);
    common_require(rank != 0 || choose(options, n_ranks, hosts, media, cluster), comm);
    free(media);
    common_hosts_free(hosts, n_ranks);
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        share_place(&cluster->places[place], comm, rank);
    }
    MPI_Bcast(&cluster->medium, sizeof cluster->medium, MPI_BYTE, 0, comm);
}

void tune_cluster_free(struct tune_cluster *cluster)
{
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        free(cluster->places[place].ring);
    }
}
