/*
 * The transport between the hosts of a communicator, and the gate: pipebcast's assumptions of
 * switches, contention and costs are those of TCP over Ethernet, and another transport is served
 * only where someone has measured it or wants it so.
 */
#ifndef COLL_PIPEBCAST_GATE_H
#define COLL_PIPEBCAST_GATE_H

#include "communicator/module.h"
#include "topo/model/medium.h"

/**
 * The transport from this rank to the next one on another host, which stands for all of them. All
 * is unknown if there is none or the ranks have no placement. No connection is opened. O(ranks of
 * this host).
 */
void coll_pipebcast_medium_find(const coll_pipebcast_module_t *module, pb_medium_t *medium_p);

/**
 * Whether the user has opened the gate, by the parameter transport = any or by naming what
 * broadcasts are to be done with: a tree, a way to treat arrivals, a directory of advice. Depends
 * on parameters alone.
 */
bool coll_pipebcast_gate_is_opened(void);

#endif
