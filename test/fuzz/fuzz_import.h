/* What targets of tables of neighbours do with what they have read. */
#ifndef PB_FUZZ_IMPORT_H
#define PB_FUZZ_IMPORT_H

#include <stdio.h>

#include "contrib/tools/topo/import/lldp.h"
#include "test/fuzz/fuzz.h"
#include "topo/network/topology.h"

/** Makes a topology, and reads it back: there is one that can be read, or a fault. */
static void fuzz_import(const import_request_t *request)
{
    char *text;
    size_t length;
    pb_diag_t diag, warnings;
    pb_diag_init(&diag);
    pb_diag_init(&warnings);
    FILE *out = open_memstream(&text, &length);
    fuzz_must(out != NULL);
    const int error = import_lldp(request, out, &diag, &warnings);
    fuzz_must(fclose(out) == 0);
    fuzz_must(error == PB_SUCCESS || error == PB_ERR_INPUT);
    fuzz_must((error == PB_SUCCESS) == (diag.n_faults == 0));
    if (error == PB_SUCCESS) {
        pb_network_t *network;
        const pb_topology_text_t topology = {.text = text, .length = length, .name = "made"};
        const int read = pb_topology_parse(&topology, &network, &diag);
        fuzz_must(read == PB_SUCCESS || diag.n_faults > 0);
        fuzz_must(read != PB_SUCCESS || pb_network_n_hosts(network) == request->n_hosts);
        pb_network_free(network);
    }
    free(text);
    pb_diag_clear(&diag);
    pb_diag_clear(&warnings);
}

#endif
