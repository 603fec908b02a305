/*
 * Which processes of the job have the component; see communicator/presence.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "communicator/presence.h"

#include "base/log.h"
#include "base/parameters.h"
#include "communicator/process.h"
#include "topo/network/address_record.h"

/* Versions before the record published a number under this key: they and this one take each other
 * for processes without the component. */
static const char key[] = "pipebcast.present";

/** A record, and what it has; the address's texts are inside the text. */
typedef struct record {
    pb_facts_t facts;
    pb_address_t address;
    char *text;
} record_t;

static void free_record(record_t *record)
{
    if (record != NULL) {
        free(record->text);
        free(record);
    }
}

/** Uses up the text, also after an error; NULL if out of memory. */
static record_t *new_record(char *text)
{
    record_t *record = malloc(sizeof(*record));
    if (record == NULL) {
        free(text);
        return NULL;
    }
    record->text = text;
    record->address.host = "";
    /* What is malformed has no facts, and no address, of which more is reported where a network is
     * made. */
    char *address = strchr(text, '\n');
    if (address != NULL) {
        *address++ = '\0';
    }
    (void) pb_facts_read(text, &record->facts);
    (void) pb_address_record_read(address != NULL ? address : text, &record->address);
    return record;
}

static uint64_t number_of(const opal_process_name_t *process)
{
    return (uint64_t) process->jobid << 32 | process->vpid;
}

static const record_t *known_record(const opal_process_name_t *process)
{
    coll_pipebcast_process_t *process_wide = &coll_pipebcast_process;
    void *known = NULL;
    opal_mutex_lock(&process_wide->lock);
    (void) opal_hash_table_get_value_uint64(&process_wide->present, number_of(process), &known);
    opal_mutex_unlock(&process_wide->lock);
    return known;
}

/** Keeps a record, unless another thread has just kept that process's; the one that is kept, or
 * NULL if out of memory. */
static const record_t *keep_record(const opal_process_name_t *process, record_t *record)
{
    coll_pipebcast_process_t *process_wide = &coll_pipebcast_process;
    void *known = NULL;
    opal_mutex_lock(&process_wide->lock);
    (void) opal_hash_table_get_value_uint64(&process_wide->present, number_of(process), &known);
    if (known == NULL && opal_hash_table_set_value_uint64(
                             &process_wide->present, number_of(process), record) == OPAL_SUCCESS) {
        known = record;
    }
    opal_mutex_unlock(&process_wide->lock);
    if (known != record) {
        free_record(record);
    }
    return known;
}

/** The text of this process's record; NULL if out of memory. */
static char *write_record(const pb_facts_t *facts)
{
    static const pb_facts_t none = {.digest = 0};
    char line[PB_FACTS_SIZE], *text = NULL;
    const bool is_slurms = getenv("SLURM_TOPOLOGY_ADDR") != NULL;
    char *address = is_slurms ? pb_address_record_write(getenv("SLURMD_NODENAME"),
                                                        getenv("SLURM_TOPOLOGY_ADDR"),
                                                        getenv("SLURM_TOPOLOGY_ADDR_PATTERN"))
                              : pb_address_record_write(NULL, getenv("PIPEBCAST_TOPOLOGY_ADDR"),
                                                        getenv("PIPEBCAST_TOPOLOGY_ADDR_PATTERN"));
    if (address != NULL &&
        asprintf(&text, "%s\n%s", pb_facts_write(facts != NULL ? facts : &none, line), address) <
            0) {
        text = NULL;
    }
    free(address);
    return text;
}

/** This process's record is another one from now on. */
static void forget_own(void)
{
    coll_pipebcast_process_t *process_wide = &coll_pipebcast_process;
    const uint64_t own = number_of(&OPAL_PROC_MY_NAME);
    void *known = NULL;
    opal_mutex_lock(&process_wide->lock);
    (void) opal_hash_table_get_value_uint64(&process_wide->present, own, &known);
    (void) opal_hash_table_remove_value_uint64(&process_wide->present, own);
    opal_mutex_unlock(&process_wide->lock);
    free_record(known);
}

int coll_pipebcast_presence_publish(const pb_facts_t *facts)
{
    if (coll_pipebcast_params.priority < 0) {
        return OMPI_SUCCESS;
    }
    char *text = write_record(facts);
    if (text == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    const int rc = coll_pipebcast_publish(key, text);
    record_t *record = new_record(text);
    forget_own();
    if (record == NULL || keep_record(&OPAL_PROC_MY_NAME, record) == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return rc;
}

/**
 * The record of a process; NULL with *error_p OMPI_ERR_NOT_FOUND or OMPI_ERR_OUT_OF_RESOURCE. It
 * never changes, and is kept where memory allows: each question goes to PMIx, whose library (of
 * Open MPI 5.0) does not give back some bytes of the answer.
 */
static const record_t *record_of(const opal_process_name_t *process, int *error_p)
{
    const record_t *known = known_record(process);
    *error_p = OMPI_SUCCESS;
    if (known == NULL) {
        char *text = coll_pipebcast_published(process, key, error_p);
        record_t *record = text != NULL ? new_record(text) : NULL;
        known = record != NULL ? keep_record(process, record) : NULL;
        if (known == NULL && *error_p == OMPI_SUCCESS) {
            *error_p = OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    return known;
}

int coll_pipebcast_presence_address(struct ompi_communicator_t *comm, int rank,
                                    pb_address_t *address_p)
{
    const opal_process_name_t process = ompi_group_get_proc_name(comm->c_local_group, rank);
    int rc;
    const record_t *record = record_of(&process, &rc);
    if (record != NULL) {
        *address_p = record->address;
    }
    return rc;
}

int coll_pipebcast_presence_facts(struct ompi_communicator_t *comm, int rank, pb_facts_t *facts_p)
{
    const opal_process_name_t process = ompi_group_get_proc_name(comm->c_local_group, rank);
    int rc;
    const record_t *record = record_of(&process, &rc);
    if (record != NULL) {
        *facts_p = record->facts;
    }
    return rc;
}

void coll_pipebcast_presence_forget(void)
{
    opal_hash_table_t *present = &coll_pipebcast_process.present;
    uint64_t number;
    void *record, *at;
    for (int rc = opal_hash_table_get_first_key_uint64(present, &number, &record, &at);
         rc == OPAL_SUCCESS;
         rc = opal_hash_table_get_next_key_uint64(present, &number, &record, at, &at)) {
        free_record(record);
    }
    opal_hash_table_remove_all(present);
}

/** Where memory fails, it is taken to have it: it nearly always has, and the others know. */
static bool has_component(struct ompi_communicator_t *comm, int rank)
{
    const opal_process_name_t process = ompi_group_get_proc_name(comm->c_local_group, rank);
    int rc;
    return record_of(&process, &rc) != NULL || rc == OMPI_ERR_OUT_OF_RESOURCE;
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
