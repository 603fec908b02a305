/*
 * What this process is in all that the ranks of a communicator must be alike in, found out when
 * Open MPI has selected what carries messages, and published with its record
 * (communicator/record.h) before MPI_Init exchanges them.
 */
#ifndef COLL_PIPEBCAST_FACTS_H
#define COLL_PIPEBCAST_FACTS_H

#include <stddef.h>

#include "topo/model/medium.h"
#include "topo/network/facts.h"

/** The indices of pb_facts_t.alike. The first one is the same in all versions. */
enum {
    COLL_PIPEBCAST_ALIKE_PROTOCOL,
    COLL_PIPEBCAST_ALIKE_TOPOLOGY, /**< digest of the network and of the parameter hosts */
    COLL_PIPEBCAST_ALIKE_ALGORITHM,
    COLL_PIPEBCAST_ALIKE_ARRIVAL,
    COLL_PIPEBCAST_ALIKE_ADVICE, /**< whether it is followed, wherever its directory is */
    COLL_PIPEBCAST_ALIKE_FANOUT,
    COLL_PIPEBCAST_ALIKE_SEGMENT_SIZE,
    COLL_PIPEBCAST_ALIKE_MIN_SIZE,
    COLL_PIPEBCAST_ALIKE_LOCALITY,
    COLL_PIPEBCAST_ALIKE_LEARN,
    COLL_PIPEBCAST_ALIKE_MULTICAST,
    COLL_PIPEBCAST_ALIKE_LEADERS,
    COLL_PIPEBCAST_ALIKE_TRANSPORT, /**< of messages between hosts; 0: the user has chosen it */
    COLL_PIPEBCAST_N_ALIKE,
};
_Static_assert(COLL_PIPEBCAST_N_ALIKE <= PB_FACTS_N_ALIKE, "a record has room for all");

/** What differs where ranks are not alike in `which`, for people. */
const char *coll_pipebcast_alike_name(int which);

/** Whether the values themselves help people, and are no digests. */
bool coll_pipebcast_alike_is_number(int which);

/**
 * Finds the facts of this process, and what carries its messages to other hosts. Reads the topology
 * and the model that the parameters name. Where the process cannot serve, `why` explains it, and
 * facts->can_serve is false. No communication.
 */
void coll_pipebcast_facts_find(pb_facts_t *facts, pb_medium_t *medium, char *why, size_t why_size);

#endif
