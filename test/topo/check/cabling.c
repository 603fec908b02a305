#include "test/topo/check/cabling.h"

#include <stdbool.h>
#include <stdlib.h>

#define MAX_SPINES 4
#define MAX_LEAVES 6
#define MAX_PODS 3
#define MAX_HOSTS_PER_LEAF 5

static int add_cable(pb_cabling_t *c, int lower, int upper, int members)
{
    if (c->n_cables == c->capacity) {
        const int capacity = c->capacity > 0 ? 2 * c->capacity : 64;
        pb_cable_t *cables = realloc(c->cables, (size_t) capacity * sizeof(*cables));
        if (cables == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        c->cables = cables;
        c->capacity = capacity;
    }
    c->cables[c->n_cables++] =
        (pb_cable_t){.lower = lower, .upper = upper, .members = members, .speed = 1};
    return PB_SUCCESS;
}

static int between(pb_random_t *random, int low, int high)
{
    return low + pb_random_below(random, high - low + 1);
}

/* A switch below a random earlier one, the first at the top. */
static int draw_bundles(pb_cabling_t *c, pb_random_t *random)
{
    int error = PB_SUCCESS;
    c->n_switches = between(random, 2, 2 * MAX_LEAVES);
    for (int node = 1; node < c->n_switches && error == PB_SUCCESS; node++) {
        error = add_cable(c, node, pb_random_below(random, node), between(random, 1, 4));
    }
    return error;
}

/* The leaves are first_leaf and those behind it, the spines likewise. */
typedef struct layer {
    int first_leaf, n_leaves;
    int first_spine, n_spines;
} layer_t;

/* Connects a leaf to at least `least` of the spines. */
static int connect_leaf(pb_cabling_t *c, pb_random_t *random, const layer_t *layer, int leaf,
                        int least)
{
    int spines[MAX_SPINES], error = PB_SUCCESS;
    for (int i = 0; i < layer->n_spines; i++) {
        spines[i] = layer->first_spine + i;
    }
    pb_random_shuffle(random, spines, layer->n_spines);
    const int n = between(random, least, layer->n_spines);
    for (int i = 0; i < n && error == PB_SUCCESS; i++) {
        error = add_cable(c, leaf, spines[i], between(random, 1, 3));
    }
    return error;
}

static int connect_layer(pb_cabling_t *c, pb_random_t *random, const layer_t *layer, int least)
{
    int error = PB_SUCCESS;
    for (int i = 0; i < layer->n_leaves && error == PB_SUCCESS; i++) {
        error = connect_leaf(c, random, layer, layer->first_leaf + i, least);
    }
    return error;
}

static int draw_leaf_spine(pb_cabling_t *c, pb_random_t *random, bool some)
{
    const int n_spines = between(random, some ? 3 : 1, MAX_SPINES);
    const int n_leaves = between(random, 2, MAX_LEAVES);
    const layer_t layer = {
        .first_leaf = n_spines, .n_leaves = n_leaves, .first_spine = 0, .n_spines = n_spines};
    c->n_switches = n_spines + n_leaves;
    return connect_layer(c, random, &layer, some ? n_spines / 2 + 1 : n_spines);
}

/* Superspines come first, n_super for each plane; then the pods, each its spines and its leaves. */
static int draw_pods(pb_cabling_t *c, pb_random_t *random)
{
    const int n_pods = between(random, 2, MAX_PODS), n_planes = between(random, 1, 3);
    const int n_super = between(random, 1, 2);
    int error = PB_SUCCESS;
    c->n_switches = n_planes * n_super;
    for (int pod = 0; pod < n_pods && error == PB_SUCCESS; pod++) {
        const layer_t layer = {.first_spine = c->n_switches,
                               .n_spines = n_planes,
                               .first_leaf = c->n_switches + n_planes,
                               .n_leaves = between(random, 1, 3)};
        c->n_switches += n_planes + layer.n_leaves;
        error = connect_layer(c, random, &layer, n_planes);
        for (int i = 0; i < n_planes * n_super && error == PB_SUCCESS; i++) {
            error = add_cable(c, layer.first_spine + i / n_super, i, between(random, 1, 2));
        }
    }
    return error;
}

static int draw_switches(pb_cabling_t *c, pb_random_t *random, pb_cabling_kind_t kind)
{
    switch (kind) {
    case PB_CABLING_BUNDLES:
        return draw_bundles(c, random);
    case PB_CABLING_PODS:
        return draw_pods(c, random);
    default:
        return draw_leaf_spine(c, random, kind == PB_CABLING_SOME);
    }
}

/* Hosts on leaves: switches that are below others and above none. */
static int draw_hosts(pb_cabling_t *c, pb_random_t *random)
{
    const int n_trunks = c->n_cables;
    int error = PB_SUCCESS;
    for (int node = 0; node < c->n_switches && error == PB_SUCCESS; node++) {
        bool above = false, below = false;
        for (int i = 0; i < n_trunks; i++) {
            above = above || c->cables[i].upper == node;
            below = below || c->cables[i].lower == node;
        }
        const int n = below && !above ? between(random, 1, MAX_HOSTS_PER_LEAF) : 0;
        for (int i = 0; i < n && error == PB_SUCCESS; i++) {
            error = add_cable(c, c->n_switches + c->n_hosts++, node, between(random, 1, 2));
        }
    }
    /* A line of switches has one leaf. */
    if (error == PB_SUCCESS && c->n_hosts == 1) {
        error = add_cable(c, c->n_switches + c->n_hosts++, c->n_switches - 1, 1);
    }
    return error;
}

const char *pb_cabling_name(pb_cabling_kind_t kind)
{
    static const char *const names[PB_CABLING_COUNT] = {
        "bundles", "leaves and spines", "leaves with some of the spines", "pods and superspines"};
    return names[kind];
}

int pb_cabling_random(pb_random_t *random, pb_cabling_kind_t kind, int max_speed,
                      pb_cabling_t *cabling)
{
    *cabling = (pb_cabling_t){.n_switches = 0};
    const int error = draw_switches(cabling, random, kind);
    for (int i = 0; i < cabling->n_cables; i++) {
        cabling->cables[i].speed = between(random, 1, max_speed);
    }
    return error == PB_SUCCESS ? draw_hosts(cabling, random) : error;
}

void pb_cabling_clear(pb_cabling_t *cabling)
{
    free(cabling->cables);
    *cabling = (pb_cabling_t){.n_switches = 0};
}

static bool has_cable(const pb_cabling_t *c, int node)
{
    for (int i = 0; i < c->n_cables; i++) {
        if (c->cables[i].lower == node || c->cables[i].upper == node) {
            return true;
        }
    }
    return false;
}

void pb_cabling_write(const pb_cabling_t *cabling, FILE *out)
{
    for (int node = 0; node < cabling->n_switches; node++) {
        if (has_cable(cabling, node)) {
            fprintf(out, "SwitchName=s%d\n", node);
        }
    }
    for (int i = 0; i < cabling->n_cables; i++) {
        const pb_cable_t *cable = &cabling->cables[i];
        const bool host = cable->lower >= cabling->n_switches;
        fprintf(out, "SwitchName=s%d %s%d Uplinks=%d LinkSpeed=%d\n", cable->upper,
                host ? "Nodes=h" : "Switches=s",
                host ? cable->lower - cabling->n_switches : cable->lower, cable->members,
                cable->speed);
    }
}
