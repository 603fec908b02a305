/*
 * Ranks that had to leave a broadcast; see communicator/lost.h.
 */
#include "communicator/lost.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/tags.h"

/**
 * Nanoseconds between two looks. Calls are not counted: with more ranks than processors each yields
 * the processor, and a thousand take a minute.
 */
#define LOOK_NS INT64_C(50000000)

/**
 * Seconds that a rank waits after a connection could not be made. The other rank may still make it,
 * and what was to be sent goes over that.
 */
#define HELD_SECONDS 10

/** Reports to another rank, as far as that can be had: there is nothing else to do for it. */
static void notify(const coll_pipebcast_module_t *module, int rank)
{
    static const char nothing;
    ompi_request_t *request;
    if (coll_pipebcast_isend(&nothing, 0, rank, coll_pipebcast_lost_tag(),
                             MCA_PML_BASE_SEND_STANDARD, module->comm, &request) == OMPI_SUCCESS) {
        coll_pipebcast_give_up(request, NULL);
    }
}

/**
 * This rank is lost from now on. Messages to it may still be on their way. So the communicator's
 * number must not be used again, and it stays to the end of the job.
 */
static void become_lost(coll_pipebcast_module_t *module)
{
    OBJ_RETAIN(module->comm);
    module->is_lost = true;
}

static const char *reason_of(int error)
{
    return error == OMPI_ERR_OUT_OF_RESOURCE ? "out of memory"
           : error == MPI_ERR_TRUNCATE       ? "ranks give different sizes to a broadcast"
                                             : "its messages did not come or go as they should";
}

void coll_pipebcast_lose(coll_pipebcast_module_t *module, int error)
{
    if (module->is_lost) {
        return;
    }
    become_lost(module);
    if (coll_pipebcast_failure_of(module->comm) != OMPI_SUCCESS) {
        return; /* Open MPI notifies the others */
    }
    coll_pipebcast_help(PB_HELP_RANK_LOST, module->comm->c_name, ompi_comm_rank(module->comm),
                        reason_of(error));
    for (int rank = 0; rank < ompi_comm_size(module->comm); rank++) {
        if (rank != ompi_comm_rank(module->comm)) {
            notify(module, rank);
        }
    }
}

/** Looks for the message of a lost rank, now and then, and takes it in. */
static void hear(coll_pipebcast_module_t *module)
{
    const int64_t now = coll_pipebcast_now();
    const int own = ompi_comm_rank(module->comm), n = ompi_comm_size(module->comm);
    int rank;
    if (now - module->last_look < LOOK_NS) {
        return;
    }
    module->last_look = now;
    if (!coll_pipebcast_take(module->comm, MPI_ANY_SOURCE, coll_pipebcast_lost_tag(), &rank)) {
        return;
    }
    coll_pipebcast_log(1,
                       "communicator %s: rank %d leaves a broadcast, as rank %d had to; further "
                       "ones of this communicator end with an error",
                       module->comm->c_name, own, rank);
    become_lost(module);
    /* The lost rank may not reach a neighbor of this one: that may be why it is lost. */
    notify(module, (own + 1) % n);
    notify(module, (own + n - 1) % n);
}

bool coll_pipebcast_look_for_lost(coll_pipebcast_module_t *module)
{
    if (module->is_lost) {
        return true;
    }
    if (coll_pipebcast_failure_of(module->comm) != OMPI_SUCCESS) {
        become_lost(module); /* Open MPI notifies the others */
    } else {
        hear(module);
    }
    return module->is_lost;
}

bool coll_pipebcast_look_between(coll_pipebcast_module_t *module)
{
    if (!module->is_lost && coll_pipebcast_is_excluded(module->comm)) {
        OBJ_RETAIN(module->comm);
        return true;
    }
    return coll_pipebcast_look_for_lost(module);
}

int coll_pipebcast_lost_error(const coll_pipebcast_module_t *module, int error)
{
    const int failure = coll_pipebcast_failure_of(module->comm);
    if (failure != OMPI_SUCCESS) {
        return failure;
    }
    return error != 0 ? coll_pipebcast_error(error) : MPI_ERR_OTHER;
}

void coll_pipebcast_end_if_unconnected(struct ompi_communicator_t *comm, int n_then,
                                       int64_t *since_p)
{
    if (coll_pipebcast_n_unconnected() == n_then) {
        return;
    }
    if (*since_p == 0) {
        *since_p = coll_pipebcast_now();
    }
    if (coll_pipebcast_seconds_since(*since_p) > HELD_SECONDS) {
        coll_pipebcast_help(PB_HELP_UNCONNECTED, comm->c_name, ompi_comm_rank(comm),
                            opal_process_info.nodename);
        ompi_mpi_abort(comm, MPI_ERR_OTHER);
    }
}

void coll_pipebcast_end_job(struct ompi_communicator_t *comm, const char *what, int error)
{
    coll_pipebcast_help(PB_HELP_JOB_ENDS, comm->c_name, ompi_comm_rank(comm), what,
                        reason_of(error));
    ompi_mpi_abort(comm, MPI_ERR_OTHER);
}
