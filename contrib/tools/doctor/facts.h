/* Facts that a rank collects on itself and its host, without other ranks. */
#ifndef DOCTOR_FACTS_H
#define DOCTOR_FACTS_H

#include "record.h"
#include "topo/network/topology.h"

/**
 * Adds: `host`; the versions `mpi`, `doctor` and `plugin`; the parameters by their names; `limit`
 * and `open` of descriptors; the transport (transport.h). Also `rmem` and `wmem`, the bytes to
 * which the kernel lets TCP's buffers grow. For the files `topology` and `model` that parameters
 * name: an error or NAME.hash. Unknown values are missing.
 */
void doctor_facts_add(json_t *record);

/**
 * Opens the topology file that the parameters of a record name, as pb_topology_open(); the record
 * must name one.
 */
int doctor_topology_open(const json_t *record, pb_topology_t *topology, pb_diag_t *diag);

#endif
