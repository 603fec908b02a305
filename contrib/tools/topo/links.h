/* Directed links by name, for tables. */
#ifndef TOOL_LINKS_H
#define TOOL_LINKS_H

#include "cluster.h"

/** The names of the two ends of a directed link that belongs to a link. */
const char *tool_link_from(const pb_network_t *network, int link);
const char *tool_link_to(const pb_network_t *network, int link);

/** Tells whether the link belongs to a link above hosts that take part. */
bool tool_is_link(const tool_cluster_t *cluster, int link);

/** Width of a column that takes the name of every used node and `heading`. */
int tool_name_width(const tool_cluster_t *cluster, const char *heading);

#endif
