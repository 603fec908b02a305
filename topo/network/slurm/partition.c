#include "topo/network/slurm/partition.h"

#include <stdlib.h>
#include <string.h>

#include "topo/network/slurm/lines.h"
#include "topo/network/slurm/values.h"
#include "topo/util/error.h"
#include "topo/util/kit.h"

enum { KEY_PARTITION_NAME, KEY_TOPOLOGY, N_KEYS };

static pb_slurm_keys_t keys = {
    [KEY_PARTITION_NAME] = "PartitionName", [KEY_TOPOLOGY] = "Topology", [N_KEYS] = NULL};

static bool is_partition(const pb_slurm_line_t *line)
{
    return pb_is_like(pb_slurm_skip_blanks(line->text), keys[KEY_PARTITION_NAME],
                      strlen(keys[KEY_PARTITION_NAME]));
}

static int replace(char **text_p, const char *by)
{
    char *copy = strdup(by);
    if (copy == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    free(*text_p);
    *text_p = copy;
    return PB_SUCCESS;
}

/* Takes what a line has; *found_p: it is the partition's. Slurm's DEFAULT counts for the lines
 * behind it. */
static int take_line(const pb_slurm_line_t *line, const char *partition, char **name_p,
                     bool *found_p)
{
    char *values[N_KEYS] = {NULL};
    if (line->is_ours || !is_partition(line)) {
        return PB_SUCCESS;
    }
    /* Errors of the line, and its other keys, are Slurm's. */
    pb_slurm_values_cut(keys, "", line->text, "", line->number, NULL, values);
    const char *name = values[KEY_PARTITION_NAME];
    *found_p = name != NULL && strcmp(name, partition) == 0;
    const bool counts = *found_p || (name != NULL && pb_is_like(name, "DEFAULT", SIZE_MAX));
    return counts && values[KEY_TOPOLOGY] != NULL ? replace(name_p, values[KEY_TOPOLOGY])
                                                  : PB_SUCCESS;
}

static int find(pb_slurm_lines_t *lines, const char *partition, char **name_p, bool *found_p)
{
    pb_slurm_line_t line;
    int error = PB_SUCCESS;
    while (error == PB_SUCCESS && !*found_p) {
        const int got = pb_slurm_lines_next(lines, &line);
        if (got <= 0) {
            return got;
        }
        error = take_line(&line, partition, name_p, found_p);
    }
    return error;
}

/* Errors in slurm.conf are reported only if the partition was not found. */
int pb_slurm_partition_topology(const char *slurm_conf, const pb_topology_files_t *files,
                                const char *partition, char **name_p, pb_diag_t *diag)
{
    pb_source_lines_t where = {.parts = NULL};
    pb_slurm_lines_t lines;
    pb_diag_t errors;
    bool found = false;
    *name_p = NULL;
    pb_diag_init(&errors);
    errors.lines = &where;
    int error = pb_slurm_lines_open_file(&lines, slurm_conf, files, &where, 1, &errors, diag);
    error = error == PB_SUCCESS ? find(&lines, partition, name_p, &found) : error;
    if (error == PB_SUCCESS && !found && errors.n_errors > 0) {
        pb_diag_error(diag, NULL, 0,
                      "%s; so the topology of the partition '%s' is not known: name it by "
                      "coll_pipebcast_topology_name or --topology-name",
                      pb_diag_first(&errors), partition);
        error = PB_ERR_INPUT;
    }
    if (error != PB_SUCCESS || !found) {
        free(*name_p);
        *name_p = NULL;
    }
    pb_slurm_lines_close(&lines);
    pb_diag_clear(&errors);
    pb_source_lines_clear(&where);
    return error == PB_ERR_IO ? PB_ERR_INPUT : error;
}
