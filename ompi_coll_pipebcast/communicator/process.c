#include "communicator/process.h"

#include <string.h>

#include "communicator/ranks.h"
#include "communicator/record.h"

coll_pipebcast_process_t coll_pipebcast_process;

int coll_pipebcast_process_open(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    OBJ_CONSTRUCT(&process->lock, opal_mutex_t);
    OBJ_CONSTRUCT(&process->records, opal_hash_table_t);
    OBJ_CONSTRUCT(&process->opened, opal_hash_table_t);
    OBJ_CONSTRUCT(&process->peers, opal_hash_table_t);
    process->facts = (pb_facts_t){.can_serve = false};
    process->why[0] = '\0';
    process->reported_jobs = false;
    process->medium = (pb_medium_t){.mtu = 0};
    memset(process->ranks, 0, sizeof(process->ranks));
    process->topology = NULL;
    process->newest = process->of_job = NULL;
    process->model = NULL;
    process->assumed = process->blank = NULL;
    process->multicast_failures = 0;
    process->n_multicast_groups = 0;
    process->n_caches = 0;
    return opal_hash_table_init(&process->records, 64) == OPAL_SUCCESS &&
                   opal_hash_table_init(&process->opened, 64) == OPAL_SUCCESS &&
                   opal_hash_table_init(&process->peers, 64) == OPAL_SUCCESS
               ? OMPI_SUCCESS
               : OMPI_ERR_OUT_OF_RESOURCE;
}

void coll_pipebcast_process_close(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    coll_pipebcast_ranks_forget();
    if (process->topology != NULL) {
        OBJ_RELEASE(process->topology);
    }
    if (process->newest != NULL) {
        OBJ_RELEASE(process->newest);
    }
    if (process->of_job != NULL) {
        OBJ_RELEASE(process->of_job);
    }
    if (process->model != NULL) {
        OBJ_RELEASE(process->model);
    }
    if (process->assumed != NULL) {
        OBJ_RELEASE(process->assumed);
    }
    if (process->blank != NULL) {
        OBJ_RELEASE(process->blank);
    }
    process->topology = process->model = NULL;
    process->newest = process->of_job = NULL;
    coll_pipebcast_records_forget();
    process->assumed = process->blank = NULL;
    OBJ_DESTRUCT(&process->opened);
    OBJ_DESTRUCT(&process->peers);
    OBJ_DESTRUCT(&process->records);
    OBJ_DESTRUCT(&process->lock);
}
