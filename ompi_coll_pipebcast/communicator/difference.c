/*
 * Which rank differs from rank 0; see communicator/difference.h.
 */
#include "communicator/difference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

void coll_pipebcast_report_start(coll_pipebcast_report_t *report, struct ompi_communicator_t *comm,
                                 int tag, const coll_pipebcast_difference_t *difference)
{
    *report = (coll_pipebcast_report_t){
        .comm = comm,
        .control = {.comm = comm, .tag = tag},
        .difference = *difference,
        .value = difference->own,
        .n_to_come = ompi_comm_rank(comm) == 0 ? ompi_comm_size(comm) - 1 : 1,
        .other = ompi_comm_size(comm),
    };
}

/** Another rank than 0: whether its message has left. What is refused is sent at a later call. */
static bool has_sent(coll_pipebcast_report_t *report)
{
    int error = 0;
    if (report->request == NULL &&
        pb_control_send(&report->control, &report->value, sizeof(report->value), 0,
                        &report->request) != 0) {
        report->request = NULL;
        return false;
    }
    return pb_control_sent(&report->control, &report->request, &error);
}

static void print(const coll_pipebcast_report_t *report)
{
    char rank[256] = "another rank", numbers[64] = "";
    if (report->other < ompi_comm_size(report->comm)) {
        const opal_process_name_t name =
            ompi_group_get_proc_name(report->comm->c_local_group, report->other);
        char *host = coll_pipebcast_host_of(&name);
        snprintf(rank, sizeof(rank), "rank %d on host %s", report->other, host ? host : "?");
        free(host);
        if (report->difference.is_number) {
            snprintf(numbers, sizeof(numbers), " (%" PRId64 " against %" PRId64 " on rank 0)",
                     (int64_t) report->of_other, (int64_t) report->difference.own);
        }
    }
    coll_pipebcast_warn("communicator %s: %s differs between rank 0 and %s%s. Make it alike on all "
                        "hosts. Until then %s.",
                        report->comm->c_name, report->difference.what, rank, numbers,
                        report->difference.until_then);
}

/** Rank 0: takes in one message; false if none is there. */
static bool take_one(coll_pipebcast_report_t *report)
{
    int rank = 0;
    size_t bytes = 0;
    int error = 0;
    if (report->request == NULL) {
        error = pb_control_receive(&report->control, &report->value, sizeof(report->value),
                                   &report->request);
    }
    if (error == 0 &&
        !pb_control_received(&report->control, &report->request, &rank, &bytes, &error)) {
        return false;
    }
    report->n_to_come = error == 0 ? report->n_to_come - 1 : 0;
    if (error == 0 && report->value != report->difference.own && rank < report->other) {
        report->other = rank;
        report->of_other = report->value;
    }
    return true;
}

bool coll_pipebcast_report_advance(coll_pipebcast_report_t *report)
{
    if (report->n_to_come == 0) {
        return true;
    }
    if (ompi_comm_rank(report->comm) != 0) {
        report->n_to_come = has_sent(report) ? 0 : 1;
        return report->n_to_come == 0;
    }
    while (report->n_to_come > 0) {
        if (!take_one(report)) {
            return false;
        }
    }
    print(report);
    return true;
}
