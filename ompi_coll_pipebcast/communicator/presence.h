/*
 * Which processes of the job have the component. A rank whose host lacks it, or where the parameter
 * coll or the priority leaves it out, broadcasts by another component from the start: it would
 * not take part in the ranks' agreement, and those who agree would wait for it for ever.
 *
 * Each process publishes one record: its facts (topo/network/facts.h), and where Slurm has it in
 * the network (topo/network/address_record.h). Records are kept by the process that looked them up.
 */
#ifndef COLL_PIPEBCAST_PRESENCE_H
#define COLL_PIPEBCAST_PRESENCE_H

#include <stdbool.h>

#include "base/compat.h"
#include "topo/network/addresses.h"
#include "topo/network/facts.h"

/**
 * Publishes to the job's other processes that this one has the component and lets it serve, its
 * address in the network from the environment, and its facts (NULL: none); what was published
 * before is replaced.
 */
int coll_pipebcast_presence_publish(const pb_facts_t *facts);

/**
 * Whether all ranks of the communicator have published it; all that have get the same answer. If
 * not, the lowest of those that have reports where it is missing. No MPI communication: the ranks
 * without the component would not take part. Once per communicator, O(ranks); the launcher is asked
 * once for each process that has it.
 */
bool coll_pipebcast_presence_complete(struct ompi_communicator_t *comm);

/**
 * The address of a rank that has published its record, without its host. Its texts are borrowed
 * until the component is closed. OMPI_ERR_NOT_FOUND, OMPI_ERR_OUT_OF_RESOURCE. No MPI
 * communication; O(1) once the record was looked up.
 */
int coll_pipebcast_presence_address(struct ompi_communicator_t *comm, int rank,
                                    pb_address_t *address_p);

/**
 * The facts of a rank; a digest of 0 where it has published none. OMPI_ERR_NOT_FOUND,
 * OMPI_ERR_OUT_OF_RESOURCE. As coll_pipebcast_presence_address().
 */
int coll_pipebcast_presence_facts(struct ompi_communicator_t *comm, int rank, pb_facts_t *facts_p);

/** Frees the records. */
void coll_pipebcast_presence_forget(void);

#endif
