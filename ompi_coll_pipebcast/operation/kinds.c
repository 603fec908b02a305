#include "operation/kinds.h"

#include "base/parameters.h"
#include "communicator/connections.h"

/**
 * Whether this broadcast is arrival-aware. The communicator's mode is alike on all ranks only
 * between broadcasts, so one that may overlap others neither asks nor changes it.
 */
static bool is_arrival_aware(const coll_pipebcast_module_t *module,
                             const coll_pipebcast_call_t *call)
{
    if (coll_pipebcast_params.arrival != COLL_PIPEBCAST_ARRIVAL_AUTO) {
        return coll_pipebcast_all_are_aware(module);
    }
    return !call->overlaps && pb_arrival_mode_is_aware(&module->arrival_mode);
}

const coll_pipebcast_kind_t *coll_pipebcast_kind_of(const coll_pipebcast_module_t *module,
                                                    const coll_pipebcast_call_t *call)
{
    const bool is_root = ompi_comm_rank(module->comm) == call->root;
    if (coll_pipebcast_follows_advice()) {
        /* What is known of announcements is alike on all ranks only between broadcasts, so one
         * that may overlap others takes the static plan; as do hosts that cannot be advised. */
        return module->advised != NULL && !call->overlaps ? &coll_pipebcast_adaptive
                                                          : &coll_pipebcast_plain;
    }
    if (coll_pipebcast_goes_in_turn() && coll_pipebcast_may_reach_all(module)) {
        return &coll_pipebcast_in_turn;
    }
    if (is_arrival_aware(module, call)) {
        return is_root ? &coll_pipebcast_arrival_root : &coll_pipebcast_arrival_receiver;
    }
    return &coll_pipebcast_plain;
}
