#include "jobs.h"

#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/report.h"
#include "topo/util/kit.h"

/** Reads a history; one that has vanished or is invalid is ignored, as jobs end and crash. */
static int read_history(const char *path, pb_history_t **history_p, int *n_unreadable_p)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_history_read(path, history_p, &diag);
    pb_diag_clear(&diag);
    *n_unreadable_p += error == PB_ERR_INPUT;
    return error == PB_ERR_NO_MEMORY ? error : PB_SUCCESS;
}

static int list(const char *dir, pb_history_kind_t kind, const pb_host_set_t *hosts,
                pb_history_visit_t *visit, void *context, bool reports)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = pb_history_list(dir, kind, hosts, visit, context, &diag);
    if (reports) {
        common_report_errors(&diag);
    }
    pb_diag_clear(&diag);
    return error;
}

/* ---- broadcasts ---- */

struct reading_jobs {
    struct advise_jobs *jobs;
    const struct advise_jobs *before;
    int64_t since;
};

/** The job of the same communicator and root; NULL: there is none. */
static struct advise_job *find_job(const struct advise_jobs *jobs, const struct advise_job *like)
{
    for (struct advise_job *job = jobs->all; job < jobs->all + jobs->n; job++) {
        if (job->root == like->root && job->history->group == like->history->group &&
            pb_host_set_equal(job->history->hosts, like->history->hosts)) {
            return job;
        }
    }
    return NULL;
}

/** Adds a job, which owns its history. Of two that are the same, the one with the later last
 * broadcast stays. */
static int add_job(struct advise_jobs *jobs, const struct advise_job *job)
{
    struct advise_job *same = find_job(jobs, job), older = *job;
    if (same == NULL) {
        struct advise_job *all = pb_grow(jobs->all, jobs->n, &jobs->most, sizeof *all);
        if (all == NULL) {
            pb_history_free(job->history);
            return PB_ERR_NO_MEMORY;
        }
        jobs->all = all;
        same = &all[jobs->n++];
        *same = (struct advise_job){.last_begun = -1};
    }
    if (same->last_begun < job->last_begun) {
        older = *same;
        *same = *job;
    }
    pb_history_free(older.history);
    return PB_SUCCESS;
}

static int visit_broadcasts(void *context, const char *path)
{
    const struct reading_jobs *reading = context;
    pb_history_t *history = NULL;
    struct advise_job job = {.last_end = 0};
    const int error = read_history(path, &history, &reading->jobs->n_unreadable);
    if (history != NULL && history->n_records > 0) {
        const pb_history_record_t *last = &history->records[history->n_records - 1];
        job = (struct advise_job){.history = history,
                                  .root = last->from,
                                  .last_begun = last->begun,
                                  .last_end = last->begun + last->taken};
        (void) advise_predict(history->records, history->n_records, &job.next);
    }
    if (job.history == NULL || job.next.gap < reading->since - job.last_end) {
        pb_history_free(history);
        return error;
    }
    const struct advise_job *before = find_job(reading->before, &job);
    job.handled = before != NULL ? before->handled : 0;
    job.is_searched = before != NULL && before->is_searched;
    return add_job(reading->jobs, &job);
}

int advise_jobs_read(const char *dir, int64_t since, bool reports, struct advise_jobs *jobs)
{
    struct advise_jobs now = {.n = 0};
    struct reading_jobs reading = {.jobs = &now, .before = jobs, .since = since};
    const int error = list(dir, PB_HISTORY_BROADCASTS, NULL, visit_broadcasts, &reading, reports);
    advise_jobs_clear(error == PB_SUCCESS ? jobs : &now);
    *jobs = error == PB_SUCCESS ? now : *jobs;
    return error;
}

void advise_jobs_clear(struct advise_jobs *jobs)
{
    for (int i = 0; i < jobs->n; i++) {
        pb_history_free(jobs->all[i].history);
    }
    free(jobs->all);
    *jobs = (struct advise_jobs){.n = 0};
}

/* ---- rates ---- */

struct reading_rates {
    const pb_history_t *job;
    pb_history_record_t *records;
    int n, n_unreadable;
};

static int visit_rates(void *context, const char *path)
{
    struct reading_rates *reading = context;
    pb_history_t *history = NULL;
    const int error = read_history(path, &history, &reading->n_unreadable);
    if (error != PB_SUCCESS || history == NULL || history->n_records == 0 ||
        history->group != reading->job->group ||
        !pb_host_set_equal(history->hosts, reading->job->hosts)) {
        pb_history_free(history);
        return error;
    }
    const size_t n = (size_t) reading->n + (size_t) history->n_records;
    pb_history_record_t *records = realloc(reading->records, n * sizeof *records);
    if (records != NULL) {
        memcpy(records + reading->n, history->records,
               (size_t) history->n_records * sizeof *records);
        reading->records = records;
        reading->n = (int) n;
    }
    pb_history_free(history);
    return records != NULL ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static int compare_records(const void *a, const void *b)
{
    const pb_history_record_t *x = a, *y = b;
    if (x->broadcast != y->broadcast) {
        return x->broadcast < y->broadcast ? -1 : 1;
    }
    return x->to != y->to ? (x->to < y->to ? -1 : 1) : x->from < y->from ? -1 : x->from > y->from;
}

int advise_rates_read(const char *dir, const struct advise_job *job,
                      pb_history_record_t **records_p, int *n_p, int *n_unreadable_p)
{
    struct reading_rates reading = {.job = job->history};
    const int error = list(dir, PB_HISTORY_RATES, job->history->hosts, visit_rates, &reading, true);
    *n_unreadable_p += reading.n_unreadable;
    if (error != PB_SUCCESS) {
        free(reading.records);
        reading = (struct reading_rates){.n = 0};
    } else if (reading.n > 0) {
        qsort(reading.records, (size_t) reading.n, sizeof *reading.records, compare_records);
    }
    *records_p = reading.records;
    *n_p = reading.n;
    return error;
}
