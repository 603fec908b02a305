/*
 * What reading a topology yields, as text: a tree, or the faults.
 */
#ifndef PB_TEST_PRINTED_H
#define PB_TEST_PRINTED_H

#include "topo/network/topology.h"

/** Reads the file; the text is the caller's. */
char *printed_file(const char *file);

/** The same from memory. */
char *printed_text(const pb_topology_text_t *text);

/** Likewise, the one of several topologies that is meant. */
char *printed_text_request(const pb_topology_text_t *text, const pb_topology_request_t *request);

#endif
