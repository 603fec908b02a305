/*
 * A report: rank 0 finds out which rank has another value than it has itself, and
 * reports it to people. The values travel up a binomial tree, over a tag of the report's
 * own: sent to rank 0 directly, they would open a connection for each rank there, and use up the
 * descriptors of a process. No broadcast waits for the report, so that what the ranks do meanwhile
 * cannot depend on it; only where the communicator ends, each rank waits until its part is through
 * (coll_pipebcast_progress_settle()), so that no message is left over. So a rank whose message is
 * refused keeps trying: its parent counts on it. And it happens only where something is wrong.
 *
 * Ranks of different builds report to each other, too: the messages stay as they are.
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

/**
 * Of some ranks: the value of the lowest one, and the lowest one with another value than that. No
 * more is needed to know the lowest one whose value is not a given one's.
 */
typedef struct coll_pipebcast_values {
    uint64_t value, other_value;
    int64_t rank, other; /**< other: -1 if all values are the same */
} coll_pipebcast_values_t;

/** Zeros: none was started. */
typedef struct coll_pipebcast_report {
    struct ompi_communicator_t *comm; /**< borrowed */
    pb_control_t control;
    coll_pipebcast_difference_t difference;
    pb_request_t request; /**< this rank's message, or the next one of its children; NULL: none is
                             under way */
    int n_to_come;        /**< messages of children */
    bool is_to_send;      /**< this rank's message has not left */
    coll_pipebcast_values_t values;   /**< of this rank and of the children that were heard */
    coll_pipebcast_values_t received; /**< a child's message */
} coll_pipebcast_report_t;

/** Starts a report with a tag that is reserved for it, alike on all ranks. */
void coll_pipebcast_report_start(coll_pipebcast_report_t *report, struct ompi_communicator_t *comm,
                                 int tag, const coll_pipebcast_difference_t *difference);

/** Does what can be done without waiting; true when it is through. O(messages taken in), which are
 * log2 of the ranks at most. */
bool coll_pipebcast_report_advance(coll_pipebcast_report_t *report);

#endif
