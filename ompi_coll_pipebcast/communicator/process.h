/*
 * What the communicators of a process share. All of it is found or made when a communicator is
 * made, its ranks agree, or a plan is new, and nothing of it is used on the way of a broadcast that
 * repeats an earlier one.
 */
#ifndef COLL_PIPEBCAST_PROCESS_H
#define COLL_PIPEBCAST_PROCESS_H

#include "base/compat.h"
#include "communicator/model.h"
#include "communicator/topology.h"
#include "topo/model/medium.h"
#include "topo/network/facts.h"
#include "topo/network/locality.h"

/** Sets of ranks that are known at a time: the communicators of a program are often of few. */
#define COLL_PIPEBCAST_MAX_RANKS 8

struct coll_pipebcast_ranks; /* communicator/ranks.h */

typedef struct coll_pipebcast_process {
    /* Set once, when the record is published. */
    pb_facts_t facts;                  /**< of this process */
    pb_medium_t medium;                /**< to other hosts */
    char why[1024];                    /**< what keeps this process from serving; "": nothing */
    bool reported_jobs;                /**< once; any thread sets it */
    opal_mutex_t lock;                 /**< protects the rest */
    coll_pipebcast_shared_t *topology; /**< shared by communicators; NULL: not read yet */
    coll_pipebcast_topology_t *newest; /**< read last, where that is again; NULL: not yet */
    coll_pipebcast_topology_t *of_job; /**< last made of hosts' addresses, likewise */
    coll_pipebcast_shared_t *model;    /**< likewise */
    coll_pipebcast_model_t *assumed;   /**< assumed last, likewise */
    coll_pipebcast_model_t
        *blank;                /**< memory for the next one that is assumed; NULL: none, or used */
    int multicast_failures;    /**< of groups that this process has offered, in a row */
    int n_multicast_groups;    /**< with a socket of this process */
    opal_hash_table_t records; /**< of processes of this job (communicator/record.h) */
    opal_hash_table_t opened;  /**< processes that were sent a message to open a connection */
    opal_hash_table_t peers;   /**< processes that were a neighbor of this one in a plan */
    size_t n_caches;           /**< communicators that have taken theirs (communicator/cache.h) */
    struct coll_pipebcast_ranks *ranks[COLL_PIPEBCAST_MAX_RANKS]; /**< the last used first */
} coll_pipebcast_process_t;

/** The one of this process, from coll_pipebcast_process_open() to coll_pipebcast_process_close().
 */
extern coll_pipebcast_process_t coll_pipebcast_process;

/** OMPI_ERR_OUT_OF_RESOURCE; to be closed in any case. */
int coll_pipebcast_process_open(void);
void coll_pipebcast_process_close(void);

#endif
