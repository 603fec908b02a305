#include "topo/network/network.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/hash.h"
#include "topo/util/kit.h"

/* A slot of the table of host names. The key is the first `length` bytes of the
 * node's name, without regard to case. */
typedef struct host_slot {
    int node; /* -1: a free slot */
    int length;
    bool ambiguous; /* several hosts have this key */
} host_slot_t;

/*
 * Both tables are open-addressed with linear probing; sizes are powers of two.
 * `names` maps every node's exact name, those of switches apart from others'. `hosts` maps each
 * host's whole name and its name up to the first dot, both without regard to case.
 */
struct pb_network {
    pb_node_t *nodes;
    int *depth; /* by node; valid after finish */
    int n_nodes;
    int capacity; /* of nodes and depth */
    int n_hosts;
    int n_places;
    int top;
    int others; /* the switch of hosts that are not named; -1: none */
    int max_depth;
    uint32_t base_speed;
    uint64_t described; /* the hash of what was described; 0: all was */
    int *names;         /* node, -1: a free slot */
    size_t names_size;
    host_slot_t *hosts;
    size_t hosts_size;
};

/* ---- names ---- */

static uint64_t hash_name(const char *name)
{
    return pb_hash_end(pb_hash_bytes(PB_HASH_START, name, strlen(name)));
}

static uint64_t hash_host(const char *host, int length)
{
    uint64_t state = PB_HASH_START;
    for (int i = 0; i < length; i++) {
        unsigned char byte = (unsigned char) pb_fold(host[i]);
        state = pb_hash_bytes(state, &byte, 1);
    }
    return pb_hash_end(state);
}

static int short_length(const char *host)
{
    return (int) strcspn(host, ".");
}

/* IPv6 has colons; IPv4 has digits and at least one dot. */
static bool is_address(const char *host)
{
    if (strchr(host, ':') != NULL) {
        return true;
    }
    return strchr(host, '.') != NULL && host[strspn(host, "0123456789.")] == '\0';
}

static bool is_called(const pb_node_t *node, bool is_switch, const char *name)
{
    return (node->kind == PB_NODE_SWITCH) == is_switch && strcmp(node->name, name) == 0;
}

/* The slot that holds the name of a switch, or of another node, or the free one where it belongs.
 */
static size_t find_name_slot(const pb_network_t *network, bool is_switch, const char *name)
{
    size_t mask = network->names_size - 1;
    size_t slot = hash_name(name) & mask;
    while (network->names[slot] >= 0 &&
           !is_called(&network->nodes[network->names[slot]], is_switch, name)) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static size_t find_host_slot(const pb_network_t *network, const char *host, int length)
{
    size_t mask = network->hosts_size - 1;
    size_t slot = hash_host(host, length) & mask;
    for (;; slot = (slot + 1) & mask) {
        const host_slot_t *held = &network->hosts[slot];
        if (held->node < 0 || (held->length == length && pb_is_like(network->nodes[held->node].name,
                                                                    host, (size_t) length))) {
            return slot;
        }
    }
}

static void insert_host_key(pb_network_t *network, int node, int length)
{
    host_slot_t *slot = &network->hosts[find_host_slot(network, network->nodes[node].name, length)];
    if (slot->node < 0) {
        *slot = (host_slot_t){.node = node, .length = length};
    } else if (slot->node != node) {
        slot->ambiguous = true;
    }
}

static void insert_host(pb_network_t *network, int node)
{
    const char *name = network->nodes[node].name;
    if (network->nodes[node].kind != PB_NODE_HOST || is_address(name)) {
        return;
    }
    insert_host_key(network, node, (int) strlen(name));
    insert_host_key(network, node, short_length(name));
}

/* Makes both tables large enough for `capacity` nodes and fills them anew. */
static int resize_tables(pb_network_t *network, int capacity)
{
    size_t names_size = (size_t) capacity * 2, hosts_size = (size_t) capacity * 4;
    int *names = malloc(names_size * sizeof(*names));
    host_slot_t *hosts = malloc(hosts_size * sizeof(*hosts));
    if (names == NULL || hosts == NULL) {
        free(names);
        free(hosts);
        return PB_ERR_NO_MEMORY;
    }
    free(network->names);
    free(network->hosts);
    network->names = names;
    network->names_size = names_size;
    network->hosts = hosts;
    network->hosts_size = hosts_size;
    for (size_t i = 0; i < names_size; i++) {
        names[i] = -1;
    }
    for (size_t i = 0; i < hosts_size; i++) {
        hosts[i].node = -1;
    }
    for (int node = 0; node < network->n_nodes; node++) {
        const pb_node_t *named = &network->nodes[node];
        names[find_name_slot(network, named->kind == PB_NODE_SWITCH, named->name)] = node;
        insert_host(network, node);
    }
    return PB_SUCCESS;
}

/* Capacities are powers of two, which the tables rely on. */
static int grow(pb_network_t *network)
{
    int capacity = network->capacity > 0 ? 2 * network->capacity : 16;
    pb_node_t *nodes = realloc(network->nodes, (size_t) capacity * sizeof(*nodes));
    if (nodes == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    network->nodes = nodes;
    int *depth = realloc(network->depth, (size_t) capacity * sizeof(*depth));
    if (depth == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    network->depth = depth;
    int error = resize_tables(network, capacity);
    if (error == PB_SUCCESS) {
        network->capacity = capacity;
    }
    return error;
}

/* ---- making a network ---- */

pb_network_t *pb_network_new(void)
{
    pb_network_t *network = calloc(1, sizeof(*network));
    if (network == NULL) {
        return NULL;
    }
    network->top = network->others = -1;
    if (grow(network) != PB_SUCCESS) {
        pb_network_free(network);
        return NULL;
    }
    return network;
}

void pb_network_free(pb_network_t *network)
{
    if (network == NULL) {
        return;
    }
    for (int node = 0; node < network->n_nodes; node++) {
        free(network->nodes[node].name);
    }
    free(network->nodes);
    free(network->depth);
    free(network->names);
    free(network->hosts);
    free(network);
}

int pb_network_add(pb_network_t *network, pb_node_kind_t kind, const char *name)
{
    if (name[0] == '\0' || network->n_nodes == PB_NETWORK_MAX_NODES) {
        return PB_ERR_INPUT;
    }
    if (network->n_nodes == network->capacity && grow(network) != PB_SUCCESS) {
        return PB_ERR_NO_MEMORY;
    }
    size_t slot = find_name_slot(network, kind == PB_NODE_SWITCH, name);
    if (network->names[slot] >= 0) {
        return PB_ERR_INPUT;
    }
    char *copy = strdup(name);
    if (copy == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int node = network->n_nodes++;
    network->nodes[node] = (pb_node_t){.name = copy,
                                       .kind = kind,
                                       .parent = -1,
                                       .first_child = -1,
                                       .last_child = -1,
                                       .next_sibling = -1,
                                       .members = 1,
                                       .spines = 1};
    network->names[slot] = node;
    network->n_hosts += kind == PB_NODE_HOST;
    network->n_places += kind == PB_NODE_PLACE;
    insert_host(network, node);
    return node;
}

/* Tells whether a node of one kind may be right below one of another. */
static bool may_be_below(pb_node_kind_t below, pb_node_kind_t above)
{
    return below == PB_NODE_PLACE ? above != PB_NODE_SWITCH : above == PB_NODE_SWITCH;
}

int pb_network_connect(pb_network_t *network, int parent, int child, uint32_t speed)
{
    assert(parent >= 0 && parent < network->n_nodes && child >= 0 && child < network->n_nodes);
    pb_node_t *above = &network->nodes[parent], *below = &network->nodes[child];
    if (!may_be_below(below->kind, above->kind) || below->parent >= 0) {
        return PB_ERR_INPUT;
    }
    below->parent = parent;
    below->speed = speed;
    below->speed_given = speed > 0;
    if (above->last_child >= 0) {
        network->nodes[above->last_child].next_sibling = child;
    } else {
        above->first_child = child;
    }
    above->last_child = child;
    return PB_SUCCESS;
}

int pb_network_bundle(pb_network_t *network, int node, int members)
{
    assert(node >= 0 && node < network->n_nodes && network->nodes[node].parent >= 0);
    if (members < 1 || members > PB_NETWORK_MAX_MEMBERS) {
        return PB_ERR_INPUT;
    }
    network->nodes[node].members = members;
    return PB_SUCCESS;
}

void pb_network_set_spines(pb_network_t *network, int node, int spines)
{
    assert(node >= 0 && node < network->n_nodes && spines >= 1);
    network->nodes[node].spines = spines;
}

/* Adds a node like `of`, without a parent. */
static int add_like(pb_network_t *network, const pb_node_t *of)
{
    const int node = pb_network_add(network, of->kind, of->name);
    if (node >= 0) {
        pb_network_set_line(network, node, of->line);
        pb_network_set_spines(network, node, of->spines);
        network->nodes[node].is_virtual = of->is_virtual;
    }
    return node;
}

/* Connects the copies of a node's children, in their order. */
static int connect_like(pb_network_t *part, const pb_network_t *network, int parent,
                        const int *numbers)
{
    int error = PB_SUCCESS;
    for (int child = network->nodes[parent].first_child; child >= 0 && error == PB_SUCCESS;
         child = network->nodes[child].next_sibling) {
        const pb_node_t *of = &network->nodes[child];
        if (numbers[child] < 0) {
            continue;
        }
        error = pb_network_connect(part, numbers[parent], numbers[child], of->speed);
        if (error == PB_SUCCESS) {
            error = pb_network_bundle(part, numbers[child], of->members);
        }
    }
    return error;
}

pb_network_t *pb_network_part(const pb_network_t *network, int *numbers)
{
    pb_network_t *part = pb_network_new();
    int error = part != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
    for (int node = 0; node < network->n_nodes && error == PB_SUCCESS; node++) {
        if (numbers[node] >= 0) {
            numbers[node] = add_like(part, &network->nodes[node]);
            error = numbers[node] >= 0 ? PB_SUCCESS : PB_ERR_NO_MEMORY;
        }
    }
    for (int node = 0; node < network->n_nodes && error == PB_SUCCESS; node++) {
        error = numbers[node] >= 0 ? connect_like(part, network, node, numbers) : PB_SUCCESS;
    }
    if (error != PB_SUCCESS) {
        pb_network_free(part);
        return NULL;
    }
    part->others = network->others >= 0 ? numbers[network->others] : -1;
    return part;
}

void pb_network_set_others(pb_network_t *network, int node)
{
    assert(node >= 0 && node < network->n_nodes && network->nodes[node].kind == PB_NODE_SWITCH);
    network->others = node;
}

void pb_network_set_line(pb_network_t *network, int node, int line)
{
    assert(node >= 0 && node < network->n_nodes);
    network->nodes[node].line = line;
}

/* ---- finishing it ---- */

enum { DEPTH_UNKNOWN = -1, DEPTH_ON_PATH = -2, DEPTH_NONE = -3 };

/*
 * Walks up from `node` to a node of known depth or a top, then gives the nodes of the walk their
 * depths. False if the walk meets itself, in a cycle. Each node is on one walk only, so that all
 * walks together are linear.
 */
static bool find_depths_from(pb_network_t *network, int node)
{
    const pb_node_t *nodes = network->nodes;
    int *depth = network->depth;
    int n_steps = 0, at = node;
    for (; at >= 0 && depth[at] == DEPTH_UNKNOWN; at = nodes[at].parent) {
        depth[at] = DEPTH_ON_PATH;
        n_steps++;
    }
    const bool rooted = at < 0 || depth[at] >= 0;
    int bottom = rooted ? n_steps + (at < 0 ? -1 : depth[at]) : DEPTH_NONE;
    for (at = node; n_steps > 0; n_steps--, at = nodes[at].parent) {
        depth[at] = bottom;
        bottom -= rooted;
    }
    return rooted;
}

/* A node of a cycle, or above one; -1: there is none. */
static int find_depths(pb_network_t *network)
{
    int in_cycle = -1;
    for (int node = 0; node < network->n_nodes; node++) {
        network->depth[node] = DEPTH_UNKNOWN;
    }
    network->max_depth = 0;
    for (int node = 0; node < network->n_nodes; node++) {
        if (network->depth[node] == DEPTH_UNKNOWN && !find_depths_from(network, node)) {
            in_cycle = node;
        }
        network->max_depth = pb_max(network->max_depth, network->depth[node]);
    }
    return in_cycle;
}

/* Adds the switch that stands for what connects several tops. */
static int add_virtual_top(pb_network_t *network)
{
    char name[32] = "top";
    for (int i = 1; pb_network_find_switch(network, name) >= 0; i++) {
        snprintf(name, sizeof(name), "top_%d", i);
    }
    const int n = network->n_nodes, top = pb_network_add(network, PB_NODE_SWITCH, name);
    if (top < 0) {
        return top;
    }
    network->nodes[top].is_virtual = true;
    for (int node = 0; node < n; node++) {
        if (network->nodes[node].parent < 0) {
            pb_network_connect(network, top, node, 0);
        }
    }
    return top;
}

/* Finds the top, or adds one above several. */
static int find_top(pb_network_t *network)
{
    int n_tops = 0;
    for (int node = 0; node < network->n_nodes; node++) {
        if (network->nodes[node].parent < 0) {
            network->top = node;
            n_tops++;
        }
    }
    if (n_tops > 1) {
        network->top = add_virtual_top(network);
    }
    return network->top >= 0 ? PB_SUCCESS : network->top;
}

/* The lowest speed that is given, or 1 if none is given to a link of a host. */
static uint32_t find_lowest_speed(const pb_network_t *network)
{
    uint32_t lowest = UINT32_MAX;
    bool hosts_have = false;
    for (int i = 0; i < network->n_nodes; i++) {
        const pb_node_t *node = &network->nodes[i];
        if (node->speed_given) {
            lowest = node->speed < lowest ? node->speed : lowest;
            hosts_have |= node->kind == PB_NODE_HOST;
        }
    }
    return hosts_have ? lowest : 1;
}

static void find_base_speed(pb_network_t *network)
{
    network->base_speed = find_lowest_speed(network);
    for (int i = 0; i < network->n_nodes; i++) {
        pb_node_t *node = &network->nodes[i];
        if (node->parent >= 0 && !node->speed_given) {
            node->speed = network->base_speed;
        }
    }
}

/* Links to a virtual top are as fast as the slowest host's. */
static void find_virtual_speed(pb_network_t *network)
{
    uint32_t lowest = UINT32_MAX;
    for (int i = 0; i < network->n_nodes; i++) {
        const pb_node_t *node = &network->nodes[i];
        if (node->kind == PB_NODE_HOST && node->parent >= 0 && node->speed < lowest) {
            lowest = node->speed;
        }
    }
    const bool is_virtual = network->nodes[network->top].is_virtual && lowest < UINT32_MAX;
    for (int node = is_virtual ? network->nodes[network->top].first_child : -1; node >= 0;
         node = network->nodes[node].next_sibling) {
        network->nodes[node].speed = lowest;
    }
}

int pb_network_finish(pb_network_t *network, const char *file, pb_diag_t *diag)
{
    const int in_cycle = find_depths(network);
    if (network->n_nodes == 0 || in_cycle >= 0) {
        pb_diag_error(diag, file, 0, in_cycle < 0 ? "there is no node" : "'%s' is above itself",
                      in_cycle < 0 ? "" : network->nodes[in_cycle].name);
        return PB_ERR_INPUT;
    }
    const int n = network->n_nodes, error = find_top(network);
    if (error == PB_ERR_INPUT) {
        pb_diag_error(
            diag, file, 0,
            "several switches are at the top, and with one above them there are more than %d names",
            PB_NETWORK_MAX_NODES);
    }
    if (error != PB_SUCCESS) {
        return error;
    }
    if (network->n_nodes > n) {
        find_depths(network);
    }
    find_base_speed(network);
    find_virtual_speed(network);
    return PB_SUCCESS;
}

static int fill_one_switch(pb_network_t *network, const char *const *names, int n_names)
{
    for (int i = 0; i < n_names; i++) {
        if (pb_network_find(network, names[i]) >= 0) {
            continue;
        }
        int node = pb_network_add(network, PB_NODE_HOST, names[i]);
        if (node < 0) {
            return node;
        }
    }
    int hub = n_names > 0 ? pb_network_add(network, PB_NODE_SWITCH, "switch") : PB_ERR_INPUT;
    if (hub < 0) {
        return hub;
    }
    for (int host = 0; host < hub; host++) {
        pb_network_connect(network, hub, host, 0);
    }
    return pb_network_finish(network, NULL, NULL);
}

pb_network_t *pb_network_one_switch(const char *const *names, int n_names)
{
    pb_network_t *network = pb_network_new();
    if (network != NULL && fill_one_switch(network, names, n_names) != PB_SUCCESS) {
        pb_network_free(network);
        return NULL;
    }
    return network;
}

/* ---- asking ---- */

int pb_network_size(const pb_network_t *network)
{
    return network->n_nodes;
}
int pb_network_n_hosts(const pb_network_t *network)
{
    return network->n_hosts;
}
int pb_network_n_places(const pb_network_t *network)
{
    return network->n_places;
}
int pb_network_top(const pb_network_t *network)
{
    return network->top;
}
uint32_t pb_network_base_speed(const pb_network_t *network)
{
    return network->base_speed;
}
int pb_network_max_path(const pb_network_t *network)
{
    return 2 * network->max_depth;
}

int pb_network_n_switches(const pb_network_t *network)
{
    return network->n_nodes - network->n_hosts - network->n_places;
}

int pb_network_depth(const pb_network_t *network, int node)
{
    assert(node >= 0 && node < network->n_nodes);
    return network->depth[node];
}

const pb_node_t *pb_network_node(const pb_network_t *network, int node)
{
    assert(node >= 0 && node < network->n_nodes);
    return &network->nodes[node];
}

int pb_network_others(const pb_network_t *network)
{
    return network->others;
}

static int find_named(const pb_network_t *network, bool is_switch, const char *name)
{
    const int node = network->names[find_name_slot(network, is_switch, name)];
    return node >= 0 ? node : PB_ERR_UNKNOWN;
}

int pb_network_find(const pb_network_t *network, const char *name)
{
    const int node = find_named(network, false, name);
    return node >= 0 ? node : find_named(network, true, name);
}

int pb_network_find_switch(const pb_network_t *network, const char *name)
{
    return find_named(network, true, name);
}

/* The only host with this key, or PB_ERR_UNKNOWN. */
static int find_host(const pb_network_t *network, const char *host, int length)
{
    const host_slot_t *slot = &network->hosts[find_host_slot(network, host, length)];
    return slot->node >= 0 && !slot->ambiguous ? slot->node : PB_ERR_UNKNOWN;
}

int pb_network_find_host(const pb_network_t *network, const char *host)
{
    int node = pb_network_find(network, host);
    if (node >= 0 && network->nodes[node].kind == PB_NODE_HOST) {
        return node;
    }
    if (is_address(host)) {
        return PB_ERR_UNKNOWN;
    }
    node = find_host(network, host, (int) strlen(host));
    if (node >= 0) {
        return node;
    }
    node = find_host(network, host, short_length(host));
    if (node >= 0 && strchr(host, '.') != NULL && strchr(network->nodes[node].name, '.') != NULL) {
        return PB_ERR_UNKNOWN;
    }
    return node;
}

int pb_network_host_of(const pb_network_t *network, int node)
{
    while (pb_network_node(network, node)->kind == PB_NODE_PLACE) {
        node = network->nodes[node].parent;
    }
    return node;
}

/* The node after `node` in preorder, or -1; needs no stack. */
static int next_in_preorder(const pb_network_t *network, int node)
{
    const pb_node_t *nodes = network->nodes;
    if (nodes[node].first_child >= 0) {
        return nodes[node].first_child;
    }
    while (node >= 0 && nodes[node].next_sibling < 0) {
        node = nodes[node].parent;
    }
    return node >= 0 ? nodes[node].next_sibling : -1;
}

/* In preorder with depths, which determine the shape, so that equal networks whose
 * nodes are numbered differently have equal hashes. */
uint64_t pb_network_hash(const pb_network_t *network)
{
    uint64_t state = pb_hash_number(PB_HASH_START, (uint64_t) network->n_nodes);
    for (int at = network->top; at >= 0; at = next_in_preorder(network, at)) {
        const pb_node_t *node = &network->nodes[at];
        state = pb_hash_number(state, (uint64_t) network->depth[at]);
        state = pb_hash_number(state,
                               2 * (uint64_t) (node->members - 1) + (node->kind == PB_NODE_HOST));
        if (node->kind == PB_NODE_PLACE) {
            state = pb_hash_number(state, (uint64_t) node->kind);
        }
        if (node->spines > 1) {
            state = pb_hash_number(state, (uint64_t) node->spines);
        }
        state = pb_hash_number(state, node->speed);
        state = pb_hash_string(state, node->name);
        if (at == network->others) {
            state = pb_hash_string(state, "others");
        }
    }
    return pb_hash_end(state);
}

uint64_t pb_network_hash_described(const pb_network_t *network)
{
    return network->described != 0 ? network->described : pb_network_hash(network);
}

void pb_network_set_described(pb_network_t *network, const pb_network_t *described)
{
    network->described = pb_network_hash_described(described);
}

int pb_network_path(const pb_network_t *network, int from, int to, int *links)
{
    const pb_node_t *nodes = network->nodes;
    const int *depth = network->depth;
    int n_up = 0, n_down = 0, low = to;
    /* First only lengths, as the way down is found from its end. */
    int a = from, b = to;
    while (a != b) {
        if (depth[a] >= depth[b]) {
            links[n_up++] = pb_link_up(a);
            a = nodes[a].parent;
        } else {
            n_down++;
            b = nodes[b].parent;
        }
    }
    for (int i = n_up + n_down - 1; i >= n_up; i--) {
        links[i] = pb_link_down(low);
        low = nodes[low].parent;
    }
    return n_up + n_down;
}

uint32_t pb_network_slowest(const pb_network_t *network, int from, int to)
{
    uint32_t slowest = UINT32_MAX;
    while (from != to) {
        int *below = network->depth[from] >= network->depth[to] ? &from : &to;
        const pb_node_t *node = &network->nodes[*below];
        slowest = node->speed < slowest ? node->speed : slowest;
        *below = node->parent;
    }
    return slowest;
}
