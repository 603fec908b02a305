/* Transport of a rank's messages to another host, as Open MPI reports it. */
#ifndef DOCTOR_TRANSPORT_H
#define DOCTOR_TRANSPORT_H

#include <mpi.h>

#include "record.h"

/**
 * Adds the transport to a rank: `transport`, for people; `pml`, `btls`, `interface`; `ethernet`:
 * whether it is TCP over Ethernet. If known, also `rate` in bits per second and `mtu` in bytes. No
 * connection is opened.
 */
void doctor_transport_add(json_t *record, MPI_Comm comm, int peer);

/** The host that the launcher has placed a rank on; NULL if it does not know. The caller frees it.
 */
char *doctor_transport_host(MPI_Comm comm, int rank);

#endif
