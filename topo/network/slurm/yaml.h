/*
 * Reader for Slurm's topology.yaml (25.05 and later): several topologies, each a tree of switches,
 * blocks, or flat.
 *
 *   - topology: topo1
 *     cluster_default: true
 *     tree: {switches: [{switch: s0, nodes: "n[0-7]"}, {switch: top, children: s0}]}
 *   - topology: topo2
 *     block: {block_sizes: [4], blocks: [{block: b0, nodes: "n[0-3]"}]}
 *   - topology: topo3
 *     flat: true
 *
 * A block is a switch: its hosts are near to each other, and the file shows no difference between
 * them. The file does not say what joins the blocks, so they are below one virtual switch. A plan
 * enters and leaves each block once, which is right unless several blocks share a bottleneck. Rings
 * and tori are read as such switches, too, with a warning. A flat topology is one switch, below
 * which all hosts of a job are.
 *
 * One topology is read: the requested one; else the partition's by the slurm.conf next to it; else
 * the default; else the first. Others need only a name. Additions of ours stand in
 * comments, or in a file of their own (additions.h).
 */
#ifndef PB_SLURM_YAML_H
#define PB_SLURM_YAML_H

#include "topo/network/topology.h"

/** Recognizes a file by its name (*.yaml, *.yml), or its first word ("---", "-" or "topology:"). */
bool pb_slurm_yaml_recognises(const pb_topology_text_t *text);

/** Reads a text, as pb_topology_open_text(). */
int pb_slurm_yaml_parse(const pb_topology_text_t *text, const pb_topology_request_t *request,
                        pb_topology_t *topology, pb_diag_t *diag);

#endif
