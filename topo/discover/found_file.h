/* The topology file of a network that was found. */
#ifndef PB_FOUND_FILE_H
#define PB_FOUND_FILE_H

#include <stdio.h>

#include "topo/discover/discover.h"

/**
 * Writes switches, hosts and speeds in the form of Slurm's topology.conf; comments say how each
 * link was found and how sure it is. A speed near a multiple or a fraction of the usual host's is
 * taken to be that. The usual host's is taken to be a usual rate of Ethernet if it is a little
 * less. PB_ERR_NO_MEMORY. O(hosts * cuts).
 */
int pb_found_write(const pb_discovery_t *found, char *const *names, FILE *out);

#endif
