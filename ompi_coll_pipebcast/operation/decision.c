#include "operation/decision.h"

#include <assert.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/connections.h"
#include "communicator/lost.h"

/** "twotree, 46 segments of 1426 bytes". */
static const char *describe(char *text, size_t size, const pb_candidate_t *candidate, size_t total)
{
    assert(total > 0);
    const uint64_t segment = pb_candidate_segment(candidate, total);
    if (candidate->kind == PB_KIND_FALLBACK) {
        snprintf(text, size, "fallback component");
    } else {
        const unsigned long long n = (total - 1) / segment + 1;
        snprintf(text, size, "%s, %llu %s of %llu bytes", pb_candidate_name(candidate), n,
                 n == 1 ? "segment" : "segments", (unsigned long long) segment);
    }
    return text;
}

static double milliseconds(int64_t nanoseconds)
{
    return (double) nanoseconds / 1e6;
}

/** Rank 0 logs what was planned, over what, and how long it should take. */
static void log_plan(coll_pipebcast_module_t *module, int root, size_t total,
                     const pb_planned_t *planned)
{
    char best[128], inside[64] = "", measured[64] = "";
    pb_planner_report_t report;
    if (coll_pipebcast_params.verbose < 10 || ompi_comm_rank(module->comm) != 0 ||
        pb_planner_explain(module->planner, root, total, &report) != PB_SUCCESS) {
        return;
    }
    if (report.best_measured >= 0) {
        snprintf(measured, sizeof(measured), ", %.3f ms measured before",
                 milliseconds(report.best_measured));
    }
    if (planned->piece_size > 0) {
        snprintf(inside, sizeof(inside), ", pieces of %zu bytes inside hosts", planned->piece_size);
    }
    coll_pipebcast_log(10, "communicator %s: %zu bytes from root %d: %s%s: %.3f ms predicted%s",
                       module->comm->c_name, total, root,
                       describe(best, sizeof(best), &report.best, total), inside,
                       milliseconds(report.best_time), measured);
}

/**
 * Returns whether a broadcast may be swept as it was planned. Where a tree serves groups of ranks
 * as they arrive, what a sweep measures would be of arrivals.
 */
static bool may_be_swept(const coll_pipebcast_module_t *module, const coll_pipebcast_call_t *call,
                         const pb_planned_t *planned)
{
    const bool is_tree = !planned->fallback && planned->kind != PB_KIND_MULTICAST;
    const bool is_by_groups = call->usual_method == &coll_pipebcast_arrival;
    return call->way == COLL_PIPEBCAST_BLOCKING &&
           (call->usual_method->has_come != NULL ||
            (is_by_groups && !is_tree && !coll_pipebcast_is_arrival_aware(&module->settings)));
}

static int plan(coll_pipebcast_module_t *module, coll_pipebcast_call_t *call, pb_planned_t *planned)
{
    pb_planner_t *planner = module->planner;
    const size_t total = call->data.total;
    /* Each rank may start persistent ones in another order, and the broadcasts of a multicast group
     * have one order on all ranks. */
    const bool by_tree = call->way == COLL_PIPEBCAST_PERSISTENT;
    const int rc = pb_planner_plan(planner, call->root, total, by_tree, planned);
    if (rc != PB_SUCCESS || !may_be_swept(module, call, planned) ||
        (planned->fallback && !pb_planner_learns(planner))) {
        return rc;
    }
    call->is_swept = coll_pipebcast_sweep_count(module, total, planned->wants_sweep);
    if (!call->is_swept) {
        return rc;
    }
    const bool is_for_multicast =
        !planned->wants_sweep && !planned->fallback && pb_health_is_due(&module->multicast.health);
    /* The first broadcast proves multicast: its time has connecting in it, and says nothing. */
    return is_for_multicast ? rc : pb_planner_plan_swept(planner, call->root, total, planned);
}

/** Errors as pb_planner_plan(). */
static int decide(coll_pipebcast_module_t *module, coll_pipebcast_call_t *call,
                  coll_pipebcast_decision_t *decision)
{
    if (module->agreed != OMPI_SUCCESS) {
        return module->agreed; /* this rank does not know by what the others plan */
    }
    pb_planned_t *planned = &decision->planned;
    const int rc = plan(module, call, planned);
    decision->reason = COLL_PIPEBCAST_PREDICTED;
    decision->ours =
        planned->is_known && (!planned->fallback || coll_pipebcast_all_are_aware(module));
    if (rc != PB_SUCCESS) {
        return coll_pipebcast_error(rc);
    }
    if (planned->is_trial) {
        coll_pipebcast_count(&coll_pipebcast_counters.tried, 1);
    }
    if (planned->role != NULL) {
        coll_pipebcast_count_role(planned->was_cached);
    }
    if (planned->is_new) {
        coll_pipebcast_connections_note(module, planned);
        log_plan(module, call->root, call->data.total, planned);
    }
    return OMPI_SUCCESS;
}

/** Returns whether the others may have given a message to the fallback component. */
static bool may_be_passed(const coll_pipebcast_module_t *module, size_t total,
                          const coll_pipebcast_decision_t *decision)
{
    if (decision->ours || coll_pipebcast_all_are_aware(module)) {
        return false;
    }
    if (module->agreed != OMPI_SUCCESS) { /* this rank does not know what they plan by */
        return coll_pipebcast_kind_to_choose(&module->settings) == PB_CHOOSE_ALL;
    }
    return pb_planner_may_pass(module->planner, total);
}

int coll_pipebcast_decide(coll_pipebcast_module_t *module, coll_pipebcast_call_t *call,
                          coll_pipebcast_decision_t *decision)
{
    const int rc = decide(module, call, decision);
    if (rc != OMPI_SUCCESS && may_be_passed(module, call->data.total, decision)) {
        coll_pipebcast_end_job(module->comm, "find out what the others do with a broadcast", rc);
    }
    if (rc != OMPI_SUCCESS) {
        decision->ours = true;
        coll_pipebcast_lose(module, rc); /* the others broadcast, and may send to this rank */
    }
    return rc;
}

int coll_pipebcast_decide_again(coll_pipebcast_module_t *module, int root,
                                const pb_planned_t *decided, pb_planned_t *planned)
{
    const int rc = coll_pipebcast_error(
        pb_planner_role(module->planner, root, decided->kind, NULL, 0, planned));
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_lose(module, rc); /* the others may send to this rank */
        return rc;
    }
    planned->segment_size = decided->segment_size;
    planned->piece_size = decided->piece_size;
    coll_pipebcast_count_role(planned->was_cached);
    return OMPI_SUCCESS;
}
