/*
 * The facts of this process; see communicator/facts.h.
 *
 * The digest has everything that ranks compare when they agree by messages, as far as it depends on
 * the process alone, and everything else that the outcome depends on: who finds equal digests may
 * work out by himself what all others work out. What a rank can do and the others might not has no
 * room in it: a host that the topology does not name, a faulty file, a bound on connections that
 * communicators share. Then there are no facts. Nor has what earlier jobs have learnt, which is
 * compared apart: ranks that have read other files serve, without it.
 */
#include "communicator/facts.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/parameters.h"
#include "base/settings.h"
#include "communicator/agreement.h"
#include "communicator/connections.h"
#include "communicator/gate.h"
#include "communicator/kept.h"
#include "communicator/locality.h"
#include "communicator/placement.h"
#include "communicator/presence.h"
#include "communicator/process.h"
#include "pml/route.h"
#include "topo/util/hash.h"

static uint64_t add_text(uint64_t state, const char *text)
{
    return pb_hash_string(state, text != NULL ? text : "");
}

static uint64_t add_parameters(uint64_t state)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    const coll_pipebcast_settings_t *first = &coll_pipebcast_first_settings;
    state = pb_hash_number(state, (uint64_t) first->algorithm);
    state = pb_hash_number(state, (uint64_t) first->arrival);
    state = pb_hash_number(state, (uint64_t) first->learn);
    state = pb_hash_number(state, first->segment_size);
    state = pb_hash_number(state, coll_pipebcast_follows_advice());
    state = pb_hash_number(state, (uint64_t) params->fanout);
    state = pb_hash_number(state, params->min_size);
    state = pb_hash_number(state, (uint64_t) params->locality);
    state = pb_hash_number(state, (uint64_t) params->leaders);
    state = pb_hash_number(state, (uint64_t) params->multicast);
    state = pb_hash_number(state, (uint64_t) params->multicast_at_once);
    state = pb_hash_number(state, coll_pipebcast_gate_is_opened());
    return add_text(state, params->hosts);
}

/** False: the topology is faulty. */
static bool add_topology(uint64_t *state)
{
    int rc;
    coll_pipebcast_topology_t *topology = coll_pipebcast_topology_get(&rc);
    if (topology == NULL) {
        return rc == OMPI_SUCCESS;
    }
    const bool good = topology->network != NULL;
    *state = pb_hash_number(*state, good ? pb_network_hash(topology->network) : 1);
    OBJ_RELEASE(topology);
    return good;
}

/** A model, also a faulty one: all would report that. False if out of memory. */
static bool add_model(uint64_t *state)
{
    int rc;
    coll_pipebcast_model_t *model = coll_pipebcast_model_get(&rc);
    *state = pb_hash_number(*state, model != NULL);
    if (model != NULL) {
        *state = pb_hash_number(*state, model->hash);
        OBJ_RELEASE(model);
    }
    return rc == OMPI_SUCCESS;
}

/** Where this process sits, unless it has its host for itself. */
static pb_locality_t find_place(void)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    const bool has_neighbours =
        opal_process_info.num_local_peers > 0 || coll_pipebcast_is_set(params->hosts);
    return params->locality != COLL_PIPEBCAST_LOCALITY_HOST && has_neighbours
               ? coll_pipebcast_locality_own()
               : PB_LOCALITY_ANYWHERE;
}

static uint64_t known_or_not(uint64_t number)
{
    return number > 0 ? number : PB_FACTS_UNKNOWN;
}

/** False: something is not known. `host` is this process's. */
static bool find(const char *host, pb_facts_t *facts, pb_medium_t *medium)
{
    uint64_t state = pb_hash_number(PB_HASH_START, (uint64_t) coll_pipebcast_agreement_protocol());
    if (!coll_pipebcast_route_elsewhere(coll_pipebcast_is_set(coll_pipebcast_params.hosts),
                                        medium)) {
        return false;
    }
    state = add_parameters(pb_hash_number(state, pb_medium_hash(medium)));
    if (!add_topology(&state) || !add_model(&state)) {
        return false;
    }
    *facts = (pb_facts_t){.digest = pb_hash_end(state) | 1,
                          .host = pb_hash_end(pb_hash_string(PB_HASH_START, host)),
                          .place = find_place(),
                          .bits_per_second = known_or_not(medium->bits_per_second),
                          .mtu = known_or_not(medium->mtu),
                          .connections = coll_pipebcast_connections_own(),
                          .kept = coll_pipebcast_kept_digest(medium)};
    return true;
}

void coll_pipebcast_facts_publish(void)
{
    coll_pipebcast_process_t *process = &coll_pipebcast_process;
    pb_facts_t facts;
    if (coll_pipebcast_params.priority < 0 || coll_pipebcast_params.connections > 0) {
        return;
    }
    char *host = coll_pipebcast_own_host();
    if (host != NULL && find(host, &facts, &process->medium) &&
        coll_pipebcast_presence_publish(&facts) == OMPI_SUCCESS) {
        process->facts = facts;
    } else {
        coll_pipebcast_log(10, "what messages will go over, or where this process is, cannot be "
                               "published: the ranks of each communicator agree by messages");
    }
    free(host);
}
