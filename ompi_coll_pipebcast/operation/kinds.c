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
    if (module->settings.arrival != COLL_PIPEBCAST_ARRIVAL_AUTO) {
        return coll_pipebcast_all_are_aware(module);
    }
    return !call->overlaps && pb_arrival_mode_is_aware(&module->arrival_mode);
}

const coll_pipebcast_kind_t *coll_pipebcast_kind_of(const coll_pipebcast_module_t *module,
                                                    const coll_pipebcast_call_t *call)
{
    if (coll_pipebcast_follows_advice()) {
        return module->advised != NULL && !call->overlaps ? coll_pipebcast_advice->kind
                                                          : &coll_pipebcast_plain;
    }
    if (is_arrival_aware(module, call)) {
        return &coll_pipebcast_arrival;
    }
    return coll_pipebcast_goes_in_turn(&module->settings) && coll_pipebcast_may_reach_all(module)
               ? &coll_pipebcast_flat_nb
               : &coll_pipebcast_plain;
}
