/*
 * Which processes of the job have the component; see communicator/presence.h.
 */
#include <stdlib.h>

#include "communicator/presence.h"

#include "base/log.h"
#include "base/parameters.h"
#include "communicator/process.h"

/* What its name stands for must be understood by all later versions. */
static const char mark[] = "pipebcast.present";

int coll_pipebcast_presence_publish(void)
{
    return coll_pipebcast_params.priority < 0 ? OMPI_SUCCESS : coll_pipebcast_mark_set(mark);
}

/**
 * Whether a process has it. The answer "yes" never changes, and is kept where memory allows: each
 * question goes to PMIx, whose library (of Open MPI 5.0) does not give back some bytes of the
 * answer.
 */
static bool process_has_component(const opal_process_name_t *process)
{
    coll_pipebcast_process_t *process_wide = &coll_pipebcast_process;
    const uint64_t key = (uint64_t) process->jobid << 32 | process->vpid;
    void *known = NULL;
    opal_mutex_lock(&process_wide->lock);
    (void) opal_hash_table_get_value_uint64(&process_wide->present, key, &known);
    opal_mutex_unlock(&process_wide->lock);
    if (known != NULL) {
        return true;
    }
    bool has = false;
    if (coll_pipebcast_mark_of(process, mark, &has) == OMPI_ERR_OUT_OF_RESOURCE) {
        return true; /* it nearly always has, and the others, who have memory, know */
    }
    if (has) {
        opal_mutex_lock(&process_wide->lock);
        (void) opal_hash_table_set_value_uint64(&process_wide->present, key, process_wide);
        opal_mutex_unlock(&process_wide->lock);
    }
    return has;
}

static bool has_component(struct ompi_communicator_t *comm, int rank)
{
    const opal_process_name_t process = ompi_group_get_proc_name(comm->c_local_group, rank);
    return rank == ompi_comm_rank(comm) || process_has_component(&process);
}

/** The lowest rank that has the component, or that has not; the number of ranks if there is none.
 */
static int lowest_rank(struct ompi_communicator_t *comm, bool having)
{
    int rank = 0;
    while (rank < ompi_comm_size(comm) && has_component(comm, rank) != having) {
        rank++;
    }
    return rank;
}

bool coll_pipebcast_presence_complete(struct ompi_communicator_t *comm)
{
    const int without = lowest_rank(comm, false);
    if (without == ompi_comm_size(comm)) {
        return true;
    }
    if (lowest_rank(comm, true) == ompi_comm_rank(comm)) {
        const opal_process_name_t process = ompi_group_get_proc_name(comm->c_local_group, without);
        char *host = coll_pipebcast_host_of(&process);
        coll_pipebcast_warn("communicator %s: rank %d on host %s is without pipebcast: it is not "
                            "installed there, does not fit that host's Open MPI, or the parameter "
                            "coll or coll_pipebcast_priority leaves it out. Make it alike on all "
                            "hosts. Until then the fallback component serves this communicator's "
                            "broadcasts.",
                            comm->c_name, without, host ? host : "?");
        free(host);
    }
    return false;
}
