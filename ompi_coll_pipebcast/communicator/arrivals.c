/*
 * How the ranks of a communicator arrive; see communicator/arrivals.h.
 */
#include "communicator/arrivals.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/counters.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/connections.h"
#include "communicator/lost.h"
#include "communicator/module.h"

/** Of a message between two hosts of one switch. */
#define N_LINKS 2

/**
 * Bytes of a communicator's first broadcast from which something is learnt: a communicator that is
 * made for one short broadcast is to pay for no fold.
 */
#define LEAST_FIRST 16384

/** Bytes. */
#define SHORT_MESSAGE 64
#define MEBIBYTE (1 << 20)

void coll_pipebcast_arrivals_construct(coll_pipebcast_arrivals_t *arrivals,
                                       coll_pipebcast_module_t *module)
{
    *arrivals = (coll_pipebcast_arrivals_t){.module = module};
    pb_watch_init(&arrivals->watch);
    OBJ_CONSTRUCT(&arrivals->task.super, opal_list_item_t);
}

void coll_pipebcast_arrivals_destruct(coll_pipebcast_arrivals_t *arrivals)
{
    OBJ_DESTRUCT(&arrivals->task.super);
    free(arrivals->children);
    arrivals->children = NULL;
}

bool coll_pipebcast_arrivals_prepare(coll_pipebcast_arrivals_t *arrivals)
{
    const size_t n_ranks = (size_t) ompi_comm_size(arrivals->module->comm);
    arrivals->children = malloc(n_ranks * sizeof(*arrivals->children));
    return arrivals->children != NULL;
}

/** Of a message between two hosts of one switch, by what all ranks have agreed on. */
static int64_t message_time(const coll_pipebcast_module_t *module, size_t bytes)
{
    return pb_model_cost(&module->model->model, N_LINKS, bytes).rtt / 2;
}

static void report_limits(const coll_pipebcast_module_t *module)
{
    if (ompi_comm_rank(module->comm) != 0 || coll_pipebcast_follows_advice() ||
        coll_pipebcast_may_reach_all(module)) {
        return;
    }
    if (coll_pipebcast_is_arrival_aware()) {
        coll_pipebcast_warn(
            "communicator %s: its broadcasts are not arrival-aware, although the "
            "parameter coll_pipebcast_arrival is set so: the root of each would need "
            "%d connections, and it may have %d. Raise the limit of descriptors "
            "(ulimit -n) or coll_pipebcast_connections.",
            module->comm->c_name, ompi_comm_size(module->comm) - 1, module->connections);
    } else if (coll_pipebcast_params.arrival == COLL_PIPEBCAST_ARRIVAL_AUTO) {
        coll_pipebcast_log(
            1,
            "communicator %s: broadcasts stay plain however ranks arrive: a root that "
            "serves them as they arrive would need %d connections, and it may have "
            "%d",
            module->comm->c_name, ompi_comm_size(module->comm) - 1, module->connections);
    }
}

void coll_pipebcast_arrivals_begin_serving(coll_pipebcast_module_t *module)
{
    const int64_t short_message = message_time(module, SHORT_MESSAGE);
    pb_watch_set_times(&module->arrivals.watch, short_message,
                       message_time(module, SHORT_MESSAGE + MEBIBYTE) - short_message,
                       ompi_comm_size(module->comm));
    report_limits(module);
}

bool coll_pipebcast_all_are_aware(const coll_pipebcast_module_t *module)
{
    return coll_pipebcast_is_arrival_aware() && coll_pipebcast_may_reach_all(module);
}

/* The fold. */

/** What is predicted of this broadcast of this root; best_time < 0: nothing. */
static pb_planner_report_t predict(const coll_pipebcast_module_t *module, size_t bytes)
{
    const int root = ompi_comm_rank(module->comm);
    pb_planner_report_t report;
    if (pb_planner_learns(module->planner)) {
        pb_planner_watched(module->planner, &report.best_time, &report.best_fill);
        return report;
    }
    if (pb_planner_explain(module->planner, root, bytes, &report) != PB_SUCCESS) {
        report.best_time = report.best_fill = -1;
    }
    return report;
}

/** How much longer than the message's own time the broadcast takes, predicted. */
static double predicted_fill(const pb_planner_report_t *report, int64_t message)
{
    if (message <= 0 || report->best_time < 0) {
        return 1; /* not known: as for a short pipeline */
    }
    return report->best_time > message ? (double) (report->best_time - message) / (double) message
                                       : 0;
}

static const char *host_of(const coll_pipebcast_module_t *module, int rank)
{
    const pb_network_t *network = module->placement->network;
    return pb_network_node(network, pb_network_host_of(network, module->placement->host[rank]))
        ->name;
}

/** The plan's links have delivered far less than they should, several times. */
static void report_shortfall(const coll_pipebcast_module_t *module, size_t bytes, int64_t expected)
{
    const pb_shortfall_t *shortfall = &module->arrivals.shortfall;
    const double predicted = (double) expected / 1e6;
    coll_pipebcast_log(
        1,
        "communicator %s: %zu bytes come to rank %d on host %s from rank %d on host %s more slowly "
        "than the links should bring them, in %.3f ms instead of %.3f, %d times in a row. If the "
        "topology and the model are right there, others use these links: 'mpirun ... "
        "pipebcast-tune "
        "--verify' finds out.",
        module->comm->c_name, bytes, shortfall->rank, host_of(module, shortfall->rank),
        shortfall->from, host_of(module, shortfall->from), shortfall->least * predicted, predicted,
        shortfall->n);
}

/** At the root: whether the plan has delivered what its links should. */
static void note_delivery(coll_pipebcast_arrivals_t *arrivals, const pb_planner_report_t *report)
{
    const coll_pipebcast_module_t *module = arrivals->module;
    const uint32_t n_ranks = (uint32_t) ompi_comm_size(module->comm);
    const pb_fold_sums_t *sums = &arrivals->fold.sums;
    const int64_t expected = report->best_time < 0 ? 0 : report->best_time - report->best_fill;
    if (sums->slowest >= n_ranks || sums->slow_from >= n_ranks) {
        return; /* another rank's report makes no sense; nothing depends on it */
    }
    const pb_shortfall_news_t news = pb_shortfall_note(&arrivals->shortfall, sums, expected);
    coll_pipebcast_count(&coll_pipebcast_counters.fell_short, news != PB_SHORTFALL_NONE);
    if (news == PB_SHORTFALL_REPORT) {
        report_shortfall(module, arrivals->bytes, expected);
    }
}

/** At the root: what the sums of all ranks mean. */
static pb_arrival_report_t judge(coll_pipebcast_arrivals_t *arrivals)
{
    const coll_pipebcast_module_t *module = arrivals->module;
    const pb_fold_sums_t *sums = &arrivals->fold.sums;
    const size_t bytes = arrivals->bytes;
    const int64_t predicted = message_time(module, bytes);
    const double message =
        module->ns_per_byte > 0 ? module->ns_per_byte * (double) bytes : (double) predicted;
    const pb_planner_report_t prediction = predict(module, bytes);
    const pb_arrival_report_t report =
        pb_fold_judge(sums, message, predicted_fill(&prediction, predicted));
    note_delivery(arrivals, &prediction);
    coll_pipebcast_log(
        20,
        "communicator %s: %zu bytes from root %d, watched: ranks arrive %s; of %u "
        "receivers %u were held by others, for %.3f ms on average, and %u waited "
        "%.3f ms; the slowest took %.3f ms from its first segment to its last, where %.3f are "
        "predicted",
        module->comm->c_name, bytes, ompi_comm_rank(module->comm),
        report == PB_ARRIVAL_UNEVEN ? "unevenly" : "evenly", sums->n_ranks, sums->n_held,
        (double) sums->held_wait / 1e6 / (sums->n_held > 0 ? sums->n_held : 1), sums->n_free,
        (double) sums->free_wait / 1e6 / (sums->n_free > 0 ? sums->n_free : 1),
        (double) sums->slow_time / 1e6,
        (double) (prediction.best_time - prediction.best_fill) / 1e6);
    return report;
}

static coll_pipebcast_arrivals_t *arrivals_of(coll_pipebcast_task_t *task)
{
    return (coll_pipebcast_arrivals_t *) (void *) ((char *) task -
                                                   offsetof(coll_pipebcast_arrivals_t, task));
}

/** Does what can be done; true when the fold is through, or this rank is lost. */
static bool advance(coll_pipebcast_task_t *task)
{
    coll_pipebcast_arrivals_t *arrivals = arrivals_of(task);
    pb_fold_t *fold = &arrivals->fold;
    bool is_through = pb_fold_advance(fold);
    if (fold->state == PB_FOLD_SUMMED) {
        pb_fold_announce(fold, judge(arrivals));
        is_through = pb_fold_advance(fold);
    }
    if (fold->broken) {
        coll_pipebcast_lose(arrivals->module, fold->error);
    }
    return is_through || coll_pipebcast_is_lost(arrivals->module);
}

static void end(coll_pipebcast_task_t *task)
{
    coll_pipebcast_arrivals_t *arrivals = arrivals_of(task);
    coll_pipebcast_lock_t *lock = &arrivals->module->lock;
    coll_pipebcast_lock(lock);
    pb_fold_finish(&arrivals->fold);
    arrivals->is_task = false;
    coll_pipebcast_unlock(lock);
}

/** Each stream that the message has segments for in turn, as each has trees of other inner ranks.
 */
static int stream_of_fold(const coll_pipebcast_arrivals_t *arrivals, const pb_planned_t *planned)
{
    const uint64_t n_segments = (arrivals->bytes - 1) / planned->segment_size + 1;
    const uint64_t n_streams = (uint64_t) planned->role->n_streams;
    return (int) (arrivals->watch.n_folds % (n_segments < n_streams ? n_segments : n_streams));
}

int coll_pipebcast_arrivals_begin(coll_pipebcast_module_t *module, const pb_planned_t *planned,
                                  size_t bytes, int tag)
{
    coll_pipebcast_arrivals_t *arrivals = &module->arrivals;
    arrivals->bytes = bytes;
    const int stream = stream_of_fold(arrivals, planned);
    arrivals->control = (pb_control_t){.comm = module->comm, .tag = tag};
    pb_fold_start(&arrivals->fold, &arrivals->control, planned->role, ompi_comm_rank(module->comm),
                  stream, arrivals->children);
    arrivals->task.advance = advance;
    arrivals->task.end = end;
    arrivals->is_task = true;
    const int rc = coll_pipebcast_progress_add(module, &arrivals->task);
    if (rc != OMPI_SUCCESS) {
        arrivals->is_task = false;
        coll_pipebcast_lose(module, rc);
    }
    return stream;
}

void coll_pipebcast_arrivals_end(coll_pipebcast_module_t *module, int64_t arrived,
                                 const pb_fold_times_t *times)
{
    coll_pipebcast_arrivals_t *arrivals = &module->arrivals;
    pb_fold_times_t own = *times;
    own.away = arrivals->left != 0 ? arrived - arrivals->left : 0;
    if (arrivals->is_task) {
        pb_fold_end(&arrivals->fold, &own);
        /* The report leaves at once, however long this rank stays away from Open MPI now. */
        (void) advance(&arrivals->task);
    }
}

void coll_pipebcast_arrivals_leave(coll_pipebcast_module_t *module)
{
    if (pb_watch_is_next(&module->arrivals.watch) || pb_planner_learns(module->planner)) {
        module->arrivals.left = coll_pipebcast_now();
    }
}

/* Broadcasts. */

/** Rank 0 logs what has changed. */
static void log_lesson(const coll_pipebcast_module_t *module, size_t bytes,
                       const pb_lesson_t *lesson)
{
    const pb_candidate_t *candidate = &lesson->in_force;
    if (ompi_comm_rank(module->comm) != 0 || !lesson->is_new) {
        return;
    }
    const unsigned long long segment = candidate->segment != 0 ? candidate->segment : bytes;
    const double measured = (double) candidate->time / 1e6;
    if (lesson->restarts) {
        coll_pipebcast_log(10,
                           "communicator %s: %zu bytes take %.3f ms now by %s, segments of %llu "
                           "bytes, not what they did; others are tried again",
                           module->comm->c_name, bytes, measured, pb_candidate_name(candidate),
                           segment);
    } else {
        coll_pipebcast_log(10,
                           "communicator %s: learnt of %zu bytes: %s, segments of %llu bytes: %.3f "
                           "ms measured; links give %llu kbit/s, as far as that is learnt",
                           module->comm->c_name, bytes, pb_candidate_name(candidate), segment,
                           measured, (unsigned long long) (lesson->bits_per_second / 1000));
    }
}

/** What the ranks learn from the fold's broadcast, before the same later one. */
static void learn(coll_pipebcast_module_t *module)
{
    const pb_fold_t *fold = &module->arrivals.fold;
    if (pb_planner_learns(module->planner)) {
        const pb_lesson_t lesson =
            pb_planner_note(module->planner, (int64_t) fold->longest, (int64_t) fold->least_wait);
        coll_pipebcast_count(&coll_pipebcast_counters.learnt, lesson.is_new);
        log_lesson(module, module->arrivals.bytes, &lesson);
    }
}

/** The conclusion is there: all ranks act on it before the same broadcast. */
static void take_conclusion(coll_pipebcast_module_t *module)
{
    learn(module);
    if (coll_pipebcast_params.arrival == COLL_PIPEBCAST_ARRIVAL_AUTO &&
        module->arrivals.fold.conclusion == PB_ARRIVAL_UNEVEN &&
        coll_pipebcast_may_reach_all(module)) {
        pb_arrival_mode_suspect(&module->arrival_mode);
    }
}

void coll_pipebcast_arrivals_settle(coll_pipebcast_module_t *module)
{
    coll_pipebcast_arrivals_t *arrivals = &module->arrivals;
    if (!pb_watch_is_due(&arrivals->watch)) {
        return;
    }
    while (arrivals->is_task) {
        coll_pipebcast_unlock(&module->lock);
        opal_progress();
        coll_pipebcast_lock(&module->lock);
    }
    pb_watch_close(&arrivals->watch);
    take_conclusion(module);
}

bool coll_pipebcast_arrivals_is_next(coll_pipebcast_module_t *module, size_t bytes)
{
    pb_watch_t *watch = &module->arrivals.watch;
    const bool is_worth_it = watch->n > 0 || bytes >= LEAST_FIRST;
    pb_watch_ask(watch, is_worth_it && pb_planner_is_eager(module->planner, bytes));
    return module->arrivals.children != NULL && !watch->is_open && pb_watch_is_next(watch);
}

bool coll_pipebcast_arrivals_is_watched(coll_pipebcast_module_t *module, size_t bytes)
{
    return module->arrivals.children != NULL && pb_watch_begin(&module->arrivals.watch, bytes);
}
