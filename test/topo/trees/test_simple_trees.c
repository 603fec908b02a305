/*
 * Promises of each row of the table of kinds, on random networks over all ranks or some. The chain,
 * flat, binomial, multicast and rank-order trees are held against their definitions, too.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/network/given.h"
#include "test/topo/trees/phases.h"
#include "test/topo/trees/tree_case.h"
#include "topo/trees/role.h"

/* ---- one kind ---- */

static bool is_binomial(tree_case_t *c, pb_random_t *random, void *context)
{
    (void) random;
    (void) context;
    pb_plan_t *plan = tree_case_plan(c, PB_KIND_BINOMIAL, 0);
    const bool good = tree_case_judge(c, plan, 32, TREE_CASE_ANY) && phases_are_free(c, plan);
    pb_plan_free(plan);
    return good;
}

static bool is_flat(tree_case_t *c, pb_random_t *random, void *context)
{
    (void) random;
    (void) context;
    pb_plan_t *plan = tree_case_plan(c, PB_KIND_FLAT, 0);
    const bool good = tree_case_judge(c, plan, plan->n_members - 1, TREE_CASE_ONE_SENDER) &&
                      plan->streams[0].height == (plan->n_members > 1);
    pb_plan_free(plan);
    return good;
}

/* The k-th member from the root on has the ((k - 1) / fanout)-th as its parent. */
static bool is_in_rank_order(tree_case_t *c, pb_random_t *random, void *context)
{
    const pb_kind_t kind = *(const pb_kind_t *) context;
    const int fanout = kind == PB_KIND_RANK_CHAIN ? 1 : 2;
    (void) random;
    pb_plan_t *plan = tree_case_plan(c, kind, 0);
    const pb_stream_t *stream = &plan->streams[0];
    int *members = malloc((size_t) plan->n_ranks * sizeof(*members)), n = 0;
    for (int i = 0; i < plan->n_ranks; i++) {
        const int rank = (c->root + i) % plan->n_ranks;
        if (c->members == NULL || c->members[rank]) {
            members[n++] = rank;
        }
    }
    bool good = tree_case_judge(c, plan, fanout, TREE_CASE_ANY) && n == plan->n_members;
    for (int k = 0; k < n && good; k++) {
        const int *child = &stream->child[stream->first_child[members[k]]];
        const int n_children =
            stream->first_child[members[k] + 1] - stream->first_child[members[k]];
        for (int a = 0; a < n_children; a++) {
            const int place = fanout * k + 1 + a;
            good = good && place < n && child[a] == members[place];
        }
    }
    free(members);
    pb_plan_free(plan);
    return good;
}

static int distance(const pb_view_t *view, int a, int b)
{
    int n = 0;
    for (; a != b; n++) {
        /* In preorder the greater one is no ancestor of the other. */
        if (a > b) {
            a = view->vertices[a].parent;
        } else {
            b = view->vertices[b].parent;
        }
    }
    return n;
}

static int vertex_of(const pb_view_t *view, int rank)
{
    return view->attached[view->position[rank]];
}

/* The chain passes each link between vertices there and back, but those to a farthest end. */
static bool is_shortest(const pb_view_t *view, const pb_plan_t *plan)
{
    int length = 0, farthest = 0;
    for (int v = 0; v < view->n_vertices; v++) {
        const int depth = distance(view, 0, v);
        farthest = depth > farthest ? depth : farthest;
    }
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        const int parent = plan->streams[0].parent[rank];
        if (parent >= 0) {
            length += distance(view, vertex_of(view, parent), vertex_of(view, rank));
        }
    }
    return length == 2 * (view->n_vertices - 1) - farthest;
}

static bool is_chain(tree_case_t *c, pb_random_t *random, void *context)
{
    (void) random;
    (void) context;
    pb_plan_t *plan = tree_case_plan(c, PB_KIND_CHAIN, 0);
    const bool good = tree_case_judge(c, plan, 1, TREE_CASE_ONE_EDGE) &&
                      plan->streams[0].height == plan->n_members - 1 && is_shortest(c->view, plan);
    pb_plan_free(plan);
    return good;
}

/* Chains from the hosts of one leaf end on all others. */
static void test_ends(void)
{
    enum { LEAVES = 6, HOSTS = 24 };
    int n_ends[LEAVES + 1] = {0}, n_used = 0;
    for (int root = 0; root < HOSTS; root++) {
        tree_case_t c;
        tree_case_read(&c,
                       "SwitchName=s0 Nodes=n[0-23];SwitchName=s1 Nodes=n[24-25];"
                       "SwitchName=s2 Nodes=n[26-27];SwitchName=s3 Nodes=n[28-29];"
                       "SwitchName=s4 Nodes=n[30-31];SwitchName=s5 Nodes=n[32-33];"
                       "SwitchName=top Switches=s[0-5]",
                       "n[0-33]", root);
        pb_plan_t *plan = tree_case_plan(&c, PB_KIND_CHAIN, 0);
        const pb_stream_t *chain = &plan->streams[0];
        int rank = root;
        while (chain->first_child[rank] < chain->first_child[rank + 1]) {
            rank = chain->child[chain->first_child[rank]];
        }
        n_ends[vertex_of(c.view, rank)]++;
        pb_plan_free(plan);
        tree_case_clear(&c);
    }
    for (int v = 0; v <= LEAVES; v++) {
        n_used += n_ends[v] > 0;
    }
    ok(n_used == LEAVES - 1, "chains from the hosts of one of six leaves end on %d others", n_used);
}

/* ---- multicast ---- */

static int host_of(const tree_case_t *c, int rank)
{
    return pb_network_host_of(c->network, c->placement->host[rank]);
}

/* Tells whether one rank of each host but the root's has its parent elsewhere, the lowest one. */
static bool enters_once(const tree_case_t *c, const pb_plan_t *plan)
{
    int *n_entries = calloc((size_t) pb_network_size(c->network), sizeof(*n_entries));
    bool good = true;
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        const int parent = plan->streams[0].parent[rank];
        if (parent >= 0 && host_of(c, parent) != host_of(c, rank)) {
            n_entries[host_of(c, rank)]++;
            for (int i = 0; i < c->view->n_ranks; i++) {
                const int other = c->view->order[i];
                good = good && (other >= rank || host_of(c, other) != host_of(c, rank));
            }
        }
    }
    for (int i = 0; i < c->view->n_ranks; i++) {
        const int host = host_of(c, c->view->order[i]);
        good = good && n_entries[host] == (host != host_of(c, plan->root));
    }
    free(n_entries);
    return good;
}

/* The tree of repairs is low, of small degree, and enters each host once. With places inside
 * hosts, links between these are not judged. */
static bool is_multicast(tree_case_t *c, pb_random_t *random, void *context)
{
    const bool has_places = context != NULL && tree_case_locate(c, random);
    pb_plan_t *plan = tree_case_plan(c, PB_KIND_MULTICAST, 0);
    pb_plan_t *binary = tree_case_plan(c, PB_KIND_BINARY, 0);
    const pb_stream_t *stream = &plan->streams[0];
    bool good = plan->kind == PB_KIND_MULTICAST && plan->n_streams == 1 &&
                (has_places || tree_case_judge(c, plan, 3, TREE_CASE_LOAD)) &&
                enters_once(c, plan) && tree_case_height(plan) <= tree_case_height(binary);
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        const int n = stream->first_child[rank + 1] - stream->first_child[rank];
        good = good && n <= 2 + (rank == plan->root);
    }
    pb_plan_free(binary);
    pb_plan_free(plan);
    return good;
}

/* ---- every kind ---- */

/* The streams in which a role has the peer `rank`, each once; -1: it is no peer, or twice. */
static long streams_of(const int *ranks, const uint32_t *masks, int n, int rank)
{
    long mask = -1;
    for (int i = 0; i < n; i++) {
        if (ranks[i] == rank) {
            mask = mask < 0 ? (long) masks[i] : -2;
        }
    }
    return mask;
}

/* Tells whether a rank's role has the plan's parents and children, in the order of streams and
 * children, and no others. */
static bool is_role_of(const pb_plan_t *plan, int rank)
{
    pb_role_t *role = pb_role_new(plan, rank);
    int n_seen = 0, n_parents = 0, n_edges = 0, n_children = 0;
    bool good = role != NULL && role->n_streams == plan->n_streams &&
                (role->n_parents == 0) == (plan->streams[0].parent[rank] < 0);
    for (int s = 0; s < plan->n_streams && good; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        const int parent = stream->parent[rank];
        const long mask = streams_of(role->parent, role->parent_mask, role->n_parents, parent);
        good = parent < 0 || (mask > 0 && (mask >> s & 1) != 0);
        for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1] && good; i++) {
            const long of_child =
                streams_of(role->child, role->child_mask, role->n_children, stream->child[i]);
            good = of_child > 0 && (of_child >> s & 1) != 0;
            if (plan->leader == NULL && good && (of_child & ((1L << s) - 1)) == 0) {
                good = role->child[n_seen++] == stream->child[i];
            }
            n_edges++;
        }
        n_parents += parent >= 0;
    }
    for (int i = 0; good && i < role->n_parents; i++) {
        n_parents -= __builtin_popcount(role->parent_mask[i]);
    }
    for (int i = 0; good && i < role->n_children; i++) {
        n_children += __builtin_popcount(role->child_mask[i]);
    }
    good = good && n_parents == 0 && n_children == n_edges && role->memory >= sizeof(*role);
    free(role);
    return good;
}

/* Tells whether the plan of a kind is as its row says. */
static bool is_row(tree_case_t *c, pb_random_t *random, void *context)
{
    const pb_kind_t kind = *(const pb_kind_t *) context;
    const pb_kind_row_t *row = pb_kind_row(kind);
    const pb_plan_options_t few = {.fanout = 2}, many = {.fanout = 5};
    pb_plan_t *plan = NULL, *other = NULL;
    (void) random;
    must(pb_plan_compute(c->view, kind, &few, &plan) == PB_SUCCESS);
    bool good = pb_plan_compute(c->view, kind, &many, &other) == PB_SUCCESS &&
                tree_case_judge(c, plan, plan->n_ranks * plan->n_streams,
                                row->promises ? TREE_CASE_LOAD : TREE_CASE_ANY);
    good = good && plan->kind == kind && (row->several_streams || plan->n_streams == 1) &&
           (row->takes_fanout || tree_case_same_plan(plan, other));
    const pb_stream_t *stream = &plan->streams[0];
    good = good && (!row->reaches_all ||
                    stream->first_child[plan->root + 1] - stream->first_child[plan->root] ==
                        plan->n_members - 1);
    for (int rank = 0; rank < plan->n_ranks && good; rank++) {
        good = is_role_of(plan, rank);
    }
    pb_plan_free(plan);
    pb_plan_free(other);
    return good;
}

/* ---- numbering ---- */

/* Connects the copy as `from` is below `node`, children in the same order. */
static void connect_below(pb_network_t *copy, const pb_network_t *from, int node, const int *number)
{
    for (int child = pb_network_node(from, node)->first_child; child >= 0;
         child = pb_network_node(from, child)->next_sibling) {
        must(pb_network_connect(copy, number[node], number[child],
                                pb_network_node(from, child)->speed) == PB_SUCCESS);
        connect_below(copy, from, child, number);
    }
}

/* The same network and placement, with nodes numbered at random. */
static void renumber(const tree_case_t *c, pb_random_t *random, tree_case_t *copy)
{
    const int n = pb_network_size(c->network);
    int *order = malloc((size_t) n * sizeof(*order)),
        *number = malloc((size_t) n * sizeof(*number));
    *copy = (tree_case_t){.network = pb_network_new(), .root = c->root};
    for (int i = 0; i < n; i++) {
        order[i] = i;
    }
    pb_random_shuffle(random, order, n);
    for (int i = 0; i < n; i++) {
        const pb_node_t *node = pb_network_node(c->network, order[i]);
        number[order[i]] = pb_network_add(copy->network, node->kind, node->name);
    }
    connect_below(copy->network, c->network, pb_network_top(c->network), number);
    copy->placement = pb_placement_new(copy->network, c->placement->n_ranks);
    given_finish(copy->network);
    for (int rank = 0; rank < c->placement->n_ranks; rank++) {
        copy->placement->host[rank] = number[c->placement->host[rank]];
    }
    must(pb_view_new(copy->placement, copy->root, NULL, 0, &copy->view) == PB_SUCCESS);
    free(order);
    free(number);
}

/* Ranks may know the same network from different sources, which number its nodes differently: the
 * plans of every kind are the same all the same. */
static bool is_alike_renumbered(tree_case_t *c, pb_random_t *random, void *context)
{
    static const pb_plan_options_t options[] = {
        {.fanout = 3}, {.fanout = 3, .repeats = true}, {.fanout = 3, .leaders = true}};
    tree_case_t copy;
    (void) context;
    renumber(c, random, &copy);
    bool good = pb_network_hash(c->network) == pb_network_hash(copy.network);
    for (int i = 0; i < 3 * PB_KIND_COUNT; i++) {
        const pb_kind_t kind = (pb_kind_t) (i / 3);
        pb_plan_t *plan = NULL, *other = NULL;
        const int error = pb_plan_compute(c->view, kind, &options[i % 3], &plan);
        good = good && error == pb_plan_compute(copy.view, kind, &options[i % 3], &other) &&
               (plan == NULL || tree_case_same_plan(plan, other));
        pb_plan_free(plan);
        pb_plan_free(other);
    }
    tree_case_clear(&copy);
    return good;
}

/* ---- names, and the linking of children ---- */

static void test_kinds(void)
{
    bool good = pb_kind_name(PB_KIND_COUNT) == NULL && pb_kind_find("Chain") == PB_ERR_UNKNOWN &&
                pb_kind_find("") == PB_ERR_UNKNOWN;
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        good = good && pb_kind_find(pb_kind_name((pb_kind_t) kind)) == kind;
    }
    ok(good, "each kind has its name, and no other name a kind");
}

static void test_children(void)
{
    static const int parents[] = {2, 0, -1, 2, 0, 2}, first[] = {0, 2, 2, 5, 5, 5, 5};
    tree_case_t c;
    tree_case_read(&c, "SwitchName=s Nodes=a,b,c,d,e,f", "a,b,c,d,e,f", 2);
    pb_plan_t *plan = pb_plan_new(c.view, PB_KIND_FLAT, 1), *none = plan;
    pb_stream_t *stream = &plan->streams[0];
    memcpy(stream->parent, parents, sizeof(parents));
    ok(pb_plan_link_children(plan, 0, c.view, NULL) == PB_SUCCESS && stream->height == 2 &&
           memcmp(stream->first_child, first, sizeof(first)) == 0 &&
           memcmp(stream->child, (int[]){1, 4, 0, 3, 5}, 5 * sizeof(int)) == 0,
       "children by position");
    ok(pb_plan_link_children(plan, 0, c.view, (int[]){5, -4, 3, 3, -5, 3}) == PB_SUCCESS &&
           memcmp(stream->child, (int[]){4, 1, 3, 5, 0}, 5 * sizeof(int)) == 0,
       "children by a given order, then by position");
    ok(pb_plan_compute(c.view, PB_KIND_COUNT, NULL, &none) == PB_ERR_UNFIT && none == NULL,
       "no kind, no plan");
    pb_plan_free(plan);
    tree_case_clear(&c);
}

int main(void)
{
    const tree_case_size_t equal = {20, 80, 4, 0, true}, unequal = {20, 60, 3, 10, true};
    pb_kind_t chain = PB_KIND_RANK_CHAIN, binary = PB_KIND_RANK_BINARY;
    bool places = true;
    test_kinds();
    test_children();
    test_ends();
    for (int i = 0; i < PB_KIND_COUNT; i++) {
        pb_kind_t kind = (pb_kind_t) i;
        tree_case_hold(pb_kind_name(kind), 72, 40, (tree_case_size_t){12, 48, 2, 0, true}, is_row,
                       &kind);
    }
    tree_case_hold("binomial, free in every phase", 71, 300, equal, is_binomial, NULL);
    tree_case_hold("flat", 73, 300, equal, is_flat, NULL);
    tree_case_hold("rank chain", 74, 300, equal, is_in_rank_order, &chain);
    tree_case_hold("rank binary", 75, 300, equal, is_in_rank_order, &binary);
    tree_case_hold("chain", 76, 1000, equal, is_chain, NULL);
    tree_case_hold("multicast", 77, 100, equal, is_multicast, NULL);
    tree_case_hold("multicast, unequal links", 78, 100, unequal, is_multicast, NULL);
    tree_case_hold("multicast, places", 79, 100, equal, is_multicast, &places);
    tree_case_hold("renumbered, equal links", 80, 25, (tree_case_size_t){10, 40, 2, 0, false},
                   is_alike_renumbered, NULL);
    tree_case_hold("renumbered", 81, 25, (tree_case_size_t){10, 40, 2, 4, false},
                   is_alike_renumbered, NULL);
    return tap_done();
}
