/*
 * Networks that a test has written down.
 */
#ifndef PB_TEST_GIVEN_H
#define PB_TEST_GIVEN_H

#include <string.h>

#include "test/must.h"
#include "topo/network/topology.h"

/** Finishes a network. */
static inline void given_finish(pb_network_t *network)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    must(pb_network_finish(network, "given", &diag) == PB_SUCCESS);
    pb_diag_clear(&diag);
}

/** Reads a network from memory, which the caller frees; *network_p is NULL after an error. */
static inline int given_parse(const pb_topology_text_t *text, pb_network_t **network_p,
                              pb_diag_t *diag)
{
    pb_topology_t topology;
    const int error = pb_topology_open_text(text, NULL, &topology, diag);
    *network_p = topology.network;
    topology.network = NULL;
    pb_topology_clear(&topology);
    return error;
}

/** The network of a text in Slurm's form, whose lines end with ';' if it has no other line end. */
static inline pb_network_t *given_network(const char *text)
{
    const char end = strchr(text, '\n') != NULL ? '\n' : ';';
    pb_network_t *network;
    pb_diag_t diag;
    pb_diag_init(&diag);
    if (given_parse(&(pb_topology_text_t){text, strlen(text), "given", end, NULL}, &network,
                    &diag) != PB_SUCCESS) {
        fprintf(stderr, "%s\n%s\n", pb_diag_first(&diag), text);
        abort();
    }
    pb_diag_clear(&diag);
    return network;
}

#endif
