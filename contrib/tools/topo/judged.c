#include "judged.h"

#include <stdio.h>
#include <stdlib.h>

#include "message.h"
#include "topo/check/check_load.h"

static tool_exit_t judge_plan(const pb_placement_t *placement, tool_judged_t *judged)
{
    int error = pb_check_plan(placement, judged->plan, NULL, &judged->check, &judged->faults);
    if (error != PB_SUCCESS) {
        return error == PB_ERR_INPUT ? TOOL_CONTENTION : TOOL_SYSTEM;
    }
    judged->broken = calloc((size_t) judged->check.n_links + 1, 1);
    if (judged->broken == NULL) {
        return TOOL_SYSTEM;
    }
    error = pb_check_load(placement, judged->plan, judged->broken, &judged->faults);
    for (int link = 0; link < judged->check.n_links; link++) {
        judged->n_broken += judged->broken[link];
    }
    if (error == PB_ERR_INPUT) {
        return pb_kind_row(judged->plan->kind)->promises ? TOOL_CONTENTION : TOOL_OK;
    }
    return error == PB_SUCCESS ? TOOL_OK : TOOL_SYSTEM;
}

tool_exit_t tool_judge(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                       tool_judged_t *judged)
{
    *judged = (tool_judged_t){0};
    pb_diag_init(&judged->faults);
    int error = pb_plan_compute(view, kind, options, &judged->plan);
    if (error != PB_SUCCESS) {
        return error == PB_ERR_UNFIT ? TOOL_UNFIT : TOOL_SYSTEM;
    }
    return judge_plan(view->placement, judged);
}

void tool_judged_clear(tool_judged_t *judged)
{
    pb_plan_free(judged->plan);
    pb_check_clear(&judged->check);
    free(judged->broken);
    pb_diag_clear(&judged->faults);
    *judged = (tool_judged_t){0};
}

void tool_explain(const tool_cluster_t *cluster, pb_kind_t kind, tool_exit_t code,
                  const tool_judged_t *judged)
{
    if (code == TOOL_UNFIT) {
        tool_complain(code,
                      "%s does not serve the network of %s with %d %s; chain and binary serve "
                      "every network",
                      pb_kind_name(kind), cluster->file,
                      TOOL_PLURAL(cluster->placement->n_ranks, "rank"));
    } else if (code == TOOL_SYSTEM) {
        tool_complain_error(PB_ERR_NO_MEMORY);
    } else if (code == TOOL_CONTENTION) {
        tool_complain(code,
                      "%s breaks its promise; this is an error of pipebcast:", pb_kind_name(kind));
        tool_print_faults(stderr, &judged->faults);
    }
}

tool_exit_t tool_judge_cluster(const tool_cluster_t *cluster, pb_kind_t kind,
                               const pb_plan_options_t *options, tool_judged_t *judged)
{
    tool_exit_t code = tool_judge(cluster->view, kind, options, judged);
    tool_explain(cluster, kind, code, judged);
    return code;
}

const char *tool_verdict(const tool_judged_t *judged, char text[TOOL_VERDICT_SIZE])
{
    if (tool_is_contention_free(judged)) {
        snprintf(text, TOOL_VERDICT_SIZE, "contention-free");
    } else if (judged->n_broken == 0) {
        snprintf(text, TOOL_VERDICT_SIZE, "contention at %zu ranks", judged->faults.n_faults);
    } else {
        snprintf(text, TOOL_VERDICT_SIZE, "contention on %d directed %s", judged->n_broken,
                 judged->n_broken == 1 ? "link" : "links");
    }
    return text;
}

double tool_load(const tool_judged_t *judged, int link)
{
    return (double) judged->check.links[link].edges / judged->plan->n_streams;
}

double tool_max_load(const tool_judged_t *judged)
{
    return (double) judged->check.max_edges / judged->plan->n_streams;
}

bool tool_speeds_differ(const pb_network_t *network)
{
    for (int node = 0; node < pb_network_size(network); node++) {
        if (node != pb_network_top(network) &&
            pb_network_node(network, node)->speed != pb_network_base_speed(network)) {
            return true;
        }
    }
    return false;
}
