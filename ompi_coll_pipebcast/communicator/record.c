/*
 * What processes publish of themselves; see communicator/record.h.
 */
#include "communicator/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parameters.h"
#include "communicator/facts.h"
#include "communicator/placement.h"
#include "communicator/process.h"
#include "topo/network/address_record.h"

static const char key[] = "pipebcast.record";

/* The text: the facts, the host, the address, each from a line of its own on. */

static char *write_text(const pb_facts_t *facts, const char *host)
{
    char line[PB_FACTS_SIZE], *text = NULL;
    const bool is_slurms = getenv("SLURM_TOPOLOGY_ADDR") != NULL;
    char *address = is_slurms ? pb_address_record_write(getenv("SLURMD_NODENAME"),
                                                        getenv("SLURM_TOPOLOGY_ADDR"),
                                                        getenv("SLURM_TOPOLOGY_ADDR_PATTERN"))
                              : pb_address_record_write(NULL, getenv("PIPEBCAST_TOPOLOGY_ADDR"),
                                                        getenv("PIPEBCAST_TOPOLOGY_ADDR_PATTERN"));
    if (address != NULL &&
        asprintf(&text, "%s\n%s\n%s", pb_facts_write(facts, line), host, address) < 0) {
        text = NULL;
    }
    free(address);
    return text;
}

/** Of a text of another version the facts are zeros, so that its process is not like this one. */
static void read_text(coll_pipebcast_record_t *record)
{
    char *host = strchr(record->text, '\n');
    char *address = host != NULL ? strchr(host + 1, '\n') : NULL;
    record->address = (pb_address_t){.host = "", .node = "", .address = "", .pattern = ""};
    if (address == NULL) {
        return;
    }
    *host++ = *address++ = '\0';
    (void) pb_facts_read(record->text, &record->facts);
    (void) pb_address_record_read(address, &record->address);
    record->address.host = host;
}

/** Uses up the text, also after an error; NULL: the process has published none. */
static coll_pipebcast_record_t *new_record(char *text)
{
    coll_pipebcast_record_t *record = calloc(1, sizeof(*record));
    if (record == NULL) {
        free(text);
        return NULL;
    }
    record->text = text;
    if (text != NULL) {
        read_text(record);
    }
    return record;
}

static void free_record(coll_pipebcast_record_t *record)
{
    if (record != NULL) {
        free(record->text);
        free(record);
    }
}

/* The records that this process keeps. */

static uint64_t number_of(const opal_process_name_t *process)
{
    return (uint64_t) process->jobid << 32 | process->vpid;
}

static coll_pipebcast_record_t *kept_record(const opal_process_name_t *process)
{
    opal_mutex_t *lock = &coll_pipebcast_process.lock;
    void *kept = NULL;
    opal_mutex_lock(lock);
    (void) opal_hash_table_get_value_uint64(&coll_pipebcast_process.records, number_of(process),
                                            &kept);
    opal_mutex_unlock(lock);
    return kept;
}

/** Keeps a record, unless another thread has just kept that process's; the one that is kept, or
 * NULL if out of memory. */
static coll_pipebcast_record_t *keep_record(const opal_process_name_t *process,
                                            coll_pipebcast_record_t *record)
{
    opal_mutex_t *lock = &coll_pipebcast_process.lock;
    opal_hash_table_t *records = &coll_pipebcast_process.records;
    void *kept = NULL;
    opal_mutex_lock(lock);
    (void) opal_hash_table_get_value_uint64(records, number_of(process), &kept);
    if (kept == NULL &&
        opal_hash_table_set_value_uint64(records, number_of(process), record) == OPAL_SUCCESS) {
        kept = record;
    }
    opal_mutex_unlock(lock);
    if (kept != record) {
        free_record(record);
    }
    return kept;
}

/** Looks a record up; each question goes to PMIx, whose library (of Open MPI 5.0) does not free
 * some bytes of the answer, and takes two seconds to find that there is none. */
static coll_pipebcast_record_t *look_up(const opal_process_name_t *process, int *error_p)
{
    char *text = coll_pipebcast_published(process, key, error_p);
    if (*error_p == OMPI_ERR_OUT_OF_RESOURCE) {
        return NULL;
    }
    coll_pipebcast_record_t *record = new_record(text);
    record = record != NULL ? keep_record(process, record) : NULL;
    *error_p = record != NULL ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
    return record;
}

const coll_pipebcast_record_t *coll_pipebcast_record_of(const opal_process_name_t *process,
                                                        int *error_p)
{
    coll_pipebcast_record_t *record = kept_record(process);
    *error_p = OMPI_SUCCESS;
    if (record == NULL) {
        record = look_up(process, error_p);
    }
    if (record == NULL && *error_p == OMPI_ERR_OUT_OF_RESOURCE) {
        record = look_up(process, error_p); /* what was out of memory may be one allocation */
    }
    if (record != NULL && record->text == NULL) {
        *error_p = OMPI_ERR_NOT_FOUND;
        return NULL;
    }
    return record;
}

const coll_pipebcast_record_t *coll_pipebcast_record_of_rank(struct ompi_communicator_t *comm,
                                                             int rank, int *error_p)
{
    const opal_process_name_t process = ompi_group_get_proc_name(comm->c_local_group, rank);
    return coll_pipebcast_record_of(&process, error_p);
}

void coll_pipebcast_records_forget(void)
{
    opal_hash_table_t *records = &coll_pipebcast_process.records;
    uint64_t number;
    void *record, *at;
    for (int rc = opal_hash_table_get_first_key_uint64(records, &number, &record, &at);
         rc == OPAL_SUCCESS;
         rc = opal_hash_table_get_next_key_uint64(records, &number, &record, at, &at)) {
        free_record(record);
    }
    opal_hash_table_remove_all(records);
}

/** An error of Open MPI's. */
static int publish(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    char *host = coll_pipebcast_own_host(process->why, sizeof(process->why));
    if (host != NULL) {
        coll_pipebcast_facts_find(&process->facts, &process->medium, process->why,
                                  sizeof(process->why));
    }
    char *text = write_text(&process->facts, host != NULL ? host : "");
    free(host);
    int rc = text != NULL ? coll_pipebcast_publish(key, text) : OMPI_ERR_OUT_OF_RESOURCE;
    if (rc != OMPI_SUCCESS) {
        free(text);
        text = NULL;
    }
    coll_pipebcast_record_t *record = new_record(text);
    if (record == NULL || keep_record(&OPAL_PROC_MY_NAME, record) == NULL) {
        rc = rc == OMPI_SUCCESS ? OMPI_ERR_OUT_OF_RESOURCE : rc;
    }
    return rc;
}

void coll_pipebcast_record_publish(void)
{
    if (coll_pipebcast_params.priority < 0) {
        return;
    }
    const int rc = publish();
    if (rc != OMPI_SUCCESS) {
        coll_pipebcast_help_each(PB_HELP_NOT_PUBLISHED, rc);
    }
}
