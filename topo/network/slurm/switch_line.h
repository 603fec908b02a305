/*
 * A line that describes a switch: SwitchName=, Nodes=, Switches=, LinkSpeed=, Uplinks= (ours), and
 * Level=, which `scontrol show topology` prints. A line of a block has BlockName= and Nodes=; a
 * ring or torus is taken to be one switch. Lines of ours, which add to others, may have Topology=,
 * too: they belong only to the topology of that name. A line of ours that has Version= alone states
 * by which version of pipebcast's own keys the file was written.
 */
#ifndef PB_SLURM_SWITCH_LINE_H
#define PB_SLURM_SWITCH_LINE_H

#include "topo/network/builder.h"

/** The form of lines, for a message that there is none. */
#define PB_SLURM_SWITCH_LINE_HINT "write lines as SwitchName=s0 Nodes=n[1-8]"

/**
 * Enters the text of a line, which is changed. A line of ours is for the topology called `ours`;
 * NULL: it is none of ours. PB_ERR_NO_MEMORY.
 */
int pb_slurm_switch_line(pb_builder_t *builder, char *text, int line, const char *ours);

#endif
