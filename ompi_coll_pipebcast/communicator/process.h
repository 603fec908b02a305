/*
 * State that the communicators of a process share. It is used when a communicator is made, its
 * ranks agree, or a plan is new. A broadcast that repeats an earlier one uses nothing of it.
 */
#ifndef COLL_PIPEBCAST_PROCESS_H
#define COLL_PIPEBCAST_PROCESS_H

#include "base/compat.h"
#include "communicator/model.h"
#include "communicator/topology.h"
#include "topo/model/medium.h"
#include "topo/util/diag.h"

typedef struct coll_pipebcast_process {
    /* Set once, when the record is published. */
    pb_medium_t medium;                  /**< to other hosts */
    char why[1024];                      /**< what keeps this process from serving; "": nothing */
    coll_pipebcast_topology_t *topology; /**< that the parameters name; NULL: they name none */
    coll_pipebcast_model_t *model;       /**< the measured one; NULL: there is none */
    /* Changed by any thread, each as a whole. */
    int n_multicast_groups;                 /**< with a socket of this process */
    opal_mutex_t lock;                      /**< protects the rest */
    coll_pipebcast_topology_t *of_job;      /**< last made of hosts' addresses; NULL: not yet */
    coll_pipebcast_model_t *assumed;        /**< assumed last; NULL: not yet */
    struct coll_pipebcast_record **records; /**< by process of this job; NULL: it is not known */
    int n_records;                          /**< processes of this job; 0: there is no record yet */
    uint8_t *opened; /**< set of processes that were sent an opening message; NULL: none was */
} coll_pipebcast_process_t;

/** The one of this process, from coll_pipebcast_process_open() to coll_pipebcast_process_close().
 */
extern coll_pipebcast_process_t coll_pipebcast_process;

void coll_pipebcast_process_open(void);
void coll_pipebcast_process_close(void);

/** Gives a reference to an object of OPAL back; NULL is allowed. */
void coll_pipebcast_release(void *object);

/** Returns the errors of a file as one text, to be freed; NULL if out of memory. */
char *coll_pipebcast_error_text(const pb_diag_t *diag);

#endif
