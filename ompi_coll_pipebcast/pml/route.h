/*
 * The route of messages to other hosts: which parts of Open MPI and which interface of this host
 * carry them.
 */
#ifndef COLL_PIPEBCAST_ROUTE_H
#define COLL_PIPEBCAST_ROUTE_H

#include "base/compat.h"
#include "topo/model/medium.h"

/**
 * Returns whether synchronous sends may be used. Open MPI 4.1.4 hangs with several TCP links for
 * each pair of ranks (btl_tcp_links), without pipebcast, too. Two ranks that open connections to
 * each other and use them wait without end. Standard sends do not hang; the bytes that wait at a
 * late rank have no bound then. Each rank may decide by itself.
 */
bool coll_pipebcast_may_acknowledge(void);

/**
 * Returns whether a synchronous send to a rank of this host may never end. In Open MPI 5.0 a rank
 * that sends much of a device's memory over btl/sm loses acknowledgements, without pipebcast, too.
 * Each rank may decide by itself. O(1).
 */
bool coll_pipebcast_loses_acknowledgements(void);

/** The name of the PML that sends, also where the one called monitoring is put above it. O(1). */
const char *coll_pipebcast_pml_name(void);

/**
 * Finds the transport to ranks on other hosts without asking for one of them. Open MPI must have
 * selected its PML (pml/selected.h); processes need not know of each other. Where `on_one_host`,
 * hosts are names for parts of this one, so that BTLs inside a host count. Under the PML ob1 (or
 * monitoring above it) the BTLs that Open MPI prefers count. Of other PMLs only the name is known.
 *
 * A TCP flow is as fast as the interface (topo/network/interface.h), unless a parameter
 * btl_tcp_bandwidth states another rate. Where a BTL is not TCP, the rate that it states counts. If
 * there are several, ob1 sends short segments over one after the other and stripes long ones. That
 * may be faster than the slowest of them, but the slowest one's rate is taken.
 *
 * Whatever cannot be found is not known in *medium_p. O(BTLs, interfaces).
 */
void coll_pipebcast_route_elsewhere(bool on_one_host, pb_medium_t *medium_p);

#endif
