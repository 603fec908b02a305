/*
 * Reader for a table of trunk ports, for switches whose own tables cannot be had as JSON: one link
 * between two switches on a line, with its ends and, if known, its speed in Mbit/s.
 *
 *   # switch port switch port [Mbit/s]
 *   leaf1 Eth1/49 spine1 Eth1/1 100000
 *
 * Switches are named by their system name or their chassis ID. '#' begins a comment.
 */
#ifndef IMPORT_TRUNKS_H
#define IMPORT_TRUNKS_H

#include <stddef.h>
#include <stdint.h>

#include "topo/util/diag.h"

/** One end of a trunk. */
typedef struct import_end {
    char *switch_name; /**< the switch, as the table names it; owned */
    char *port;        /**< owned */
} import_end_t;

typedef struct import_trunk {
    import_end_t ends[2];
    uint32_t megabits; /**< 0: not given */
    int line;
} import_trunk_t;

typedef struct import_trunks {
    const char *file; /**< as messages call it; borrowed */
    import_trunk_t *all;
    int n, capacity;
} import_trunks_t;

/**
 * Reads a table. PB_ERR_INPUT with every fault in `diag`: lines of another form, ports that are
 * named twice, a link from a switch to itself; PB_ERR_NO_MEMORY. Clear in any case.
 * O(trunks log trunks).
 */
int import_trunks_parse(const char *text, size_t length, const char *file, import_trunks_t *trunks,
                        pb_diag_t *diag);
void import_trunks_clear(import_trunks_t *trunks);

#endif
