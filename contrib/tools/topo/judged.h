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
    char *broken;     /**< by directed link: whether the rule is broken over it */
    int n_broken;     /**< of them */
    pb_diag_t faults; /**< what breaks the rule; empty: contention-free */
} tool_judged_t;

/**
 * Computes and judges a plan, silently. TOOL_UNFIT; TOOL_CONTENTION if it is
 * no broadcast at all, or breaks its promise; TOOL_SYSTEM. Clear in all cases.
 */
tool_exit_t tool_judge(const pb_view_t *view, pb_kind_t kind, const pb_plan_options_t *options,
                       tool_judged_t *judged);
void tool_judged_clear(tool_judged_t *judged);

/** Explains on standard error why judging a plan of the kind ended with `code`. */
void tool_explain(const tool_cluster_t *cluster, pb_kind_t kind, tool_exit_t code,
                  const tool_judged_t *judged);

/** tool_judge() for a cluster, and tool_explain() where it fails. */
tool_exit_t tool_judge_cluster(const tool_cluster_t *cluster, pb_kind_t kind,
                               const pb_plan_options_t *options, tool_judged_t *judged);

/** Tells whether the judged plan is contention-free. */
static inline bool tool_is_contention_free(const tool_judged_t *judged)
{
    return judged->faults.n_faults == 0;
}

/** The verdict in words; `text` has room for TOOL_VERDICT_SIZE bytes. Returns it. */
enum { TOOL_VERDICT_SIZE = 128 };
const char *tool_verdict(const tool_judged_t *judged, char text[TOOL_VERDICT_SIZE]);

/** Number of times that a directed link carries the message. */
double tool_load(const tool_judged_t *judged, int link);
/** The highest load of all links. */
double tool_max_load(const tool_judged_t *judged);

/** Tells whether links have different speeds, so that loads alone do not show contention. */
bool tool_speeds_differ(const pb_network_t *network);

#endif
