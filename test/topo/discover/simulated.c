#include "simulated.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test/must.h"
#include "test/topo/check/fair_rates.h"
#include "test/topo/network/given.h"
#include "topo/network/topology.h"

/* Speeds are hundredths of a host's. */
enum { HOST_SPEED = 100 };

/* Of a link that carries acknowledgements, too: an estimate from the sizes of frames. */
#define ACKNOWLEDGED 0.93

static double uniform(pb_random_t *random)
{
    return (double) (pb_random_next(random) >> 11) * 0x1p-53;
}

/* Acknowledgements of one flow are on the way of another. */
static bool is_both_ways(const pb_flow_t *flows, int n, pb_flow_t flow)
{
    bool found = false;
    for (int i = 0; i < n; i++) {
        found = found || flows[i].to == flow.from || flows[i].from == flow.to;
    }
    return found;
}

static int answer(void *context, const pb_flow_t *flows, int n, double *rates)
{
    pb_simulated_t *s = context;
    if (s->n_left >= 0 && s->n_left-- == 0) {
        return PB_ERR_UNFIT;
    }
    int *from = must_zeroed(2 * (size_t) n, sizeof *from), *to = from + n;
    for (int i = 0; i < n; i++) {
        from[i] = s->hosts[flows[i].from];
        to[i] = s->hosts[flows[i].to];
    }
    pb_fair_rates(s->network, from, to, n, s->seed, rates);
    for (int i = 0; i < n; i++) {
        rates[i] *= (double) PB_SIMULATED_RATE / HOST_SPEED;
        rates[i] *= is_both_ways(flows, n, flows[i]) ? ACKNOWLEDGED : 1;
        rates[i] *= 1 - s->noise * uniform(&s->random);
        if (uniform(&s->random) < s->wrong) {
            rates[i] *= 0.05 + uniform(&s->random);
        }
    }
    free(from);
    return PB_SUCCESS;
}

static void find_hosts(pb_simulated_t *s)
{
    const int n_hosts = pb_network_n_hosts(s->network);
    s->hosts = must_zeroed((size_t) n_hosts, sizeof *s->hosts);
    s->names = must_zeroed((size_t) n_hosts, sizeof *s->names);
    for (int node = 0, host = 0; node < pb_network_size(s->network); node++) {
        if (pb_network_node(s->network, node)->kind == PB_NODE_HOST) {
            s->names[host] = pb_network_node(s->network, node)->name;
            s->hosts[host++] = node;
        }
    }
    s->n_left = -1;
    s->meter =
        (pb_meter_t){.n_hosts = n_hosts, .max_flows = n_hosts, .measure = answer, .context = s};
}

static int speed_like(pb_random_t *random, const pb_links_like_t *like)
{
    if (like->one_in_slow > 0 && pb_random_below(random, like->one_in_slow) == 0) {
        return HOST_SPEED / 2;
    }
    return HOST_SPEED * (1 + pb_random_below(random, like->most_speed));
}

void pb_simulated_random(pb_simulated_t *s, pb_random_t *random, int n_switches, int n_hosts,
                         const pb_links_like_t *like)
{
    const pb_shape_t shape = (pb_shape_t) pb_random_below(random, PB_SHAPE_ONE_PER_SWITCH);
    pb_network_t *plain = pb_random_network(random, shape, n_switches, n_hosts, 0);
    *s = (pb_simulated_t){.network = pb_network_new(), .random = *random};
    must(s->network != NULL);
    for (int i = 0; i < pb_network_size(plain); i++) {
        const pb_node_t *node = pb_network_node(plain, i);
        must(pb_network_add(s->network, node->kind, node->name) == i);
    }
    for (int i = 0; i < pb_network_size(plain); i++) {
        const pb_node_t *node = pb_network_node(plain, i);
        const bool trunk = node->kind == PB_NODE_SWITCH;
        if (node->parent < 0) {
            continue;
        }
        const uint32_t speed = trunk ? (uint32_t) speed_like(random, like) : HOST_SPEED;
        must(pb_network_connect(s->network, node->parent, i, speed) == PB_SUCCESS);
        if (trunk && like->one_in_bundle > 0 && pb_random_below(random, like->one_in_bundle) == 0) {
            pb_network_bundle(s->network, i, 2 + pb_random_below(random, like->most_members - 1));
        }
    }
    given_finish(s->network);
    pb_network_free(plain);
    s->seed = pb_random_next(random);
    find_hosts(s);
}

void pb_simulated_parse(pb_simulated_t *s, const char *text)
{
    *s = (pb_simulated_t){.random = pb_random_seed(1), .network = given_network(text)};
    find_hosts(s);
}

void pb_simulated_clear(pb_simulated_t *s)
{
    pb_network_free(s->network);
    free(s->hosts);
    free(s->names);
}

/* ---- links ---- */

static bool is_below(const pb_network_t *network, int node, int top)
{
    while (node >= 0 && node != top) {
        node = pb_network_node(network, node)->parent;
    }
    return node == top;
}

int pb_simulated_link(const pb_simulated_t *s, const bool *inside, int node)
{
    for (; node < pb_network_size(s->network); node++) {
        bool same = true, opposite = true;
        for (int host = 0; host < s->meter.n_hosts; host++) {
            const bool below = is_below(s->network, s->hosts[host], node);
            same = same && below == inside[host];
            opposite = opposite && below != inside[host];
        }
        if ((same || opposite) && pb_network_node(s->network, node)->parent >= 0) {
            return node;
        }
    }
    return -1;
}

/* Bytes that a node has to send over the link to `toward`, without that link. */
static double supply(const pb_network_t *network, int node, int toward)
{
    const pb_node_t *n = pb_network_node(network, node);
    double sum = 0;
    if (n->kind == PB_NODE_HOST) {
        return n->speed;
    }
    for (int child = n->first_child; child >= 0;
         child = pb_network_node(network, child)->next_sibling) {
        if (child != toward) {
            sum += fmin(supply(network, child, node), pb_network_node(network, child)->speed);
        }
    }
    if (n->parent >= 0 && n->parent != toward) {
        sum += fmin(supply(network, n->parent, node), n->speed);
    }
    return sum;
}

bool pb_simulated_fills(const pb_simulated_t *s, int node)
{
    const pb_node_t *n = pb_network_node(s->network, node);
    return n->parent >= 0 && fmin(supply(s->network, node, n->parent),
                                  supply(s->network, n->parent, node)) > n->speed;
}
