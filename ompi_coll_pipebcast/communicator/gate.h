/*
 * Gate: whether the transport between the hosts of a communicator is served. pipebcast assumes
 * switches, contention and costs of TCP over Ethernet. Another transport is served only if the user
 * has measured it or asks for it.
 */
#ifndef COLL_PIPEBCAST_GATE_H
#define COLL_PIPEBCAST_GATE_H

#include "communicator/module.h"
#include "communicator/ranks.h"

/** Assumed speed (bit/s) and MTU where no rank knows them. Interfaces that report no speed are
 * virtual ones mostly, of fast networks. */
#define COLL_PIPEBCAST_DEFAULT_SPEED UINT64_C(10000000000)
#define COLL_PIPEBCAST_DEFAULT_MTU 1500

/**
 * Returns whether the user has opened the gate by parameters: transport = any, or a choice of tree,
 * arrivals or advice.
 */
bool coll_pipebcast_gate_is_opened(void);

/** Returns the reason, for people, for which the transport of this process is served. */
const char *coll_pipebcast_gate_reason(void);

/**
 * Settles whether the transport is served, and sets module->model, by which all ranks plan. It is
 * the measured model, if all have the same and it fits their links. Else it is assumed from the
 * slowest link; NULL if out of memory. Alike on all ranks; rank 0 reports why broadcasts are not
 * served, or why a measured model is not used.
 */
bool coll_pipebcast_gate_settle(coll_pipebcast_module_t *module,
                                const coll_pipebcast_common_t *common);

#endif
