#include "communicator/gate.h"

#include "base/settings.h"
#include "pml/route.h"

/** The next rank in their cyclic order that is on another host; -1 if there is none. */
static int next_elsewhere(const pb_placement_t *placement, int rank)
{
    for (int i = 1; i < placement->n_ranks; i++) {
        const int other = (rank + i) % placement->n_ranks;
        if (placement->host[other] != placement->host[rank]) {
            return other;
        }
    }
    return -1;
}

void coll_pipebcast_medium_find(const coll_pipebcast_module_t *module, pb_medium_t *medium_p)
{
    int peer = -1;
    *medium_p = (pb_medium_t){.mtu = 0};
    if (module->placement != NULL) {
        peer = next_elsewhere(module->placement, ompi_comm_rank(module->comm));
    }
    if (peer >= 0) {
        coll_pipebcast_route_to(module->comm, peer, medium_p);
    }
}

bool coll_pipebcast_gate_is_opened(void)
{
    const coll_pipebcast_settings_t *first = &coll_pipebcast_first_settings;
    return coll_pipebcast_params.transport == COLL_PIPEBCAST_TRANSPORT_ANY ||
           first->algorithm != COLL_PIPEBCAST_AUTO || first->arrival >= COLL_PIPEBCAST_ARRIVAL_B ||
           coll_pipebcast_follows_advice();
}
