/*
 * Which rank differs from rank 0; see communicator/difference.h.
 */
#include "communicator/difference.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

/** Of a binomial tree in order of rank: how many children a rank has. */
static int n_children(int rank, int n_ranks)
{
    int n = 0;
    for (int distance = 1; rank % (2 * distance) == 0 && rank + distance < n_ranks; distance *= 2) {
        n++;
    }
    return n;
}

/** Its parent: its number without the lowest bit that is set. Not of rank 0. */
static int parent_of(int rank)
{
    return rank & (rank - 1);
}

void coll_pipebcast_report_start(coll_pipebcast_report_t *report, struct ompi_communicator_t *comm,
                                 int tag, const coll_pipebcast_difference_t *difference)
{
    const int rank = ompi_comm_rank(comm);
    *report = (coll_pipebcast_report_t){
        .comm = comm,
        .control = {.comm = comm, .tag = tag},
        .difference = *difference,
        .n_to_come = n_children(rank, ompi_comm_size(comm)),
        .is_to_send = true,
        .values = {.value = difference->own, .rank = rank, .other = -1},
    };
}

static void note_other(coll_pipebcast_values_t *values, uint64_t value, int64_t rank)
{
    if (rank >= 0 && value != values->value && (values->other < 0 || rank < values->other)) {
        values->other_value = value;
        values->other = rank;
    }
}

/** Adds those of ranks that are all higher than the first one. */
static void add(coll_pipebcast_values_t *values, const coll_pipebcast_values_t *more)
{
    note_other(values, more->value, more->rank);
    note_other(values, more->other_value, more->other);
}

/** Another rank than 0: whether its message has left. What is refused is sent at a later call. */
static bool has_sent(coll_pipebcast_report_t *report)
{
    int error = 0;
    if (report->request == NULL &&
        pb_control_send(&report->control, &report->values, sizeof(report->values),
                        parent_of(ompi_comm_rank(report->comm)), &report->request) != 0) {
        report->request = NULL;
        return false;
    }
    return pb_control_sent(&report->control, &report->request, &error);
}

static void print(const coll_pipebcast_report_t *report)
{
    const coll_pipebcast_values_t *values = &report->values;
    char rank[256] = "another rank", numbers[64] = "";
    if (values->other >= 0 && values->other < ompi_comm_size(report->comm)) {
        const int other = (int) values->other;
        const opal_process_name_t name =
            ompi_group_get_proc_name(report->comm->c_local_group, other);
        char *host = coll_pipebcast_host_of(&name);
        snprintf(rank, sizeof(rank), "rank %d on host %s", other, host ? host : "?");
        free(host);
        if (report->difference.is_number) {
            snprintf(numbers, sizeof(numbers), " (%" PRId64 " against %" PRId64 " on rank 0)",
                     (int64_t) values->other_value, (int64_t) report->difference.own);
        }
    }
    coll_pipebcast_warn("communicator %s: %s differs between rank 0 and %s%s. Make it alike on all "
                        "hosts. Until then %s.",
                        report->comm->c_name, report->difference.what, rank, numbers,
                        report->difference.until_then);
}

/** Takes in one child's message; false if none is there. After an error none is waited for. */
static bool take_one(coll_pipebcast_report_t *report)
{
    int rank = 0;
    size_t bytes = 0;
    int error = 0;
    if (report->request == NULL) {
        error = pb_control_receive(&report->control, &report->received, sizeof(report->received),
                                   &report->request);
    }
    if (error == 0 &&
        !pb_control_received(&report->control, &report->request, &rank, &bytes, &error)) {
        return false;
    }
    report->n_to_come = error == 0 ? report->n_to_come - 1 : 0;
    if (error == 0 && bytes == sizeof(report->received)) {
        add(&report->values, &report->received);
    }
    return true;
}

bool coll_pipebcast_report_advance(coll_pipebcast_report_t *report)
{
    while (report->n_to_come > 0) {
        if (!take_one(report)) {
            return false;
        }
    }
    if (report->is_to_send && ompi_comm_rank(report->comm) == 0) {
        print(report);
        report->is_to_send = false;
    } else if (report->is_to_send) {
        report->is_to_send = !has_sent(report);
    }
    return !report->is_to_send;
}
