/*
 * Views: examples by hand, and on random networks every statement of topo/network/view.h,
 * found again by walking physical paths.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "test/topo/util/golden.h"

/* ---- random networks ---- */

/* Reports the first statement of a trial that does not hold, by its text. */
#define HOLDS(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return #condition;                                                                     \
        }                                                                                          \
    } while (0)

static int ranks_on_host(const pb_view_t *view, int host)
{
    int n = 0;
    for (int i = 0; i < view->n_ranks; i++) {
        n += view->placement->host[view->order[i]] == host;
    }
    return n;
}

static const char *check_order(const pb_view_t *view, int root, const char *members)
{
    int n = 0;
    HOLDS(view->order[0] == root);
    for (int rank = 0; rank < view->placement->n_ranks; rank++) {
        int position = view->position[rank];
        n += members[rank];
        HOLDS(members[rank] ? position >= 0 && view->order[position] == rank : position == -1);
    }
    HOLDS(n == view->n_ranks);
    return NULL;
}

/* Preorder: subtrees are ranges of vertices and of positions. */
static const char *check_ranges(const pb_view_t *view)
{
    const pb_vertex_t *vs = view->vertices;
    HOLDS(vs[0].parent == -1 && vs[0].end == view->n_vertices);
    HOLDS(vs[0].first_rank == 0 && vs[0].end_rank == view->n_ranks);
    for (int v = 0; v < view->n_vertices; v++) {
        int position = vs[v].end_local, n_children = 0;
        HOLDS(vs[v].first_rank <= vs[v].end_local && vs[v].end_local <= vs[v].end_rank);
        for (int c = pb_view_first_child(view, v); c < vs[v].end; c = vs[c].end) {
            HOLDS(vs[c].parent == v);
            HOLDS(vs[c].first_rank == position);
            position = vs[c].end_rank;
            n_children++;
        }
        HOLDS(position == vs[v].end_rank);
        HOLDS(vs[v].end_local > vs[v].first_rank || n_children >= 2);
        for (int i = vs[v].first_rank; i < vs[v].end_local; i++) {
            HOLDS(view->attached[i] == v);
        }
    }
    return NULL;
}

/* Where a rank must be attached, and over what link. */
static const char *check_attached(const pb_view_t *view)
{
    const pb_network_t *network = view->placement->network;
    for (int i = 0; i < view->n_ranks; i++) {
        int host = view->placement->host[view->order[i]];
        const pb_node_t *node = pb_network_node(network, host);
        bool is_vertex = ranks_on_host(view, host) > 1;
        HOLDS(view->vertices[view->attached[i]].node == (is_vertex ? host : node->parent));
        HOLDS(view->speed[i] == (is_vertex ? UINT32_MAX : node->speed));
    }
    return NULL;
}

/* Edges of the view follow physical paths, no two over one link, and know their
 * slowest link. With the other statements this makes the view the only one. */
static const char *check_paths(const pb_view_t *view, int *links, char *used)
{
    const pb_network_t *network = view->placement->network;
    memset(used, 0, (size_t) pb_network_size(network));
    for (int v = 1; v < view->n_vertices; v++) {
        const pb_vertex_t *vertex = &view->vertices[v];
        int from = view->vertices[vertex->parent].node;
        int n = pb_network_path(network, from, vertex->node, links);
        uint32_t slowest = UINT32_MAX;
        HOLDS(n > 0);
        for (int i = 0; i < n; i++) {
            int below = pb_link_node(links[i]);
            uint32_t speed = pb_network_node(network, below)->speed;
            HOLDS(!used[below]);
            used[below] = 1;
            slowest = speed < slowest ? speed : slowest;
        }
        HOLDS(vertex->speed == slowest);
    }
    return NULL;
}

/* The place of the first step from `from` to `to` among from's neighbors:
 * children in their order, the parent last. */
static int direction(const pb_network_t *network, int from, int to, int *links)
{
    pb_network_path(network, from, to, links);
    if (pb_link_is_up(links[0])) {
        return pb_network_size(network);
    }
    int n = 0, child = pb_network_node(network, from)->first_child;
    for (; child != pb_link_node(links[0]); child = pb_network_node(network, child)->next_sibling) {
        n++;
    }
    return n;
}

static const char *check_child_order(const pb_view_t *view, int *links)
{
    const pb_network_t *network = view->placement->network;
    const pb_vertex_t *vs = view->vertices;
    for (int v = 0; v < view->n_vertices; v++) {
        int last = -1;
        for (int c = pb_view_first_child(view, v); c < vs[v].end; c = vs[c].end) {
            int place = direction(network, vs[v].node, vs[c].node, links);
            HOLDS(place > last);
            last = place;
        }
        int last_place = -1, last_rank = -1;
        for (int i = vs[v].first_rank + (v == 0); i < vs[v].end_local; i++) {
            int rank = view->order[i], host = view->placement->host[rank];
            int place = host == vs[v].node ? 0 : direction(network, vs[v].node, host, links);
            HOLDS(place > last_place || (host == vs[v].node && rank > last_rank));
            last_place = place;
            last_rank = rank;
        }
    }
    return NULL;
}

static const char *check_view(const pb_view_t *view, int root, const char *members, int *links,
                              char *used)
{
    const char *fault = check_order(view, root, members);
    fault = fault != NULL ? fault : check_ranges(view);
    fault = fault != NULL ? fault : check_attached(view);
    fault = fault != NULL ? fault : check_paths(view, links, used);
    return fault != NULL ? fault : check_child_order(view, links);
}

static bool is_sound(tree_case_t *c, pb_random_t *random, void *context)
{
    const pb_network_t *network = c->network;
    const size_t n = (size_t) c->placement->n_ranks;
    int *links = malloc(((size_t) pb_network_max_path(network) + 1) * sizeof(*links));
    char *members = malloc(n), *used = malloc((size_t) pb_network_size(network));
    (void) random;
    (void) context;
    memset(members, 1, n);
    const char *fault =
        check_view(c->view, c->root, c->members != NULL ? c->members : members, links, used);
    if (fault != NULL) {
        printf("# %s\n", fault);
    }
    free(links);
    free(members);
    free(used);
    return fault == NULL;
}

/* ---- examples ---- */

/* A view in one line: each vertex with its ranks and, in brackets, its children;
 * behind '/' the speed from the parent. */
static void print_view(const pb_view_t *view, FILE *out)
{
    for (int v = 0; v < view->n_vertices; v++) {
        const pb_vertex_t *vertex = &view->vertices[v];
        fprintf(out, "%s%s", v > 0 ? " " : "",
                pb_network_node(view->placement->network, vertex->node)->name);
        if (v > 0) {
            fprintf(out, "<%s/%u",
                    pb_network_node(view->placement->network, view->vertices[vertex->parent].node)
                        ->name,
                    vertex->speed);
        }
        for (int i = vertex->first_rank; i < vertex->end_local; i++) {
            fprintf(out, "%s%d", i > vertex->first_rank ? "," : ":", view->order[i]);
        }
    }
}

static void test_example(char *const *columns, int n)
{
    tree_case_t c;
    char *is = NULL;
    size_t size;
    FILE *out = open_memstream(&is, &size);
    tree_case_read(&c, columns[1], columns[2], atoi(columns[3]));
    print_view(c.view, out);
    fclose(out);
    ok(n == 5 && golden_equal(is, columns[4]), "%s: %s", columns[0], is);
    free(is);
    tree_case_clear(&c);
}

static void test_host_alone(void)
{
    pb_network_t *network = pb_network_new();
    pb_network_add(network, PB_NODE_HOST, "m");
    pb_diag_t diag;
    pb_diag_init(&diag);
    ok(pb_network_finish(network, NULL, &diag) == PB_SUCCESS, "a host alone is a network");
    pb_placement_t *placement = pb_placement_new(network, 1);
    placement->host[0] = 0;
    pb_view_t *view;
    ok(pb_view_new(placement, 0, NULL, 0, &view) == PB_SUCCESS && view->n_vertices == 1 &&
           view->vertices[0].node == 0 && view->speed[0] == UINT32_MAX,
       "and has a view");
    pb_view_free(view);
    pb_placement_free(placement);
    pb_network_free(network);
    pb_diag_clear(&diag);
}

static void test_refusals(void)
{
    static const struct {
        const char *what;
        int root, n, subset[3]; /* n of the subset, 0: all */
        int host;               /* of rank 1 */
    } refused[] = {
        {"a root below 0", -1, 0, {0}, 2},
        {"a root too high", 3, 0, {0}, 2},
        {"a subset without the root", 0, 2, {1, 2}, 2},
        {"a subset with a rank twice", 0, 3, {0, 1, 1}, 2},
        {"a subset with the root twice", 0, 2, {0, 0}, 2},
        {"a subset with no rank", 0, 2, {0, 3}, 2},
        {"a rank on no host", 0, 0, {0}, -1},
        {"a rank on a switch", 0, 0, {0}, 0},
        {"a rank beyond the network", 0, 0, {0}, 4},
    };
    tree_case_t c;
    pb_view_t *view;
    tree_case_read(&c, "SwitchName=s Nodes=a,b,c", "a,b,c", 0);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        c.placement->host[1] = refused[i].host;
        view = c.view;
        ok(pb_view_new(c.placement, refused[i].root, refused[i].n > 0 ? refused[i].subset : NULL,
                       refused[i].n, &view) == PB_ERR_INPUT &&
               view == NULL,
           "%s", refused[i].what);
    }
    ok(pb_view_new(c.placement, 0, (int[]){0}, 0, &view) == PB_ERR_INPUT, "an empty subset");
    ok(pb_view_new(c.placement, 0, (int[]){2, 0}, 2, &view) == PB_SUCCESS,
       "a rank on no host may be left out of a subset");
    pb_view_free(view);
    pb_view_free(NULL);
    tree_case_clear(&c);
}

static void test_deep(void)
{
    pb_random_t random = pb_random_seed(1);
    pb_network_t *network = pb_random_network(&random, PB_SHAPE_LINE, 300000, 300000, 3);
    pb_placement_t *placement = pb_random_placement(&random, network, 1);
    pb_view_t *view;
    ok(pb_view_new(placement, 150000, NULL, 0, &view) == PB_SUCCESS && view->n_ranks == 300000,
       "a line of 300000 switches takes no stack");
    pb_view_free(view);
    pb_placement_free(placement);
    pb_network_free(network);
}

int main(void)
{
    ok(golden_rows("network/views.rows", test_example) == 10, "there are examples");
    test_host_alone();
    test_refusals();
    tree_case_hold("views are what topo/network/view.h says", 1, 700,
                   (tree_case_size_t){15, 40, 4, 5, true}, is_sound, NULL);
    test_deep();
    return tap_done();
}
