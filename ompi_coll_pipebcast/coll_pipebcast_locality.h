/*
 * The levels inside machines: how a communicator's ranks learn where all of them sit.
 */
#ifndef COLL_PIPEBCAST_LOCALITY_H
#define COLL_PIPEBCAST_LOCALITY_H

#include "coll_pipebcast.h"
#include "coll_pipebcast_transport.h"
#include "gather.h"

/** Values of the parameter `locality`. */
enum {
    COLL_PIPEBCAST_LOCALITY_MACHINE, /**< ranks of a machine are alike to each other */
    COLL_PIPEBCAST_LOCALITY_AUTO,    /**< by package, NUMA node and cache */
};

/** Stays where it is from start until it is through. */
typedef struct coll_pipebcast_locality {
    coll_pipebcast_module_t *module; /**< borrowed */
    pb_transport_t transport;
    pb_gather_t gather;
    bool gathers; /**< false: there is nothing to learn */
} coll_pipebcast_locality_t;

/**
 * Starts to learn the places of all ranks of the module's communicator, 8 bytes for each,
 * with a tag that is reserved for it. Nothing is sent where no machine has two ranks,
 * or the parameter says so: `n_machines` machines have ranks. The ranks must have agreed on
 * placement and parameter.
 * OMPI_ERR_OUT_OF_RESOURCE.
 */
int coll_pipebcast_locality_start(coll_pipebcast_locality_t *locality,
                                  coll_pipebcast_module_t *module, int n_machines, int tag);

/**
 * Does what can be done without waiting; true when it is through. The module's placement
 * then has the levels, alike on all ranks; or *error_p is an error of the communication,
 * or OMPI_ERR_OUT_OF_RESOURCE. Machines whose places cannot be nodes of the network stay
 * without levels, which is said.
 */
bool coll_pipebcast_locality_advance(coll_pipebcast_locality_t *locality, int *error_p);

#endif
