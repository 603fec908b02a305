/*
 * How the ranks of a communicator arrive; see communicator/arrivals.h.
 */
#include "communicator/arrivals.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/counters.h"
#include "base/error.h"
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

/**
 * coll_pipebcast_now() when this process last left a blocking broadcast of ours; 0: none was.
 * Of all communicators, read and written by any thread: a program that broadcasts in rows and
 * columns of its ranks by turns comes to the one straight from the other. It is the other one's
 * time, mostly the network's, by which its ranks arrive unevenly then, and serving them in groups
 * would put more on the network.
 */
static int64_t last_left;

void coll_pipebcast_arrivals_construct(coll_pipebcast_arrivals_t *arrivals,
                                       coll_pipebcast_module_t *module)
{
    *arrivals = (coll_pipebcast_arrivals_t){
        .module = module,
        .watched = {.module = module},
        .beside = {.module = module, .is_beside = true},
    };
    pb_watch_init(&arrivals->watch);
    OBJ_CONSTRUCT(&arrivals->watched.task.super, opal_list_item_t);
    OBJ_CONSTRUCT(&arrivals->beside.task.super, opal_list_item_t);
    coll_pipebcast_opening_construct(&arrivals->opening, module);
}

void coll_pipebcast_arrivals_destruct(coll_pipebcast_arrivals_t *arrivals)
{
    OBJ_DESTRUCT(&arrivals->watched.task.super);
    OBJ_DESTRUCT(&arrivals->beside.task.super);
    coll_pipebcast_opening_destruct(&arrivals->opening);
    free(arrivals->watched.children);
    arrivals->watched.children = arrivals->beside.children = NULL;
}

bool coll_pipebcast_arrivals_prepare(coll_pipebcast_arrivals_t *arrivals)
{
    const size_t bytes = pb_order_bytes(ompi_comm_size(arrivals->module->comm));
    uint8_t *children = malloc(2 * bytes);
    arrivals->watched.children = children;
    arrivals->beside.children = children != NULL ? children + bytes : NULL;
    return children != NULL;
}

/** Of a message between two hosts of one switch, by what all ranks have agreed on. */
static int64_t message_time(const coll_pipebcast_module_t *module, size_t bytes)
{
    return pb_model_cost(&module->model->model, N_LINKS, bytes).rtt / 2;
}

void coll_pipebcast_arrivals_report_limits(const coll_pipebcast_module_t *module)
{
    if (ompi_comm_rank(module->comm) != 0 || coll_pipebcast_follows_advice() ||
        coll_pipebcast_may_reach_all(module)) {
        return;
    }
    if (coll_pipebcast_is_arrival_aware(&module->settings)) {
        coll_pipebcast_warn(
            "communicator %s: its broadcasts are not arrival-aware, although the "
            "parameter coll_pipebcast_arrival is set so: the root of each would need "
            "%d connections, and it may have %d. Raise the limit of descriptors "
            "(ulimit -n) or coll_pipebcast_connections.",
            module->comm->c_name, ompi_comm_size(module->comm) - 1, module->connections);
    } else if (module->settings.arrival == COLL_PIPEBCAST_ARRIVAL_AUTO) {
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
    coll_pipebcast_arrivals_report_limits(module);
}

bool coll_pipebcast_all_are_aware(const coll_pipebcast_module_t *module,
                                  const coll_pipebcast_settings_t *settings)
{
    return coll_pipebcast_is_arrival_aware(settings) && coll_pipebcast_may_reach_all(module);
}

/* The fold. */

/** What is predicted of this root's broadcast; best_time < 0: nothing. */
static pb_planner_report_t predict(const coll_pipebcast_watched_t *watched)
{
    const coll_pipebcast_module_t *module = watched->module;
    const int root = ompi_comm_rank(module->comm);
    pb_planner_report_t report;
    if (watched->is_beside) {
        return watched->prediction;
    }
    if (pb_planner_learns(module->planner)) {
        pb_planner_watched(module->planner, &report.best_time, &report.best_fill);
        return report;
    }
    if (pb_planner_explain(module->planner, root, watched->bytes, &report) != PB_SUCCESS) {
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
static void note_delivery(coll_pipebcast_watched_t *watched, const pb_planner_report_t *report)
{
    coll_pipebcast_module_t *module = watched->module;
    const uint32_t n_ranks = (uint32_t) ompi_comm_size(module->comm);
    const pb_fold_sums_t *sums = &watched->fold.sums;
    const int64_t expected = report->best_time < 0 ? 0 : report->best_time - report->best_fill;
    if (sums->slowest >= n_ranks || sums->slow_from >= n_ranks) {
        return; /* another rank's report makes no sense; nothing depends on it */
    }
    const pb_shortfall_news_t news = pb_shortfall_note(&module->arrivals.shortfall, sums, expected);
    coll_pipebcast_count(&coll_pipebcast_counters.fell_short, news != PB_SHORTFALL_NONE);
    if (news == PB_SHORTFALL_REPORT) {
        report_shortfall(module, watched->bytes, expected);
    }
}

/**
 * At the root: how long a message takes between two ranks, for groups of ranks that arrive unevenly
 * one day. The shortest counts: others are held up by something.
 */
static void note_speed(const coll_pipebcast_watched_t *watched)
{
    double *known = &watched->module->ns_per_byte;
    const double seen = (double) watched->fold.sums.slow_time / (double) watched->bytes;
    if (seen > 0 && (*known <= 0 || seen < *known)) {
        *known = seen;
    }
}

/** At the root: what the sums of all ranks mean. */
static pb_arrival_report_t judge(coll_pipebcast_watched_t *watched)
{
    const coll_pipebcast_module_t *module = watched->module;
    const pb_fold_sums_t *sums = &watched->fold.sums;
    const size_t bytes = watched->bytes;
    const int64_t predicted = message_time(module, bytes);
    const double message =
        module->ns_per_byte > 0 ? module->ns_per_byte * (double) bytes : (double) predicted;
    const pb_planner_report_t prediction = predict(watched);
    const pb_arrival_report_t report = pb_fold_judge(sums, message, module->ns_per_byte > 0,
                                                     predicted_fill(&prediction, predicted));
    note_delivery(watched, &prediction);
    note_speed(watched);
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

static coll_pipebcast_watched_t *watched_of(coll_pipebcast_task_t *task)
{
    return (coll_pipebcast_watched_t *) (void *) ((char *) task -
                                                  offsetof(coll_pipebcast_watched_t, task));
}

/** Whether broadcasts may become arrival-aware by a fold's conclusion. Alike on all ranks. */
static bool may_become_aware(const coll_pipebcast_module_t *module)
{
    return module->settings.arrival == COLL_PIPEBCAST_ARRIVAL_AUTO &&
           coll_pipebcast_may_reach_all(module);
}

/** At the root, which has the sums of all ranks. */
static void conclude(coll_pipebcast_watched_t *watched)
{
    coll_pipebcast_module_t *module = watched->module;
    const pb_arrival_report_t report = judge(watched);
    watched->fold.opens =
        report == PB_ARRIVAL_UNEVEN && may_become_aware(module) &&
        coll_pipebcast_opening_ask(&module->arrivals.opening, watched->control.tag);
    pb_fold_announce(&watched->fold, report);
}

/** The fold is through on this rank: what it asks for is done, once. */
static void answer(coll_pipebcast_watched_t *watched)
{
    pb_fold_t *fold = &watched->fold;
    if (fold->opens && !fold->broken && watched->root != fold->rank) {
        coll_pipebcast_opening_answer(watched->module, watched->root, watched->control.tag);
    }
    fold->opens = false;
}

/** Does what can be done; true when the fold is through, or this rank is lost. */
static bool advance(coll_pipebcast_task_t *task)
{
    coll_pipebcast_watched_t *watched = watched_of(task);
    pb_fold_t *fold = &watched->fold;
    bool is_through = pb_fold_advance(fold);
    if (fold->state == PB_FOLD_SUMMED) {
        conclude(watched);
        is_through = pb_fold_advance(fold);
    }
    if (is_through) {
        answer(watched);
    }
    if (fold->broken) {
        coll_pipebcast_lose(watched->module, fold->error);
    }
    return is_through || coll_pipebcast_is_lost(watched->module);
}

static void end(coll_pipebcast_task_t *task)
{
    coll_pipebcast_watched_t *watched = watched_of(task);
    coll_pipebcast_lock_t *lock = &watched->module->lock;
    coll_pipebcast_lock(lock);
    pb_fold_finish(&watched->fold);
    watched->is_task = false;
    coll_pipebcast_unlock(lock);
}

/** Each stream that the message has segments for in turn, as each has trees of other inner ranks.
 */
static int stream_of_fold(const coll_pipebcast_watched_t *watched, const pb_planned_t *planned)
{
    const uint64_t n_folds = watched->module->arrivals.watch.n_folds;
    const uint64_t n_segments = (watched->bytes - 1) / planned->segment_size + 1;
    const uint64_t n_streams = (uint64_t) planned->role->n_streams;
    return (int) ((n_folds + watched->is_beside) %
                  (n_segments < n_streams ? n_segments : n_streams));
}

/** One that is watched beside others begins: it may not be the last one when it is judged. */
static void predict_now(coll_pipebcast_watched_t *watched)
{
    const coll_pipebcast_module_t *module = watched->module;
    pb_planner_report_t *prediction = &watched->prediction;
    if (watched->root == ompi_comm_rank(module->comm) &&
        pb_planner_explain(module->planner, watched->root, watched->bytes, prediction) !=
            PB_SUCCESS) {
        prediction->best_time = prediction->best_fill = -1;
    }
}

static void start_fold(coll_pipebcast_watched_t *watched, const pb_role_t *role, int stream,
                       int tag)
{
    coll_pipebcast_module_t *module = watched->module;
    watched->control = (pb_control_t){.comm = module->comm, .tag = tag};
    pb_fold_start(&watched->fold, &watched->control, role, ompi_comm_rank(module->comm),
                  ompi_comm_size(module->comm), stream, watched->children);
}

/** It goes on beside everything else; if it cannot, this rank is lost. */
static void add_task(coll_pipebcast_watched_t *watched)
{
    watched->task.advance = advance;
    watched->task.end = end;
    watched->is_task = true;
    const int rc = coll_pipebcast_progress_add(watched->module, &watched->task);
    if (rc != OMPI_SUCCESS) {
        watched->is_task = false;
        coll_pipebcast_lose(watched->module, rc);
    }
}

int coll_pipebcast_arrivals_begin(coll_pipebcast_watched_t *watched, const pb_planned_t *planned,
                                  int root, size_t bytes, int tag)
{
    watched->root = root;
    watched->bytes = bytes;
    const int stream = stream_of_fold(watched, planned);
    start_fold(watched, planned->role, stream, tag);
    if (watched->is_beside) {
        predict_now(watched);
    }
    add_task(watched);
    return stream;
}

static void end_part(coll_pipebcast_watched_t *watched, const pb_fold_times_t *times)
{
    if (watched->is_task) {
        pb_fold_end(&watched->fold, times);
        /* The report leaves at once, however long this rank stays away from Open MPI now. */
        (void) advance(&watched->task);
    }
}

/** For how long this process had been in no broadcast; 0: not known. */
static int64_t away_until(int64_t arrived)
{
    const int64_t left = __atomic_load_n(&last_left, __ATOMIC_RELAXED);
    return left != 0 && left < arrived ? arrived - left : 0;
}

void coll_pipebcast_arrivals_end(coll_pipebcast_watched_t *watched, int64_t arrived,
                                 const pb_fold_times_t *times)
{
    pb_fold_times_t own = *times;
    own.away = away_until(arrived);
    end_part(watched, &own);
}

void coll_pipebcast_arrivals_leave(void)
{
    __atomic_store_n(&last_left, coll_pipebcast_now(), __ATOMIC_RELAXED);
}

/* Broadcasts. */

/** What predictions alone would choose, and how long that is predicted to take. */
static const char *describe_prior(const coll_pipebcast_module_t *module, size_t bytes, char *text,
                                  size_t size)
{
    pb_planner_report_t prior;
    if (pb_planner_explain_prior(module->planner, &prior) != PB_SUCCESS) {
        snprintf(text, size, "something that is not known");
    } else if (prior.best.kind == PB_KIND_FALLBACK) {
        snprintf(text, size, "fallback: %.3f ms predicted", (double) prior.best_time / 1e6);
    } else {
        const unsigned long long segment = prior.best.segment != 0 ? prior.best.segment : bytes;
        snprintf(text, size, "%s, segments of %llu bytes: %.3f ms predicted",
                 pb_candidate_name(&prior.best), segment, (double) prior.best_time / 1e6);
    }
    return text;
}

/** Rank 0 logs what has changed. */
static void log_lesson(const coll_pipebcast_module_t *module, size_t bytes,
                       const pb_lesson_t *lesson)
{
    const pb_candidate_t *candidate = &lesson->in_force;
    char prior[128];
    if (ompi_comm_rank(module->comm) != 0 || !lesson->is_new ||
        coll_pipebcast_params.verbose < 10) {
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
                           "ms measured; links give %llu kbit/s, as far as that is learnt; by "
                           "predictions alone it would be %s",
                           module->comm->c_name, bytes, pb_candidate_name(candidate), segment,
                           measured, (unsigned long long) (lesson->bits_per_second / 1000),
                           describe_prior(module, bytes, prior, sizeof(prior)));
    }
}

/** What the ranks learn from the fold's broadcast, before the same later one. */
static void learn(coll_pipebcast_module_t *module)
{
    const pb_fold_t *fold = &module->arrivals.watched.fold;
    if (pb_planner_learns(module->planner)) {
        const pb_lesson_t lesson =
            pb_planner_note(module->planner, (int64_t) fold->longest, (int64_t) fold->least_wait);
        coll_pipebcast_count(&coll_pipebcast_counters.learnt, lesson.is_new);
        log_lesson(module, module->arrivals.watched.bytes, &lesson);
    }
}

/** The conclusion is there: all ranks act on it before the same broadcast. */
static void take_conclusion(const coll_pipebcast_watched_t *watched)
{
    coll_pipebcast_module_t *module = watched->module;
    if (!watched->is_beside) {
        learn(module);
    }
    if (watched->fold.conclusion == PB_ARRIVAL_UNEVEN && may_become_aware(module)) {
        pb_arrival_mode_suspect(&module->arrival_mode);
    }
}

/** Waits for the conclusion. */
static void wait_for(const coll_pipebcast_watched_t *watched)
{
    coll_pipebcast_lock_t *lock = &watched->module->lock;
    while (watched->is_task) {
        coll_pipebcast_unlock(lock);
        opal_progress();
        coll_pipebcast_lock(lock);
    }
}

void coll_pipebcast_arrivals_settle(coll_pipebcast_module_t *module)
{
    coll_pipebcast_arrivals_t *arrivals = &module->arrivals;
    if (pb_watch_is_due(&arrivals->watch)) {
        wait_for(&arrivals->watched);
        pb_watch_close(&arrivals->watch);
        take_conclusion(&arrivals->watched);
    }
    if (pb_watch_take_beside(&arrivals->watch)) {
        wait_for(&arrivals->beside);
        take_conclusion(&arrivals->beside);
    }
}

/** When the conclusion on the next broadcast is due if that is to be watched, else 0. */
static uint32_t due_after(const coll_pipebcast_module_t *module, size_t bytes)
{
    const pb_watch_t *watch = &module->arrivals.watch;
    const bool is_worth_it = watch->n > 0 || bytes >= LEAST_FIRST;
    if (is_worth_it && pb_planner_is_eager(module->planner, bytes)) {
        return pb_planner_knows_links(module->planner) ? PB_WATCH_FEWEST_LAG : PB_WATCH_SOON;
    }
    return pb_watch_is_dense(watch, bytes) ? PB_WATCH_FEWEST_LAG : 0;
}

bool coll_pipebcast_arrivals_is_next(coll_pipebcast_module_t *module, size_t bytes)
{
    pb_watch_t *watch = &module->arrivals.watch;
    pb_watch_ask(watch, due_after(module, bytes));
    return module->arrivals.watched.children != NULL && !watch->is_open && pb_watch_is_next(watch);
}

coll_pipebcast_watched_t *coll_pipebcast_arrivals_watch(coll_pipebcast_module_t *module,
                                                        size_t bytes, bool ours)
{
    coll_pipebcast_arrivals_t *arrivals = &module->arrivals;
    if (arrivals->watched.children == NULL) {
        return NULL;
    }
    if (pb_watch_begin(&arrivals->watch, bytes)) {
        return &arrivals->watched;
    }
    return ours && pb_watch_begin_beside(&arrivals->watch, bytes) ? &arrivals->beside : NULL;
}
