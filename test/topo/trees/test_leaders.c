/* Plans by leaders on random networks with several ranks on a host, many with levels inside. */
#include <stdlib.h>

#include "test/failing_memory.h"
#include "test/must.h"
#include "test/tap.h"
#include "test/topo/trees/tree_case.h"
#include "topo/trees/leaders.h"
#include "topo/trees/role.h"

static int host_of(const tree_case_t *c, int rank)
{
    return pb_network_host_of(c->network, c->placement->host[rank]);
}

static bool takes_part(const tree_case_t *c, int rank)
{
    return c->members == NULL || c->members[rank];
}

static bool is_lowest(const tree_case_t *c, int rank)
{
    for (int lower = 0; lower < rank; lower++) {
        if (takes_part(c, lower) && host_of(c, lower) == host_of(c, rank)) {
            return false;
        }
    }
    return true;
}

/** Tells whether it takes frames in next to the root of its host. */
static bool is_beside_root(const tree_case_t *c, const pb_plan_t *plan, int rank)
{
    return pb_kind_row(plan->kind)->copies && rank != c->root && is_lowest(c, rank) &&
           host_of(c, rank) == host_of(c, c->root);
}

/** Tells whether any does: the place where it sits is entered by an edge to it, and by another one.
 */
static bool has_beside_root(const tree_case_t *c, const pb_plan_t *plan)
{
    bool has = false;
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        has = has || (takes_part(c, rank) && is_beside_root(c, plan, rank));
    }
    return has;
}

/** Of a kind whose frames switches copy, the lowest rank of a host takes part between hosts. */
static bool lowest_are_leaders(const tree_case_t *c, const pb_plan_t *plan)
{
    bool good = true;
    for (int rank = 0; rank < plan->n_ranks && pb_kind_row(plan->kind)->copies; rank++) {
        good = good && (!takes_part(c, rank) || !is_lowest(c, rank) || plan->leader[rank] == rank);
    }
    return good;
}

/** Each host's members have one leader among them, the root is its host's. */
static bool leaders_are_right(const tree_case_t *c, const pb_plan_t *plan)
{
    bool good = plan->leader[c->root] == c->root && lowest_are_leaders(c, plan);
    for (int a = 0; a < plan->n_ranks; a++) {
        good = good && (plan->leader[a] >= 0) == takes_part(c, a);
        for (int b = 0; b < plan->n_ranks && good; b++) {
            if (takes_part(c, a) && takes_part(c, b) && a != b &&
                (is_beside_root(c, plan, a) || is_beside_root(c, plan, b))) {
                good = plan->leader[a] != plan->leader[b];
            } else if (takes_part(c, a) && takes_part(c, b)) {
                const bool together = host_of(c, a) == host_of(c, b);
                good = together == (plan->leader[a] == plan->leader[b]) &&
                       plan->leader[plan->leader[a]] == plan->leader[a];
            }
        }
    }
    return good;
}

/** Others have their parent on their host, the same in all streams; leaders have leaders. */
static bool parents_are_right(const tree_case_t *c, const pb_plan_t *plan)
{
    bool good = true;
    for (int s = 0; s < plan->n_streams; s++) {
        for (int rank = 0; rank < plan->n_ranks && good; rank++) {
            const int parent = plan->streams[s].parent[rank];
            if (parent >= 0) {
                good = plan->leader[rank] == rank ? plan->leader[parent] == parent
                                                  : host_of(c, parent) == host_of(c, rank) &&
                                                        parent == plan->streams[0].parent[rank];
            }
        }
    }
    return good;
}

/** Each place inside a host is entered by one edge at most. */
static bool places_are_entered_once(const tree_case_t *c, const pb_plan_t *plan)
{
    int *n_entered = calloc((size_t) pb_network_size(c->network), sizeof(*n_entered));
    bool good = n_entered != NULL;
    for (int rank = 0; rank < plan->n_ranks && good; rank++) {
        const int parent = plan->streams[0].parent[rank];
        for (int node = c->placement->host[rank];
             parent >= 0 && pb_network_node(c->network, node)->kind == PB_NODE_PLACE;
             node = pb_network_node(c->network, node)->parent) {
            int at = c->placement->host[parent];
            while (at >= 0 && at != node) {
                at = pb_network_node(c->network, at)->parent;
            }
            n_entered[node] += at != node && !is_beside_root(c, plan, rank);
            good = n_entered[node] <= 1;
        }
    }
    free(n_entered);
    return good;
}

/** Both parts of each role together are the role, and of the leaders' streams nothing is lost. */
static bool roles_are_right(const pb_plan_t *plan)
{
    bool good = true;
    for (int rank = 0; rank < plan->n_ranks && good; rank++) {
        pb_role_t *role = pb_role_new(plan, rank);
        const pb_role_t between = pb_role_between_hosts(role), inside = pb_role_inside_host(role);
        good = between.n_children + inside.n_children == role->n_children &&
               between.n_parents + inside.n_parents == role->n_parents &&
               role->is_led == (plan->leader[rank] >= 0 && plan->leader[rank] != rank) &&
               (!role->is_led || between.n_children == 0) && inside.n_streams == 1;
        for (int i = 0; i < inside.n_children && good; i++) {
            good = plan->leader[inside.child[i]] == plan->leader[rank];
        }
        for (int i = 0; i < between.n_children && good; i++) {
            good = plan->leader[between.child[i]] == between.child[i];
        }
        free(role);
    }
    return good;
}

/** The kind whose plans are judged, and how many of them are by leaders. */
typedef struct judged {
    pb_kind_t kind;
    int n_by_leaders;
} judged_t;

static bool is_right(tree_case_t *c, pb_random_t *random, void *context)
{
    const pb_plan_options_t options = {.fanout = 3, .leaders = true};
    judged_t *judged = context;
    pb_plan_t *plan = NULL;
    (void) tree_case_locate(c, random);
    must(pb_plan_compute(c->view, judged->kind, &options, &plan) == PB_SUCCESS);
    const bool apply = pb_leaders_apply(c->view, judged->kind);
    bool good = (plan->leader != NULL) == apply;
    if (apply) {
        good = good &&
               (has_beside_root(c, plan) ||
                tree_case_judge(c, plan, plan->n_ranks * plan->n_streams, TREE_CASE_LOAD)) &&
               leaders_are_right(c, plan) && parents_are_right(c, plan) &&
               places_are_entered_once(c, plan) && roles_are_right(plan);
        judged->n_by_leaders++;
    }
    pb_plan_free(plan);
    return good;
}

static int plan_by_leaders(const void *context)
{
    const pb_plan_options_t options = {.fanout = 3, .leaders = true};
    const tree_case_t *c = context;
    pb_plan_t *plan;
    const int rc = pb_plan_compute(c->view, PB_KIND_TWOTREE, &options, &plan);
    pb_plan_free(plan);
    return rc;
}

int main(void)
{
    pb_random_t random = pb_random_seed(3);
    tree_case_t c;
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        judged_t judged = {.kind = (pb_kind_t) kind};
        const char *name = pb_kind_name(judged.kind);
        tree_case_hold(name, 91, tap_trials(150, 40), (tree_case_size_t){8, 12, 9, 0, true},
                       is_right, &judged);
        tree_case_hold(name, 92, tap_trials(150, 20), (tree_case_size_t){8, 12, 9, 2, true},
                       is_right, &judged);
        ok((judged.n_by_leaders > 0) == pb_kind_has_leaders(judged.kind),
           "%s: %d plans are by leaders", name, judged.n_by_leaders);
    }
    do {
        tree_case_init(&c, &random, PB_SHAPE_STAR, (tree_case_size_t){4, 12, 6, 0, false});
    } while (!pb_leaders_apply(c.view, PB_KIND_TWOTREE) && (tree_case_clear(&c), true));
    const failing_memory_t r = failing_memory_run(plan_by_leaders, &c);
    ok(r.with_memory == PB_SUCCESS && r.n_reported > 10 && r.n_wrong == 0,
       "each of %d allocations may fail", r.n_failed);
    tree_case_clear(&c);
    ok(pb_leaders_height(1) == 0 && pb_leaders_height(2) == 1 && pb_leaders_height(4) == 2 &&
           pb_leaders_height(64) == 6,
       "the height of a tree inside a host");
    return tap_done();
}
