/*
 * Multicast on a communicator: its group of datagrams (engine/multicast/multicast.h).
 *
 * A task joins the group and probes it (multicast_group.c), while broadcasts go on. The address and
 * port follow from the communicator. Every host's first rank joins the group, the others can send
 * to it. By an allreduce the ranks learn the keys from rank 0, whether all could join, and the
 * least that any of them can take. If all could, rank 0 broadcasts some frames to them, which is
 * the *probe*: only that shows whether the network delivers them.
 *
 * All ranks take in the outcome at the same blocking broadcast, and that a group has fallen silent
 * with the verdict of a sweep (engine/multicast/health.h). From then on the planner may choose
 * multicast, or may not (multicast.c). Without a socket, between two probes, what is under way goes
 * on by repairs alone.
 */
#ifndef COLL_PIPEBCAST_COMMUNICATOR_MULTICAST_H
#define COLL_PIPEBCAST_COMMUNICATOR_MULTICAST_H

#include <stdbool.h>
#include <stdint.h>

#include "communicator/progress.h"
#include "engine/multicast/health.h"
#include "engine/multicast/part.h"
#include "pml/transport.h"

struct coll_pipebcast_module;

/** Tags that a probe needs. */
#define COLL_PIPEBCAST_PROBE_TAGS 3

/** Numbers that the ranks learn of each other when they join. */
#define COLL_PIPEBCAST_JOIN_VALUES 7

typedef struct coll_pipebcast_multicast {
    struct coll_pipebcast_module *module; /**< that this is a part of */
    bool may_be_used;                     /**< alike on all ranks, once they serve */
    uint64_t bits_per_second;             /**< of the slowest host's link; 0: not known. Alike on
                                               all ranks */
    pb_health_t health;
    pb_multicast_t group;            /**< this rank's membership, once all have joined */
    pb_multicast_counters_t counted; /**< what the process's counters have of it */
    pb_datagrams_t *datagrams;       /**< its socket; NULL: it has none now */
    bool is_deaf;                    /**< another rank of this host hears them */
    /* Joining. */
    uint32_t address; /**< of the group; IPv4, as a number */
    uint16_t port;
    bool has_joined; /**< all ranks have, at one time */
    int64_t since;   /**< nanoseconds, when the allreduce began */
    uint64_t values[COLL_PIPEBCAST_JOIN_VALUES];
    pb_request_t joining; /**< the allreduce; NULL: none is under way */
    /* Probing. */
    coll_pipebcast_task_t task; /**< what joins and probes */
    bool is_task;               /**< from its beginning until it has ended */
    bool is_concluded;          /**< the outcome is known: */
    const char *why_not;        /**< NULL: it works; else why not, at rank 0 */
    int round;
    bool has_begun; /**< this round's part */
    int64_t not_before;
    pb_multicast_part_t part;
    char *data;
    int tag;              /**< of the first round; the next one has the next lower one */
    pb_control_t control; /**< of this round */
    /* Sweeps. */
    uint64_t swept_to;            /**< position of its frames at the last one */
    uint64_t n_swept;             /**< frames since the one before that */
    pb_multicast_loss_t at_sweep; /**< of this rank, at the last one */
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
 * Called when a blocking broadcast that may be ours begins, alike on all ranks, where multicast may
 * be used. Waits for the outcome of a probe that is due, or begins a probe that is due. With the
 * module's lock held, which is given up while it waits.
 */
void coll_pipebcast_multicast_settle(struct coll_pipebcast_module *module);

/** A sweep begins, with the broadcast that is swept. Alike on all ranks. */
void coll_pipebcast_multicast_begin_sweep(struct coll_pipebcast_module *module);

/** Frames that this rank missed since the last sweep, at the end of its part of the broadcast. */
uint32_t coll_pipebcast_multicast_take_lost(struct coll_pipebcast_module *module);

/** The verdict: the most frames that a rank missed. Broadcasts go by trees if that is silence. */
void coll_pipebcast_multicast_judge(struct coll_pipebcast_module *module, uint32_t missed);

/* multicast_group.c; with the module's lock held. */

/**
 * Begins a probe, after joining where that has not succeeded before; `tag` and the next lower ones
 * are its own. If it cannot, this rank is lost; it has begun the allreduce even so.
 */
void coll_pipebcast_multicast_begin_probe(struct coll_pipebcast_module *module, int tag);

/** Closes the socket, if it is open. */
void coll_pipebcast_multicast_close(coll_pipebcast_multicast_t *multicast);

/** Adds all events since the last call to the process's counters. */
void coll_pipebcast_multicast_count(coll_pipebcast_multicast_t *multicast);

#endif
