/* Roles against the plans that they come from. */
#include <stdbool.h>
#include <stdlib.h>

#include "test/engine/plans.h"
#include "test/failing_memory.h"
#include "test/tap.h"
#include "topo/trees/role.h"

static uint32_t bit(int stream)
{
    return UINT32_C(1) << stream;
}

static bool are_distinct(const int *ranks, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            if (ranks[i] == ranks[j]) {
                return false;
            }
        }
    }
    return true;
}

/** Whether the masks name exactly the streams in which `rank` has these parents. */
static bool parents_agree(const pb_plan_t *plan, const pb_role_t *role, int rank)
{
    for (int s = 0; s < plan->n_streams; s++) {
        int found = -1;
        for (int i = 0; i < role->n_parents; i++) {
            if (role->parent_mask[i] & bit(s)) {
                if (found >= 0) {
                    return false;
                }
                found = role->parent[i];
            }
        }
        if (found != plan->streams[s].parent[rank]) {
            return false;
        }
    }
    return true;
}

static bool children_agree(const pb_plan_t *plan, const pb_role_t *role, int rank)
{
    for (int s = 0; s < plan->n_streams; s++) {
        for (int i = 0; i < role->n_children; i++) {
            const bool here = (role->child_mask[i] & bit(s)) != 0;
            if (here != (plan->streams[s].parent[role->child[i]] == rank)) {
                return false;
            }
        }
    }
    return true;
}

static int n_children(const pb_plan_t *plan, int stream, int rank)
{
    return plan->streams[stream].first_child[rank + 1] - plan->streams[stream].first_child[rank];
}

/** Every child is a child, in the order in which streams and children come. */
static bool children_in_order(const pb_plan_t *plan, const pb_role_t *role, int rank)
{
    int next = 0;
    for (int s = 0; s < plan->n_streams; s++) {
        const pb_stream_t *stream = &plan->streams[s];
        for (int c = 0; c < n_children(plan, s, rank); c++) {
            const int child = stream->child[stream->first_child[rank] + c];
            int at = 0;
            while (at < role->n_children && role->child[at] != child) {
                at++;
            }
            if (at > next || at == role->n_children) {
                return false;
            }
            next += at == next;
        }
    }
    return next == role->n_children;
}

static bool role_is_right(const pb_plan_t *plan, int rank)
{
    pb_role_t *role = pb_role_new(plan, rank);
    if (role == NULL) {
        return false;
    }
    const bool right = role->n_streams == plan->n_streams &&
                       (role->n_parents == 0) == (rank == plan->root) &&
                       are_distinct(role->parent, role->n_parents) &&
                       are_distinct(role->child, role->n_children) &&
                       parents_agree(plan, role, rank) && children_agree(plan, role, rank) &&
                       children_in_order(plan, role, rank) && role->memory >= sizeof(*role);
    free(role);
    return right;
}

static void test_random_plans(void)
{
    int wrong = 0;
    int n_roles = 0;
    for (int seed = 0; seed < 2000; seed++) {
        pb_random_t random = pb_random_seed((uint64_t) seed);
        const int n_ranks = 1 + pb_random_below(&random, 12);
        const int root = pb_random_below(&random, n_ranks);
        const int n_streams = 1 + pb_random_below(&random, PB_PLAN_MAX_STREAMS);
        pb_plan_t *plan = plans_random(&random, n_ranks, root, n_streams);
        for (int rank = 0; rank < n_ranks; rank++, n_roles++) {
            wrong += !role_is_right(plan, rank);
        }
        plans_free(plan);
    }
    ok(wrong == 0, "%d roles in random plans of 1 to %d streams (%d wrong)", n_roles,
       PB_PLAN_MAX_STREAMS, wrong);
}

static void test_out_of_memory(void)
{
    pb_plan_t *plan = plans_flat(4, 0);
    failing_memory_after(0);
    pb_role_t *role = pb_role_new(plan, 0);
    failing_memory_after(-1);
    ok(role == NULL, "no role without memory");
    free(role);
    plans_free(plan);
}

int main(void)
{
    test_random_plans();
    test_out_of_memory();
    ok(failing_memory_alive() == 0, "all memory was given back");
    return tap_done();
}
