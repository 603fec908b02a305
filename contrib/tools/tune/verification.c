#include "verification.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "contrib/tools/common/hosts.h"
#include "contrib/tools/common/report.h"
#include "flows.h"
#include "topo/discover/verify.h"
#include "topo/util/decimal.h"

enum { MOST_NAMED = 8 };

struct verification {
    const struct tune_options *options;
    tune_flows_t *flows;
    pb_network_t *network;
    pb_placement_t *placement; /**< of the hosts */
    pb_verification_t result;
};

/* ---- the file ---- */

/** Finds each host in the file. */
static bool find_nodes(void *context)
{
    struct verification *v = context;
    const int n = v->flows->n_hosts;
    v->network = common_hosts_network(v->flows->names, n, v->options->topology,
                                      v->options->topology_name, true);
    v->placement = v->network != NULL
                       ? common_hosts_place(v->network, v->flows->names, n, v->options->topology)
                       : NULL;
    return v->placement != NULL;
}

/* ---- messages ---- */

static const char *name_of(const struct verification *v, int node)
{
    return pb_network_node(v->network, node)->name;
}

/** "n1, n2, n3 and 5 more" */
static void print_hosts(const struct verification *v, const pb_contradiction_t *c)
{
    for (int i = 0; i < c->n_hosts && i < MOST_NAMED; i++) {
        printf("%s%s", i > 0 ? ", " : "", v->flows->names[c->hosts[i]]);
    }
    if (c->n_hosts > MOST_NAMED) {
        printf(" and %d more", c->n_hosts - MOST_NAMED);
    }
}

/** "s0 - s1" for a link, by the node below it. */
static void print_link(const struct verification *v, int node)
{
    printf("%s - %s", name_of(v, pb_network_node(v->network, node)->parent), name_of(v, node));
}

static void print_flows(const struct verification *v, const pb_contradiction_t *c)
{
    char capacity[PB_RATE_TEXT_SIZE], stated[PB_RATE_TEXT_SIZE];
    printf(" (");
    for (int i = 0; i < c->n_flows; i++) {
        printf("%s%s -> %s", i > 0 ? ", " : "", v->flows->names[c->flows[i].from],
               v->flows->names[c->flows[i].to]);
    }
    printf("%s %s of %s Mbit/s)\n", c->n_flows > 1 ? ": together" : ":",
           pb_rate_text(8 * c->capacity, capacity), pb_rate_text(8 * c->stated, stated));
}

static void print_contradiction(const struct verification *v, const pb_contradiction_t *c)
{
    char capacity[PB_RATE_TEXT_SIZE], stated[PB_RATE_TEXT_SIZE];
    switch (c->kind) {
    case PB_CONTRADICTION_HOST:
        printf("host ");
        print_hosts(v, c);
        printf(": its own link ");
        print_link(v, c->link);
        printf(" has %s Mbit/s, where the file gives it %s\n",
               pb_rate_text(8 * c->capacity, capacity), pb_rate_text(8 * c->stated, stated));
        break;
    case PB_CONTRADICTION_LINK:
        printf("link ");
        print_link(v, c->link);
        printf(": it carries %s Mbit/s, and not %s", pb_rate_text(8 * c->capacity, capacity),
               pb_rate_text(8 * c->stated, stated));
        print_flows(v, c);
        break;
    case PB_CONTRADICTION_MOVED:
        printf("host%s ", c->n_hosts > 1 ? "s" : "");
        print_hosts(v, c);
        printf(": on the other side of the link ");
        print_link(v, c->link);
        printf(" than in the file");
        print_flows(v, c);
        break;
    case PB_CONTRADICTION_SPLIT:
        printf("hosts ");
        print_hosts(v, c);
        printf(": a link that the file lacks, near switch %s, separates them from the others",
               name_of(v, c->link));
        print_flows(v, c);
        break;
    }
}

static void print_verified(const struct verification *v)
{
    const pb_verification_t *r = &v->result;
    if (r->n == 0 && v->options->quiet) {
        return;
    }
    printf("%s: %d contradiction%s; %" PRId64 " trials between %d hosts\n", v->options->topology,
           r->n, r->n == 1 ? "" : "s", r->n_trials, v->flows->n_hosts);
}

static bool report(const struct verification *v, int code)
{
    const pb_verification_t *r = &v->result;
    if (code == PB_ERR_UNFIT) {
        common_report("the time was over before %s was verified; give a longer --time-limit",
                      v->options->topology);
    } else if (code != PB_SUCCESS) {
        common_report("--verify: %s", pb_error_text(code));
    }
    for (int i = 0; i < r->n; i++) {
        print_contradiction(v, &r->contradictions[i]);
    }
    if (code == PB_SUCCESS && r->n_unexplained > 0) {
        common_report("warning: in %d rounds flows contended that the file calls disjoint, but no "
                      "link explains it; was the network in use?",
                      r->n_unexplained);
    }
    if (code != PB_SUCCESS) {
        return false;
    }
    print_verified(v);
    if (r->n == 0 && !r->complete) {
        common_report(
            "%s was not verified to its end; try again while no other job uses the network",
            v->options->topology);
    }
    return r->n == 0 && r->complete;
}

/* ---- the run ---- */

static bool lead(void *context)
{
    struct verification *v = context;
    const pb_meter_t meter = tune_flows_meter(v->flows, v->options->flows);
    int code = tune_flows_calibrate(v->flows);
    if (code == PB_SUCCESS) {
        code = pb_verify(&meter, v->network, v->placement->host, 1, &v->result);
    }
    return report(v, code);
}

void tune_verify(const struct tune_options *options, MPI_Comm comm)
{
    tune_flows_t flows;
    struct verification v = {.options = options, .flows = &flows};
    tune_flows_run(&flows, comm, options, find_nodes, lead, &v);
    pb_verification_clear(&v.result);
    pb_placement_free(v.placement);
    pb_network_free(v.network);
}
