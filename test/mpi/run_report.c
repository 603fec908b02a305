/*
 * The report of a rank that differs, from inside: messages that are refused at first are sent all
 * the same, and a receive that fails ends it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "check.h"
#include "communicator/difference.h"

#define TAG 7
#define OWN 100
#define DIFFERING 2

/* What the next calls of this rank do. */
static int n_refused, n_calls;
static bool receives_fail;
static char said[2048];

void coll_pipebcast_warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(said, sizeof(said), format, args);
    va_end(args);
}

int pb_control_send(pb_control_t *control, const void *buffer, size_t bytes, int rank,
                    pb_request_t *request_p)
{
    n_calls++;
    if (n_refused > 0) {
        n_refused--;
        *request_p = control; /* no request: it is not to be looked at */
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return MPI_Isend(buffer, (int) bytes, MPI_BYTE, rank, TAG, MPI_COMM_WORLD,
                     (MPI_Request *) request_p);
}

int pb_control_receive(pb_control_t *control, void *buffer, size_t room, pb_request_t *request_p)
{
    (void) control;
    return receives_fail ? OMPI_ERR_OUT_OF_RESOURCE
                         : MPI_Irecv(buffer, (int) room, MPI_BYTE, MPI_ANY_SOURCE, TAG,
                                     MPI_COMM_WORLD, (MPI_Request *) request_p);
}

bool pb_control_sent(pb_control_t *control, pb_request_t *request_p, int *error_p)
{
    int done;
    (void) control;
    *error_p = MPI_Test((MPI_Request *) request_p, &done, MPI_STATUS_IGNORE);
    *request_p = done ? NULL : *request_p;
    return done != 0;
}

bool pb_control_received(pb_control_t *control, pb_request_t *request_p, int *rank_p,
                         size_t *bytes_p, int *error_p)
{
    int done, bytes = 0;
    MPI_Status status;
    (void) control;
    *error_p = MPI_Test((MPI_Request *) request_p, &done, &status);
    if (!done) {
        return false;
    }
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    *rank_p = status.MPI_SOURCE;
    *bytes_p = (size_t) bytes;
    *request_p = NULL;
    return true;
}

/** One report, in which rank 2 differs; how often it had to be advanced. */
static int report_once(int rank)
{
    const coll_pipebcast_difference_t difference = {.what = "the parameter x",
                                                    .until_then = "nothing happens",
                                                    .is_number = true,
                                                    .own = rank == DIFFERING ? OWN + 5 : OWN};
    coll_pipebcast_report_t report;
    int n = 1;
    said[0] = '\0';
    n_calls = 0;
    coll_pipebcast_report_start(&report, (struct ompi_communicator_t *) MPI_COMM_WORLD, TAG,
                                &difference);
    while (!coll_pipebcast_report_advance(&report)) {
        n++;
    }
    check(coll_pipebcast_report_advance(&report), "what is through stays so");
    return n;
}

/** Takes in what a report of four ranks left behind: rank 2 is the parent of rank 3, 0 of others.
 */
static void take_the_rest(int rank)
{
    const int n_children = rank == 0 ? 2 : rank == 2 ? 1 : 0;
    coll_pipebcast_values_t values;
    for (int i = 0; i < n_children; i++) {
        MPI_Recv(&values, sizeof(values), MPI_BYTE, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank, n_ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    check(n_ranks == 4, "four ranks");
    for (int refusals = 0; refusals < 6; refusals += 5) {
        n_refused = rank > 0 ? refusals : 0;
        const int n = report_once(rank);
        check(rank == 0 || (n > refusals && n_calls == refusals + 1 && n_refused == 0),
              "%d refusals: sent once, after %d calls", refusals, n_calls);
        check(rank != 0 || (strstr(said, "the parameter x differs between rank 0 and rank 2 on "
                                         "host ") != NULL &&
                            strstr(said, "(105 against 100 on rank 0)") != NULL &&
                            strstr(said, "Until then nothing happens.") != NULL),
              "rank 0 says: %s", said);
        check(rank == 0 || said[0] == '\0', "the others say nothing");
        MPI_Barrier(MPI_COMM_WORLD);
    }
    receives_fail = true;
    report_once(rank);
    check(rank != 0 || strstr(said, "between rank 0 and another rank. Make") != NULL,
          "a receive that fails: %s", said);
    take_the_rest(rank);
    return check_done("run_report");
}
