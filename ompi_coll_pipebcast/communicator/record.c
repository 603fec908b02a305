/*
 * Records of processes; see communicator/record.h.
 */
#include "communicator/record.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parameters.h"
#include "base/settings.h"
#include "communicator/connections.h"
#include "communicator/gate.h"
#include "communicator/hwloc_place.h"
#include "communicator/process.h"
#include "pml/route.h"
#include "topo/network/hostlist.h"
#include "topo/util/hash.h"

static const char key[] = "pipebcast.record";

/* Where this process sits inside its host. */

/** The processor that the parameter `processors` gives to this process; -1: none. */
static int pretended_processor(void)
{
    const char *list = coll_pipebcast_params.processors;
    if (list == NULL || list[0] == '\0') {
        return -1;
    }
    char **numbers = opal_argv_split(list, ',');
    const int n = opal_argv_count(numbers);
    const char *number = n > 0 ? numbers[OPAL_PROC_MY_NAME.vpid % (uint32_t) n] : "";
    char *end;
    const long value = strtol(number, &end, 10);
    const bool good = end != number && *end == '\0' && value >= 0 && value <= INT_MAX;
    if (!good) {
        coll_pipebcast_help_each(PB_HELP_PROCESSORS, list);
    }
    opal_argv_free(numbers);
    return good ? (int) value : -1;
}

/** Returns the locality of the parameter's processor, or of this process by its present binding. */
static pb_locality_t place_in(hwloc_topology_t topology)
{
    const int processor = pretended_processor();
    pb_locality_t place = PB_LOCALITY_ANYWHERE;
    hwloc_bitmap_t cpuset = hwloc_bitmap_alloc();
    if (cpuset != NULL && processor >= 0) {
        hwloc_bitmap_only(cpuset, (unsigned) processor);
    }
    if (cpuset != NULL &&
        (processor >= 0 || hwloc_get_cpubind(topology, cpuset, HWLOC_CPUBIND_PROCESS) == 0)) {
        place = pb_hwloc_place(topology, cpuset);
    }
    hwloc_bitmap_free(cpuset);
    return place;
}

/** Finds this process's locality inside its host, unless it has the host for itself. */
static pb_locality_t find_place(void)
{
    char why[256];
    const bool has_neighbors =
        opal_process_info.num_local_peers > 0 || coll_pipebcast_is_set(coll_pipebcast_params.hosts);
    if (coll_pipebcast_params.locality == COLL_PIPEBCAST_LOCALITY_HOST || !has_neighbors) {
        return PB_LOCALITY_ANYWHERE;
    }
    hwloc_topology_t topology = pb_hwloc_load(why, sizeof(why));
    if (topology == NULL) {
        coll_pipebcast_log(1,
                           "hwloc does not report the packages, NUMA nodes and caches of this host "
                           "(%s); its ranks are taken to be equally near to each other",
                           why);
        return PB_LOCALITY_ANYWHERE;
    }
    const pb_locality_t place = place_in(topology);
    hwloc_topology_destroy(topology);
    return place;
}

/* The facts. */

/** Changes whenever ranks of different builds would not understand each other. */
#ifndef PROTOCOL
#define PROTOCOL 43
#endif

/** Names, for people, of the values that must be alike. */
static const char *const alike[COLL_PIPEBCAST_N_ALIKE] = {
    [COLL_PIPEBCAST_ALIKE_PROTOCOL] = "the version of pipebcast",
    [COLL_PIPEBCAST_ALIKE_ARCHITECTURE] = "the architecture of processors",
    [COLL_PIPEBCAST_ALIKE_TOPOLOGY] = "the topology (coll_pipebcast_topology_file, "
                                      "coll_pipebcast_topology_name, coll_pipebcast_topology) or "
                                      "the list of hosts (coll_pipebcast_hosts)",
    [COLL_PIPEBCAST_ALIKE_ALGORITHM] = "the parameter coll_pipebcast_algorithm",
    [COLL_PIPEBCAST_ALIKE_ARRIVAL] = "the parameter coll_pipebcast_arrival",
    [COLL_PIPEBCAST_ALIKE_ADVICE] = "whether the parameter coll_pipebcast_advice_dir is set",
    [COLL_PIPEBCAST_ALIKE_FANOUT] = "the parameter coll_pipebcast_fanout",
    [COLL_PIPEBCAST_ALIKE_SEGMENT_SIZE] = "the parameter coll_pipebcast_segment_size",
    [COLL_PIPEBCAST_ALIKE_MIN_SIZE] = "the parameter coll_pipebcast_min_size",
    [COLL_PIPEBCAST_ALIKE_LEARN] = "the parameter coll_pipebcast_learn",
    [COLL_PIPEBCAST_ALIKE_MULTICAST] = "the parameter coll_pipebcast_multicast",
    [COLL_PIPEBCAST_ALIKE_LEADERS] = "the parameter coll_pipebcast_leaders",
    [COLL_PIPEBCAST_ALIKE_PRIORITY] = "the parameter coll_pipebcast_priority",
    [COLL_PIPEBCAST_ALIKE_TRANSPORT] =
        ("the transport between hosts (pml, btl, btl_tcp_if_include), "
         "or the parameter coll_pipebcast_transport,"),
};

const char *coll_pipebcast_alike_name(int which)
{
    return alike[which];
}

static void set_parameters(uint64_t *values)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    const coll_pipebcast_settings_t *first = &coll_pipebcast_first_settings;
    values[COLL_PIPEBCAST_ALIKE_PROTOCOL] =
        pb_hash_end(pb_hash_string(pb_hash_number(PB_HASH_START, PROTOCOL), PACKAGE_VERSION));
    values[COLL_PIPEBCAST_ALIKE_ARCHITECTURE] = opal_local_arch;
    values[COLL_PIPEBCAST_ALIKE_ALGORITHM] = (uint64_t) first->algorithm;
    values[COLL_PIPEBCAST_ALIKE_ARRIVAL] = (uint64_t) first->arrival;
    values[COLL_PIPEBCAST_ALIKE_ADVICE] = coll_pipebcast_follows_advice();
    values[COLL_PIPEBCAST_ALIKE_FANOUT] = (uint64_t) params->fanout;
    values[COLL_PIPEBCAST_ALIKE_SEGMENT_SIZE] = first->segment_size;
    values[COLL_PIPEBCAST_ALIKE_MIN_SIZE] = params->min_size;
    values[COLL_PIPEBCAST_ALIKE_LEARN] = (uint64_t) first->learn;
    values[COLL_PIPEBCAST_ALIKE_MULTICAST] = (uint64_t) params->multicast;
    values[COLL_PIPEBCAST_ALIKE_LEADERS] = (uint64_t) params->leaders;
    values[COLL_PIPEBCAST_ALIKE_PRIORITY] = (uint64_t) params->priority;
}

/** The digest of topology and hosts. */
static uint64_t hash_of_topology(void)
{
    const coll_pipebcast_topology_t *topology = coll_pipebcast_process.topology;
    const char *hosts = coll_pipebcast_params.hosts;
    uint64_t state = pb_hash_number(PB_HASH_START, topology != NULL ? topology->digest : 0);
    state = pb_hash_number(state, coll_pipebcast_is_set(coll_pipebcast_params.topology_file));
    return pb_hash_end(pb_hash_string(state, hosts != NULL ? hosts : ""));
}

/** The digest of the measured model; 0: there is none, or it is invalid, or of another medium. */
static uint64_t hash_of_model(const pb_medium_t *medium)
{
    const coll_pipebcast_model_t *model = coll_pipebcast_process.model;
    const bool fits =
        model != NULL && model->why == NULL &&
        (!model->model.has_medium || pb_medium_is_alike(&model->model.medium, medium));
    return fits ? pb_model_hash(&model->model) : 0;
}

static uint64_t known_or_not(uint64_t number)
{
    return number > 0 ? number : PB_FACTS_UNKNOWN;
}

/** Reads the files that the parameters name; whether the process can serve by them. */
static bool read_files(coll_pipebcast_process_t *process)
{
    const bool are_read = coll_pipebcast_topology_read() == OMPI_SUCCESS &&
                          coll_pipebcast_model_read() == OMPI_SUCCESS;
    if (!are_read) {
        snprintf(process->why, sizeof(process->why), "this host is out of memory");
    } else if (process->topology != NULL && process->topology->network == NULL) {
        snprintf(process->why, sizeof(process->why),
                 "the topology is invalid: %s; fix it (pipebcast check names every error)",
                 process->topology->why);
    }
    return process->why[0] == '\0';
}

/** The facts of this process. */
static pb_facts_t find_facts(coll_pipebcast_process_t *process)
{
    pb_medium_t *medium = &process->medium;
    coll_pipebcast_route_elsewhere(coll_pipebcast_is_set(coll_pipebcast_params.hosts), medium);
    const bool can_serve = read_files(process); /* the hashes below are of what it reads */
    pb_facts_t facts = {.can_serve = can_serve,
                        .model = hash_of_model(medium),
                        .place = find_place(),
                        .bits_per_second = known_or_not(medium->bits_per_second),
                        .mtu = known_or_not(medium->mtu),
                        .connections = coll_pipebcast_connections_own()};
    set_parameters(facts.alike);
    facts.alike[COLL_PIPEBCAST_ALIKE_TOPOLOGY] = hash_of_topology();
    facts.alike[COLL_PIPEBCAST_ALIKE_TRANSPORT] =
        coll_pipebcast_gate_is_opened() ? 0 : pb_medium_hash(medium);
    return facts;
}

/* The own host. */

static int append_name(void *context, const char *name)
{
    return opal_argv_append_nosize(context, name);
}

/** The name of the parameter `hosts` for this process. */
static char *name_from_parameter(char *why, size_t why_size)
{
    const char *list = coll_pipebcast_params.hosts;
    char reason[256] = "out of memory";
    char **names = NULL, *name = NULL;
    if (pb_hostlist_expand(list, PB_NETWORK_MAX_NODES, append_name, &names, reason,
                           sizeof(reason)) == PB_SUCCESS &&
        names != NULL) {
        name = strdup(names[OPAL_PROC_MY_NAME.vpid % (uint32_t) opal_argv_count(names)]);
    } else {
        snprintf(why, why_size,
                 "the parameter coll_pipebcast_hosts is invalid: %s; write a list such as n[0-3]",
                 reason);
    }
    opal_argv_free(names);
    return name;
}

/** The name of this process's host, to be freed, by the parameter `hosts` or the launcher.
 * NULL with `why` for people if it is not known. */
static char *own_host(char *why, size_t why_size)
{
    if (coll_pipebcast_is_set(coll_pipebcast_params.hosts)) {
        return name_from_parameter(why, why_size);
    }
    char *name = coll_pipebcast_host_of(&OPAL_PROC_MY_NAME);
    if (name == NULL || strcmp(name, "unknown") == 0) {
        free(name);
        name = opal_process_info.nodename != NULL ? strdup(opal_process_info.nodename) : NULL;
    }
    if (name == NULL) {
        snprintf(why, why_size, "the name of rank %lu's host is not known",
                 (unsigned long) OPAL_PROC_MY_NAME.vpid);
    }
    return name;
}

static bool is_in_topology(const char *name)
{
    const coll_pipebcast_topology_t *topology = coll_pipebcast_process.topology;
    return topology != NULL && topology->network != NULL &&
           pb_network_find_host(topology->network, name) >= 0;
}

/**
 * Replaces the launcher's name of this host by its own where only that is in the topology. A list
 * of hosts may have addresses, or names of interfaces. Uses up `name`.
 */
static char *name_in_topology(char *name)
{
    char own[HOST_NAME_MAX + 1] = "";
    if (!coll_pipebcast_is_set(coll_pipebcast_params.hosts) && !is_in_topology(name) &&
        gethostname(own, sizeof(own) - 1) == 0 && is_in_topology(own)) {
        char *const other = strdup(own);
        if (other != NULL) {
            free(name);
            name = other;
        }
    }
    return name;
}

/* The record. */

static char *write_text(const pb_facts_t *facts, const char *host)
{
    const char *pattern = getenv("SLURM_TOPOLOGY_ADDR_PATTERN"),
               *own = getenv("PIPEBCAST_TOPOLOGY_ADDR");
    const bool is_own = own != NULL && (pattern == NULL || strchr(pattern, '.') == NULL);
    const pb_address_t address = {.host = host,
                                  .node = is_own ? NULL : getenv("SLURMD_NODENAME"),
                                  .address = is_own ? own : getenv("SLURM_TOPOLOGY_ADDR"),
                                  .pattern =
                                      is_own ? getenv("PIPEBCAST_TOPOLOGY_ADDR_PATTERN") : pattern};
    return pb_record_write(facts, &address);
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
        /* Another version gives facts of zeros: its process is then not like this one. */
        (void) pb_record_read(record->text, &record->facts, &record->address);
    }
    return record;
}

static void free_record(coll_pipebcast_record_t *record)
{
    free(record->text);
    free(record);
}

/* The records that this process keeps. */

/**
 * Keeps `record` of a process if there was none, else frees it (NULL: asks only), and returns the
 * kept one. NULL: there is none, or out of memory.
 */
static coll_pipebcast_record_t *keep_record(const opal_process_name_t *process,
                                            coll_pipebcast_record_t *record)
{
    opal_mutex_t *lock = &coll_pipebcast_process.lock;
    coll_pipebcast_record_t ***records = &coll_pipebcast_process.records;
    coll_pipebcast_record_t *kept = NULL;
    opal_mutex_lock(lock);
    if (*records == NULL) {
        *records = calloc((size_t) coll_pipebcast_job_size(), sizeof(**records));
        coll_pipebcast_process.n_records = *records != NULL ? coll_pipebcast_job_size() : 0;
    }
    if ((int) process->vpid < coll_pipebcast_process.n_records) {
        coll_pipebcast_record_t **at = &(*records)[process->vpid];
        *at = *at != NULL ? *at : record;
        kept = *at;
    }
    opal_mutex_unlock(lock);
    if (record != NULL && kept != record) { /* another thread has just kept one */
        free_record(record);
    }
    return kept;
}

/** Looks a record up, by PMIx each time. The library of Open MPI 5.0 leaks some bytes for each
 * answer, and takes two seconds to find that there is none. */
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
    coll_pipebcast_record_t *record = keep_record(process, NULL);
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
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    for (int i = 0; i < process->n_records; i++) {
        if (process->records[i] != NULL) {
            free_record(process->records[i]);
        }
    }
    free(process->records);
}

/** An error of Open MPI's. */
static int publish(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    pb_facts_t facts = {.can_serve = false};
    char *host = own_host(process->why, sizeof(process->why));
    if (host != NULL) {
        facts = find_facts(process);
        host = name_in_topology(host);
    }
    char *text = write_text(&facts, host != NULL ? host : "");
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
