#include "topo/check/check_load.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct load {
    const pb_placement_t *placement;
    int n_streams;
    uint64_t *speed;  /* by link: of all edges together, times n_streams */
    int *n_senders;   /* by link */
    int *n_edges;     /* by link */
    int *last_sender; /* by link: the last rank that was added */
    int *last_edges;  /* by link: edges of that rank */
    int *path;
    size_t n_links;
} load_t;

/* Counts one more edge of a sender over a link, where it arrives at a speed. A
 * rank has at most its whole speed for all its edges, 1 / n_streams for each. */
static void add_to_link(load_t *load, int link, int sender, uint32_t arriving)
{
    if (load->last_sender[link] != sender) {
        load->last_sender[link] = sender;
        load->last_edges[link] = 0;
        load->n_senders[link]++;
    }
    load->n_edges[link]++;
    if (load->last_edges[link]++ < load->n_streams) {
        load->speed[link] += arriving;
    }
}

/*
 * Adds the edge from `sender` to `receiver`; a sender's edges come one after the other. Its speed
 * at a link depends only on the path up to there, which all edges of the sender over that link
 * share.
 */
static void add_edge(load_t *load, int sender, int receiver)
{
    const pb_network_t *network = load->placement->network;
    int n_links = pb_network_path(network, load->placement->host[sender],
                                  load->placement->host[receiver], load->path);
    uint32_t arriving = UINT32_MAX;
    for (int i = 0; i < n_links; i++) {
        int link = load->path[i];
        uint32_t own = pb_network_node(network, pb_link_node(link))->speed;
        add_to_link(load, link, sender, arriving);
        arriving = own < arriving ? own : arriving;
    }
}

/* An edge that counts against the bound of n_streams edges per rank: not one inside a host in a
 * plan by leaders. */
static bool counts(const load_t *load, const pb_plan_t *plan, int from, int to)
{
    const pb_network_t *network = load->placement->network;
    const int *host = load->placement->host;
    return plan->leader == NULL ||
           pb_network_host_of(network, host[from]) != pb_network_host_of(network, host[to]);
}

/* All edges of a rank, of every stream; returns the number of those that count. */
static int add_rank(load_t *load, const pb_plan_t *plan, int rank)
{
    int n_edges = 0;
    for (int s = 0; s < plan->n_streams; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
            add_edge(load, rank, stream->child[i]);
            n_edges += counts(load, plan, rank, stream->child[i]);
        }
    }
    return n_edges;
}

/* Tells whether the load of a link breaks the rule. */
static bool is_too_much(const load_t *load, int link, uint32_t speed)
{
    return load->n_senders[link] > 1 && load->n_edges[link] > load->n_streams &&
           load->speed[link] > (uint64_t) speed * (uint64_t) load->n_streams;
}

/* `broken` may be NULL. */
static void judge(const load_t *load, char *broken, pb_diag_t *diag)
{
    const pb_network_t *network = load->placement->network;
    for (int link = 0; link < 2 * pb_network_size(network); link++) {
        const pb_node_t *node = pb_network_node(network, pb_link_node(link));
        bool breaks = is_too_much(load, link, node->speed);
        if (broken != NULL) {
            broken[link] = breaks;
        }
        if (breaks) {
            pb_diag_error(diag, NULL, 0,
                          "the link %s %s of speed %lu has %d senders, together of speed %llu",
                          pb_link_is_up(link) ? "up from" : "down to", node->name,
                          (unsigned long) node->speed, load->n_senders[link],
                          (unsigned long long) (load->speed[link] / (uint64_t) load->n_streams));
        }
    }
}

static int load_alloc(load_t *load)
{
    load->speed = calloc(load->n_links, sizeof(*load->speed));
    load->n_senders = calloc(load->n_links, sizeof(*load->n_senders));
    load->n_edges = calloc(load->n_links, sizeof(*load->n_edges));
    load->last_edges = calloc(load->n_links, sizeof(*load->last_edges));
    load->last_sender = malloc(load->n_links * sizeof(*load->last_sender));
    load->path = malloc(((size_t) pb_network_max_path(load->placement->network) + 1) * sizeof(int));
    return load->speed != NULL && load->n_senders != NULL && load->n_edges != NULL &&
                   load->last_edges != NULL && load->last_sender != NULL && load->path != NULL
               ? PB_SUCCESS
               : PB_ERR_NO_MEMORY;
}

int pb_check_load(const pb_placement_t *placement, const pb_plan_t *plan, char *broken,
                  pb_diag_t *diag)
{
    load_t load = {.placement = placement,
                   .n_streams = plan->n_streams,
                   .n_links = 2 * (size_t) pb_network_size(placement->network)};
    int error = load_alloc(&load);
    if (error == PB_SUCCESS) {
        size_t n_before = diag->n_errors;
        memset(load.last_sender, 0xff, load.n_links * sizeof(*load.last_sender));
        for (int rank = 0; rank < plan->n_ranks; rank++) {
            int n_edges = add_rank(&load, plan, rank);
            if (plan->n_streams > 1 && n_edges > plan->n_streams) {
                pb_diag_error(diag, NULL, 0,
                              "rank %d sends over %d edges, more than the %d streams", rank,
                              n_edges, plan->n_streams);
            }
        }
        judge(&load, broken, diag);
        error = diag->n_errors > n_before ? PB_ERR_INPUT : PB_SUCCESS;
    }
    free(load.speed);
    free(load.n_senders);
    free(load.n_edges);
    free(load.last_edges);
    free(load.last_sender);
    free(load.path);
    return error;
}
