/*
 * Reader for Slurm's topology.conf, and for the output of `scontrol show topology`.
 *
 *   SwitchName=s0 Nodes=dev[0-5]
 *   SwitchName=s3 Switches=s[0-2] LinkSpeed=100   # any unit, relative
 *   SwitchName=s4 Switches=s3 LinkSpeed=100 Uplinks=4
 *
 *   BlockName=b0 Nodes=dev[6-9]                   # of topology/block: a switch
 *
 * Lines are Slurm's (lines.h). One line may carry both Nodes and Switches, and several lines may
 * describe one switch (both beyond Slurm, which wants leaf switches apart). A line's hosts come
 * before its switches. Upper switches may repeat the hosts below them, as Slurm prints them; a host
 * belongs to the lowest switch that names it (builder.h). Blocks are switches below a virtual top
 * (network.h), as the file does not say what joins them.
 *
 * LinkSpeed is the speed of each link from the switch to the children on its line;
 * pb_network_finish() finds missing ones. Uplinks (ours, not Slurm's) is the number, 1 to 1024, of
 * parallel links to each child on the line, a bundle or LAG. A switch that is named below several
 * switches has links to each of them; these are merged, see spines.h. In a file that Slurm reads,
 * too, keys of ours stand elsewhere (additions.h).
 */
#ifndef PB_SLURM_CONF_H
#define PB_SLURM_CONF_H

#include "topo/network/topology.h"

/** Slurm's name for the topology of a topology.conf. */
#define PB_SLURM_CONF_TOPOLOGY "default"

/** Reads a text, as pb_topology_open_text(). Lines are counted from 1, by the separator, too. */
int pb_slurm_conf_parse(const pb_topology_text_t *text, const pb_topology_request_t *request,
                        pb_topology_t *topology, pb_diag_t *diag);

#endif
