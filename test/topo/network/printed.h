/*
 * Result of reading a topology, as text: a tree, or the errors.
 */
#ifndef PB_TEST_PRINTED_H
#define PB_TEST_PRINTED_H

#include "topo/network/topology.h"

/** Reads the file; the text is the caller's. */
char *printed_file(const char *file);

/** The same from memory. */
char *printed_text(const pb_topology_text_t *text);

/** The same, for the one of several topologies that is meant. */
char *printed_text_request(const pb_topology_text_t *text, const pb_topology_request_t *request);

/** Result of a reader; uses up network and diag. */
char *printed_network(int error, pb_network_t *network, pb_diag_t *diag);

#endif
