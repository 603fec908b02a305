/*
 * Checks that every two hosts are as near in a fabric as in its tree.
 *
 * Frames up from a host reach, in each merged node above it, some of the switches: its set. Two
 * hosts are as near as in the tree if their sets in the lowest node above both have a switch in
 * common. Leaves that are connected alike have the same set, so a node has few different ones; one
 * with all switches meets every other.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "topo/network/spines_internal.h"

/* A set may come from several nodes below. */
#define MANY (-1)

#define WORD_BITS 64

/* The different sets in one node of the tree. */
typedef struct sets {
    uint64_t *bits; /* words of each set, one set after another */
    int *from;      /* by set: the tree's node right below that it comes from, or MANY */
    int *example;   /* by set: a node whose hosts have it */
    int n;
    int capacity;
} sets_t;

typedef struct meeting {
    const pb_fabric_t *fabric;
    sets_t *sets;       /* by node of the tree */
    int *order;         /* nodes of the tree, deeper ones first */
    int *n_hosts;       /* by node of the tree: below it, as far as known */
    uint64_t *new_bits; /* room for one set */
    bool too_many;      /* this was reported */
} meeting_t;

static int merged_in(const pb_fabric_t *f, int node)
{
    return f->first_merged[node + 1] - f->first_merged[node];
}

static size_t words_of(const pb_fabric_t *f, int node)
{
    return ((size_t) merged_in(f, node) + WORD_BITS - 1) / WORD_BITS;
}

/* The array with room for `size` bytes; as it is, and *failed_p set, if out of memory. */
static void *enlarge(void *array, size_t size, bool *failed_p)
{
    void *larger = realloc(array, size);
    if (larger == NULL) {
        *failed_p = true;
        return array;
    }
    return larger;
}

static int grow(sets_t *sets, size_t n_words)
{
    const int capacity = sets->capacity > 0 ? 4 * sets->capacity : 1;
    const size_t n = (size_t) capacity;
    bool failed = false;
    sets->bits = enlarge(sets->bits, n * n_words * sizeof(*sets->bits), &failed);
    sets->from = enlarge(sets->from, n * sizeof(*sets->from), &failed);
    sets->example = enlarge(sets->example, n * sizeof(*sets->example), &failed);
    if (failed) {
        return PB_ERR_NO_MEMORY;
    }
    sets->capacity = capacity;
    return PB_SUCCESS;
}

static void report_too_many(meeting_t *m, int node)
{
    const pb_node_t *merged = pb_network_node(m->fabric->tree, node);
    pb_diag_error(m->fabric->warnings, m->fabric->file, merged->line,
                  "the switches below %s are connected to them in more than %d different ways; "
                  "so whether their hosts meet is not checked",
                  merged->name, PB_SPINES_MAX_SETS);
    m->too_many = true;
}

/* Adds the set in new_bits to those of a node. */
static int add_set(meeting_t *m, int node, int from, int example)
{
    const size_t n_words = words_of(m->fabric, node);
    sets_t *sets = &m->sets[node];
    for (int i = 0; i < sets->n; i++) {
        if (memcmp(sets->bits + (size_t) i * n_words, m->new_bits, n_words * sizeof(uint64_t)) ==
            0) {
            sets->from[i] = sets->from[i] == from ? from : MANY;
            return PB_SUCCESS;
        }
    }
    if (sets->n == PB_SPINES_MAX_SETS) {
        if (!m->too_many) {
            report_too_many(m, node);
        }
        return PB_SUCCESS;
    }
    if (sets->n == sets->capacity && grow(sets, n_words) != PB_SUCCESS) {
        return PB_ERR_NO_MEMORY;
    }
    memcpy(sets->bits + (size_t) sets->n * n_words, m->new_bits, n_words * sizeof(uint64_t));
    sets->from[sets->n] = from;
    sets->example[sets->n++] = example;
    return PB_SUCCESS;
}

static bool holds(const uint64_t *bits, int index)
{
    return (bits[index / WORD_BITS] >> (index % WORD_BITS) & 1) != 0;
}

static void hold(uint64_t *bits, int index)
{
    bits[index / WORD_BITS] |= UINT64_C(1) << (index % WORD_BITS);
}

/* Adds to new_bits the switches right above a switch. Returns whether there are any. */
static bool hold_above(meeting_t *m, int node)
{
    const pb_fabric_t *f = m->fabric;
    for (int at = f->first_uplink[node]; at < f->first_uplink[node + 1]; at++) {
        hold(m->new_bits, f->index[f->uplinks[f->by_child[at]].parent]);
    }
    return f->first_uplink[node] < f->first_uplink[node + 1];
}

static void report_no_way_up(const pb_fabric_t *f, int node, int below, int example)
{
    pb_diag_error(f->warnings, f->file, pb_network_node(f->network, example)->line,
                  "no switch above '%s' is below %s, though others of %s are, so that it is "
                  "reached through these only; name such a switch there, or leave out its links",
                  pb_network_node(f->network, example)->name, pb_network_node(f->tree, node)->name,
                  pb_network_node(f->tree, below)->name);
}

/* Adds what a set of a node becomes in the node above. */
static int pass_set(meeting_t *m, int below, int set)
{
    const pb_fabric_t *f = m->fabric;
    const int node = pb_network_node(f->tree, below)->parent;
    const sets_t *sets = &m->sets[below];
    const uint64_t *bits = sets->bits + (size_t) set * words_of(f, below);
    bool any = false;
    memset(m->new_bits, 0, words_of(f, node) * sizeof(*m->new_bits));
    for (int i = 0; i < merged_in(f, below); i++) {
        if (holds(bits, i)) {
            any |= hold_above(m, f->by_node[f->first_merged[below] + i]);
        }
    }
    if (any) {
        return add_set(m, node, below, sets->example[set]);
    }
    if (m->n_hosts[below] < pb_network_n_hosts(f->tree)) {
        report_no_way_up(f, node, below, sets->example[set]);
    }
    return PB_SUCCESS;
}

static int pass_host(meeting_t *m, int below)
{
    const pb_fabric_t *f = m->fabric;
    const int node = pb_network_node(f->tree, below)->parent;
    const int host = f->by_node[f->first_merged[below]];
    const int leaf = pb_network_node(f->network, host)->parent;
    memset(m->new_bits, 0, words_of(f, node) * sizeof(*m->new_bits));
    hold(m->new_bits, f->index[leaf]);
    return add_set(m, node, below, merged_in(f, node) > 1 ? host : leaf);
}

static bool meet(const sets_t *sets, size_t n_words, int a, int b)
{
    const uint64_t *left = sets->bits + (size_t) a * n_words;
    const uint64_t *right = sets->bits + (size_t) b * n_words;
    for (size_t word = 0; word < n_words; word++) {
        if ((left[word] & right[word]) != 0) {
            return true;
        }
    }
    return sets->from[a] == sets->from[b] && sets->from[a] != MANY;
}

static void report_apart(const pb_fabric_t *f, int node, int a, int b)
{
    const pb_node_t *left = pb_network_node(f->network, a), *right = pb_network_node(f->network, b);
    char line[PB_DIAG_LINE_SIZE];
    pb_diag_error(f->warnings, f->file, right->line,
                  "'%s' and '%s' (%s) have none of %s in common, so that what they send each "
                  "other passes through others below; name both below one of these, or leave out "
                  "the links that no flow takes",
                  right->name, left->name, pb_diag_line(line, f->warnings, right->line, left->line),
                  pb_network_node(f->tree, node)->name);
}

/* Reports the first pair of sets that has nothing in common. */
static void check_sets(const meeting_t *m, int node)
{
    const sets_t *sets = &m->sets[node];
    const size_t n_words = words_of(m->fabric, node);
    for (int b = 1; b < sets->n && merged_in(m->fabric, node) > 1; b++) {
        for (int a = 0; a < b; a++) {
            if (!meet(sets, n_words, a, b)) {
                report_apart(m->fabric, node, sets->example[a], sets->example[b]);
                return;
            }
        }
    }
}

/* A node below which all has been done: its own sets, then what they are in the node above. */
static int pass_node(meeting_t *m, int node)
{
    const pb_network_t *tree = m->fabric->tree;
    check_sets(m, node);
    const int parent = pb_network_node(tree, node)->parent;
    if (parent < 0 || pb_network_node(tree, parent)->is_virtual) {
        return PB_SUCCESS;
    }
    const bool is_host = pb_network_node(tree, node)->kind == PB_NODE_HOST;
    m->n_hosts[node] += is_host;
    m->n_hosts[parent] += m->n_hosts[node];
    if (is_host) {
        return pass_host(m, node);
    }
    const size_t n_before = m->fabric->warnings->n_errors;
    int error = PB_SUCCESS;
    for (int set = 0; set < m->sets[node].n && error == PB_SUCCESS; set++) {
        error = pass_set(m, node, set);
        if (m->fabric->warnings->n_errors > n_before) {
            break;
        }
    }
    return error;
}

/* Deeper nodes first, by counting: those of a depth end where the next lower depth begins. */
static int sort_by_depth(meeting_t *m)
{
    const pb_network_t *tree = m->fabric->tree;
    const int n = pb_network_size(tree);
    int *end = calloc((size_t) n + 1, sizeof(*end));
    if (end == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int node = 0; node < n; node++) {
        end[n - 1 - pb_network_depth(tree, node)]++;
    }
    for (int i = 1; i < n; i++) {
        end[i] += end[i - 1];
    }
    for (int node = n - 1; node >= 0; node--) {
        m->order[--end[n - 1 - pb_network_depth(tree, node)]] = node;
    }
    free(end);
    return PB_SUCCESS;
}

static void meeting_clear(meeting_t *m)
{
    for (int node = 0; m->sets != NULL && node < pb_network_size(m->fabric->tree); node++) {
        free(m->sets[node].bits);
        free(m->sets[node].from);
        free(m->sets[node].example);
    }
    free(m->sets);
    free(m->order);
    free(m->n_hosts);
    free(m->new_bits);
}

int pb_spines_meet(const pb_fabric_t *fabric)
{
    const int n = pb_network_size(fabric->tree);
    meeting_t m = {.fabric = fabric,
                   .sets = calloc((size_t) n + 1, sizeof(*m.sets)),
                   .order = malloc(((size_t) n + 1) * sizeof(*m.order)),
                   .n_hosts = calloc((size_t) n + 1, sizeof(*m.n_hosts)),
                   .new_bits = malloc((PB_SPINES_MAX / WORD_BITS + 1) * sizeof(*m.new_bits))};
    int error = m.sets != NULL && m.order != NULL && m.n_hosts != NULL && m.new_bits != NULL
                    ? PB_SUCCESS
                    : PB_ERR_NO_MEMORY;
    error = error == PB_SUCCESS ? sort_by_depth(&m) : error;
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        error = pass_node(&m, m.order[i]);
    }
    meeting_clear(&m);
    return error;
}
