#include "test/topo/trees/tree_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/network/given.h"
#include "topo/check/check_load.h"
#include "topo/network/hostlist.h"
#include "topo/network/locality.h"
#include "topo/network/topology.h"

void tree_case_init(tree_case_t *c, pb_random_t *random, pb_shape_t shape, tree_case_size_t size)
{
    int n_switches = 1 + pb_random_below(random, size.max_switches);
    int n_hosts = 1 + pb_random_below(random, size.max_hosts);
    c->network = pb_random_network(random, shape, n_switches, n_hosts, size.max_speed);
    c->placement =
        pb_random_placement(random, c->network, 1 + pb_random_below(random, size.max_per_host));
    int n = c->placement->n_ranks, n_subset = n;
    c->root = pb_random_below(random, n);
    c->members = NULL;
    int *subset = must_have(malloc((size_t) n * sizeof(*subset)));
    if (size.subsets && pb_random_below(random, 2) == 1) {
        n_subset = pb_random_subset(random, n, c->root, subset);
        c->members = calloc((size_t) n, 1);
        for (int i = 0; i < n_subset && c->members != NULL; i++) {
            c->members[subset[i]] = 1;
        }
    }
    must(pb_view_new(c->placement, c->root, c->members != NULL ? subset : NULL, n_subset,
                     &c->view) == PB_SUCCESS);
    free(subset);
}

/* Up to three levels of up to four groups. Ranks of a host may differ in how many they tell. */
static pb_locality_t random_place(pb_random_t *random)
{
    pb_locality_t at = PB_LOCALITY_ANYWHERE;
    for (int n = pb_random_below(random, 4); n > 0; n--) {
        at = pb_locality_enter(at, (unsigned) pb_random_below(random, 4));
    }
    return at;
}

bool tree_case_locate(tree_case_t *c, pb_random_t *random)
{
    const int n = c->placement->n_ranks;
    pb_locality_t *places = malloc((size_t) n * sizeof(*places));
    pb_network_t *levels;
    pb_placement_t *located;
    pb_view_t *view;
    for (int rank = 0; places != NULL && rank < n; rank++) {
        places[rank] = random_place(random);
    }
    must(places != NULL && pb_locality_expand(c->placement, places, &levels, &located) == 0);
    free(places);
    if (levels == NULL) {
        return false;
    }
    must(pb_view_new(located, c->root, c->view->order, c->view->n_ranks, &view) == PB_SUCCESS);
    pb_view_free(c->view);
    pb_placement_free(c->placement);
    pb_network_free(c->network);
    c->view = view;
    c->placement = located;
    c->network = levels;
    return true;
}

/* Children keep their order, on which views depend. */
static pb_network_t *with_speeds(const pb_network_t *from, uint32_t hosts, uint32_t trunks)
{
    pb_network_t *network = pb_network_new();
    for (int node = 0; node < pb_network_size(from); node++) {
        const pb_node_t *n = pb_network_node(from, node);
        must(pb_network_add(network, n->kind, n->name) == node);
    }
    for (int parent = 0; parent < pb_network_size(from); parent++) {
        int child = pb_network_node(from, parent)->first_child;
        for (; child >= 0; child = pb_network_node(from, child)->next_sibling) {
            bool is_host = pb_network_node(from, child)->kind == PB_NODE_HOST;
            must(pb_network_connect(network, parent, child, is_host ? hosts : trunks) ==
                 PB_SUCCESS);
        }
    }
    given_finish(network);
    return network;
}

void tree_case_with_speeds(tree_case_t *c, const tree_case_t *from, uint32_t hosts, uint32_t trunks)
{
    const int n_ranks = from->placement->n_ranks;
    c->network = with_speeds(from->network, hosts, trunks);
    c->placement = pb_placement_new(c->network, n_ranks);
    c->root = from->root;
    c->members = NULL;
    for (int rank = 0; rank < n_ranks; rank++) {
        c->placement->host[rank] = from->placement->host[rank];
    }
    if (from->members != NULL) {
        c->members = must_have(malloc((size_t) n_ranks));
        memcpy(c->members, from->members, (size_t) n_ranks);
    }
    must(pb_view_new(c->placement, c->root, from->view->order, from->view->n_ranks, &c->view) ==
         PB_SUCCESS);
}

void tree_case_hold(const char *what, uint64_t seed, int n, tree_case_size_t size,
                    tree_case_property_t *property, void *context)
{
    for (int shape = 0; shape < PB_SHAPE_COUNT; shape++) {
        pb_random_t random = pb_random_seed(100 * seed + (uint64_t) shape);
        int n_good = 0;
        for (int i = 0; i < n; i++) {
            tree_case_t c;
            tree_case_init(&c, &random, (pb_shape_t) shape, size);
            n_good += property(&c, &random, context);
            tree_case_clear(&c);
        }
        ok(n_good == n, "%s: %s in %d of %d", pb_shape_name((pb_shape_t) shape), what, n_good, n);
    }
}

static int place_rank(void *context, const char *name)
{
    const tree_case_t *c = context;
    c->placement->host[c->placement->n_ranks++] = pb_network_find_host(c->network, name);
    return 0;
}

void tree_case_read(tree_case_t *c, const char *conf, const char *hosts, int root)
{
    enum { MOST = 1024 };
    char why[200];
    *c = (tree_case_t){.root = root, .network = given_network(conf)};
    c->placement = pb_placement_new(c->network, MOST);
    c->placement->n_ranks = 0;
    must(pb_hostlist_expand(hosts, MOST, place_rank, c, why, sizeof(why)) == 0 &&
         pb_view_new(c->placement, root, NULL, 0, &c->view) == PB_SUCCESS);
}

void tree_case_line(tree_case_t *c, int n_switches, int per_switch, uint32_t speed,
                    uint32_t trunk_speed)
{
    char conf[8192], hosts[32], of_hosts[32] = "", of_trunks[32] = "";
    int n = 0;
    if (speed > 0) {
        snprintf(of_hosts, sizeof(of_hosts), " LinkSpeed=%u", speed);
        snprintf(of_trunks, sizeof(of_trunks), " LinkSpeed=%u", trunk_speed);
    }
    for (int s = 0; s < n_switches; s++) {
        n += snprintf(conf + n, sizeof(conf) - (size_t) n, "SwitchName=s%d Nodes=m[%d-%d]%s;", s,
                      s * per_switch, (s + 1) * per_switch - 1, of_hosts);
        if (s > 0) {
            n += snprintf(conf + n, sizeof(conf) - (size_t) n, "SwitchName=s%d Switches=s%d%s;",
                          s - 1, s, of_trunks);
        }
    }
    snprintf(hosts, sizeof(hosts), "m[0-%d]", n_switches * per_switch - 1);
    tree_case_read(c, conf, hosts, 0);
}

bool tree_case_same_plan(const pb_plan_t *a, const pb_plan_t *b)
{
    const size_t n = (size_t) a->n_ranks * sizeof(int);
    bool same = a->n_streams == b->n_streams && a->root == b->root && a->n_ranks == b->n_ranks;
    for (int s = 0; s < a->n_streams && same; s++) {
        same = memcmp(a->streams[s].parent, b->streams[s].parent, n) == 0 &&
               memcmp(a->streams[s].child, b->streams[s].child,
                      (size_t) (a->n_members - 1) * sizeof(int)) == 0;
    }
    return same;
}

int tree_case_most_marked(const char *marks, int n)
{
    int most = 0;
    for (int row = 0; row < n; row++, marks += n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += marks[i];
        }
        most = sum > most ? sum : most;
    }
    return most;
}

int tree_case_log2_up(int n)
{
    int log = 0;
    while ((1 << log) < n) {
        log++;
    }
    return log;
}

int tree_case_height(const pb_plan_t *plan)
{
    int height = 0;
    for (int s = 0; s < plan->n_streams; s++) {
        height = plan->streams[s].height > height ? plan->streams[s].height : height;
    }
    return height;
}

void tree_case_clear(tree_case_t *c)
{
    pb_view_free(c->view);
    free(c->members);
    pb_placement_free(c->placement);
    pb_network_free(c->network);
}

static bool is_in(const pb_network_t *network, int at, int node)
{
    while (at >= 0 && at != node) {
        at = pb_network_node(network, at)->parent;
    }
    return at == node;
}

bool tree_case_together(const pb_placement_t *placement, int a, int b, int outside)
{
    const pb_network_t *network = placement->network;
    const int *host = placement->host;
    int node = host[a];
    for (; pb_network_node(network, node)->kind != PB_NODE_SWITCH;
         node = pb_network_node(network, node)->parent) {
        if (is_in(network, host[b], node)) {
            return !is_in(network, host[outside], node);
        }
    }
    return false;
}

pb_plan_t *tree_case_plan(const tree_case_t *c, pb_kind_t kind, int fanout)
{
    pb_plan_options_t options = {.fanout = fanout};
    pb_plan_t *plan;
    must(pb_plan_compute(c->view, kind, fanout != 0 ? &options : NULL, &plan) == PB_SUCCESS);
    return plan;
}

/* Tells whether over each link one rank alone sends, or the message goes once. */
static bool has_one_sender(const pb_check_t *check, int n_streams)
{
    for (int link = 0; link < check->n_links; link++) {
        if (check->links[link].senders > 1 && check->links[link].edges > n_streams) {
            return false;
        }
    }
    return true;
}

bool tree_case_judge(const tree_case_t *c, const pb_plan_t *plan, int max_sends,
                     tree_case_rule_t rule)
{
    pb_diag_t diag;
    pb_check_t check;
    pb_diag_init(&diag);
    int error = pb_check_plan(c->placement, plan, c->members, &check, &diag);
    if (error == PB_SUCCESS && check.max_sends > max_sends) {
        pb_diag_error(&diag, NULL, 0, "a rank sends to %d", check.max_sends);
    }
    if (error == PB_SUCCESS && check.height != tree_case_height(plan)) {
        pb_diag_error(&diag, NULL, 0, "the height is %d", check.height);
    }
    if (error == PB_SUCCESS && rule == TREE_CASE_ONE_EDGE && check.max_edges > 1) {
        pb_diag_error(&diag, NULL, 0, "%d edges over a link", check.max_edges);
    }
    if (error == PB_SUCCESS && rule >= TREE_CASE_ONE_SENDER &&
        !has_one_sender(&check, plan->n_streams)) {
        pb_diag_error(&diag, NULL, 0, "several ranks send over a link");
    }
    if (error == PB_SUCCESS && rule != TREE_CASE_ANY) {
        error = pb_check_load(c->placement, plan, NULL, &diag);
    }
    bool good = error == PB_SUCCESS && diag.n_errors == 0;
    if (!good) {
        printf("# %s\n", diag.n_errors > 0 ? pb_diag_first(&diag) : pb_error_text(error));
    }
    pb_check_clear(&check);
    pb_diag_clear(&diag);
    return good;
}
