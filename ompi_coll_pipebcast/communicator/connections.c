#include "communicator/connections.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/parameters.h"
#include "base/tags.h"
#include "communicator/process.h"
#include "engine/rank_set.h"
#include "topo/util/descriptors.h"
#include "topo/util/kit.h"

/** A chain's neighbors: with fewer there is no broadcast. */
#define FEWEST_CONNECTIONS 2

static uint64_t automatic_budget(void)
{
    const uint64_t all = pb_descriptors_limit(), n_open = pb_descriptors_open();
    if (all == UINT64_MAX) {
        return UINT64_MAX;
    }
    return pb_minu64(n_open < all ? (all - n_open) / 2 : 0, all / 4);
}

uint64_t coll_pipebcast_connections_own(void)
{
    const int wanted = coll_pipebcast_params.connections;
    const uint64_t budget = wanted > 0 ? (uint64_t) wanted : automatic_budget();
    return budget >= FEWEST_CONNECTIONS ? budget : FEWEST_CONNECTIONS;
}

void coll_pipebcast_connections_note(const coll_pipebcast_module_t *module,
                                     const pb_planned_t *planned)
{
    const int algorithm = module->settings.algorithm;
    if (!planned->begins_to_repeat || ompi_comm_rank(module->comm) != 0) {
        return;
    }
    if (algorithm != COLL_PIPEBCAST_AUTO) {
        coll_pipebcast_help(PB_HELP_ALGORITHM_CONNECTIONS, module->comm->c_name,
                            pb_kind_name((pb_kind_t) algorithm), module->connections);
        return;
    }
    coll_pipebcast_log(1,
                       "communicator %s: with %d connections of a rank, broadcasts from further "
                       "roots use trees whose neighbors repeat",
                       module->comm->c_name, module->connections);
}

/** Notes that a rank's process is sent an opening message; false: it was before, or there is no
 * memory to note it. */
static bool note_opening(const coll_pipebcast_module_t *module, int rank)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    const opal_process_name_t name = ompi_group_get_proc_name(module->comm->c_local_group, rank);
    bool is_new = false;
    OPAL_THREAD_LOCK(&process->lock);
    if (process->opened == NULL) {
        process->opened = calloc(1, pb_rank_set_bytes(coll_pipebcast_job_size()));
    }
    if (process->opened != NULL && !pb_rank_set_has(process->opened, (int) name.vpid)) {
        pb_rank_set_add(process->opened, (int) name.vpid);
        is_new = true;
    }
    OPAL_THREAD_UNLOCK(&process->lock);
    return is_new;
}

void coll_pipebcast_connections_open(coll_pipebcast_module_t *module, int rank)
{
    static const char nothing;
    ompi_request_t *request;
    if (note_opening(module, rank) &&
        coll_pipebcast_isend(&nothing, 0, rank, coll_pipebcast_open_tag(),
                             MCA_PML_BASE_SEND_STANDARD, module->comm, &request) == OMPI_SUCCESS) {
        coll_pipebcast_give_up(request, NULL);
    }
}
