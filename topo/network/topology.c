#include "topo/network/topology.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "topo/network/slurm/conf.h"
#include "topo/network/slurm/yaml.h"
#include "topo/util/error.h"
#include "topo/util/text_file.h"

static const char file_kind[] = "topology file";

/** The last format has no test of its own: it takes every text that no other one does. */
const pb_topology_format_t pb_topology_formats[] = {
    {.name = "slurm_yaml", .recognises = pb_slurm_yaml_recognises, .parse = pb_slurm_yaml_parse},
    {.name = "slurm_conf", .parse = pb_slurm_conf_parse},
    {.name = NULL},
};

/* Files of the system, which need no context. */

static bool file_exists(void *context, const char *path)
{
    (void) context;
    return access(path, F_OK) == 0;
}

static bool files_are_same(void *context, const char *path, const char *other)
{
    struct stat one, two;
    (void) context;
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

static int file_read(void *context, const char *path, char **text_p, size_t *length_p,
                     pb_diag_t *diag)
{
    (void) context;
    return pb_text_file_read(path, file_kind, PB_TOPOLOGY_MAX_FILE, text_p, length_p, diag);
}

void pb_topology_clear(pb_topology_t *topology)
{
    pb_network_free(topology->network);
    free(topology->picked);
    pb_diag_clear(&topology->warnings);
    pb_diag_clear(&topology->notes);
    *topology = (pb_topology_t){.network = NULL};
}

void pb_topology_set_lines(pb_topology_t *topology, pb_diag_t *diag, const pb_source_lines_t *lines)
{
    topology->warnings.lines = topology->notes.lines = diag->lines = lines;
}

int pb_topology_open_text(const pb_topology_text_t *text, const pb_topology_request_t *request,
                          pb_topology_t *topology, pb_diag_t *diag)
{
    const pb_topology_request_t none = {.name = NULL};
    const pb_topology_format_t *format = pb_topology_formats;
    *topology = (pb_topology_t){.network = NULL};
    while (format->recognises != NULL && !format->recognises(text)) {
        format++;
    }
    return format->parse(text, request != NULL ? request : &none, topology, diag);
}

int pb_topology_open(const char *path, const pb_topology_request_t *request,
                     pb_topology_t *topology, pb_diag_t *diag)
{
    const pb_topology_files_t files = {
        .exists = file_exists, .are_same = files_are_same, .read = file_read};
    pb_topology_text_t text = {.name = path, .files = &files};
    char *content;
    *topology = (pb_topology_t){.network = NULL};
    int error = files.read(NULL, path, &content, &text.length, diag);
    if (error == PB_SUCCESS) {
        text.text = content;
        error = pb_topology_open_text(&text, request, topology, diag);
        free(content);
    }
    return error;
}

int pb_topology_open_stream(FILE *stream, const char *name, const pb_topology_request_t *request,
                            pb_topology_t *topology, pb_diag_t *diag)
{
    pb_topology_text_t text = {.name = name};
    char *content;
    *topology = (pb_topology_t){.network = NULL};
    int error = pb_text_file_read_stream(stream, name, file_kind, PB_TOPOLOGY_MAX_FILE, &content,
                                         &text.length, diag);
    if (error == PB_SUCCESS) {
        text.text = content;
        error = pb_topology_open_text(&text, request, topology, diag);
        free(content);
    }
    return error;
}

int pb_topology_read(const char *path, pb_network_t **network_p, pb_diag_t *diag)
{
    pb_topology_t topology;
    int error = pb_topology_open(path, NULL, &topology, diag);
    *network_p = topology.network;
    topology.network = NULL;
    if (error == PB_SUCCESS && pb_network_n_hosts(*network_p) == 0) {
        if (topology.warnings.n_kept > 0) {
            pb_diag_error(diag, NULL, 0, "%s", pb_diag_first(&topology.warnings));
        }
        pb_diag_error(diag, path, 0, "the topology names no hosts; name one that does");
        pb_network_free(*network_p);
        *network_p = NULL;
        error = PB_ERR_INPUT;
    }
    pb_topology_clear(&topology);
    return error;
}
