/*
 * Messages over the PML: the transport of segments (engine/transport.h), and control messages.
 */
#ifndef COLL_PIPEBCAST_TRANSPORT_H
#define COLL_PIPEBCAST_TRANSPORT_H

#include "base/lock.h"
#include "engine/control.h"

/**
 * Bytes of a segment for a rank that may not have arrived, at most. Two TCP segments hold it with
 * the headers, and it is below the eager limits of all common transports: so it goes without its
 * receiver.
 */
#define COLL_PIPEBCAST_EAGER_SEGMENT 2874

struct pb_transport {
    struct ompi_communicator_t *comm;
    int tag; /**< of all segments of the broadcast */
    coll_pipebcast_lock_t
        *lock;         /**< of transfers: held by the thread inside the broadcast; borrowed */
    bool acknowledges; /**< synchronous sends are used, where the engine wants them, */
    bool acknowledges_inside; /**< and also to ranks of this host */
    bool reports; /**< the PML reports the end of a receive; else it is found when asked for */
    int stream;   /**< of the sweep, where there is one */
    /** Where the moment goes when the first segment of `stream` is reported; NULL: nobody asks. */
    int64_t *came_p;
};

/**
 * The transport of segments; a broadcast's copy has a tag of its own. Whether the PML reports
 * depends on the PML, see the definition. O(1).
 */
pb_transport_t coll_pipebcast_transport(struct ompi_communicator_t *comm,
                                        coll_pipebcast_lock_t *lock);

/** Control messages; see engine/control.h. */
struct pb_control {
    struct ompi_communicator_t *comm;
    int tag; /**< of this operation's control messages, and of nothing else */
};

/**
 * Takes over a request. When it has ended, it is freed, and `memory` (NULL: none) by free(); a
 * later call finds that. By any thread.
 */
void coll_pipebcast_give_up(ompi_request_t *request, void *memory);

/** Frees those that have ended. */
void coll_pipebcast_free_given_up(void);

/** Leaves the others alone when the component closes: the PML may have freed them. */
void coll_pipebcast_forget_given_up(void);

/** Returns whether messages go by ob1. */
bool coll_pipebcast_is_ob1(void);

/**
 * Returns whether a message of this tag has come from `rank`, or MPI_ANY_SOURCE, and sets its
 * sender. Under ob1 drops the message. There a probe would make progress, and Open MPI may
 * broadcast from that, while the caller has the communicator's lock. Another PML is probed all the
 * same, and the message stays.
 */
bool coll_pipebcast_take(struct ompi_communicator_t *comm, int rank, int tag, int *rank_p);

/** Gives a request of the PML back if it is complete; its status is then in *status_p. */
bool coll_pipebcast_take_complete(pb_request_t *request_p, ompi_status_public_t *status_p);

#endif
