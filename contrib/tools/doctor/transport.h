/* Transport of a rank's messages to other hosts, as pipebcast itself sees it. */
#ifndef DOCTOR_TRANSPORT_H
#define DOCTOR_TRANSPORT_H

#include <mpi.h>

#include "record.h"

/**
 * Adds to the record, which has the parameters: `transport`, for people; `pml`, `btls`,
 * `interface`; `ethernet`: whether it is TCP over Ethernet. If known, also `rate` in bits per
 * second and `mtu` in bytes. No connection is opened.
 */
void doctor_transport_add(json_t *record);

/** The host that the launcher has placed a rank on; NULL if it does not know. The caller frees it.
 */
char *doctor_transport_host(MPI_Comm comm, int rank);

#endif
