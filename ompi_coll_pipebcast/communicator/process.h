/*
 * What the communicators of a process share. All of it is found or made when a communicator is
 * made, its ranks agree, or a plan is new, and nothing of it is used on the way of a broadcast that
 * repeats an earlier one.
 */
#ifndef COLL_PIPEBCAST_PROCESS_H
#define COLL_PIPEBCAST_PROCESS_H

#include "base/compat.h"
#include "communicator/kept.h"
#include "communicator/model.h"
#include "communicator/topology.h"
#include "topo/model/medium.h"
#include "topo/network/facts.h"
#include "topo/network/locality.h"

/** Sets of ranks that are known at a time: the communicators of a program are often of few. */
#define COLL_PIPEBCAST_MAX_RANKS 8

struct coll_pipebcast_ranks; /* communicator/ranks.h */

typedef struct coll_pipebcast_process {
    pb_facts_t facts;   /**< of this process, as published; a digest of 0: none are */
    pb_medium_t medium; /**< to other hosts, where there are facts; neither changes later */
    opal_mutex_t lock;  /**< protects the rest */
    coll_pipebcast_shared_t *topology; /**< shared by communicators; NULL: not read yet */
    coll_pipebcast_topology_t *of_job; /**< last made of hosts' addresses, likewise */
    bool no_tree_reported;          /**< whether it was reported that such addresses make no tree */
    coll_pipebcast_shared_t *model; /**< likewise */
    coll_pipebcast_model_t *assumed; /**< assumed last, likewise */
    coll_pipebcast_model_t
        *blank;                 /**< memory for the next one that is assumed; NULL: none, or used */
    int multicast_failures;     /**< of groups that this process has offered, in a row */
    int n_multicast_groups;     /**< with a socket of this process */
    bool locality_known;        /**< whether this process has looked where it sits */
    pb_locality_t locality;     /**< if so, where: as it was bound at that time */
    coll_pipebcast_kept_t kept; /**< of earlier jobs */
    opal_hash_table_t present; /**< the records of processes that are known to have the component */
    opal_hash_table_t opened;  /**< processes that were sent a message to open a connection */
    opal_hash_table_t peers;   /**< processes that were a neighbour of this one in a plan */
    /**
     * Neighbours that live communicators with a bound on connections have charged this process
     * with. Each communicator counts for itself, as its ranks have to agree and cannot know of
     * other communicators' peers; so what one is charged, the next one to agree takes off its
     * budget.
     */
    int connections_charged;
    size_t n_caches; /**< communicators that have taken theirs (communicator/cache.h) */
    struct coll_pipebcast_ranks *ranks[COLL_PIPEBCAST_MAX_RANKS]; /**< the last used first */
} coll_pipebcast_process_t;

/** The one of this process, from coll_pipebcast_process_open() to coll_pipebcast_process_close().
 */
extern coll_pipebcast_process_t coll_pipebcast_process;

/** OMPI_ERR_OUT_OF_RESOURCE; to be closed in any case. */
int coll_pipebcast_process_open(void);
void coll_pipebcast_process_close(void);

#endif
