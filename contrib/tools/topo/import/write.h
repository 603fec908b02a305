/* A topology file (Slurm's topology.conf, with Uplinks) of hosts, switches and their links. */
#ifndef IMPORT_WRITE_H
#define IMPORT_WRITE_H

#include <stdio.h>

#include "fabric.h"

typedef struct import_host {
    const char *name;  /**< borrowed */
    int at;            /**< the switch, one that stands for itself */
    int members;       /**< parallel links */
    uint32_t megabits; /**< of the slowest of them, Mbit/s; 0: not known */
} import_host_t;

/**
 * Writes the file for a fabric that has its layers, and whose switches have their labels: hosts and
 * switches in natural order of their names, a line for all below a switch that have links of one
 * speed and number. Speeds are in Mbit/s; without those of hosts' links, those of trunks are not
 * written either, as a file without the former states multiples of them.
 * PB_ERR_INPUT with a fault if two nodes have one name; PB_ERR_NO_MEMORY. O(n log n).
 */
int import_write(const import_fabric_t *fabric, const import_host_t *hosts, int n_hosts, FILE *out,
                 pb_diag_t *diag);

#endif
