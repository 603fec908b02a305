/*
 * The agreement of a communicator's ranks; see communicator/agreement.h.
 *
 * The outcome depends on the records of all ranks, and on memory alone apart from them. A rank that
 * is out of memory is lost. It must still know its broadcasts, so the memory for these decisions is
 * allocated with the module, or the job ends.
 */
#include "communicator/agreement.h"

#include <limits.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/parameters.h"
#include "communicator/advice.h"
#include "communicator/gate.h"
#include "communicator/lost.h"
#include "communicator/placement.h"
#include "communicator/process.h"
#include "communicator/ranks.h"
#include "topo/util/error.h"

/* Where the fallback component serves. */

/** Each rank with a record reports that another one has none, and mpirun shows one report. */
static void report_without(struct ompi_communicator_t *comm, int rank)
{
    const opal_process_name_t process = ompi_group_get_proc_name(comm->c_local_group, rank);
    char *host = coll_pipebcast_host_of(&process);
    coll_pipebcast_help_each(PB_HELP_RANK_WITHOUT, comm->c_name, rank, host != NULL ? host : "?");
    free(host);
}

/** Rank 0 reports in what another one differs from it. */
static void report_difference(struct ompi_communicator_t *comm,
                              const coll_pipebcast_common_t *common)
{
    if (ompi_comm_rank(comm) == 0) {
        coll_pipebcast_report_different(
            comm, coll_pipebcast_alike_name(common->which), common->different,
            "the fallback component serves this communicator's broadcasts");
    }
}

static void report_jobs(struct ompi_communicator_t *comm)
{
    if (ompi_comm_rank(comm) == 0) {
        coll_pipebcast_log(1,
                           "communicator %s: its ranks are of several jobs (MPI_Comm_spawn, "
                           "MPI_Comm_connect), so the fallback component serves its broadcasts",
                           comm->c_name);
    }
}

static void report_one_host(struct ompi_communicator_t *comm)
{
    if (ompi_comm_rank(comm) == 0 && ompi_comm_size(comm) > 1) {
        coll_pipebcast_log(1,
                           "communicator %s: all %d ranks on one host; the fallback component "
                           "serves its broadcasts",
                           comm->c_name, ompi_comm_size(comm));
    }
}

static coll_pipebcast_state_t pass(coll_pipebcast_module_t *module, coll_pipebcast_reason_t reason)
{
    module->passes_for = reason;
    return COLL_PIPEBCAST_PASSING;
}

/* Where pipebcast serves. */

/** The medium of this process stands for all, as media are alike. */
static void report_serving(const coll_pipebcast_module_t *module)
{
    const coll_pipebcast_placed_t *placed = module->placed;
    const coll_pipebcast_topology_t *topology = placed->topology;
    const int n_switches = pb_network_n_switches(topology->network);
    char medium[PB_MEDIUM_TEXT_SIZE];
    coll_pipebcast_status_set(COLL_PIPEBCAST_STATUS_TOPOLOGY, "%d hosts on %d %s (%s)",
                              pb_network_n_hosts(topology->network), n_switches,
                              n_switches == 1 ? "switch" : "switches", topology->source);
    coll_pipebcast_status_set(COLL_PIPEBCAST_STATUS_COSTS, "%s", module->model->source);
    coll_pipebcast_set_level(&coll_pipebcast_counters.status_switches, n_switches);
    coll_pipebcast_set_level(&coll_pipebcast_counters.status_connections, module->connections);
    if (ompi_comm_rank(module->comm) != 0) {
        return;
    }
    coll_pipebcast_log(
        1,
        "communicator %s: %d ranks on %d hosts, served by pipebcast; the network has %d hosts on "
        "%d %s (%s); costs: %s; messages between hosts go over %s (%s)",
        module->comm->c_name, ompi_comm_size(module->comm), placed->n_hosts,
        pb_network_n_hosts(topology->network), n_switches, n_switches == 1 ? "switch" : "switches",
        topology->source, module->model->source,
        pb_medium_describe(&coll_pipebcast_process.medium, medium), coll_pipebcast_gate_reason());
    if (placed->n_alike > 1) {
        coll_pipebcast_log(10,
                           "communicator %s: the job has room for %d like it over the same links "
                           "between switches; auto begins with what is good for one and for all",
                           module->comm->c_name, placed->n_alike);
    }
}

static void begin_planning(coll_pipebcast_module_t *module)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    const coll_pipebcast_settings_t *settings = &module->settings;
    const pb_planner_options_t options = {
        .rank = ompi_comm_rank(module->comm),
        .choose = {.kind = coll_pipebcast_kind_to_choose(settings),
                   .segment = settings->segment_size,
                   .plan = {.fanout = params->fanout,
                            .leaders = params->leaders == COLL_PIPEBCAST_LEADERS_AUTO},
                   .n_alike = module->placed->n_alike},
        .memory = params->cache_size,
        .connections = module->connections,
    };
    pb_planner_begin(module->planner, module->placed->placement, &module->model->model, &options);
}

static void begin_serving(coll_pipebcast_module_t *module, const coll_pipebcast_common_t *common)
{
    module->transport = coll_pipebcast_transport(module->comm, &module->lock);
    begin_planning(module);
    report_serving(module);
    coll_pipebcast_sweep_begin_serving(module);
    coll_pipebcast_multicast_begin_serving(module, common);
}

/* Preparation: all that can run out of memory. A second try follows: one allocation may fail alone.
 */

const coll_pipebcast_advice_t *coll_pipebcast_advice;

/** Has the memory that broadcasts need whatever they are, so that no rank lacks it later on. */
static int prepare_broadcasts(coll_pipebcast_module_t *module)
{
    if (coll_pipebcast_follows_advice()) {
        return coll_pipebcast_advice->prepare(module);
    }
    const bool is_prepared =
        coll_pipebcast_sweep_prepare(&module->sweep) &&
        (module->settings.arrival != COLL_PIPEBCAST_ARRIVAL_NB ||
         pb_arrival_credit_reserve(&module->credit, ompi_comm_size(module->comm)));
    return is_prepared ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

static int prepare_once(coll_pipebcast_module_t *module)
{
    if (module->placed == NULL) {
        module->placed = coll_pipebcast_place(module->comm);
    }
    if (module->planner == NULL) {
        module->planner =
            pb_planner_new(ompi_comm_size(module->comm), coll_pipebcast_learns(&module->settings));
    }
    if (module->placed == NULL || module->planner == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return prepare_broadcasts(module);
}

static int prepare(coll_pipebcast_module_t *module)
{
    const int rc = prepare_once(module);
    return rc == OMPI_ERR_OUT_OF_RESOURCE ? prepare_once(module) : rc;
}

/* The agreement. */

/** Finds what all ranks have in common; ends the job if out of memory. */
static coll_pipebcast_common_t compare(coll_pipebcast_module_t *module)
{
    coll_pipebcast_common_t common;
    if (coll_pipebcast_ranks_compare(module->comm, &common) != OMPI_SUCCESS) {
        coll_pipebcast_end_job(module->comm, "find out whether all ranks are alike",
                               OMPI_ERR_OUT_OF_RESOURCE);
    }
    return common;
}

/** Decides whether to serve ranks that are alike, and on several hosts. */
static coll_pipebcast_state_t serve(coll_pipebcast_module_t *module,
                                    const coll_pipebcast_common_t *common)
{
    int rc = prepare(module);
    if (!coll_pipebcast_gate_settle(module, common)) {
        pb_planner_free(module->planner);
        coll_pipebcast_placed_free(module->placed);
        module->planner = NULL;
        module->placed = NULL;
        return pass(module, COLL_PIPEBCAST_TRANSPORT);
    }
    module->connections = common->connections < INT_MAX ? (int) common->connections : 0;
    rc = module->model != NULL ? rc : OMPI_ERR_OUT_OF_RESOURCE;
    if (rc != OMPI_SUCCESS) {
        module->agreed = rc;
        coll_pipebcast_lose(module, rc);
        return COLL_PIPEBCAST_SERVING; /* as the others do */
    }
    begin_serving(module, common);
    return COLL_PIPEBCAST_SERVING;
}

static coll_pipebcast_state_t decide(coll_pipebcast_module_t *module)
{
    struct ompi_communicator_t *comm = module->comm;
    if (module->is_local_group) {
        return pass(module, COLL_PIPEBCAST_INTER);
    }
    const coll_pipebcast_common_t common = compare(module);
    coll_pipebcast_status_set(COLL_PIPEBCAST_STATUS_WHY, "%s", coll_pipebcast_process.why);
    if (common.has_several_jobs) {
        report_jobs(comm);
        return pass(module, COLL_PIPEBCAST_DIFFERENT);
    }
    if (common.without >= 0) {
        report_without(comm, common.without);
        return pass(module, COLL_PIPEBCAST_DIFFERENT);
    }
    /* A rank of another version may be unable for reasons of its own. */
    if (common.different >= 0 &&
        (common.which == COLL_PIPEBCAST_ALIKE_PROTOCOL || common.unable < 0)) {
        report_difference(comm, &common);
        return pass(module, COLL_PIPEBCAST_DIFFERENT);
    }
    if (common.unable >= 0) {
        if (ompi_comm_rank(comm) == common.unable) {
            coll_pipebcast_help(PB_HELP_RANK_UNABLE, comm->c_name, coll_pipebcast_process.why);
        }
        return pass(module, COLL_PIPEBCAST_UNABLE);
    }
    if (common.on_one_host) {
        report_one_host(comm);
        return pass(module, COLL_PIPEBCAST_ONE_HOST);
    }
    return serve(module, &common);
}

void coll_pipebcast_agree(coll_pipebcast_module_t *module)
{
    module->state = decide(module);
}
