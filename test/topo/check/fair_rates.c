#include "test/topo/check/fair_rates.h"

#include <math.h>
#include <stdlib.h>

#include "test/must.h"
#include "topo/util/hash.h"

/** A link of a flow's path: a directed link, and the member of it that the flow takes. */
typedef struct hop {
    int link, member;
} hop_t;

typedef struct sharing {
    const pb_network_t *network;
    int n;
    int max_path;
    hop_t *hops; /**< by flow and step */
    int *n_hops; /**< by flow */
    bool *fixed; /**< by flow: its rate is known */
    int *links;  /**< room for a path */
} sharing_t;

static hop_t *hops_of(const sharing_t *s, int flow)
{
    return &s->hops[(size_t) flow * (size_t) s->max_path];
}

static void find_hops(const sharing_t *s, int flow, int from, int to, uint64_t seed)
{
    s->n_hops[flow] = pb_network_path(s->network, from, to, s->links);
    for (int i = 0; i < s->n_hops[flow]; i++) {
        const int link = s->links[i];
        uint64_t hash = pb_hash_number(PB_HASH_START, seed);
        hash = pb_hash_number(hash, (uint64_t) link);
        hash = pb_hash_number(hash, ((uint64_t) from << 32) + (uint64_t) to);
        const int members = pb_network_node(s->network, pb_link_node(link))->members;
        hops_of(s, flow)[i] = (hop_t){link, (int) (pb_hash_end(hash) % (uint64_t) members)};
    }
}

static bool passes(const sharing_t *s, int flow, hop_t hop)
{
    for (int i = 0; i < s->n_hops[flow]; i++) {
        const hop_t own = hops_of(s, flow)[i];
        if (own.link == hop.link && own.member == hop.member) {
            return true;
        }
    }
    return false;
}

/** Share of each flow that is not fixed yet of a hop, if they share what the others leave. */
static double share_of(const sharing_t *s, hop_t hop, const double *rates)
{
    double left = pb_network_node(s->network, pb_link_node(hop.link))->speed;
    int n_open = 0;
    for (int flow = 0; flow < s->n; flow++) {
        if (passes(s, flow, hop)) {
            left -= s->fixed[flow] ? rates[flow] : 0;
            n_open += !s->fixed[flow];
        }
    }
    return left / n_open;
}

/** Fixes the flows of the hop whose flows have the least. False if there are none left. */
static bool fix_least(const sharing_t *s, double *rates)
{
    hop_t least = {-1, 0};
    double rate = INFINITY;
    for (int flow = 0; flow < s->n; flow++) {
        for (int i = 0; !s->fixed[flow] && i < s->n_hops[flow]; i++) {
            const double share = share_of(s, hops_of(s, flow)[i], rates);
            if (share < rate) {
                rate = share;
                least = hops_of(s, flow)[i];
            }
        }
    }
    for (int flow = 0; least.link >= 0 && flow < s->n; flow++) {
        if (!s->fixed[flow] && passes(s, flow, least)) {
            s->fixed[flow] = true;
            rates[flow] = rate;
        }
    }
    return least.link >= 0;
}

void pb_fair_rates(const pb_network_t *network, const int *from, const int *to, int n,
                   uint64_t seed, double *rates)
{
    sharing_t s = {.network = network, .n = n, .max_path = pb_network_max_path(network) + 1};
    s.hops = must_zeroed((size_t) n * (size_t) s.max_path, sizeof *s.hops);
    s.n_hops = must_zeroed((size_t) n, sizeof *s.n_hops);
    s.fixed = must_zeroed((size_t) n, sizeof *s.fixed);
    s.links = must_zeroed((size_t) s.max_path, sizeof *s.links);
    for (int flow = 0; flow < n; flow++) {
        find_hops(&s, flow, from[flow], to[flow], seed);
    }
    while (fix_least(&s, rates)) {
    }
    free(s.hops);
    free(s.n_hops);
    free(s.fixed);
    free(s.links);
}
