/*
 * Ranks may know the same network from different sources, which number its nodes differently: the
 * plans of every kind are the same all the same.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/trees/kinds.h"

/** Connects the copy as `from` is below `node`, children in the same order. */
static void connect_below(pb_network_t *copy, const pb_network_t *from, int node, const int *number)
{
    for (int child = pb_network_node(from, node)->first_child; child >= 0;
         child = pb_network_node(from, child)->next_sibling) {
        if (pb_network_connect(copy, number[node], number[child],
                               pb_network_node(from, child)->speed) != PB_SUCCESS) {
            abort();
        }
        connect_below(copy, from, child, number);
    }
}

/** The same network and placement, with nodes numbered at random. */
static void renumber(const tree_case_t *c, pb_random_t *random, tree_case_t *copy)
{
    const int n = pb_network_size(c->network);
    int *order = malloc((size_t) n * sizeof(*order)),
        *number = malloc((size_t) n * sizeof(*number));
    pb_diag_t diag;
    pb_diag_init(&diag);
    *copy = (tree_case_t){.network = pb_network_new(), .root = c->root};
    if (copy->network == NULL || order == NULL || number == NULL) {
        abort();
    }
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
    if (pb_network_finish(copy->network, "copy", &diag) != PB_SUCCESS || copy->placement == NULL) {
        abort();
    }
    for (int rank = 0; rank < c->placement->n_ranks; rank++) {
        copy->placement->host[rank] = number[c->placement->host[rank]];
    }
    if (pb_view_new(copy->placement, copy->root, NULL, 0, &copy->view) != PB_SUCCESS) {
        abort();
    }
    pb_diag_clear(&diag);
    free(order);
    free(number);
}

static bool are_same(const pb_plan_t *a, const pb_plan_t *b)
{
    bool same = a->n_streams == b->n_streams && a->n_ranks == b->n_ranks;
    for (int s = 0; same && s < a->n_streams; s++) {
        same = memcmp(a->streams[s].parent, b->streams[s].parent,
                      (size_t) a->n_ranks * sizeof(*a->streams[s].parent)) == 0;
    }
    return same;
}

/** Whether both views have the same plan of a kind, or none. */
static bool plan_alike(const tree_case_t *a, const tree_case_t *b, pb_kind_t kind,
                       pb_plan_options_t options)
{
    options.fanout = 3;
    pb_plan_t *plan = NULL, *other = NULL;
    const int error = pb_plan_compute(a->view, kind, &options, &plan);
    const int other_error = pb_plan_compute(b->view, kind, &options, &other);
    const bool alike = error == other_error && (plan == NULL || are_same(plan, other));
    pb_plan_free(plan);
    pb_plan_free(other);
    return alike;
}

int main(void)
{
    const tree_case_size_t size = {
        .max_switches = 10, .max_hosts = 40, .max_per_host = 2, .max_speed = 4};
    const pb_plan_options_t options[] = {{.leaders = false}, {.repeats = true}, {.leaders = true}};
    int n_unlike[PB_KIND_COUNT] = {0}, n_hashes = 0;
    pb_random_t random = pb_random_seed(1);
    for (int i = 0; i < 300; i++) {
        tree_case_size_t this_size = size;
        this_size.max_speed = i % 2 == 0 ? 0 : size.max_speed;
        tree_case_t c, copy;
        tree_case_init(&c, &random, (pb_shape_t) (i % PB_SHAPE_COUNT), this_size);
        renumber(&c, &random, &copy);
        n_hashes += pb_network_hash(c.network) == pb_network_hash(copy.network);
        for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
            n_unlike[kind] += !plan_alike(&c, &copy, (pb_kind_t) kind, options[0]) ||
                              !plan_alike(&c, &copy, (pb_kind_t) kind, options[1]) ||
                              !plan_alike(&c, &copy, (pb_kind_t) kind, options[2]);
        }
        tree_case_clear(&c);
        tree_case_clear(&copy);
    }
    ok(n_hashes == 300, "the ranks take the networks for the same");
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        ok(n_unlike[kind] == 0, "%s: the same plans, however nodes are numbered",
           pb_kind_row((pb_kind_t) kind)->name);
    }
    return tap_done();
}
