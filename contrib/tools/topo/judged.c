#include "judged.h"

#include <stdio.h>
#include <stdlib.h>

#include "contrib/tools/common/report.h"
#include "message.h"
#include "topo/check/check_load.h"
#include "topo/util/error.h"

/* Ends the program after an error that says nothing about the plan. */
static bool is_good(int error)
{
    if (error != PB_SUCCESS && error != PB_ERR_INPUT) {
        common_end_error(error);
    }
    return error == PB_SUCCESS;
}

void tool_judge(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                tool_judged_t *judged)
{
    const pb_placement_t *placement = view->placement;
    *judged = (tool_judged_t){0};
    pb_diag_init(&judged->errors);
    const int error = pb_plan_compute(view, kind, options, &judged->plan);
    if (error != PB_SUCCESS) {
        common_end_error(error);
    }
    if (!is_good(pb_check_plan(placement, judged->plan, NULL, &judged->check, &judged->errors))) {
        return;
    }
    judged->broken = common_alloc((size_t) judged->check.n_links, 1);
    (void) is_good(pb_check_load(placement, judged->plan, judged->broken, &judged->errors));
    for (int link = 0; link < judged->check.n_links; link++) {
        judged->n_broken += judged->broken[link];
    }
}

void tool_judged_clear(tool_judged_t *judged)
{
    pb_plan_free(judged->plan);
    pb_check_clear(&judged->check);
    free(judged->broken);
    pb_diag_clear(&judged->errors);
    *judged = (tool_judged_t){0};
}

int tool_explain(const tool_judged_t *judged)
{
    const pb_kind_row_t *row = pb_kind_row(judged->plan->kind);
    if (tool_is_contention_free(judged) || (judged->broken != NULL && !row->promises)) {
        return COMMON_EXIT_DONE;
    }
    common_report("%s breaks its promise; this is an error of pipebcast:", row->name);
    tool_print_errors(stderr, &judged->errors);
    return COMMON_EXIT_FAILED;
}

const char *tool_verdict(const tool_judged_t *judged, char text[TOOL_VERDICT_SIZE])
{
    if (tool_is_contention_free(judged)) {
        snprintf(text, TOOL_VERDICT_SIZE, "contention-free");
    } else if (judged->n_broken == 0) {
        snprintf(text, TOOL_VERDICT_SIZE, "contention at %zu ranks", judged->errors.n_errors);
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
