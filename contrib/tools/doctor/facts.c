#include "facts.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "contrib/tools/common/topology.h"
#include "topo/model/medium.h"
#include "topo/model/model.h"
#include "topo/util/descriptors.h"
#include "topo/util/error.h"
#include "transport.h"
#include "variables.h"

static void add_versions(json_t *record)
{
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "", host[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    MPI_Get_processor_name(host, &length);
    MPI_Get_library_version(mpi, &length);
    mpi[strcspn(mpi, ",\n")] = '\0';
    doctor_record_add(record, "host", "%s", host);
    doctor_record_add(record, "mpi", "%s", mpi);
    doctor_record_add(record, "doctor", "%s", PACKAGE_VERSION);
}

static void add_descriptors(json_t *record)
{
    const uint64_t limit = pb_descriptors_limit();
    if (limit != UINT64_MAX) {
        doctor_record_add(record, "limit", "%" PRIu64, limit);
    }
    doctor_record_add(record, "open", "%" PRIu64, pb_descriptors_open());
}

/** The last of three numbers: the most that the kernel lets a buffer grow to. */
static void add_buffer(json_t *record, const char *name, const char *path)
{
    unsigned long long least, usual, most;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return;
    }
    if (fscanf(file, "%llu %llu %llu", &least, &usual, &most) == 3) {
        doctor_record_add(record, name, "%llu", most);
    }
    fclose(file);
}

/* ---- files ---- */

/** Adds NAME.WHAT. */
static void add_of(json_t *record, const char *name, const char *what, const char *value)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", name, what);
    doctor_record_add(record, full, "%s", value);
}

/** Adds the hash, or the error. */
static void add_read(json_t *record, const char *name, int code, const pb_diag_t *diag,
                     uint64_t hash)
{
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    if (code == PB_SUCCESS) {
        add_of(record, name, "hash", text);
    } else {
        add_of(record, name, "error",
               diag->n_errors > 0 ? pb_diag_first(diag) : pb_error_text(code));
    }
}

int doctor_topology_open(const json_t *record, pb_topology_t *topology, pb_diag_t *diag)
{
    const pb_topology_request_t request =
        common_topology_request(doctor_record_find(record, "coll_pipebcast_topology_name"));
    return pb_topology_open(doctor_record_find(record, "coll_pipebcast_topology_file"), &request,
                            topology, diag);
}

static void add_topology(json_t *record)
{
    static const char *const allowed[] = {[PB_MULTICAST_OFF] = "off",
                                          [PB_MULTICAST_AUTO] = "auto, as the topology says",
                                          [PB_MULTICAST_ON] = "on, as the topology says"};
    const char *path = doctor_record_find(record, "coll_pipebcast_topology_file");
    pb_topology_t topology;
    pb_diag_t diag;
    if (path == NULL || path[0] == '\0') {
        return;
    }
    pb_diag_init(&diag);
    const int code = doctor_topology_open(record, &topology, &diag);
    add_read(record, "topology", code, &diag,
             topology.network != NULL ? pb_network_hash(topology.network) : 0);
    if (topology.warnings.n_errors > 0) {
        const size_t n_more = topology.warnings.n_errors - 1;
        char more[32] = "";
        if (n_more > 0) {
            snprintf(more, sizeof more, "; and %zu more", n_more);
        }
        doctor_record_add(record, "topology.warning", "%s%s", pb_diag_first(&topology.warnings),
                          more);
    }
    add_of(record, "topology", "multicast", allowed[topology.multicast]);
    pb_topology_clear(&topology);
    pb_diag_clear(&diag);
}

static void add_model(json_t *record)
{
    pb_model_t model;
    const char *path = doctor_record_find(record, "coll_pipebcast_model_file");
    char transport[PB_MEDIUM_TEXT_SIZE];
    pb_diag_t diag;
    if (path == NULL || path[0] == '\0') {
        return;
    }
    pb_diag_init(&diag);
    const int code = pb_model_read(path, &model, &diag);
    add_read(record, "model", code, &diag, code == PB_SUCCESS ? pb_model_hash(&model) : 0);
    pb_diag_clear(&diag);
    if (code == PB_SUCCESS && model.has_medium) {
        add_of(record, "model", "transport", pb_medium_describe(&model.medium, transport));
    }
}

void doctor_facts_add(json_t *record)
{
    add_versions(record);
    add_descriptors(record);
    add_buffer(record, "rmem", "/proc/sys/net/ipv4/tcp_rmem");
    add_buffer(record, "wmem", "/proc/sys/net/ipv4/tcp_wmem");
    doctor_variables_add_parameters(record);
    doctor_variables_add_version(record);
    doctor_transport_add(record);
    add_topology(record);
    add_model(record);
}
