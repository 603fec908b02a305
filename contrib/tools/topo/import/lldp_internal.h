/*
 * The parts of import_lldp(): which neighbours are switches (lldp_switches.c), where hosts are
 * (lldp_hosts.c), and how switches are connected (lldp_trunks.c).
 */
#ifndef IMPORT_LLDP_INTERNAL_H
#define IMPORT_LLDP_INTERNAL_H

#include <stdbool.h>

#include "fabric.h"
#include "lldp.h"
#include "switches.h"
#include "write.h"

/** What is being made. */
typedef struct import {
    const import_request_t *request;
    import_switches_t switches;
    import_fabric_t fabric;
    import_host_t *hosts;    /**< in the order of their tables */
    const char **host_names; /**< sorted */
    int core;                /**< the switch that joins all where no trunks are known; -1: none */
    int *tops;               /**< the switches of --top */
    int n_tops;
    pb_diag_t *diag;
    pb_diag_t *warnings;
} import_t;

/** Whether a word of a list `matches` a neighbour. */
bool import_has_word(import_words_t words, const import_neighbour_t *neighbour,
                     bool (*matches)(const import_neighbour_t *neighbour, const char *word));

/** Whether a host has this name. O(log hosts). */
bool import_is_host_name(const import_t *im, const char *name);

/** Whether the tables tell how switches are connected. */
bool import_knows_trunks(const import_request_t *request);

/** Sorts the names of hosts. PB_ERR_INPUT if there are two tables of one. */
int import_sort_hosts(import_t *im);

/**
 * Finds all switches, notes in the tables which neighbour is which, and makes pairs one.
 * PB_ERR_INPUT with faults, PB_ERR_NO_MEMORY.
 */
int import_find_switches(import_t *im);

/** Finds the switches of --top in a settled fabric. PB_ERR_INPUT, PB_ERR_NO_MEMORY. */
int import_find_tops(import_t *im);

/** The switch that stands for another. */
static inline int import_stands_for(const import_t *im, int at)
{
    return im->switches.all[at].stands;
}

/**
 * Whether a neighbour that is a switch is the first one of its interface; if a later one is another
 * switch than the first, that is reported, and *error_p becomes PB_ERR_INPUT.
 */
bool import_is_first(const import_t *im, const import_table_t *table, int i, int *error_p);

/** Finds the switch of each host. PB_ERR_INPUT with all faults. */
int import_place_hosts(import_t *im);

/** Adds the links between switches to the fabric. PB_ERR_INPUT with faults, PB_ERR_NO_MEMORY. */
int import_connect_switches(import_t *im);

#endif
