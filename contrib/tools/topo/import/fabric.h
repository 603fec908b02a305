/*
 * The links between switches, of all tables together.
 *
 * Each link is in the tables of both of its switches, if both have been given. Tables need not call
 * ports alike: a switch may announce a port by its address and call it by its name. So links
 * between two switches are not matched one by one; their numbers are compared.
 */
#ifndef IMPORT_FABRIC_H
#define IMPORT_FABRIC_H

#include <stdbool.h>

#include "switches.h"
#include "topo/util/diag.h"

/** Links between two switches. */
typedef struct import_link {
    int lower, upper;  /**< the switches: in order of their numbers before import_layers() */
    int members;       /**< parallel links */
    uint32_t megabits; /**< of the slowest of them, Mbit/s; 0: not known */
    const char *where; /**< one of them, for messages: "leaf1 swp49 to spine1 swp1"; borrowed */
} import_link_t;

/** A link as one table, or both ends at once, has it. */
typedef struct import_sighting {
    int low, high;        /**< the switches, by number */
    bool by_low, by_high; /**< in whose table it is */
    uint32_t megabits;
    char *where; /**< owned */
} import_sighting_t;

typedef struct import_fabric {
    const import_switches_t *switches; /**< borrowed */
    int *n_hosts;                      /**< by switch: hosts that are connected to it */
    bool *has_table;                   /**< by switch */
    bool *is_used; /**< by switch: has hosts, or is on the way between some; others are left out */
    import_sighting_t *sightings;
    int n_sightings, capacity;
    import_link_t *links; /**< after import_fabric_settle() */
    int n_links;
} import_fabric_t;

/** One end of a link: a switch, and how its port is called (NULL: not known). */
typedef struct import_port {
    int at;
    const char *port;
} import_port_t;

/** A fabric without links. PB_ERR_NO_MEMORY; clear in any case. */
int import_fabric_init(import_fabric_t *fabric, const import_switches_t *switches);
void import_fabric_clear(import_fabric_t *fabric);

/**
 * Adds a link that the table of switch `from.at` has, and that of `to.at`, too, if `both`. The two
 * are different. PB_ERR_NO_MEMORY.
 */
int import_fabric_add(import_fabric_t *fabric, import_port_t from, import_port_t to,
                      uint32_t megabits, bool both);

/**
 * Makes the links of what was added: parallel ones are one, those inside a pair are none, and
 * switches without hosts that are on no way between hosts are left out, with theirs. Tables
 * that contradict each other are reported to `warnings`. PB_ERR_NO_MEMORY.
 * O(links log links + links * switches).
 */
int import_fabric_settle(import_fabric_t *fabric, pb_diag_t *warnings);

/**
 * Reports switches that no link joins to the first one. PB_ERR_INPUT, PB_ERR_NO_MEMORY.
 * O(links * diameter).
 */
int import_fabric_check_joined(const import_fabric_t *fabric, pb_diag_t *diag);

/**
 * Links between each switch and the nearest one whose distance is 0 already, into `distance`, by
 * switch, which is -1 for all others when this is called, and afterwards for those that are not
 * joined to any. `without`: a link that is not passed, -1: none. O(links * diameter).
 */
void import_fabric_spread(const import_fabric_t *fabric, int without, int *distance);

#endif
