/* Remarks on a network beyond the text of its file. */
#ifndef TOOL_REMARKS_H
#define TOOL_REMARKS_H

#include <stdio.h>

#include "topo/network/network.h"

/**
 * Prints a line for each: merged switches, parallel links, and the speed of links without a
 * LinkSpeed if others have one.
 */
void tool_print_remarks(const pb_network_t *network, FILE *stream);

#endif
