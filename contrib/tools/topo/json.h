/* Parts that several commands put into their JSON documents. */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include "cluster.h"
#include "contrib/tools/common/json.h"

/** The row of --json. */
#define TOOL_JSON_ROW COMMON_JSON_ROW(TOOL_VALUE(json))

/** An array of what tool_print_remarks() prints; empty if there is no network. */
void tool_json_remarks(common_json_t to, const pb_network_t *network);

/** The cluster's file, and the ranks on it: "file", "root", "ranks", "hosts", "switches". */
void tool_json_cluster(common_json_t to, const tool_cluster_t *cluster);

#endif
