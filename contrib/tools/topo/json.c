#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "remarks.h"
#include "topo/util/error.h"

void tool_json_messages(common_json_t to, const char *name, const pb_diag_t *diag)
{
    const common_json_t array = common_json_array(to, name);
    for (size_t i = 0; i < diag->n_kept; i++) {
        common_json_text(array, NULL, diag->messages[i]);
    }
}

void tool_json_remarks(common_json_t to, const pb_network_t *network)
{
    const common_json_t array = common_json_array(to, "remarks");
    char *text = NULL, *rest, *line;
    size_t size;
    FILE *const stream = open_memstream(&text, &size);
    if (network != NULL && stream != NULL) {
        tool_print_remarks(network, stream);
    }
    if (stream == NULL || fclose(stream) != 0) {
        tool_complain_error(PB_ERR_NO_MEMORY);
        free(text);
        return;
    }
    rest = text;
    while ((line = strsep(&rest, "\n")) != NULL) {
        if (line[0] != '\0') {
            common_json_text(array, NULL, line);
        }
    }
    free(text);
}

void tool_json_cluster(common_json_t to, const tool_cluster_t *cluster)
{
    common_json_text(to, "file", cluster->file);
    common_json_text(to, "root", cluster->names[cluster->root]);
    common_json_integer(to, "ranks", cluster->placement->n_ranks);
    common_json_integer(to, "hosts", cluster->n_hosts);
    common_json_integer(to, "switches", cluster->n_switches);
}

tool_exit_t tool_json_end(common_json_t whole, tool_exit_t code)
{
    return common_json_end(whole, code != TOOL_SYSTEM ? stdout : NULL) ? code : TOOL_SYSTEM;
}
