#include "topo/network/locality.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/** Room for the name of a place; a longer name of a host makes PB_ERR_INPUT. */
#define NAME_SIZE 512

enum { BITS = 16 };

/** Shift of a level's number. */
static int shift_of(int level)
{
    return BITS * (PB_LOCALITY_LEVELS - 1 - level);
}

int pb_locality_index(pb_locality_t place, int level)
{
    assert(level >= 0 && level < PB_LOCALITY_LEVELS);
    return (int) (place >> shift_of(level) & 0xffff) - 1;
}

pb_locality_t pb_locality_enter(pb_locality_t place, unsigned index)
{
    int level = 0;
    while (level < PB_LOCALITY_LEVELS && pb_locality_index(place, level) >= 0) {
        level++;
    }
    if (level == PB_LOCALITY_LEVELS || index > PB_LOCALITY_MAX_INDEX) {
        return place;
    }
    return place | (uint64_t) (index + 1) << shift_of(level);
}

/* ---- grouping ---- */

typedef struct located_rank {
    int host;
    pb_locality_t place;
    int rank;
} located_rank_t;

typedef struct grouping {
    pb_network_t *network;
    pb_placement_t *located;
    const located_rank_t *ranks; /* sorted, so that every group is a range */
    uint32_t speed;              /* of the host's uplink */
} grouping_t;

static int compare_located_ranks(const void *a, const void *b)
{
    const located_rank_t *x = a, *y = b;
    if (x->host != y->host) {
        return x->host < y->host ? -1 : 1;
    }
    if (x->place != y->place) {
        return x->place < y->place ? -1 : 1;
    }
    return x->rank < y->rank ? -1 : 1;
}

/* The end of the ranks from `first` on that have its index at a level. */
static int end_of_group(const grouping_t *g, int first, int end, int level)
{
    const int index = pb_locality_index(g->ranks[first].place, level);
    int at = first + 1;
    while (at < end && pb_locality_index(g->ranks[at].place, level) == index) {
        at++;
    }
    return at;
}

/* A node below `above` for the ranks [first, end); its number or an error. */
static int add_place(grouping_t *g, int above, int index, int first, int end)
{
    char name[NAME_SIZE];
    const char *of = pb_network_node(g->network, above)->name;
    const int length = snprintf(name, sizeof(name), "%s/%d", of, index);
    if (length < 0 || (size_t) length >= sizeof(name)) {
        return PB_ERR_INPUT;
    }
    const int node = pb_network_add(g->network, PB_NODE_PLACE, name);
    if (node < 0) {
        return node;
    }
    const int error = pb_network_connect(g->network, above, node, g->speed);
    for (int i = first; i < end; i++) {
        g->located->host[g->ranks[i].rank] = node;
    }
    return error == PB_SUCCESS ? node : error;
}

/* Groups the ranks [first, end), which sit at `node`, by their levels from `level` on.
 * Calls itself once for each level at most. */
static int divide(grouping_t *g, int node, int first, int end, int level)
{
    int error = PB_SUCCESS;
    while (level < PB_LOCALITY_LEVELS && end_of_group(g, first, end, level) == end) {
        level++;
    }
    if (level == PB_LOCALITY_LEVELS) {
        return PB_SUCCESS;
    }
    for (int next; first < end && error == PB_SUCCESS; first = next) {
        const int index = pb_locality_index(g->ranks[first].place, level);
        next = end_of_group(g, first, end, level);
        if (index < 0 || next - first < 2) {
            continue;
        }
        const int place = add_place(g, node, index, first, next);
        error = place < 0 ? place : divide(g, place, first, next, level + 1);
    }
    return error;
}

static int divide_hosts(grouping_t *g)
{
    const int n_ranks = g->located->n_ranks;
    int error = PB_SUCCESS;
    for (int first = 0, end; first < n_ranks && error == PB_SUCCESS; first = end) {
        const int host = g->ranks[first].host;
        end = first + 1;
        while (end < n_ranks && g->ranks[end].host == host) {
            end++;
        }
        g->speed = pb_network_node(g->network, host)->speed;
        error = divide(g, host, first, end, 0);
    }
    return error;
}

/* A copy of the nodes that ranks are on, or below, with their numbers by node; NULL if out of
 * memory. */
static pb_network_t *copy_used(const pb_placement_t *placement, int *numbers)
{
    const pb_network_t *network = placement->network;
    for (int node = 0; node < pb_network_size(network); node++) {
        numbers[node] = -1;
    }
    for (int rank = 0; rank < placement->n_ranks; rank++) {
        for (int node = placement->host[rank]; node >= 0 && numbers[node] < 0;
             node = pb_network_node(network, node)->parent) {
            numbers[node] = 0;
        }
    }
    return pb_network_part(network, numbers);
}

int pb_locality_expand(const pb_placement_t *placement, const pb_locality_t *places,
                       pb_network_t **network_p, pb_placement_t **located_p)
{
    const int n_ranks = placement->n_ranks;
    located_rank_t *ranks = malloc(((size_t) n_ranks + 1) * sizeof(*ranks));
    int *numbers = malloc((size_t) pb_network_size(placement->network) * sizeof(*numbers));
    grouping_t g = {.network = numbers != NULL ? copy_used(placement, numbers) : NULL,
                    .ranks = ranks};
    g.located = g.network != NULL ? pb_placement_new(g.network, n_ranks) : NULL;
    int error = ranks != NULL && g.located != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    if (error == PB_SUCCESS) {
        for (int rank = 0; rank < n_ranks; rank++) {
            const int host = numbers[placement->host[rank]];
            g.located->host[rank] = host;
            ranks[rank] = (located_rank_t){.host = host, .place = places[rank], .rank = rank};
        }
        qsort(ranks, (size_t) n_ranks, sizeof(*ranks), compare_located_ranks);
        error = divide_hosts(&g);
    }
    if (error == PB_SUCCESS) {
        error = pb_network_finish(g.network, NULL, NULL);
    }
    free(ranks);
    free(numbers);
    if (error != PB_SUCCESS || pb_network_n_places(g.network) == 0) {
        pb_placement_free(g.located);
        pb_network_free(g.network);
        g = (grouping_t){.network = NULL};
    }
    *network_p = g.network;
    *located_p = g.located;
    return error;
}
