#include "topo/check_load.h"

#include <stdlib.h>
#include <string.h>

typedef struct load {
    const pb_placement_t *placement;
    uint64_t *speed;  /* by link: of all senders together */
    int *n_senders;   /* by link */
    int *last_sender; /* by link: the last rank that was added */
    int *path;
} load_t;

/* Adds the edge from `sender` to `receiver`; a sender's edges come one after the
 * other. How fast it arrives at a link depends only on the way there, which is
 * the same for all its edges over that link. */
static void add_edge(load_t *load, int sender, int receiver)
{
    const pb_network_t *network = load->placement->network;
    int n_links = pb_network_path(network, load->placement->machine[sender],
                                  load->placement->machine[receiver], load->path);
    uint32_t arriving = UINT32_MAX;
    for (int i = 0; i < n_links; i++) {
        int link = load->path[i];
        uint32_t own = pb_network_node(network, pb_link_node(link))->speed;
        uint32_t through = own < arriving ? own : arriving;
        if (load->last_sender[link] != sender) {
            load->last_sender[link] = sender;
            load->n_senders[link]++;
            load->speed[link] += arriving;
        }
        arriving = through;
    }
}

/* `broken` may be NULL. */
static int judge(const load_t *load, char *broken, pb_diag_t *diag)
{
    const pb_network_t *network = load->placement->network;
    int error = PB_SUCCESS;
    for (int link = 0; link < 2 * pb_network_size(network); link++) {
        const pb_node_t *node = pb_network_node(network, pb_link_node(link));
        bool breaks = load->n_senders[link] > 1 && load->speed[link] > node->speed;
        if (broken != NULL) {
            broken[link] = breaks;
        }
        if (breaks) {
            pb_diag_fault(diag, NULL, 0,
                          "the link %s %s of speed %lu has %d senders, together of speed %llu",
                          pb_link_is_up(link) ? "up from" : "down to", node->name,
                          (unsigned long) node->speed, load->n_senders[link],
                          (unsigned long long) load->speed[link]);
            error = PB_ERR_INPUT;
        }
    }
    return error;
}

int pb_check_load(const pb_placement_t *placement, const pb_plan_t *plan, pb_diag_t *diag)
{
    return pb_check_load_links(placement, plan, NULL, diag);
}

int pb_check_load_links(const pb_placement_t *placement, const pb_plan_t *plan, char *broken,
                        pb_diag_t *diag)
{
    if (plan->n_streams != 1) {
        pb_diag_fault(diag, NULL, 0, "the load rule is for one stream, the plan has %d",
                      plan->n_streams);
        return PB_ERR_INPUT;
    }
    size_t n_links = 2 * (size_t) pb_network_size(placement->network);
    load_t load = {.placement = placement};
    load.speed = calloc(n_links, sizeof(*load.speed));
    load.n_senders = calloc(n_links, sizeof(*load.n_senders));
    load.last_sender = malloc(n_links * sizeof(*load.last_sender));
    load.path = malloc(((size_t) pb_network_max_path(placement->network) + 1) * sizeof(int));
    int error = PB_ERR_NO_MEMORY;
    if (load.speed != NULL && load.n_senders != NULL && load.last_sender != NULL &&
        load.path != NULL) {
        const pb_stream_t *stream = &plan->streams[0];
        memset(load.last_sender, 0xff, n_links * sizeof(*load.last_sender));
        for (int rank = 0; rank < plan->n_ranks; rank++) {
            for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
                add_edge(&load, rank, stream->child[i]);
            }
        }
        error = judge(&load, broken, diag);
    }
    free(load.speed);
    free(load.n_senders);
    free(load.last_sender);
    free(load.path);
    return error;
}
