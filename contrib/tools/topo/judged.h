/*
 * A plan and the checker's judgement of it. No command shows a plan that was
 * not judged.
 */
#ifndef TOOL_JUDGED_H
#define TOOL_JUDGED_H

#include "cluster.h"
#include "topo/check/checker.h"

typedef struct tool_judged {
    pb_plan_t *plan;
    pb_check_t check;
    char *broken;     /**< by directed link: whether the rule is broken over it; NULL: the plan is
                           no broadcast at all */
    int n_broken;     /**< of them */
    pb_diag_t errors; /**< what breaks the rule; empty: contention-free */
} tool_judged_t;

/** Computes and judges a plan, silently. */
void tool_judge(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                tool_judged_t *judged);
void tool_judged_clear(tool_judged_t *judged);

/** The exit status, after a message if the plan is no broadcast, or breaks its kind's promise. */
int tool_explain(const tool_judged_t *judged);

/** Tells whether the judged plan is contention-free. */
static inline bool tool_is_contention_free(const tool_judged_t *judged)
{
    return judged->errors.n_errors == 0;
}

/** The verdict in words; `text` has room for TOOL_VERDICT_SIZE bytes. Returns it. */
enum { TOOL_VERDICT_SIZE = 128 };
const char *tool_verdict(const tool_judged_t *judged, char text[TOOL_VERDICT_SIZE]);

/** Number of times that a directed link carries the message. */
double tool_load(const tool_judged_t *judged, int link);
/** The highest load of all links. */
double tool_max_load(const tool_judged_t *judged);

#endif
