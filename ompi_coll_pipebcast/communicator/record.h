/*
 * The record of a process: what it publishes of itself, to be read by the other processes of its
 * job without a message of MPI: its facts (topo/network/facts.h), the name of its host, and where
 * Slurm has it in the network (topo/network/address_record.h). Every process that may serve
 * publishes one before MPI_Init exchanges records. A process without one has no pipebcast, or is
 * told not to use it, and would broadcast by another component.
 */
#ifndef COLL_PIPEBCAST_RECORD_H
#define COLL_PIPEBCAST_RECORD_H

#include "base/compat.h"
#include "topo/network/addresses.h"
#include "topo/network/facts.h"

typedef struct coll_pipebcast_record {
    pb_facts_t facts;
    pb_address_t address; /**< with the host, as its own process calls it */
    char *text;           /**< in which the texts of the address are; NULL: the process has
                               published none */
} coll_pipebcast_record_t;

/**
 * Publishes the record of this process, once Open MPI knows what carries messages; called once, by
 * one thread. If that fails, which is logged, the process has none.
 */
void coll_pipebcast_record_publish(void);

/**
 * The record of a process of this job, which the process keeps until the component closes; NULL
 * with OMPI_ERR_NOT_FOUND: it has none, or with OMPI_ERR_OUT_OF_RESOURCE. No MPI communication;
 * O(1) once it was looked up.
 */
const coll_pipebcast_record_t *coll_pipebcast_record_of(const opal_process_name_t *process,
                                                        int *error_p);

/** The record of a rank of a communicator, which is of this job. Likewise. */
const coll_pipebcast_record_t *coll_pipebcast_record_of_rank(struct ompi_communicator_t *comm,
                                                             int rank, int *error_p);

/** Frees the records. */
void coll_pipebcast_records_forget(void);

#endif
