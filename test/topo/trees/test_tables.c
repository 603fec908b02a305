/*
 * Tables that are kept across roots: plans are the same with and without them, and another root
 * costs the links on the way to it.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/trees/shapes.h"
#include "topo/trees/tables.h"
#include "topo/trees/twotree/internal.h"

/* Kinds that keep tables. */
static const pb_kind_t kinds[] = {PB_KIND_TWOTREE};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* Random networks of each kind. */
static int n_trials;

static int n_shapes_of(const pb_tables_t *tables)
{
    return tables->twotree != NULL ? tables->twotree->shapes.n : 0;
}

static bool is_same_plan(const pb_plan_t *a, const pb_plan_t *b)
{
    bool same = a->n_streams == b->n_streams && a->root == b->root;
    for (int s = 0; s < a->n_streams && same; s++) {
        const pb_stream_t *x = &a->streams[s], *y = &b->streams[s];
        const size_t n = (size_t) a->n_ranks;
        same = x->height == y->height && memcmp(x->parent, y->parent, n * sizeof(int)) == 0 &&
               memcmp(x->first_child, y->first_child, (n + 1) * sizeof(int)) == 0 &&
               memcmp(x->child, y->child, (size_t) (a->n_members - 1) * sizeof(int)) == 0;
    }
    return same;
}

static pb_plan_t *make_plan(const pb_view_t *view, pb_kind_t kind, pb_tables_t *tables)
{
    const pb_plan_options_t options = {.fanout = 3, .tables = tables};
    pb_plan_t *plan;
    if (pb_plan_compute(view, kind, &options, &plan) != PB_SUCCESS) {
        abort();
    }
    return plan;
}

/* ---- the same plans ---- */

typedef struct tally {
    int n, n_same, n_good;
} tally_t;

/* The case's plan with what is kept, without it, and with it once more. */
static void compare(const tree_case_t *c, pb_kind_t kind, pb_tables_t *tables, tally_t *tally)
{
    pb_plan_t *kept = make_plan(c->view, kind, tables);
    const int n_shapes = n_shapes_of(tables);
    pb_plan_t *fresh = make_plan(c->view, kind, NULL), *again = make_plan(c->view, kind, tables);
    tally->n++;
    tally->n_same +=
        is_same_plan(kept, fresh) && is_same_plan(kept, again) && n_shapes_of(tables) == n_shapes;
    tally->n_good += tree_case_judge(c, kept, 2, TREE_CASE_LOAD);
    pb_plan_free(kept);
    pb_plan_free(fresh);
    pb_plan_free(again);
}

/* Gives the case another root among the ranks that take part. */
static void change_root(tree_case_t *c, pb_random_t *random)
{
    const int n = c->view->n_ranks;
    pb_view_t *view;
    c->root = c->view->order[pb_random_below(random, n)];
    if (pb_view_new(c->placement, c->root, c->members != NULL ? c->view->order : NULL, n, &view) !=
        PB_SUCCESS) {
        abort();
    }
    pb_view_free(c->view);
    c->view = view;
}

/* Several roots of one network in random order, and all networks with the same tables. */
static void same_plans(pb_shape_t shape, int max_speed)
{
    pb_random_t random = pb_random_seed(8600 + (uint64_t) (10 * shape + max_speed));
    pb_tables_t tables = {0};
    tally_t tally = {0};
    for (int i = 0; i < n_trials; i++) {
        tree_case_t c;
        const int size = i % 10 == 0 ? 20 : 5;
        tree_case_init(&c, &random, shape, (tree_case_size_t){size, 4 * size, 3, max_speed, true});
        for (int root = 0; root < 5; root++) {
            for (int kind = 0; kind < N_KINDS; kind++) {
                compare(&c, kinds[kind], &tables, &tally);
            }
            change_root(&c, &random);
        }
        tree_case_clear(&c);
    }
    const size_t memory = pb_tables_memory(&tables);
    pb_tables_clear(&tables);
    ok(tally.n_same == tally.n, "%s, speeds to %d: %d of %d plans are the same without tables",
       pb_shape_name(shape), max_speed, tally.n_same, tally.n);
    ok(tally.n_good == tally.n, "%s, speeds to %d: %d of %d plans are right", pb_shape_name(shape),
       max_speed, tally.n_good, tally.n);
    ok(memory > 0 && pb_tables_memory(&tables) == 0 && n_shapes_of(&tables) == 0,
       "%s, speeds to %d: %zu bytes are given back", pb_shape_name(shape), max_speed, memory);
}

/* ---- the work for another root ---- */

/* Subtrees that hang from another link, or from the same one the other way, as seen from `rank`. */
static int links_between(const pb_view_t *view, int rank)
{
    int n = 0;
    for (int v = view->attached[view->position[rank]]; v > 0; v = view->vertices[v].parent) {
        n++;
    }
    return n;
}

static pb_view_t *view_of(const pb_placement_t *placement, int root)
{
    pb_view_t *view;
    if (pb_view_new(placement, root, NULL, 0, &view) != PB_SUCCESS) {
        abort();
    }
    return view;
}

static int n_made(const pb_view_t *view, pb_kind_t kind, pb_tables_t *tables)
{
    const int before = n_shapes_of(tables);
    pb_plan_free(make_plan(view, kind, tables));
    return n_shapes_of(tables) - before;
}

/* Plans for all roots of a network, in random order: no more tables than links on the way. */
static bool costs_the_way(pb_random_t *random, pb_shape_t shape, pb_kind_t kind)
{
    pb_network_t *network = pb_random_network(random, shape, 12, 60, 0);
    pb_placement_t *placement = pb_random_placement(random, network, 1);
    pb_tables_t tables = {0};
    pb_view_t *last = view_of(placement, pb_random_below(random, placement->n_ranks));
    bool good = n_made(last, kind, &tables) <= last->n_vertices;
    for (int i = 0; i < 40 && good; i++) {
        const int root = pb_random_below(random, placement->n_ranks);
        pb_view_t *view = view_of(placement, root);
        const int links = links_between(last, root), made = n_made(view, kind, &tables);
        /* With the root's own vertex; that is known too if both sit at one switch. */
        good = made <= (links > 0 ? links + 1 : 0);
        pb_view_free(last);
        last = view;
    }
    const int n_links = 2 * (last->n_vertices - 1);
    good = good && n_shapes_of(&tables) <= n_links + last->n_vertices;
    pb_view_free(last);
    pb_tables_clear(&tables);
    pb_placement_free(placement);
    pb_network_free(network);
    return good;
}

static void another_root(pb_shape_t shape)
{
    pb_random_t random = pb_random_seed(8700 + (uint64_t) shape);
    for (int kind = 0; kind < N_KINDS; kind++) {
        int n_good = 0;
        for (int i = 0; i < n_trials; i++) {
            n_good += costs_the_way(&random, shape, kinds[kind]);
        }
        ok(n_good == n_trials, "%s, %s: further roots cost the way to them in %d of %d",
           pb_shape_name(shape), pb_kind_name(kinds[kind]), n_good, n_trials);
    }
}

/* All leaves of a star are alike, whichever is the root's: two tables for each kind of subtree. */
static void alike_leaves(void)
{
    pb_network_t *network = pb_network_new();
    pb_placement_t *placement = pb_placement_new(network, 64);
    pb_tables_t tables = {0};
    pb_diag_t diag;
    char name[16];
    pb_diag_init(&diag);
    pb_network_add(network, PB_NODE_SWITCH, "spine");
    for (int leaf = 0; leaf < 8; leaf++) {
        snprintf(name, sizeof(name), "leaf%d", leaf);
        pb_network_connect(network, 0, pb_network_add(network, PB_NODE_SWITCH, name), 0);
    }
    for (int rank = 0; rank < 64; rank++) {
        snprintf(name, sizeof(name), "n%d", rank);
        placement->host[rank] = pb_network_add(network, PB_NODE_HOST, name);
        pb_network_connect(network, 1 + rank / 8, placement->host[rank], 0);
    }
    if (pb_network_finish(network, "test", &diag) != PB_SUCCESS) {
        abort();
    }
    for (int kind = 0; kind < N_KINDS; kind++) {
        int first = 0, further = 0;
        for (int root = 0; root < 64; root++) {
            pb_view_t *view = view_of(placement, root);
            *(root == 0 ? &first : &further) += n_made(view, kinds[kind], &tables);
            pb_view_free(view);
        }
        ok(first == 3 && further == 0, "%s: a leaf, a spine and a root of %d tables, %d further",
           pb_kind_name(kinds[kind]), first, further);
    }
    pb_tables_clear(&tables);
    pb_placement_free(placement);
    pb_network_free(network);
    pb_diag_clear(&diag);
}

/* ---- shapes ---- */

static void shapes(void)
{
    pb_shapes_t shapes = {0};
    bool is_new, good = true;
    for (int i = 0; i < 1000; i++) {
        const int key[] = {i / 100, i % 100, i};
        good = good && pb_shapes_find(&shapes, key, 3, &is_new) == i && is_new;
    }
    ok(good && shapes.n == 1000, "lists that differ have shapes of their own: %d", shapes.n);
    for (int i = 0; i < 1000; i++) {
        const int key[] = {i / 100, i % 100, i};
        good = good && pb_shapes_find(&shapes, key, 3, &is_new) == i && !is_new;
    }
    ok(good && shapes.n == 1000, "lists that are known have the same ones: %d", shapes.n);
    ok(pb_shapes_find(&shapes, (const int[]){0, 0}, 2, &is_new) == 1000 && is_new,
       "a list that begins like another one is not the same");
    pb_shapes_clear(&shapes);
    ok(shapes.n == 0 && pb_shapes_memory(&shapes) == 0, "all are given back");
}

int main(void)
{
    n_trials = tap_trials(40, 10);
    shapes();
    alike_leaves();
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        another_root((pb_shape_t) shape);
        same_plans((pb_shape_t) shape, 0);
        same_plans((pb_shape_t) shape, 20);
    }
    return tap_done();
}
