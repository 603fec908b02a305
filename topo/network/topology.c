#include "topo/network/topology.h"

#include <stdlib.h>

#include "topo/network/slurm_conf.h"
#include "topo/util/error.h"
#include "topo/util/text_file.h"

/** Bytes of a topology file; the largest network that is allowed needs far less. */
#define MAX_FILE ((size_t) 64 << 20)

/** The format without `recognises` takes what no other one does, and is the last. */
const pb_topology_format_t pb_topology_formats[] = {
    {.name = "slurm_conf", .parse = pb_slurm_conf_parse},
    {.name = NULL},
};

int pb_topology_parse(const pb_topology_text_t *topology, pb_network_t **network_p, pb_diag_t *diag)
{
    const pb_topology_format_t *format = pb_topology_formats;
    while (format->recognises != NULL && !format->recognises(topology)) {
        format++;
    }
    return format->parse(topology, network_p, diag);
}

static int parse_file(char *text, size_t length, const char *name, pb_network_t **network_p,
                      pb_diag_t *diag)
{
    const pb_topology_text_t topology = {.text = text, .length = length, .name = name};
    const int error = pb_topology_parse(&topology, network_p, diag);
    free(text);
    return error;
}

int pb_topology_read(const char *path, pb_network_t **network_p, pb_diag_t *diag)
{
    char *text;
    size_t length;
    *network_p = NULL;
    const int error = pb_text_file_read(path, "topology file", MAX_FILE, &text, &length, diag);
    return error == PB_SUCCESS ? parse_file(text, length, path, network_p, diag) : error;
}

int pb_topology_read_stream(FILE *stream, const char *name, pb_network_t **network_p,
                            pb_diag_t *diag)
{
    char *text;
    size_t length;
    *network_p = NULL;
    const int error =
        pb_text_file_read_stream(stream, name, "topology file", MAX_FILE, &text, &length, diag);
    return error == PB_SUCCESS ? parse_file(text, length, name, network_p, diag) : error;
}
