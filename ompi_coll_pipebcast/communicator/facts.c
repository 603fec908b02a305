#include "communicator/facts.h"

#include <stdio.h>

#include "base/parameters.h"
#include "base/settings.h"
#include "communicator/connections.h"
#include "communicator/gate.h"
#include "communicator/locality.h"
#include "communicator/model.h"
#include "communicator/topology.h"
#include "pml/route.h"
#include "topo/util/hash.h"

/** Changes whenever ranks of different builds would not understand each other. */
#ifndef PROTOCOL
#define PROTOCOL 28
#endif

static const struct {
    const char *name;
    bool is_number;
} alike[COLL_PIPEBCAST_N_ALIKE] = {
    [COLL_PIPEBCAST_ALIKE_PROTOCOL] = {"the version of pipebcast", true},
    [COLL_PIPEBCAST_ALIKE_TOPOLOGY] = {"the topology (coll_pipebcast_topology_file, "
                                       "coll_pipebcast_topology_name, coll_pipebcast_topology) or "
                                       "the list of hosts (coll_pipebcast_hosts)",
                                       false},
    [COLL_PIPEBCAST_ALIKE_ALGORITHM] = {"the parameter coll_pipebcast_algorithm", true},
    [COLL_PIPEBCAST_ALIKE_ARRIVAL] = {"the parameter coll_pipebcast_arrival", true},
    [COLL_PIPEBCAST_ALIKE_ADVICE] = {"whether the parameter coll_pipebcast_advice_dir is set",
                                     true},
    [COLL_PIPEBCAST_ALIKE_FANOUT] = {"the parameter coll_pipebcast_fanout", true},
    [COLL_PIPEBCAST_ALIKE_SEGMENT_SIZE] = {"the parameter coll_pipebcast_segment_size", true},
    [COLL_PIPEBCAST_ALIKE_MIN_SIZE] = {"the parameter coll_pipebcast_min_size", true},
    [COLL_PIPEBCAST_ALIKE_LOCALITY] = {"the parameter coll_pipebcast_locality", true},
    [COLL_PIPEBCAST_ALIKE_LEARN] = {"the parameter coll_pipebcast_learn", true},
    [COLL_PIPEBCAST_ALIKE_MULTICAST] = {"the parameter coll_pipebcast_multicast", true},
    [COLL_PIPEBCAST_ALIKE_LEADERS] = {"the parameter coll_pipebcast_leaders", true},
    [COLL_PIPEBCAST_ALIKE_TRANSPORT] = {"the transport between hosts (pml, btl, kind of network), "
                                        "or the parameter coll_pipebcast_transport,",
                                        false},
};

const char *coll_pipebcast_alike_name(int which)
{
    return alike[which].name;
}

bool coll_pipebcast_alike_is_number(int which)
{
    return alike[which].is_number;
}

static void set_parameters(uint64_t *values)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    const coll_pipebcast_settings_t *first = &coll_pipebcast_first_settings;
    values[COLL_PIPEBCAST_ALIKE_PROTOCOL] = PROTOCOL;
    values[COLL_PIPEBCAST_ALIKE_ALGORITHM] = (uint64_t) first->algorithm;
    values[COLL_PIPEBCAST_ALIKE_ARRIVAL] = (uint64_t) first->arrival;
    values[COLL_PIPEBCAST_ALIKE_ADVICE] = coll_pipebcast_follows_advice();
    values[COLL_PIPEBCAST_ALIKE_FANOUT] = (uint64_t) params->fanout;
    values[COLL_PIPEBCAST_ALIKE_SEGMENT_SIZE] = first->segment_size;
    values[COLL_PIPEBCAST_ALIKE_MIN_SIZE] = params->min_size;
    values[COLL_PIPEBCAST_ALIKE_LOCALITY] = (uint64_t) params->locality;
    values[COLL_PIPEBCAST_ALIKE_LEARN] = (uint64_t) first->learn;
    values[COLL_PIPEBCAST_ALIKE_MULTICAST] = (uint64_t) params->multicast;
    values[COLL_PIPEBCAST_ALIKE_LEADERS] = (uint64_t) params->leaders;
}

/** Sets the digest of topology and hosts; false: the process cannot serve. */
static bool set_topology(uint64_t *value_p, char *why, size_t why_size)
{
    int rc;
    uint64_t hash = 0;
    bool can_serve = true;
    coll_pipebcast_topology_t *topology = coll_pipebcast_topology_get(&rc);
    if (topology != NULL && topology->network != NULL) {
        hash = topology->digest;
    } else if (topology != NULL) {
        snprintf(why, why_size,
                 "the topology is invalid: %s; fix it (pipebcast check names every error)",
                 topology->super.fault);
        can_serve = false;
    } else if (rc != OMPI_SUCCESS) {
        snprintf(why, why_size, "this host is out of memory");
        can_serve = false;
    }
    if (topology != NULL) {
        OBJ_RELEASE(topology);
    }
    const char *hosts = coll_pipebcast_params.hosts;
    uint64_t state = pb_hash_number(PB_HASH_START, hash);
    state = pb_hash_number(state, coll_pipebcast_is_set(coll_pipebcast_params.topology_file));
    *value_p = pb_hash_end(pb_hash_string(state, hosts != NULL ? hosts : ""));
    return can_serve;
}

/** The digest of the measured model; 0: there is none, or it is faulty, or of another medium. */
static uint64_t hash_of_model(const pb_medium_t *medium)
{
    int rc;
    uint64_t hash = 0;
    coll_pipebcast_model_t *model = coll_pipebcast_model_get(&rc);
    if (model != NULL) {
        const bool fits =
            !model->model.has_medium || pb_medium_is_alike(&model->model.medium, medium);
        hash = fits ? model->hash : 0;
        OBJ_RELEASE(model);
    }
    return hash;
}

/** Where this process sits, unless it has its host for itself. */
static pb_locality_t find_place(void)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    const bool has_neighbors =
        opal_process_info.num_local_peers > 0 || coll_pipebcast_is_set(params->hosts);
    return params->locality != COLL_PIPEBCAST_LOCALITY_HOST && has_neighbors
               ? coll_pipebcast_locality_find()
               : PB_LOCALITY_ANYWHERE;
}

static uint64_t known_or_not(uint64_t number)
{
    return number > 0 ? number : PB_FACTS_UNKNOWN;
}

void coll_pipebcast_facts_find(pb_facts_t *facts, pb_medium_t *medium, char *why, size_t why_size)
{
    coll_pipebcast_route_elsewhere(coll_pipebcast_is_set(coll_pipebcast_params.hosts), medium);
    *facts = (pb_facts_t){.model = hash_of_model(medium),
                          .place = find_place(),
                          .bits_per_second = known_or_not(medium->bits_per_second),
                          .mtu = known_or_not(medium->mtu),
                          .connections = coll_pipebcast_connections_own()};
    set_parameters(facts->alike);
    facts->alike[COLL_PIPEBCAST_ALIKE_TRANSPORT] =
        coll_pipebcast_gate_is_opened() ? 0 : pb_medium_hash(medium);
    facts->can_serve = set_topology(&facts->alike[COLL_PIPEBCAST_ALIKE_TOPOLOGY], why, why_size);
}
