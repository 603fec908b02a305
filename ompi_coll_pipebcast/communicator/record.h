/*
 * Records of processes (topo/network/record.h), which other processes of their job read without a
 * message of MPI. Every process that may serve publishes one before MPI_Init exchanges records. A
 * process without one has no pipebcast, or is told not to use it, and would broadcast by another
 * component.
 */
#ifndef COLL_PIPEBCAST_RECORD_H
#define COLL_PIPEBCAST_RECORD_H

#include "base/compat.h"
#include "topo/network/record.h"

/** The indices of pb_facts_t.alike. The first one is the same in all versions. */
enum {
    COLL_PIPEBCAST_ALIKE_PROTOCOL,
    COLL_PIPEBCAST_ALIKE_ARCHITECTURE, /**< messages are bytes as the root has them */
    COLL_PIPEBCAST_ALIKE_TOPOLOGY,     /**< digest of the network and of the parameter hosts */
    COLL_PIPEBCAST_ALIKE_ALGORITHM,
    COLL_PIPEBCAST_ALIKE_ARRIVAL,
    COLL_PIPEBCAST_ALIKE_ADVICE, /**< whether it is followed, wherever its directory is */
    COLL_PIPEBCAST_ALIKE_FANOUT,
    COLL_PIPEBCAST_ALIKE_SEGMENT_SIZE,
    COLL_PIPEBCAST_ALIKE_MIN_SIZE,
    COLL_PIPEBCAST_ALIKE_LEARN,
    COLL_PIPEBCAST_ALIKE_MULTICAST,
    COLL_PIPEBCAST_ALIKE_LEADERS,
    COLL_PIPEBCAST_ALIKE_PRIORITY,
    COLL_PIPEBCAST_ALIKE_TRANSPORT, /**< of messages between hosts; 0: the user has chosen it */
    COLL_PIPEBCAST_N_ALIKE,
};
_Static_assert(COLL_PIPEBCAST_N_ALIKE <= PB_FACTS_N_ALIKE, "a record has room for all");

/** Returns the name, for people, of the values that differ where ranks are not alike in `which`. */
const char *coll_pipebcast_alike_name(int which);

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

/** The same for a rank of a communicator, which is of this job. */
const coll_pipebcast_record_t *coll_pipebcast_record_of_rank(struct ompi_communicator_t *comm,
                                                             int rank, int *error_p);

/** Frees the records. */
void coll_pipebcast_records_forget(void);

#endif
