/*
 * Reading is in three steps. Physical lines are joined to logical ones (lines.h), a logical line is
 * cut into its values (switch_line.h), and these enter the network (builder.h).
 */
#include "topo/network/slurm/conf.h"

#include <stdlib.h>
#include <string.h>

#include "topo/network/builder.h"
#include "topo/network/slurm/additions.h"
#include "topo/network/slurm/beside.h"
#include "topo/network/slurm/lines.h"
#include "topo/network/slurm/switch_line.h"
#include "topo/util/error.h"

static const char slurms_file[] = "topology.conf", read_instead[] = "topology.yaml";

/* Warns that Slurm reads the topology.yaml next to this topology.conf, which may be old. */
static int warn_of_yaml(const pb_topology_text_t *text, pb_topology_t *topology)
{
    if (text->files == NULL || !pb_slurm_is_called(text->name, slurms_file)) {
        return PB_SUCCESS;
    }
    char *path = pb_slurm_beside(text->name, read_instead);
    if (path == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    if (text->files->exists(text->files->context, path)) {
        pb_diag_error(&topology->warnings, text->name, 0,
                      "Slurm reads %s and ignores this file, which may be old; name %s instead",
                      path, path);
    }
    free(path);
    return PB_SUCCESS;
}

static int check_name(const pb_topology_text_t *text, const pb_topology_request_t *request,
                      pb_diag_t *diag)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const char *name = request->name;
    if (name == NULL || name[0] == '\0' || strcmp(name, PB_SLURM_CONF_TOPOLOGY) == 0) {
        return PB_SUCCESS;
    }
    pb_diag_error(diag, text->name, 0,
                  "there is no topology '%s', as this file has one only, '%s'; name that, none, or "
                  "a topology.yaml",
                  pb_diag_quote_text(quote, name), PB_SLURM_CONF_TOPOLOGY);
    return PB_ERR_INPUT;
}

/* Enters all lines of the file, and keeps those of ours. */
static int read_lines(pb_slurm_lines_t *lines, pb_builder_t *builder,
                      pb_slurm_additions_t *additions)
{
    pb_slurm_line_t line;
    int error = PB_SUCCESS;
    while (error == PB_SUCCESS && !builder->full) {
        const int got = pb_slurm_lines_next(lines, &line);
        if (got <= 0) {
            return got;
        }
        error = line.is_ours
                    ? pb_slurm_additions_keep(additions, line.text, strlen(line.text), line.number)
                    : pb_slurm_switch_line(builder, line.text, line.number, NULL);
    }
    return error;
}

static int read_network(const pb_topology_text_t *text, pb_source_lines_t *where,
                        pb_topology_t *topology, pb_diag_t *diag)
{
    pb_builder_t builder;
    pb_slurm_lines_t lines;
    pb_slurm_additions_t additions = {.lines = NULL};
    pb_diag_t *warnings = &topology->warnings;
    int error = pb_builder_init(&builder, text->name, "SwitchName line", warnings);
    const int opened = pb_slurm_lines_open(&lines, text, where, 1, warnings);
    error = error == PB_SUCCESS ? opened : error;
    error = error == PB_SUCCESS ? read_lines(&lines, &builder, &additions) : error;
    if (error == PB_SUCCESS) {
        error = pb_slurm_additions_enter(&additions, text, PB_SLURM_CONF_TOPOLOGY, &builder, where,
                                         lines.next_number, topology);
    }
    if (error == PB_SUCCESS) {
        error = pb_builder_finish(&builder, PB_SLURM_SWITCH_LINE_HINT, &topology->notes, diag,
                                  &topology->network);
    }
    pb_slurm_additions_clear(&additions);
    pb_slurm_lines_close(&lines);
    pb_builder_clear(&builder);
    return error;
}

int pb_slurm_conf_parse(const pb_topology_text_t *text, const pb_topology_request_t *request,
                        pb_topology_t *topology, pb_diag_t *diag)
{
    pb_source_lines_t where = {.parts = NULL};
    int error = check_name(text, request, diag);
    error = error == PB_SUCCESS ? warn_of_yaml(text, topology) : error;
    if (error == PB_SUCCESS) {
        pb_topology_set_lines(topology, diag, &where);
        error = read_network(text, &where, topology, diag);
        pb_topology_set_lines(topology, diag, NULL);
    }
    pb_source_lines_clear(&where);
    return error;
}
