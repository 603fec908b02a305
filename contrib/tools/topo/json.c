#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/report.h"
#include "remarks.h"
#include "topo/util/error.h"

void tool_json_remarks(common_json_t to, const pb_network_t *network)
{
    const common_json_t array = common_json_array(to, "remarks");
    char *text = NULL, *rest, *line;
    size_t size;
    FILE *const stream = open_memstream(&text, &size);
    if (stream != NULL && network != NULL) {
        tool_print_remarks(network, stream);
    }
    if (stream == NULL || fclose(stream) != 0) {
        common_end_error(PB_ERR_NO_MEMORY);
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
