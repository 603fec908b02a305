/*
 * Which end of a link between two switches is above the other.
 *
 * Where the links form a tree, its middle is the top. Else switches are in layers: those with hosts
 * are the lowest, and each link leads from one layer to the next (leaves, spines, superspines; Clos
 * 1953). A link that does not is part of a cycle that is no such fabric: an Ethernet forwards over
 * a tree (IEEE 802.1D), and nothing that LLDP announces tells which link it leaves out.
 */
#ifndef IMPORT_LAYERS_H
#define IMPORT_LAYERS_H

#include "fabric.h"

/** Switches that somebody has named. */
typedef struct import_named {
    const int *all; /**< borrowed */
    int n;
} import_named_t;

/**
 * Directs the links of a settled fabric whose switches are joined: `lower` and `upper` are then
 * what they are called. Switches that turn out to have nothing below them are left out, and
 * reported to `warnings`. `tops`: the switches of the highest layer, none: to be found.
 * PB_ERR_INPUT with a cycle in `diag` that has no layers; PB_ERR_NO_MEMORY. O(switches * links *
 * diameter) in a tree, else O(links * (switches + diameter)).
 */
int import_layers(import_fabric_t *fabric, import_named_t tops, pb_diag_t *diag,
                  pb_diag_t *warnings);

#endif
