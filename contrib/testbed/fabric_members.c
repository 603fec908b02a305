#include "contrib/testbed/fabric_members.h"

#include <assert.h>
#include <stdlib.h>

#include "topo/util/hash.h"

/* The members that one switch may choose from for one directed link. */
typedef struct choice {
    int first, n;  /* in `choosable` */
    uint64_t hash; /* the state of the hash before the flow enters */
} choice_t;

struct fabric_members {
    int n_members;
    fabric_member_t *members;
    int n_choices;
    int *first;        /* by directed link, and one more */
    int *first_choice; /* likewise; a choice for each switch of the node that sends */
    choice_t *choices; /* sorted by link, then by switch */
    int *choosable;    /* members, sorted by choice */
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

/** Counts members and choices of all links; false if these are too many. */
static bool count(fabric_members_t *members, const pb_network_t *network)
{
    const int n_links = 2 * pb_network_size(network);
    int64_t n_members = 0, n_choices = 0;
    for (int link = 0; link < n_links; link++) {
        members->first[link] = (int) n_members;
        members->first_choice[link] = (int) n_choices;
        if (is_link(network, link)) {
            n_members += pb_network_members(network, pb_link_node(link));
            n_choices += pb_network_spines(network, sending_node(network, link));
        }
        if (n_members > FABRIC_MAX_MEMBERS || n_choices > FABRIC_MAX_MEMBERS) {
            return false;
        }
    }
    members->first[n_links] = members->n_members = (int) n_members;
    members->first_choice[n_links] = members->n_choices = (int) n_choices;
    return true;
}

/** Room for as many as were counted; false if out of memory. */
static bool allocate(fabric_members_t *members)
{
    const size_t n_members = (size_t) members->n_members + 1;
    members->members = calloc(n_members, sizeof(*members->members));
    members->choosable = calloc(n_members, sizeof(*members->choosable));
    members->choices = calloc((size_t) members->n_choices + 1, sizeof(*members->choices));
    return members->members != NULL && members->choosable != NULL && members->choices != NULL;
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
 * Member `number` of a node's uplink. Counting both ends up together meets each pair of
 * switches whose numbers are alike modulo the common divisor; then the upper end is one ahead,
 * until all pairs are met.
 */
static fabric_member_t plug(const pb_network_t *network, int link, int number)
{
    int node = pb_link_node(link);
    int n_lower = pb_network_spines(network, node);
    int n_upper = pb_network_spines(network, pb_network_node(network, node)->parent);
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

/**
 * Fills in the choice of switch `from` for `link`. `choosable` has all members of a link at the
 * positions of these, sorted by the switch that sends; those up to `n` are filled in.
 */
static int fill_choice(fabric_members_t *members, int link, int from, int n)
{
    choice_t *choice = &members->choices[members->first_choice[link] + from];
    choice->first = n;
    for (int i = members->first[link]; i < members->first[link + 1]; i++) {
        if (members->members[i].from_switch == from) {
            members->choosable[n++] = i;
        }
    }
    choice->n = n - choice->first;
    if (choice->n == 0) {
        choice->first = members->first[link];
        choice->n = fabric_members_count(members, link);
    }
    return n;
}

static void fill(fabric_members_t *members, const pb_network_t *network, uint64_t seed)
{
    const uint64_t seeded = pb_hash_number(PB_HASH_START, seed);
    for (int link = 0; link < 2 * pb_network_size(network); link++) {
        int n = members->first[link];
        const int n_members = fabric_members_count(members, link);
        for (int number = 0; number < n_members; number++) {
            members->members[members->first[link] + number] = plug(network, link, number);
        }
        const int first = members->first_choice[link];
        for (int i = first; i < members->first_choice[link + 1]; i++) {
            members->choices[i].hash = pb_hash_number(seeded, (uint64_t) i);
            n = fill_choice(members, link, i - first, n);
        }
    }
}

fabric_members_t *fabric_members_new(const pb_network_t *network, uint64_t seed)
{
    fabric_members_t *members = calloc(1, sizeof(*members));
    if (members == NULL) {
        return NULL;
    }
    const size_t n_links = 2 * (size_t) pb_network_size(network);
    members->first = calloc(n_links + 1, sizeof(*members->first));
    members->first_choice = calloc(n_links + 1, sizeof(*members->first_choice));
    if (members->first == NULL || members->first_choice == NULL || !count(members, network) ||
        !allocate(members)) {
        fabric_members_free(members);
        return NULL;
    }
    fill(members, network, seed);
    return members;
}

void fabric_members_free(fabric_members_t *members)
{
    if (members == NULL) {
        return;
    }
    free(members->members);
    free(members->first);
    free(members->first_choice);
    free(members->choices);
    free(members->choosable);
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

/** A number below `n` that depends on a flow. */
static int draw(uint64_t state, uint32_t flow, int n)
{
    const uint64_t hash = pb_hash_end(pb_hash_number(state, flow)) >> 32;
    return (int) (hash * (uint64_t) n >> 32);
}

int fabric_members_choose(const fabric_members_t *members, int link, int from, uint32_t flow)
{
    const choice_t *choice = &members->choices[members->first_choice[link] + from];
    assert(choice->n > 0);
    const int chosen = choice->n > 1 ? draw(choice->hash, flow, choice->n) : 0;
    return members->choosable[choice->first + chosen];
}

int fabric_members_begin(const fabric_members_t *members, int link, uint32_t flow)
{
    const int first = members->first_choice[link];
    const int n = members->first_choice[link + 1] - first;
    /* Not the hash by which that switch then chooses, or it would know only some outcomes. */
    return n > 1 ? draw(~members->choices[first].hash, flow, n) : 0;
}
