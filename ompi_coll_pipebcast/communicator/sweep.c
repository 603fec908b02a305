/*
 * Sweep of a communicator and its verdict; see communicator/sweep.h.
 *
 * A verdict changes, on all ranks before the same broadcast:
 *
 *   measured                               changes
 *   the broadcast's longest time           the planner's table: topo/model/learner.h
 *   waits for ranks that came late         the mode of arrivals: take_arrivals()
 *   frames of multicast that were missed   multicast or trees: multicast_judge()
 */
#include "communicator/sweep.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/counters.h"
#include "base/error.h"
#include "base/log.h"
#include "base/parameters.h"
#include "communicator/connections.h"
#include "communicator/lost.h"
#include "communicator/module.h"

/** Bytes. */
#define SHORT_MESSAGE 64
#define MEBIBYTE (1 << 20)

/**
 * coll_pipebcast_now() when this process last left a blocking broadcast of ours; 0: none was. It is
 * one for all communicators, read and written by any thread. A program that broadcasts in rows and
 * columns by turns comes to one communicator straight from the other. Ranks then arrive unevenly
 * because of the other broadcast's time on the network: serving them in groups would only add to
 * that.
 */
static int64_t last_left;

void coll_pipebcast_sweep_construct(coll_pipebcast_sweep_t *sweep, coll_pipebcast_module_t *module)
{
    *sweep = (coll_pipebcast_sweep_t){.module = module};
    pb_schedule_init(&sweep->schedule);
    OBJ_CONSTRUCT(&sweep->task.super, opal_list_item_t);
}

void coll_pipebcast_sweep_destruct(coll_pipebcast_sweep_t *sweep)
{
    OBJ_DESTRUCT(&sweep->task.super);
    free(sweep->children);
    sweep->children = NULL;
}

bool coll_pipebcast_sweep_prepare(coll_pipebcast_sweep_t *sweep)
{
    if (sweep->children == NULL) {
        sweep->children = malloc(pb_rank_set_bytes(ompi_comm_size(sweep->module->comm)));
    }
    return sweep->children != NULL;
}

void coll_pipebcast_sweep_begin_serving(coll_pipebcast_module_t *module)
{
    const pb_model_t *model = &module->model->model;
    const int64_t short_message = pb_model_message_time(model, SHORT_MESSAGE);
    pb_schedule_set_times(&module->sweep.schedule, short_message,
                          pb_model_message_time(model, SHORT_MESSAGE + MEBIBYTE) - short_message,
                          ompi_comm_size(module->comm));
    if (coll_pipebcast_is_arrival_aware(&module->settings) &&
        !coll_pipebcast_may_reach_all(module) && ompi_comm_rank(module->comm) == 0) {
        coll_pipebcast_help(PB_HELP_ARRIVAL_CONNECTIONS, module->comm->c_name,
                            ompi_comm_size(module->comm) - 1, module->connections);
    }
}

bool coll_pipebcast_all_are_aware(const coll_pipebcast_module_t *module)
{
    return coll_pipebcast_is_arrival_aware(&module->settings) &&
           coll_pipebcast_may_reach_all(module);
}

/* The sweep. */

/** Predicts the time of the broadcast beyond the message's own time, as a part of the latter. */
static double predicted_fill(const coll_pipebcast_module_t *module)
{
    int64_t time, message;
    pb_planner_predicted(module->planner, &time, &message);
    if (message <= 0 || time < 0) {
        return 1; /* not known: as for a short pipeline */
    }
    return time > message ? (double) (time - message) / (double) message : 0;
}

/** At the root: how the ranks arrive, by what all of them have reported. In a broadcast of the
 * fallback component they do not wait along the sweep's tree. */
static pb_arrival_report_t judge(const coll_pipebcast_sweep_t *sweep)
{
    const coll_pipebcast_module_t *module = sweep->module;
    if (sweep->is_passed) {
        return PB_ARRIVAL_EVEN;
    }
    const int64_t predicted = pb_model_message_time(&module->model->model, sweep->bytes);
    const bool is_measured = module->slowness > 0;
    const double message = (double) predicted * (is_measured ? module->slowness : 1);
    return pb_sweep_judge(&sweep->sweep.sums, message, is_measured, predicted_fill(module));
}

static coll_pipebcast_sweep_t *sweep_of(coll_pipebcast_task_t *task)
{
    return (coll_pipebcast_sweep_t *) (void *) ((char *) task -
                                                offsetof(coll_pipebcast_sweep_t, task));
}

/** Does what can be done; true when the sweep is through, or this rank is lost. */
static bool advance(coll_pipebcast_task_t *task)
{
    coll_pipebcast_sweep_t *sweep = sweep_of(task);
    coll_pipebcast_multicast_t *multicast = &sweep->module->multicast;
    bool is_through;
    do {
        is_through = pb_sweep_advance(&sweep->sweep);
        if (sweep->sweep.state == PB_SWEEP_SUMMED &&
            coll_pipebcast_multicast_send_probe(multicast, &sweep->sweep)) {
            pb_sweep_announce(&sweep->sweep, judge(sweep));
            is_through = pb_sweep_advance(&sweep->sweep);
        }
    } while (is_through && !sweep->sweep.broken &&
             coll_pipebcast_multicast_hear_probe(multicast, &sweep->sweep));
    if (sweep->sweep.broken) {
        coll_pipebcast_lose(sweep->module, sweep->sweep.error);
    }
    return is_through || coll_pipebcast_look_between(sweep->module);
}

static void end(coll_pipebcast_task_t *task)
{
    coll_pipebcast_sweep_t *sweep = sweep_of(task);
    coll_pipebcast_lock_t *lock = &sweep->module->lock;
    coll_pipebcast_lock(lock);
    pb_sweep_finish(&sweep->sweep);
    sweep->is_task = false;
    coll_pipebcast_unlock(lock);
}

/** Returns the next stream with segments in turn, as each has trees of other inner ranks. */
static int stream_of(const coll_pipebcast_sweep_t *sweep, const pb_planned_t *planned)
{
    const uint64_t n_segments = (sweep->bytes - 1) / planned->segment_size + 1;
    const uint64_t n_streams = (uint64_t) planned->role->n_streams;
    return (int) (sweep->schedule.n_sweeps % (n_segments < n_streams ? n_segments : n_streams));
}

int coll_pipebcast_sweep_begin(coll_pipebcast_module_t *module, const pb_planned_t *planned,
                               size_t bytes, int tag)
{
    coll_pipebcast_sweep_t *sweep = &module->sweep;
    sweep->bytes = bytes;
    sweep->is_passed = planned->fallback;
    sweep->control = (pb_control_t){.comm = module->comm, .tag = tag};
    coll_pipebcast_multicast_begin_sweep(module);
    const int stream = stream_of(sweep, planned);
    pb_sweep_start(&sweep->sweep, &sweep->control, planned->role, ompi_comm_size(module->comm),
                   stream, sweep->children);
    sweep->task.advance = advance;
    sweep->task.end = end;
    sweep->is_task = true;
    const int rc = coll_pipebcast_progress_add(module, &sweep->task);
    if (rc != OMPI_SUCCESS) {
        sweep->is_task = false;
        coll_pipebcast_lose(module, rc);
    }
    return stream;
}

/** Returns the time that this process had been in no broadcast; 0: not known. */
static int64_t away_until(int64_t arrived)
{
    const int64_t left = __atomic_load_n(&last_left, __ATOMIC_RELAXED);
    return left != 0 && left < arrived ? arrived - left : 0;
}

void coll_pipebcast_sweep_end(coll_pipebcast_module_t *module, int64_t arrived,
                              const pb_sweep_times_t *times)
{
    coll_pipebcast_sweep_t *sweep = &module->sweep;
    pb_sweep_times_t own = *times;
    own.away = away_until(arrived);
    coll_pipebcast_multicast_report(module, &own);
    sweep->n_unconnected = coll_pipebcast_n_unconnected();
    if (sweep->is_task) {
        pb_sweep_end(&sweep->sweep, &own);
        /* The report leaves now, however long this rank stays away from Open MPI after this. */
        (void) advance(&sweep->task);
    }
}

void coll_pipebcast_note_end(void)
{
    __atomic_store_n(&last_left, coll_pipebcast_now(), __ATOMIC_RELAXED);
}

/* The verdict. */

/** Rank 0 logs what has changed. */
static void log_lesson(const coll_pipebcast_module_t *module, size_t bytes,
                       const pb_lesson_t *lesson)
{
    const pb_candidate_t *candidate = &lesson->in_force;
    if (ompi_comm_rank(module->comm) != 0 || lesson->outcome == PB_OUTCOME_STAYS) {
        return;
    }
    if (lesson->outcome == PB_OUTCOME_SPEED) {
        coll_pipebcast_log(10,
                           "communicator %s: %zu bytes took %.3f ms: links give about %llu kbit/s, "
                           "and plans are chosen anew",
                           module->comm->c_name, bytes, (double) lesson->time / 1e6,
                           (unsigned long long) (lesson->bits_per_second / 1000));
        return;
    }
    const unsigned long long segment = pb_candidate_segment(candidate, bytes);
    coll_pipebcast_log(
        10,
        lesson->outcome == PB_OUTCOME_DRIFTS
            ? "communicator %s: %zu bytes take %.3f ms now by %s, segments of %llu bytes, not what "
              "they did; others are tried again"
            : "communicator %s: learned of %zu bytes: %.3f ms by %s, segments of %llu bytes",
        module->comm->c_name, bytes, (double) candidate->time / 1e6, pb_candidate_name(candidate),
        segment);
}

/** The planner takes in how long the broadcast took, unless ranks waited for each other. If it
 * cannot, this rank is lost, and knows no more what the others plan. */
static void take_time(coll_pipebcast_module_t *module)
{
    const coll_pipebcast_sweep_t *sweep = &module->sweep;
    pb_lesson_t lesson;
    if (sweep->sweep.verdict == PB_ARRIVAL_UNEVEN) {
        pb_planner_pass_over(module->planner);
        return;
    }
    const int rc = pb_planner_note(module->planner, (int64_t) sweep->sweep.sums.longest,
                                   (int64_t) sweep->sweep.sums.least_wait, &lesson);
    coll_pipebcast_count(&coll_pipebcast_counters.learned, lesson.outcome != PB_OUTCOME_STAYS);
    log_lesson(module, sweep->bytes, &lesson);
    if (rc != PB_SUCCESS) {
        module->agreed = coll_pipebcast_error(rc);
        coll_pipebcast_lose(module, module->agreed);
    }
}

/** Ranks that arrive unevenly are probed, where broadcasts may become arrival-aware. */
static void take_arrivals(coll_pipebcast_module_t *module)
{
    if (module->sweep.sweep.verdict == PB_ARRIVAL_UNEVEN &&
        module->settings.arrival == COLL_PIPEBCAST_ARRIVAL_AUTO &&
        coll_pipebcast_may_reach_all(module)) {
        pb_arrival_mode_suspect(&module->arrival_mode);
    }
}

void coll_pipebcast_sweep_settle(coll_pipebcast_module_t *module)
{
    coll_pipebcast_sweep_t *sweep = &module->sweep;
    int64_t held_since = 0;
    while (sweep->is_task) {
        coll_pipebcast_end_if_unconnected(module->comm, sweep->n_unconnected, &held_since);
        coll_pipebcast_unlock(&module->lock);
        opal_progress();
        coll_pipebcast_lock(&module->lock);
    }
    pb_schedule_close(&sweep->schedule);
    if (sweep->sweep.state != PB_SWEEP_THROUGH) {
        coll_pipebcast_lose(module, MPI_ERR_OTHER);
    } else { /* a lost rank decides as the others, too */
        take_time(module);
        take_arrivals(module);
        coll_pipebcast_multicast_judge(module, &sweep->sweep);
    }
}

bool coll_pipebcast_sweep_count(coll_pipebcast_module_t *module, size_t bytes, bool asked)
{
    pb_health_t *health = &module->multicast.health;
    pb_health_count(health);
    if (module->sweep.children == NULL ||
        !pb_schedule_begin(&module->sweep.schedule, bytes, asked || pb_health_is_due(health))) {
        return false;
    }
    module->sweep.sweep.state = PB_SWEEP_COLLECTING; /* also where a lost rank begins none */
    return true;
}
