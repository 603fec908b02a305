#include "study_network.h"

#include <stdio.h>
#include <stdlib.h>

/* Leaves of one pod. */
#define LEAVES_OF_POD 16

typedef struct plan {
    int n_switches; /* those without hosts first, but in a random network */
    int n_above;    /* of them without hosts */
    int n_hosts;
    int *parent; /* of the switches, and of the hosts behind them */
} plan_t;

const char *tool_study_network_name(tool_study_network_t kind)
{
    static const char *const names[] = {"random", "leaf-spine", "fat-tree"};
    return names[kind];
}

static plan_t count_switches(tool_study_network_t kind, int n_hosts, int per_switch)
{
    const int n_leaves = n_hosts > per_switch ? n_hosts / per_switch : 1;
    plan_t plan = {.n_hosts = n_hosts};
    if (kind == TOOL_STUDY_LEAF_SPINE) {
        plan.n_above = 1;
    } else if (kind == TOOL_STUDY_FAT_TREE) {
        plan.n_above = 1 + (n_leaves + LEAVES_OF_POD - 1) / LEAVES_OF_POD;
    }
    plan.n_switches = plan.n_above + n_leaves;
    return plan;
}

/* Pods below the core, leaves below their pods, or below the spine. */
static void layer_switches(tool_study_network_t kind, plan_t *plan)
{
    for (int i = 0; i < plan->n_switches; i++) {
        const int leaf = i - plan->n_above;
        plan->parent[i] = leaf >= 0 && kind == TOOL_STUDY_FAT_TREE ? 1 + leaf / LEAVES_OF_POD : 0;
    }
    plan->parent[0] = -1;
}

static int draw(tool_study_network_t kind, pb_random_t *random, plan_t *plan)
{
    const int n_leaves = plan->n_switches - plan->n_above;
    for (int host = 0; host < plan->n_hosts; host++) {
        plan->parent[plan->n_switches + host] =
            kind == TOOL_STUDY_RANDOM
                ? pb_random_below(random, plan->n_switches)
                : plan->n_above + (int) ((int64_t) host * n_leaves / plan->n_hosts);
    }
    if (kind == TOOL_STUDY_RANDOM) {
        return pb_random_tree(random, plan->n_switches, plan->parent);
    }
    layer_switches(kind, plan);
    return PB_SUCCESS;
}

static int connect(const plan_t *plan, int trunk_speed, pb_network_t *network)
{
    int error = PB_SUCCESS;
    for (int node = 0; node < plan->n_switches + plan->n_hosts && error >= 0; node++) {
        char name[16];
        const bool is_switch = node < plan->n_switches;
        snprintf(name, sizeof(name), "%c%d", is_switch ? 's' : 'n',
                 is_switch ? node : node - plan->n_switches);
        error = pb_network_add(network, is_switch ? PB_NODE_SWITCH : PB_NODE_HOST, name);
    }
    for (int node = 0; node < plan->n_switches + plan->n_hosts && error >= 0; node++) {
        const int speed = node < plan->n_switches ? trunk_speed : 1;
        if (plan->parent[node] >= 0) {
            error = pb_network_connect(network, plan->parent[node], node, (uint32_t) speed);
        }
    }
    if (error >= 0) {
        pb_diag_t diag;
        pb_diag_init(&diag);
        error = pb_network_finish(network, NULL, &diag);
        pb_diag_clear(&diag);
    }
    return error;
}

int tool_study_network(tool_study_network_t kind, int n_hosts, int per_switch, int trunk_speed,
                       pb_random_t *random, pb_network_t **network_p)
{
    plan_t plan = count_switches(kind, n_hosts, per_switch);
    plan.parent = malloc((size_t) (plan.n_switches + n_hosts) * sizeof(*plan.parent));
    pb_network_t *network = pb_network_new();
    int error =
        plan.parent != NULL && network != NULL ? draw(kind, random, &plan) : PB_ERR_NO_MEMORY;
    error = error == PB_SUCCESS ? connect(&plan, trunk_speed, network) : error;
    free(plan.parent);
    if (error != PB_SUCCESS) {
        pb_network_free(network);
        network = NULL;
    }
    *network_p = network;
    return error;
}
