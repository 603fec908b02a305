/*
 * From reading measured links to a plan of an annealed tree, without memory at each
 * place in turn.
 */
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/advice/host_plan.h"
#include "contrib/adaptive/search/anneal.h"
#include "test/failing_memory.h"
#include "test/must.h"
#include "test/tap.h"

/** More than one pool has. */
enum { N_NODES = 18 };

static int nodes[N_NODES];

/* Makes a plan of a tree over nodes that are all on one switch. */
static int plan(const pb_placement_t *placement, const pb_tree_t *tree)
{
    pb_view_t *view = NULL;
    pb_plan_t *made = NULL;
    pb_tree_t *again = NULL;
    int error = pb_view_new(placement, tree->root, NULL, 0, &view);
    if (error == PB_SUCCESS) {
        error = pb_host_plan(view, nodes, N_NODES, &tree, 1, &made);
    }
    if (error == PB_SUCCESS) {
        error = pb_tree_from_plan(made, 0, &again);
    }
    pb_tree_free(again);
    pb_plan_free(made);
    pb_view_free(view);
    return error;
}

static int anneal(const pb_link_matrix_t *matrix, const pb_placement_t *placement,
                  const pb_link_share_t *share)
{
    pb_tree_costs_t *costs;
    const pb_anneal_options_t options = {.budget = 200, .seed = 1};
    pb_anneal_result_t result;
    int error = pb_tree_costs_new(matrix, share, 1000, 100, &costs);
    if (error != PB_SUCCESS) {
        return error;
    }
    error = pb_anneal(costs, 0, &options, &result);
    if (error == PB_SUCCESS) {
        error = plan(placement, result.tree);
    }
    pb_tree_free(result.tree);
    pb_tree_costs_free(costs);
    return error;
}

static int share_and_anneal(const pb_link_matrix_t *matrix, const pb_placement_t *placement)
{
    pb_link_share_t *share;
    int error = pb_link_share_clusters(matrix, &share);
    pb_link_share_free(share);
    if (error == PB_SUCCESS) {
        error = pb_link_share_network(matrix, placement, &share);
    }
    if (error == PB_SUCCESS) {
        error = anneal(matrix, placement, share);
        pb_link_share_free(share);
    }
    return error;
}

static int place_and_anneal(const pb_link_matrix_t *matrix)
{
    pb_network_t *network =
        pb_network_one_switch((const char *const *) matrix->node, matrix->n_nodes);
    pb_placement_t *placement = network != NULL ? pb_placement_new(network, N_NODES) : NULL;
    int error = PB_ERR_NO_MEMORY;
    if (placement != NULL) {
        for (int i = 0; i < N_NODES; i++) {
            placement->host[i] = i;
        }
        error = share_and_anneal(matrix, placement);
    }
    pb_placement_free(placement);
    pb_network_free(network);
    return error;
}

static int run(const void *text)
{
    pb_diag_t diag;
    pb_link_matrix_t *matrix, *selected = NULL;
    pb_diag_init(&diag);
    int error = pb_link_matrix_parse(text, strlen(text), "links", &matrix, &diag);
    if (error == PB_SUCCESS) {
        error = pb_link_matrix_select(matrix, matrix->node, N_NODES, &selected, &(int){0});
    }
    if (error == PB_SUCCESS) {
        error = place_and_anneal(selected);
    }
    pb_link_matrix_free(selected);
    pb_link_matrix_free(matrix);
    pb_diag_clear(&diag);
    return error;
}

/** Links of two clusters of as many nodes. The caller frees the text. */
static char *good_links(void)
{
    char *text;
    size_t size;
    FILE *out = must_have(open_memstream(&text, &size));
    fputs("pipebcast-links 1\nsite s\n"
          "cluster c site s latency 10 bandwidth 1000000000\n"
          "cluster d site s latency 10 bandwidth 1000000000\n",
          out);
    for (int i = 0; i < N_NODES; i++) {
        fprintf(out, "node n%d cluster %c startup 1\n", i, i < N_NODES / 2 ? 'c' : 'd');
        nodes[i] = i;
    }
    fprintf(out,
            "link c d latency 100 bandwidth 100000000\n"
            "link d c latency 100 bandwidth 100000000\n"
            "pair n0 n9 latency 100 bandwidth 500000000\n"
            "end %d\n",
            N_NODES + 6);
    must(fclose(out) == 0);
    return text;
}

static const char faulty[] = "pipebcast-links 1\n"
                             "site s\n"
                             "cluster c site s latency 10 bandwidth 0\n"
                             "node n0 cluster d startup 1\n"
                             "link c d latency 100 bandwidth 100000000\n"
                             "pair n0 n3 latency 100 bandwidth 500000000\n"
                             "end 7\n";

static void test(const char *what, const char *text, int expected)
{
    const failing_memory_t r = failing_memory_run(run, text);
    ok(r.with_memory == expected, "%s: %s", what, pb_error_text(expected));
    ok(r.n_failed > 10 && r.n_wrong == 0, "%s: none of %d lost allocations breaks it", what,
       r.n_failed);
    ok(expected != PB_SUCCESS || r.n_reported == r.n_failed, "%s: %d are reported", what,
       r.n_reported);
}

int main(void)
{
    char *good = good_links();
    test("good links", good, PB_SUCCESS);
    free(good);
    test("faulty links", faulty, PB_ERR_INPUT);
    return tap_done();
}
