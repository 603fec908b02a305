/* Reports of an advisor on itself, in its directory: DIR/advisor-status.json, and a lock while it
 * lives. */
#ifndef ADVISE_STATUS_H
#define ADVISE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

/** The last tree, and why it was looked for. Times are ns, those of day since the epoch. */
struct advisor_status {
    int64_t started;
    const char *mode; /**< "idle", "running", or what it waits for */
    int n_jobs;       /**< histories that were written to lately */
    int n_hosts;
    const char *root; /**< its host; NULL: no tree yet */
    uint64_t bytes;
    int64_t gap;        /**< predicted, from the last broadcast; -1: none */
    int64_t cost;       /**< predicted, of the tree */
    int64_t multilevel; /**< predicted, of the multilevel tree */
    uint32_t segment;
    int n_streams;    /**< more than 1: it is a static plan of this number of trees */
    bool kept;        /**< it was in use already */
    bool measured;    /**< by links that were measured, not assumed */
    int n_rates;      /**< what programs measured, that was used */
    int n_loaded;     /**< ordered pairs of clusters found loaded */
    char loaded[64];  /**< the last of them, "c1 -> c3" */
    int64_t n_trees;  /**< found so far */
    int n_unreadable; /**< files of programs that could not be read, at the last look */
};

/** Takes the lock of the directory until this process ends; false: another advisor has it. */
bool advisor_status_lock(const char *dir, int *fd_p);

/** Replaces the status. False with a message. */
bool advisor_status_write(const struct advisor_options *options,
                          const struct advisor_status *status);

/** Removes it, and gives the lock back. */
void advisor_status_close(const char *dir, int fd);

/** Prints the last report of the directory's advisor, as text or JSON. Yields the exit status. */
int advisor_status_print(const struct advisor_options *options);

#endif
