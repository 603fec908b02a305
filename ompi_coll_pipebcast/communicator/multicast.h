/*
 * Multicast on a communicator: its group of datagrams (engine/multicast/multicast.h), from the
 * probe that finds out whether it works until it is given up or the communicator is freed.
 *
 * The probe (communicator/group.h) runs while broadcasts go on. All ranks take in its outcome at
 * the same blocking broadcast, and that a group has fallen silent with the verdict of a sweep
 * (engine/multicast/health.h). From then on the planner may choose multicast, or may not.
 */
#ifndef COLL_PIPEBCAST_COMMUNICATOR_MULTICAST_H
#define COLL_PIPEBCAST_COMMUNICATOR_MULTICAST_H

#include <stdbool.h>
#include <stdint.h>

#include "communicator/group.h"
#include "engine/control.h"
#include "engine/multicast/health.h"

struct coll_pipebcast_module;

typedef struct coll_pipebcast_multicast {
    struct coll_pipebcast_module *module; /**< of which this is a part */
    bool may_be_used;                     /**< alike on all ranks, once they serve */
    uint64_t bits_per_second;             /**< of the slowest host's link; 0: not known. Likewise */
    pb_health_t health;
    uint64_t
        values[COLL_PIPEBCAST_GROUP_VALUES]; /**< of the allreduce by which ranks join: here,
                                                as it may write for longer than a group lives */
    pb_request_t joining;                    /**< this allreduce; NULL: none is under way */
    coll_pipebcast_group_t *group;           /**< the one that works or is probed; NULL: none */
    uint64_t swept_to;                       /**< position of its frames at the last sweep */
    uint64_t n_swept;                        /**< frames since the sweep before that */
    pb_multicast_loss_t at_sweep;            /**< of this rank, at the last sweep */
} coll_pipebcast_multicast_t;

/** As a module is made, and goes. */
void coll_pipebcast_multicast_construct(coll_pipebcast_multicast_t *multicast,
                                        struct coll_pipebcast_module *module);
void coll_pipebcast_multicast_destruct(coll_pipebcast_multicast_t *multicast);

/**
 * The ranks have agreed to serve, over links of at least `bits_per_second`: whether multicast
 * may be used follows from that, the placement and the parameters.
 */
void coll_pipebcast_multicast_begin_serving(struct coll_pipebcast_module *module,
                                            uint64_t bits_per_second);

/**
 * A blocking broadcast that may be ours begins, alike on all ranks: waits for the outcome of a
 * probe that is due, and begins one whose time has come. With the module's lock held, which is
 * given up while it waits.
 */
void coll_pipebcast_multicast_settle(struct coll_pipebcast_module *module);

/** A sweep begins, with the broadcast that is swept. Alike on all ranks. */
void coll_pipebcast_multicast_begin_sweep(struct coll_pipebcast_module *module);

/** Frames that this rank missed since the last sweep, at the end of its part of the broadcast. */
uint32_t coll_pipebcast_multicast_take_lost(struct coll_pipebcast_module *module);

/** The verdict: the most frames that a rank missed. Broadcasts go by trees if that is silence. */
void coll_pipebcast_multicast_judge(struct coll_pipebcast_module *module, uint32_t missed);

/** The group that works, with a reference for the caller; NULL: there is none. Alike on all ranks.
 */
coll_pipebcast_group_t *coll_pipebcast_group_use(struct coll_pipebcast_module *module);

#endif
