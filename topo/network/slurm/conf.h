/*
 * Reader for Slurm's topology.conf, and for what `scontrol show topology` prints.
 *
 *   SwitchName=s0 Nodes=dev[0-5]
 *   SwitchName=s3 Switches=s[0-2] LinkSpeed=100   # any unit, relative
 *   SwitchName=s4 Switches=s3 LinkSpeed=100 Uplinks=4
 *
 *   BlockName=b0 Nodes=dev[6-9]                   # of topology/block: a switch
 *
 * Lines are Slurm's (lines.h). One line may carry both Nodes and Switches, and several lines may
 * describe one switch (both beyond Slurm, which wants leaf switches apart). Of one line's children
 * the hosts come first. Hosts of switches below, which Slurm prints at upper switches again, may be
 * repeated there; they are hosts of the lowest switch that names them (builder.h). Blocks are
 * switches; what joins them is not known (network.h: a virtual top).
 *
 * LinkSpeed is the speed of each link from the switch to what its line names;
 * pb_network_finish() finds that of links without one. Uplinks (ours, not
 * Slurm's) is the number of parallel links, a bundle or LAG, from the switch to
 * each child that its line names, 1 to 1024; each has that speed. A switch that
 * is named below several switches has links to each of them; these are merged,
 * see spines.h. In a file that Slurm reads, too, what is ours stands elsewhere (additions.h).
 */
#ifndef PB_SLURM_CONF_H
#define PB_SLURM_CONF_H

#include "topo/network/topology.h"

/** What Slurm calls the topology of a topology.conf. */
#define PB_SLURM_CONF_TOPOLOGY "default"

/** Reads a text, as pb_topology_open_text(). Lines are counted from 1, by the separator, too. */
int pb_slurm_conf_parse(const pb_topology_text_t *text, const pb_topology_request_t *request,
                        pb_topology_t *topology, pb_diag_t *diag);

#endif
