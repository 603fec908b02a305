/*
 * Counters of this process and status of the communicator whose ranks agreed last, as performance
 * variables of MPI_T named coll_pipebcast_*. Any MPI_T tool reads them; `ompi_info --all` lists
 * them.
 *
 * Every broadcast of at least one byte that Open MPI hands to us is counted once, but in
 * communicators that are excluded (base/compat.h). It counts under its method, under the reason for
 * which the fallback component got it, or as failed. A persistent one is counted at each start, or
 * once where the fallback component got it.
 */
#ifndef COLL_PIPEBCAST_COUNTERS_H
#define COLL_PIPEBCAST_COUNTERS_H

#include <stdbool.h>

#include "base/compat.h"
#include "topo/trees/plan.h"

/** Reasons for which a broadcast goes to the fallback component. */
typedef enum {
    COLL_PIPEBCAST_TOO_SMALL, /**< below min_size */
    COLL_PIPEBCAST_PREDICTED, /**< the fallback component is predicted to be faster */
    COLL_PIPEBCAST_DIFFERENT, /**< the ranks do not see the same network and parameters */
    COLL_PIPEBCAST_ONE_HOST,  /**< all ranks are on one */
    COLL_PIPEBCAST_TRANSPORT, /**< what carries messages between hosts is not TCP over Ethernet */
    COLL_PIPEBCAST_INTER,     /**< for an intercommunicator, whose local group these ranks are */
    COLL_PIPEBCAST_UNABLE,    /**< some rank could not set itself up: an invalid file, out of
                                   memory */
    COLL_PIPEBCAST_NO_TAGS,   /**< persistent ones have used up those of its communicator */
    COLL_PIPEBCAST_N_REASONS,
} coll_pipebcast_reason_t;

/** Methods by which broadcasts are counted: the kind of the tree (a pb_kind_t), or one of these. */
enum {
    COLL_PIPEBCAST_BY_ARRIVAL_B = PB_KIND_COUNT, /**< to groups of ranks as they arrived */
    COLL_PIPEBCAST_BY_ARRIVAL_NB,                /**< the same, with arrival = nb or auto */
    COLL_PIPEBCAST_BY_FLAT_NB,                   /**< to one rank after another */
    COLL_PIPEBCAST_BY_ADVICE,                    /**< down an advised tree */
    COLL_PIPEBCAST_N_COUNTED,
};

typedef struct coll_pipebcast_counters {
    coll_pipebcast_counter_t broadcasts[COLL_PIPEBCAST_N_COUNTED];
    coll_pipebcast_counter_t bytes[COLL_PIPEBCAST_N_COUNTED]; /**< packed, of these */
    coll_pipebcast_counter_t fallback[COLL_PIPEBCAST_N_REASONS];
    coll_pipebcast_counter_t fallback_bytes;
    coll_pipebcast_counter_t failed;
    coll_pipebcast_counter_t nonblocking; /**< of ours, however they ended */
    coll_pipebcast_counter_t persistent;  /**< of ours, however they ended */
    coll_pipebcast_counter_t advised;     /**< broadcasts down an advised tree */
    coll_pipebcast_counter_t groups_served;
    coll_pipebcast_counter_t waited_as_root;     /**< nanoseconds */
    coll_pipebcast_counter_t waited_as_receiver; /**< nanoseconds */
    coll_pipebcast_counter_t learned;            /**< times that what is in force changed */
    coll_pipebcast_counter_t tried;              /**< broadcasts */
    coll_pipebcast_counter_t multicast_groups;   /**< that were found to work */
    coll_pipebcast_counter_t multicast_failures; /**< probes, and groups that fell silent */
    coll_pipebcast_counter_t multicast_frames;   /**< that came by datagram */
    coll_pipebcast_counter_t multicast_asked;    /**< frames that did not, and were repaired */
    coll_pipebcast_counter_t multicast_foreign;  /**< datagrams of somebody else */
    coll_pipebcast_counter_t roles_computed;
    /* Levels: of the communicator whose ranks agreed last. */
    coll_pipebcast_counter_t status_switches;    /**< 0: no ranks have agreed to serve */
    coll_pipebcast_counter_t status_connections; /**< that a rank may need; 0: not bounded */
} coll_pipebcast_counters_t;

/** The process's counters. */
extern coll_pipebcast_counters_t coll_pipebcast_counters;

/**
 * Counts `n` more, at least 0. For any thread: an atomic addition where the process may
 * have several (MPI_THREAD_MULTIPLE), a plain one otherwise.
 */
static inline void coll_pipebcast_count(coll_pipebcast_counter_t *counter, int64_t n)
{
    (void) OPAL_THREAD_ADD_FETCH64(counter, n);
}

/** Replaces a level. For any thread. */
static inline void coll_pipebcast_set_level(coll_pipebcast_counter_t *level, int value)
{
    __atomic_store_n(level, (int64_t) value, __ATOMIC_RELAXED);
}

/** Counts a role of this rank if it was computed. */
static inline void coll_pipebcast_count_role(bool was_cached)
{
    if (!was_cached) {
        coll_pipebcast_count(&coll_pipebcast_counters.roles_computed, 1);
    }
}

/** Counts one that the fallback component gets. */
void coll_pipebcast_count_fallback(coll_pipebcast_reason_t reason, size_t bytes);

/** Counts one that returned this error; nothing if it is OMPI_SUCCESS. */
static inline void coll_pipebcast_count_failure(int error)
{
    if (error != OMPI_SUCCESS) {
        coll_pipebcast_count(&coll_pipebcast_counters.failed, 1);
    }
}

/** Bytes of each text, its end included. */
#define COLL_PIPEBCAST_STATUS_SIZE 512

/** Texts, for people, of the communicator whose ranks agreed last; "" before. */
typedef enum {
    COLL_PIPEBCAST_STATUS_TOPOLOGY, /**< how many hosts and switches, and where it came from */
    COLL_PIPEBCAST_STATUS_COSTS,    /**< by which broadcasts are planned: where they came from */
    COLL_PIPEBCAST_STATUS_WHY,      /**< why this rank cannot serve */
    COLL_PIPEBCAST_STATUS_TEXTS,
} coll_pipebcast_status_t;

/** Replaces a text; one that is too long is cut. For any thread. */
void coll_pipebcast_status_set(coll_pipebcast_status_t which, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * Makes counters and status known to MPI_T; called whenever Open MPI registers the
 * component. They go on from where they were: a tool sees what is added. An error of
 * Open MPI, after which some are not known.
 */
int coll_pipebcast_counters_register(const mca_base_component_t *component);

#endif
