#include "communicator/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "communicator/placement.h"
#include "communicator/process.h"
#include "topo/util/error.h"

static void ranks_construct(coll_pipebcast_ranks_t *ranks)
{
    memset(&ranks->super + 1, 0, sizeof(*ranks) - sizeof(ranks->super));
}

static void ranks_destruct(coll_pipebcast_ranks_t *ranks)
{
    pb_planner_free(ranks->planner);
    pb_placement_free(ranks->placement);
    pb_network_free(ranks->levels);
    free(ranks->processes);
    if (ranks->model != NULL) {
        OBJ_RELEASE(ranks->model);
    }
    if (ranks->topology != NULL) {
        OBJ_RELEASE(ranks->topology);
    }
}

OBJ_CLASS_INSTANCE(coll_pipebcast_ranks_t, opal_object_t, ranks_construct, ranks_destruct);

/* Comparing. */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static bool is_of_other_job(struct ompi_communicator_t *comm, int rank)
{
    return ompi_group_get_proc_name(comm->c_local_group, rank).jobid != OPAL_PROC_MY_NAME.jobid;
}

/** Notes a rank that is not like rank 0. */
static void note_difference(coll_pipebcast_common_t *common, int rank, const pb_facts_t *first,
                            const pb_facts_t *facts)
{
    if (common->other_model < 0 && facts->model != first->model) {
        common->other_model = rank;
    }
    for (int i = 0; i < PB_FACTS_N_ALIKE && common->different < 0; i++) {
        if (facts->alike[i] != first->alike[i]) {
            common->different = rank;
            common->which = i;
            common->value = first->alike[i];
            common->other_value = facts->alike[i];
        }
    }
}

/** Adds a rank's record to what all have in common; the first one is rank 0's. */
static void add_record(coll_pipebcast_common_t *common, int rank,
                       const coll_pipebcast_record_t *first, const coll_pipebcast_record_t *record)
{
    const pb_facts_t *facts = &record->facts;
    common->bits_per_second = least(common->bits_per_second, facts->bits_per_second);
    common->mtu = least(common->mtu, facts->mtu);
    common->connections = least(common->connections, facts->connections);
    common->on_one_host =
        common->on_one_host && strcmp(record->address.host, first->address.host) == 0;
    if (!facts->can_serve && common->unable < 0) {
        common->unable = rank;
    }
    note_difference(common, rank, &first->facts, facts);
}

int coll_pipebcast_ranks_compare(struct ompi_communicator_t *comm,
                                 coll_pipebcast_common_t *common_p)
{
    const int n_ranks = ompi_comm_size(comm);
    const coll_pipebcast_record_t *first = NULL;
    *common_p = (coll_pipebcast_common_t){.bits_per_second = PB_FACTS_UNKNOWN,
                                          .mtu = PB_FACTS_UNKNOWN,
                                          .connections = PB_FACTS_UNKNOWN,
                                          .on_one_host = true,
                                          .without = -1,
                                          .unable = -1,
                                          .different = -1,
                                          .other_model = -1};
    for (int rank = 0; rank < n_ranks && !common_p->has_several_jobs; rank++) {
        common_p->has_several_jobs = is_of_other_job(comm, rank);
    }
    for (int rank = 0; rank < n_ranks && !common_p->has_several_jobs; rank++) {
        int rc;
        const coll_pipebcast_record_t *record = coll_pipebcast_record_of_rank(comm, rank, &rc);
        if (rc == OMPI_ERR_OUT_OF_RESOURCE) {
            return rc;
        }
        if (record == NULL) {
            common_p->without = rank;
            return OMPI_SUCCESS;
        }
        first = rank == 0 ? record : first;
        add_record(common_p, rank, first, record);
    }
    return OMPI_SUCCESS;
}

void coll_pipebcast_report_different(struct ompi_communicator_t *comm, const char *what, int rank,
                                     const char *numbers, const char *until_then)
{
    int rc;
    const coll_pipebcast_record_t *record = coll_pipebcast_record_of_rank(comm, rank, &rc);
    coll_pipebcast_help(PB_HELP_RANKS_DIFFER, comm->c_name, what, rank,
                        record != NULL && record->address.host[0] != '\0' ? record->address.host
                                                                          : "?",
                        numbers, until_then);
}

/* What is kept. */

static bool is_of(const coll_pipebcast_ranks_t *ranks, const coll_pipebcast_module_t *module)
{
    struct ompi_communicator_t *comm = module->comm;
    bool same = ranks->n_ranks == ompi_comm_size(comm) &&
                ranks->named == coll_pipebcast_topology_digest(module->named);
    for (int rank = 0; rank < ranks->n_ranks && same; rank++) {
        same = ranks->processes[rank] == coll_pipebcast_rank_number(comm, rank);
    }
    return same;
}

/** Puts one to the front, from `at` or anew; what falls out at the end is the caller's. With the
 * process's lock held. */
static coll_pipebcast_ranks_t *put_first(coll_pipebcast_ranks_t *ranks, int at)
{
    coll_pipebcast_ranks_t **kept = coll_pipebcast_process.ranks;
    coll_pipebcast_ranks_t *last = at < COLL_PIPEBCAST_MAX_RANKS ? NULL : kept[at - 1];
    const int n_moved = at < COLL_PIPEBCAST_MAX_RANKS ? at : at - 1;
    memmove(&kept[1], &kept[0], (size_t) n_moved * sizeof(*kept));
    kept[0] = ranks;
    return last;
}

coll_pipebcast_ranks_t *coll_pipebcast_ranks_find(const coll_pipebcast_module_t *module)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    coll_pipebcast_ranks_t *found = NULL;
    opal_mutex_lock(&process->lock);
    for (int i = 0; i < COLL_PIPEBCAST_MAX_RANKS && process->ranks[i] != NULL && found == NULL;
         i++) {
        if (is_of(process->ranks[i], module)) {
            found = process->ranks[i];
            OBJ_RETAIN(found);
            (void) put_first(found, i);
        }
    }
    opal_mutex_unlock(&process->lock);
    return found;
}

static void keep(coll_pipebcast_ranks_t *ranks)
{
    opal_mutex_t *lock = &coll_pipebcast_process.lock;
    OBJ_RETAIN(ranks);
    opal_mutex_lock(lock);
    coll_pipebcast_ranks_t *last = put_first(ranks, COLL_PIPEBCAST_MAX_RANKS);
    opal_mutex_unlock(lock);
    if (last != NULL) {
        OBJ_RELEASE(last);
    }
}

void coll_pipebcast_ranks_forget(void)
{
    for (int i = 0; i < COLL_PIPEBCAST_MAX_RANKS; i++) {
        if (coll_pipebcast_process.ranks[i] != NULL) {
            OBJ_RELEASE(coll_pipebcast_process.ranks[i]);
        }
        coll_pipebcast_process.ranks[i] = NULL;
    }
}

/* What follows for them. */

/** The processes of a communicator; false if out of memory. */
static bool copy_processes(struct ompi_communicator_t *comm, coll_pipebcast_ranks_t *ranks)
{
    ranks->n_ranks = ompi_comm_size(comm);
    ranks->processes = malloc((size_t) ranks->n_ranks * sizeof(*ranks->processes));
    for (int rank = 0; rank < ranks->n_ranks && ranks->processes != NULL; rank++) {
        ranks->processes[rank] = coll_pipebcast_rank_number(comm, rank);
    }
    return ranks->processes != NULL;
}

coll_pipebcast_ranks_t *coll_pipebcast_ranks_new(coll_pipebcast_module_t *module,
                                                 const coll_pipebcast_common_t *common)
{
    coll_pipebcast_ranks_t *ranks = OBJ_NEW(coll_pipebcast_ranks_t);
    if (ranks == NULL) {
        return NULL;
    }
    ranks->common = *common;
    ranks->named = coll_pipebcast_topology_digest(module->named);
    if (!copy_processes(module->comm, ranks) ||
        coll_pipebcast_place(module->comm, module->named, ranks) != OMPI_SUCCESS) {
        OBJ_RELEASE(ranks);
        return NULL;
    }
    keep(ranks);
    return ranks;
}

/* Planners. */

void coll_pipebcast_ranks_take_planner(coll_pipebcast_module_t *module)
{
    opal_mutex_t *lock = &coll_pipebcast_process.lock;
    coll_pipebcast_ranks_t *ranks = module->ranks;
    pb_planner_t *own = NULL;
    opal_mutex_lock(lock);
    if (ranks->planner != NULL && ranks->model == module->model) {
        own = module->planner;
        module->planner = ranks->planner;
        ranks->planner = NULL;
    }
    opal_mutex_unlock(lock);
    pb_planner_free(own);
}

/** The caller keeps the planner if another one was left before. */
static void leave_planner(coll_pipebcast_module_t *module)
{
    opal_mutex_t *lock = &coll_pipebcast_process.lock;
    coll_pipebcast_ranks_t *ranks = module->ranks;
    coll_pipebcast_model_t *old = NULL;
    opal_mutex_lock(lock);
    if (ranks->planner == NULL && module->model != NULL) {
        old = ranks->model;
        ranks->model = module->model;
        OBJ_RETAIN(ranks->model);
        ranks->planner = module->planner;
        module->planner = NULL;
    }
    opal_mutex_unlock(lock);
    if (old != NULL) {
        OBJ_RELEASE(old);
    }
}

void coll_pipebcast_ranks_leave(coll_pipebcast_module_t *module)
{
    if (module->state == COLL_PIPEBCAST_SERVING && module->agreed == OMPI_SUCCESS) {
        leave_planner(module);
    }
    pb_planner_free(module->planner); /* before what it plans on */
    module->planner = NULL;
    OBJ_RELEASE(module->ranks);
    module->ranks = NULL;
}
