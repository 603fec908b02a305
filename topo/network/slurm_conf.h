/*
 * Reader for Slurm's topology.conf.
 *
 *   SwitchName=s0 Nodes=dev[0-5]
 *   SwitchName=s3 Switches=s[0-2] LinkSpeed=100   # any unit, relative
 *   SwitchName=s4 Switches=s3 LinkSpeed=100 Uplinks=4
 *
 * Keys are case-insensitive, '#' starts a comment, a '\' at the end continues
 * the line. One line may carry both Nodes and Switches, and several lines may
 * describe one switch (both beyond Slurm, which wants leaf switches apart). Of
 * one line's children the hosts come first. Values may be in double quotes.
 * LinkSpeed is the speed of each link from the switch to what its line names;
 * pb_network_finish() finds that of links without one. Uplinks (ours, not
 * Slurm's) is the number of parallel links, a bundle or LAG, from the switch to
 * each child that its line names, 1 to 1024; each has that speed. A switch that
 * is named below several switches has links to each of them; these are merged,
 * see spines.h.
 */
#ifndef PB_SLURM_CONF_H
#define PB_SLURM_CONF_H

#include "topo/network/topology.h"

/** Bytes of one logical line, continuations included. */
#define PB_SLURM_CONF_MAX_LINE (1 << 20)

/**
 * Links between the top switch and a host. No path then has more than 1024, which is the
 * longest that a model file may have; IEEE 802.1Q lets a spanning tree have 40.
 */
#define PB_SLURM_CONF_MAX_DEPTH 512

/**
 * Reads a text into a finished network, which the caller frees. PB_ERR_INPUT with every fault in
 * `diag`, PB_ERR_NO_MEMORY; *network_p is then NULL. Lines are counted from 1, by the separator,
 * too.
 */
int pb_slurm_conf_parse(const pb_topology_text_t *topology, pb_network_t **network_p,
                        pb_diag_t *diag);

#endif
