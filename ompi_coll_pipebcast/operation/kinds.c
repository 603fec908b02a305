#include "operation/operation.h"

#include "communicator/advice.h"
#include "communicator/connections.h"

/**
 * Whether this broadcast is arrival-aware. The communicator's mode is alike on all ranks only
 * between broadcasts, so one that may overlap others neither asks nor changes it.
 */
static bool is_arrival_aware(const coll_pipebcast_module_t *module,
                             const coll_pipebcast_call_t *call)
{
    if (call->settings.arrival != COLL_PIPEBCAST_ARRIVAL_AUTO) {
        return coll_pipebcast_all_are_aware(module, &call->settings);
    }
    return !call->overlaps && pb_arrival_mode_is_aware(&module->arrival_mode);
}

bool coll_pipebcast_is_in_turn(const coll_pipebcast_module_t *module,
                               const coll_pipebcast_call_t *call)
{
    return coll_pipebcast_goes_in_turn(&call->settings) && coll_pipebcast_may_reach_all(module);
}

const coll_pipebcast_kind_t *coll_pipebcast_kind_of(const coll_pipebcast_module_t *module,
                                                    const coll_pipebcast_call_t *call,
                                                    const pb_planned_t *planned)
{
    if (planned != NULL && !planned->fallback && planned->kind == PB_KIND_MULTICAST) {
        return &coll_pipebcast_multicast; /* it is no candidate where it does not work */
    }
    const bool is_root = ompi_comm_rank(module->comm) == call->root;
    if (coll_pipebcast_follows_advice()) {
        return module->advised != NULL && !call->overlaps ? coll_pipebcast_advice->kind
                                                          : &coll_pipebcast_plain;
    }
    if (is_arrival_aware(module, call)) {
        return is_root ? &coll_pipebcast_arrival_root : &coll_pipebcast_arrival_receiver;
    }
    return &coll_pipebcast_plain;
}
