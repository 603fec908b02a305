#include "communicator/ranks.h"

#include <string.h>

#include "base/log.h"
#include "topo/util/kit.h"

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
        }
    }
}

/** Adds a rank's record to what all have in common; the first one is rank 0's. */
static void add_record(coll_pipebcast_common_t *common, int rank,
                       const coll_pipebcast_record_t *first, const coll_pipebcast_record_t *record)
{
    const pb_facts_t *facts = &record->facts;
    common->bits_per_second = pb_minu64(common->bits_per_second, facts->bits_per_second);
    common->mtu = pb_minu64(common->mtu, facts->mtu);
    common->connections = pb_minu64(common->connections, facts->connections);
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
                                     const char *until_then)
{
    int rc;
    const coll_pipebcast_record_t *record = coll_pipebcast_record_of_rank(comm, rank, &rc);
    coll_pipebcast_help(
        PB_HELP_RANKS_DIFFER, comm->c_name, what, rank,
        record != NULL && record->address.host[0] != '\0' ? record->address.host : "?", until_then);
}
