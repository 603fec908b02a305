/*
 * The levels inside hosts: how a communicator's ranks learn where all of them sit.
 */
#ifndef COLL_PIPEBCAST_LOCALITY_H
#define COLL_PIPEBCAST_LOCALITY_H

#include "communicator/module.h"
#include "engine/gather.h"
#include "pml/transport.h"
#include "topo/network/locality.h"

/** Stays where it is from start until it is through. */
typedef struct coll_pipebcast_locality {
    coll_pipebcast_module_t *module; /**< borrowed */
    pb_transport_t transport;
    pb_gather_t gather;  /**< of places; then of answers, whether each rank could use them */
    bool gathers;        /**< false: there is nothing to learn, or all is learnt */
    bool answers;        /**< the second gather is under way */
    bool all_are_placed; /**< when it is through */
} coll_pipebcast_locality_t;

/**
 * Where this process sits, found when it is first asked for, as it is bound at that time; by each
 * of several threads that ask at once, as what is logged meanwhile may take time.
 */
pb_locality_t coll_pipebcast_locality_own(void);

/** Whether ranks have neighbours on their hosts to whom the parameter lets them be near. */
bool coll_pipebcast_locality_matters(int n_hosts, int n_ranks);

/** Reports what came of making levels of the places; rc is pb_locality_expand()'s. */
void coll_pipebcast_locality_report(const coll_pipebcast_module_t *module, int rc);

/**
 * Prepares to learn the places of all ranks of the module's communicator, 8 bytes for each,
 * with a tag that is reserved for it. Nothing is to be learnt where no host has two ranks,
 * or the parameter rules it out: `n_hosts` hosts have ranks. Nothing is sent before the first
 * advance, and no memory is needed for what is. OMPI_ERR_OUT_OF_RESOURCE.
 */
int coll_pipebcast_locality_init(coll_pipebcast_locality_t *locality,
                                 coll_pipebcast_module_t *module, int n_hosts, int tag);

/**
 * Does what can be done without waiting, when the ranks have agreed on placement and parameter;
 * true when it is through. The module's placement then has the levels, alike on all ranks; or,
 * alike on all, locality->all_are_placed is false, as one of them, which reports it, is out of
 * memory; or *error_p is an error of the communication. Hosts whose places cannot be nodes of the
 * network stay without levels, which is reported.
 */
bool coll_pipebcast_locality_advance(coll_pipebcast_locality_t *locality, int *error_p);

/** Gives the memory back; for zeros, too. Nothing may be under way. */
void coll_pipebcast_locality_fini(coll_pipebcast_locality_t *locality);

#endif
