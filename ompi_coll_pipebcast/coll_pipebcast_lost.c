/*
 * Ranks that had to leave a broadcast; see coll_pipebcast_lost.h.
 */
#include "coll_pipebcast_lost.h"

#include "coll_pipebcast_say.h"

/**
 * Calls between two looks. A look costs some microseconds, a call a fraction of one: so looking
 * costs nothing, and it is some milliseconds until what was told is heard.
 */
#define CALLS_PER_LOOK 1024

/** Tells the others, as far as that can be had: there is nothing else to do for them. */
static void tell_others(const coll_pipebcast_module_t *module)
{
    struct ompi_communicator_t *comm = module->comm;
    const int own = ompi_comm_rank(comm);
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        ompi_request_t *request;
        if (rank != own &&
            MCA_PML_CALL(isend(NULL, 0, MPI_BYTE, rank, module->lost_tag,
                               MCA_PML_BASE_SEND_STANDARD, comm, &request)) == OMPI_SUCCESS) {
            ompi_request_free(&request);
        }
    }
}

void coll_pipebcast_lose(coll_pipebcast_module_t *module, int error)
{
    if (module->state == COLL_PIPEBCAST_LOST) {
        return;
    }
    module->state = COLL_PIPEBCAST_LOST;
    coll_pipebcast_warn("communicator %s: rank %d had to leave a broadcast (%s), and takes part "
                        "in no further one of this communicator. Make a new communicator, or "
                        "end the job.",
                        module->comm->c_name, ompi_comm_rank(module->comm),
                        error == OMPI_ERR_OUT_OF_RESOURCE
                            ? "memory is out"
                            : "its messages did not come or go as they should");
    tell_others(module);
}

/** Whether another rank has told that it is lost. */
static bool is_told(const coll_pipebcast_module_t *module, int *rank_p)
{
    ompi_status_public_t status;
    int matched = 0;
    const int rc =
        MCA_PML_CALL(iprobe(MPI_ANY_SOURCE, module->lost_tag, module->comm, &matched, &status));
    *rank_p = status.MPI_SOURCE;
    return rc == OMPI_SUCCESS && matched != 0;
}

bool coll_pipebcast_is_lost(coll_pipebcast_module_t *module)
{
    int rank;
    if (module->state != COLL_PIPEBCAST_LOST && ++module->n_idle_calls % CALLS_PER_LOOK == 0 &&
        is_told(module, &rank)) {
        coll_pipebcast_tell(1,
                            "communicator %s: rank %d leaves a broadcast, as rank %d had to; "
                            "further ones of this communicator end with an error",
                            module->comm->c_name, ompi_comm_rank(module->comm), rank);
        module->state = COLL_PIPEBCAST_LOST;
    }
    return module->state == COLL_PIPEBCAST_LOST;
}
