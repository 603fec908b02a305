/*
 * Multicast on a communicator: its group of datagrams (engine/multicast/multicast.h).
 *
 * The group is joined and probed within a sweep, the first one with the communicator's first
 * broadcast that may be swept. The address and port follow from the communicator. Every host's
 * first rank joins the group, the others can send to it. The sweep's reports bring the least room
 * of any rank for frames up its tree. If all ranks could join, the root sends the frames of a
 * *probe* (engine/multicast/probe.h), and its verdict brings the keys down. The sweep then goes up
 * and down once more, with the frames that ranks missed: only they show whether the network
 * delivers.
 *
 * All ranks take in the outcome with the verdict, as later on that a group has fallen silent
 * (engine/multicast/health.h). From then on the planner may choose multicast, or may not. Without a
 * socket, between two probes, what is under way goes on by repairs alone.
 */
#ifndef COLL_PIPEBCAST_COMMUNICATOR_MULTICAST_H
#define COLL_PIPEBCAST_COMMUNICATOR_MULTICAST_H

#include <stdbool.h>
#include <stdint.h>

#include "communicator/ranks.h"
#include "engine/multicast/health.h"
#include "engine/multicast/part.h"
#include "engine/sweep.h"

struct coll_pipebcast_module;

typedef struct coll_pipebcast_multicast {
    struct coll_pipebcast_module *module; /**< that this is a part of */
    uint64_t bits_per_second;             /**< of the slowest host's link; if no rank knows it,
                                             COLL_PIPEBCAST_DEFAULT_SPEED. Alike on all ranks */
    uint32_t frame_bytes;                 /**< of the largest frame with its header; alike, too */
    pb_health_t health;
    pb_multicast_t group;            /**< this rank's membership, once it was found to work */
    pb_multicast_counters_t counted; /**< what the process's counters have of it */
    pb_datagrams_t *datagrams;       /**< its socket; NULL: it has none now */
    bool is_deaf;                    /**< another rank of this host hears them */
    uint32_t address;                /**< of the group; IPv4, as a number */
    uint16_t port;
    /* Of a sweep with a probe. */
    bool was_sent;    /**< the root has sent its frames */
    bool was_heard;   /**< the first verdict is here, and the frames were counted */
    int64_t since;    /**< nanoseconds, when that was */
    int64_t patience; /**< nanoseconds from then to the second verdict; 0: it has not come */
    /* Of sweeps. */
    uint64_t swept_to;            /**< position of its frames at the last one */
    uint64_t n_swept;             /**< frames since the one before that, or of the probe */
    pb_multicast_loss_t at_sweep; /**< of this rank, at the last one */
} coll_pipebcast_multicast_t;

/** As a module is made, and goes. */
void coll_pipebcast_multicast_construct(coll_pipebcast_multicast_t *multicast,
                                        struct coll_pipebcast_module *module);
void coll_pipebcast_multicast_destruct(coll_pipebcast_multicast_t *multicast);

/** The ranks have agreed to serve: whether multicast may be used follows from what they have in
 * common, the placement and the parameters. */
void coll_pipebcast_multicast_begin_serving(struct coll_pipebcast_module *module,
                                            const coll_pipebcast_common_t *common);

/* With the module's lock held: */

/** A sweep begins, with the broadcast that is swept. Alike on all ranks. */
void coll_pipebcast_multicast_begin_sweep(struct coll_pipebcast_module *module);

/** Adds to this rank's times, at the end of its part of the broadcast, what the sweep reports. */
void coll_pipebcast_multicast_report(struct coll_pipebcast_module *module, pb_sweep_times_t *times);

/** The verdict: uses the group from now on, or no longer, if that follows from the sweep. */
void coll_pipebcast_multicast_judge(struct coll_pipebcast_module *module, const pb_sweep_t *sweep);

/** Called when the root of a sweep is to announce its verdict: sends the frames of a probe first.
 * Returns whether the verdict may be announced, as they have left. */
bool coll_pipebcast_multicast_send_probe(coll_pipebcast_multicast_t *multicast, pb_sweep_t *sweep);

/** Called when a sweep is through: returns whether it goes on, with the frames that came. */
bool coll_pipebcast_multicast_hear_probe(coll_pipebcast_multicast_t *multicast, pb_sweep_t *sweep);

/** Adds all events since the last call to the process's counters. */
void coll_pipebcast_multicast_count(coll_pipebcast_multicast_t *multicast);

#endif
