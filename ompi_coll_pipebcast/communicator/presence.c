/*
 * Which processes of the job have the component. A rank whose host lacks it, or where the parameter
 * coll or the priority leaves it out, broadcasts by another component from the start: it would
 * not take part in the ranks' agreement, and those who agree would wait for it for ever.
 */
#include <stdlib.h>

#include "component/component.h"
#include "component/log.h"

/* What its name stands for must be understood by all later versions. */
static const char mark[] = "pipebcast.present";

int coll_pipebcast_presence_tell(void)
{
    return mca_coll_pipebcast_component.params.priority < 0 ? OMPI_SUCCESS
                                                            : coll_pipebcast_mark_set(mark);
}

/**
 * Whether a process has it. The answer "yes" never changes, and is kept where memory allows: each
 * question goes to PMIx, whose library (of Open MPI 5.0) does not give back some bytes of the
 * answer.
 */
static bool process_has_component(const opal_process_name_t *process)
{
    coll_pipebcast_component_t *component = &mca_coll_pipebcast_component;
    const uint64_t key = (uint64_t) process->jobid << 32 | process->vpid;
    void *known = NULL;
    opal_mutex_lock(&component->lock);
    (void) opal_hash_table_get_value_uint64(&component->present, key, &known);
    opal_mutex_unlock(&component->lock);
    if (known != NULL) {
        return true;
    }
    bool has = false;
    if (coll_pipebcast_mark_of(process, mark, &has) == OMPI_ERR_OUT_OF_RESOURCE) {
        return true; /* it nearly always has, and the others, who have memory, know */
    }
    if (has) {
        opal_mutex_lock(&component->lock);
        (void) opal_hash_table_set_value_uint64(&component->present, key, component);
        opal_mutex_unlock(&component->lock);
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
