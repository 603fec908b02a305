/*
 * Ranks that are alike by what their processes have published (communicator/record.h).
 *
 * It is found out once for some processes in some order, and kept in the process, so that a further
 * communicator of the same ones takes over all that comes of it: the placement, and, from the
 * one that was freed last, the planner with the plans that it has made.
 */
#ifndef COLL_PIPEBCAST_RANKS_H
#define COLL_PIPEBCAST_RANKS_H

#include "communicator/module.h"
#include "communicator/record.h"

/** What the records of a communicator's ranks have in common. Alike on all ranks. */
typedef struct coll_pipebcast_common {
    bool has_several_jobs; /**< ranks are of several jobs; the rest is not known then */
    int without;           /**< the lowest rank without a record; -1: all have one. Where there is
                                one, the rest is not known */
    int unable;            /**< the lowest rank that cannot serve; -1: all can */
    int different;         /**< the lowest rank that is not like rank 0; -1: all are */
    int which;             /**< in what it differs first (communicator/record.h): */
    uint64_t value;        /**< of rank 0 */
    uint64_t other_value;  /**< of that rank */
    int other_model;       /**< the lowest rank with another measured model than rank 0; -1: none */
    uint64_t bits_per_second; /**< the least of any rank; PB_FACTS_UNKNOWN: none is known */
    uint64_t mtu;             /**< likewise */
    uint64_t connections;     /**< likewise */
    bool on_one_host;         /**< all of them are */
} coll_pipebcast_common_t;

/** Some processes in the order of their ranks; shared by communicators. */
typedef struct coll_pipebcast_ranks {
    opal_object_t super;
    coll_pipebcast_common_t common;
    int n_ranks;
    uint64_t *processes;                 /**< by rank */
    uint64_t named;                      /**< the digest of the topology that was named */
    coll_pipebcast_topology_t *topology; /**< retained */
    pb_placement_t *placement;           /**< with levels inside hosts, where there are some */
    pb_network_t *levels;                /**< the placement's network then; else NULL */
    int n_hosts;                         /**< with a rank */
    int n_alike;                         /**< communicators like this one (topo/model/alike.h) */
    pb_planner_t *planner;         /**< of a communicator that was freed; NULL: there is none */
    coll_pipebcast_model_t *model; /**< retained; by which it plans */
} coll_pipebcast_ranks_t;
OBJ_CLASS_DECLARATION(coll_pipebcast_ranks_t);

/**
 * Compares the records of a communicator's ranks. No communication. O(ranks).
 * OMPI_ERR_OUT_OF_RESOURCE.
 */
int coll_pipebcast_ranks_compare(struct ompi_communicator_t *comm,
                                 coll_pipebcast_common_t *common_p);

/** Warns that `rank` differs from rank 0 in `what`, with `numbers` if they help people. */
void coll_pipebcast_report_different(struct ompi_communicator_t *comm, const char *what, int rank,
                                     const char *numbers, const char *until_then);

/** The ranks of a module's communicator in its topology, if the process keeps them; retained for
 * the caller, or NULL. O(ranks), some nanoseconds for each. */
coll_pipebcast_ranks_t *coll_pipebcast_ranks_find(const coll_pipebcast_module_t *module);

/**
 * Finds out all that follows for the ranks of the module's communicator, which are alike but not on
 * one host, and keeps it. Retained for the caller; NULL if out of memory. O(ranks).
 */
coll_pipebcast_ranks_t *coll_pipebcast_ranks_new(coll_pipebcast_module_t *module,
                                                 const coll_pipebcast_common_t *common);

/** The module, which has its model, takes a planner that was left, if that plans by its model. */
void coll_pipebcast_ranks_take_planner(coll_pipebcast_module_t *module);

/** The module ends: leaves its planner, and gives back what it shared. */
void coll_pipebcast_ranks_leave(coll_pipebcast_module_t *module);

/** The component closes: the process keeps none any more. */
void coll_pipebcast_ranks_forget(void);

#endif
