/*
 * A report: rank 0 finds out which rank has another value than it has itself, and
 * reports it to people. Every rank sends its value to rank 0, over a tag of the report's
 * own. No broadcast waits for it, so that what the ranks do meanwhile cannot depend on
 * it; only where the communicator ends, each rank waits until its part is through
 * (coll_pipebcast_progress_settle()), so that no message is left over. So a rank whose message is
 * refused keeps trying: rank 0 counts on it. And it happens only where something is wrong.
 */
#ifndef COLL_PIPEBCAST_REPORT_H
#define COLL_PIPEBCAST_REPORT_H

#include "pml/control.h"

/** What rank 0 reports; the texts are borrowed until the report is through. */
typedef struct coll_pipebcast_difference {
    const char *what;       /**< it differs, as people call it */
    const char *until_then; /**< what happens until it is fixed */
    bool is_number;         /**< people can do something with the values themselves */
    uint64_t own;           /**< this rank's value */
} coll_pipebcast_difference_t;

/** Zeros: none was started. */
typedef struct coll_pipebcast_report {
    struct ompi_communicator_t *comm; /**< borrowed */
    pb_control_t control;
    coll_pipebcast_difference_t difference;
    pb_request_t request; /**< this rank's message, or at rank 0 the next one of the others; NULL:
                             none is under way */
    uint64_t value;       /**< its content */
    int n_to_come;        /**< messages */
    int other;            /**< the lowest rank so far that differs from rank 0 */
    uint64_t of_other;    /**< its value */
} coll_pipebcast_report_t;

/** Starts a report with a tag that is reserved for it, alike on all ranks. */
void coll_pipebcast_report_start(coll_pipebcast_report_t *report, struct ompi_communicator_t *comm,
                                 int tag, const coll_pipebcast_difference_t *difference);

/** Does what can be done without waiting; true when it is through. O(messages taken in). */
bool coll_pipebcast_report_advance(coll_pipebcast_report_t *report);

#endif
