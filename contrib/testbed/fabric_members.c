#include "contrib/testbed/fabric_members.h"

#include <assert.h>
#include <stdlib.h>

#include "topo/util/hash.h"

struct fabric_members {
    const pb_network_t *network;
    int n_members;
    fabric_member_t *members;
    int *first;    /* by directed link, and one more */
    uint64_t hash; /* the state of the hash after the seed */
};

static int sending_node(const pb_network_t *network, int link)
{
    int below = pb_link_node(link);
    return pb_link_is_up(link) ? below : pb_network_node(network, below)->parent;
}

static bool is_link(const pb_network_t *network, int link)
{
    return pb_network_node(network, pb_link_node(link))->parent >= 0;
}

/** Counts the members of all links; false if these are too many. */
static bool count(fabric_members_t *members)
{
    const int n_links = 2 * pb_network_size(members->network);
    int64_t n = 0;
    for (int link = 0; link < n_links && n <= FABRIC_MAX_MEMBERS; link++) {
        members->first[link] = (int) n;
        if (is_link(members->network, link)) {
            n += pb_network_node(members->network, pb_link_node(link))->members;
        }
    }
    members->first[n_links] = members->n_members = (int) n;
    return n <= FABRIC_MAX_MEMBERS;
}

static int common_divisor(int a, int b)
{
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/**
 * Member `number` of a node's uplink. Counting both ends up together meets each pair of switches
 * whose numbers are alike modulo the common divisor. Then the upper end is one ahead, until all
 * pairs are met.
 */
static fabric_member_t plug(const pb_network_t *network, int link, int number)
{
    const pb_node_t *node = pb_network_node(network, pb_link_node(link));
    int n_lower = node->spines, n_upper = pb_network_node(network, node->parent)->spines;
    int divisor = common_divisor(n_lower, n_upper);
    int64_t all_alike = (int64_t) n_lower / divisor * n_upper;
    int64_t ahead = number / all_alike % divisor;
    int lower = number % n_lower, upper = (int) ((number + ahead) % n_upper);
    bool up = pb_link_is_up(link);
    return (fabric_member_t){.link = link,
                             .number = number,
                             .from_switch = up ? lower : upper,
                             .to_switch = up ? upper : lower};
}

fabric_members_t *fabric_members_new(const pb_network_t *network, uint64_t seed)
{
    fabric_members_t *members = calloc(1, sizeof(*members));
    if (members == NULL) {
        return NULL;
    }
    const int n_links = 2 * pb_network_size(network);
    members->network = network;
    members->hash = pb_hash_number(PB_HASH_START, seed);
    members->first = calloc((size_t) n_links + 1, sizeof(*members->first));
    if (members->first != NULL && count(members)) {
        members->members = calloc((size_t) members->n_members + 1, sizeof(*members->members));
    }
    if (members->members == NULL) {
        fabric_members_free(members);
        return NULL;
    }
    for (int link = 0; link < n_links; link++) {
        const int n = fabric_members_count(members, link);
        for (int number = 0; number < n; number++) {
            members->members[members->first[link] + number] = plug(network, link, number);
        }
    }
    return members;
}

void fabric_members_free(fabric_members_t *members)
{
    if (members == NULL) {
        return;
    }
    free(members->members);
    free(members->first);
    free(members);
}

int fabric_members_size(const fabric_members_t *members)
{
    return members->n_members;
}

const fabric_member_t *fabric_members_at(const fabric_members_t *members, int i)
{
    return &members->members[i];
}

int fabric_members_first(const fabric_members_t *members, int link)
{
    return members->first[link];
}

int fabric_members_count(const fabric_members_t *members, int link)
{
    return members->first[link + 1] - members->first[link];
}

/** A number below `n` that depends on a flow, for the choice `what` at a switch of a link. */
static int draw(const fabric_members_t *members, int link, int from, int what, uint32_t flow, int n)
{
    uint64_t state = pb_hash_number(members->hash, (uint64_t) link);
    state = pb_hash_number(pb_hash_number(state, (uint64_t) from), (uint64_t) what);
    const uint64_t hash = pb_hash_end(pb_hash_number(state, flow)) >> 32;
    return (int) (hash * (uint64_t) n >> 32);
}

int fabric_members_choose(const fabric_members_t *members, int link, int from, uint32_t flow)
{
    const int first = members->first[link], n = fabric_members_count(members, link);
    const fabric_member_t *all = &members->members[first];
    int n_own = 0;
    for (int i = 0; i < n; i++) {
        n_own += all[i].from_switch == from;
    }
    assert(n > 0);
    int left = n > 1 ? draw(members, link, from, 0, flow, n_own > 0 ? n_own : n) : 0;
    for (int i = 0; i < n; i++) {
        if ((n_own == 0 || all[i].from_switch == from) && left-- == 0) {
            return first + i;
        }
    }
    return first;
}

int fabric_members_begin(const fabric_members_t *members, int link, uint32_t flow)
{
    const int n = pb_network_node(members->network, sending_node(members->network, link))->spines;
    /* Not the hash by which that switch then chooses, or it would know only some outcomes. */
    return n > 1 ? draw(members, link, 0, 1, flow, n) : 0;
}
