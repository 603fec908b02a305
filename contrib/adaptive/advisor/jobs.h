/* Jobs: files that running programs have written into the directory. */
#ifndef ADVISE_JOBS_H
#define ADVISE_JOBS_H

#include <stdint.h>

#include "contrib/adaptive/advice/history.h"
#include "next_broadcast.h"

/** The broadcasts of one root in one communicator, by the rank of its host that was root last. */
struct advise_job {
    pb_history_t *history;        /**< owned; has a record */
    int root;                     /**< host of the last record */
    int64_t last_begun, last_end; /**< ns since the epoch */
    struct advise_next next;      /**< predicted */
    int64_t handled;              /**< last_begun when it was handled; 0: it was not yet */
    bool is_searched;             /**< then, and not only for trees that take no time */
};

struct advise_jobs {
    struct advise_job *all;
    int n, most;
    int n_unreadable; /**< files that could not be read: half written, of another version, ... */
};

/**
 * Reads all histories of broadcasts whose last one ended at `since` (ns since the epoch) or later,
 * or whose next one is expected then. Invalid ones are ignored and counted. Replaces *jobs, which
 * begins as zeros; jobs that were there keep what was handled. After an error all stay: PB_ERR_IO
 * (the directory; reported, if `reports`), PB_ERR_NO_MEMORY. O(jobs^2).
 */
int advise_jobs_read(const char *dir, int64_t since, bool reports, struct advise_jobs *jobs);
void advise_jobs_clear(struct advise_jobs *jobs);

/**
 * The rates of a job's communicator, of all its hosts, by broadcast, which the caller frees.
 * Errors as above; files that cannot be read are added to *n_unreadable_p.
 */
int advise_rates_read(const char *dir, const struct advise_job *job,
                      pb_history_record_t **records_p, int *n_p, int *n_unreadable_p);

#endif
