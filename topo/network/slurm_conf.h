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
 * LinkSpeed is the speed of the cables from the switch to what its line names;
 * cables without one have the lowest speed of the file. Uplinks (ours, not
 * Slurm's) is the number of parallel cables, a bundle or LAG, from the switch to
 * each child that its line names, 1 to 1024; each has that speed.
 */
#ifndef PB_SLURM_CONF_H
#define PB_SLURM_CONF_H

#include <stdio.h>

#include "topo/network/network.h"
#include "topo/util/diag.h"

/** Bytes of one logical line, continuations included. */
#define PB_SLURM_CONF_MAX_LINE (1 << 20)

/**
 * Cables between the top switch and a host. No path then has more than 1024, which is the
 * longest that a model file may speak of; IEEE 802.1Q lets a spanning tree have 40.
 */
#define PB_SLURM_CONF_MAX_DEPTH 512

/**
 * Reads the file at `path` into a finished network, which the caller frees.
 * PB_ERR_IO or PB_ERR_INPUT with every fault in `diag`; *network_p is then NULL.
 */
int pb_slurm_conf_read(const char *path, pb_network_t **network_p, pb_diag_t *diag);

/** The same from a stream, read to its end but not closed; `name` stands for the file. */
int pb_slurm_conf_read_stream(FILE *stream, const char *name, pb_network_t **network_p,
                              pb_diag_t *diag);

/**
 * The same from memory. `name` stands for the file in messages. With
 * `separator` (';' for an inline parameter, '\0' for none) that character ends
 * a line as a newline does; lines are then counted from 1 by it.
 */
int pb_slurm_conf_parse(const char *text, size_t length, const char *name, char separator,
                        pb_network_t **network_p, pb_diag_t *diag);

#endif
