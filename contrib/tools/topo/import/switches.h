/*
 * The switches that tables of neighbours are of or name.
 *
 * A chassis ID is one switch's own (IEEE 802.1AB, 8.5.2); a system name should be, but two new
 * switches may both be called "switch". So switches are told apart by chassis ID, and people and
 * files may name them by chassis ID or by system name, if only one has it.
 */
#ifndef IMPORT_SWITCHES_H
#define IMPORT_SWITCHES_H

#include <stdbool.h>

#include "table.h"

typedef struct import_switch {
    char *chassis; /**< with its type; NULL: only a table of its own or of trunks names it */
    char *name;    /**< system name; NULL: not announced */
    char *label;   /**< what the topology calls it; NULL before import_switches_label() */
    int stands;    /**< the switch that stands for it: itself, or the first of its pair */
} import_switch_t;

/** All-zero: none. Clear at the end. */
typedef struct import_switches {
    import_switch_t *all;
    int n, capacity;
} import_switches_t;

void import_switches_clear(import_switches_t *switches);

/** The switch that a neighbour is, added if it is new. PB_ERR_NO_MEMORY. O(switches). */
int import_switches_add(import_switches_t *switches, const import_neighbour_t *neighbour);

/** No switch, and several, of import_switches_find(). */
enum { IMPORT_NO_SWITCH = -1, IMPORT_SEVERAL_SWITCHES = -2 };

/**
 * The switch that a word means: that of this chassis ID, in any case of letters; else of this
 * system name; else the only one whose system name is equal up to the first dot. O(switches).
 */
int import_switches_find(const import_switches_t *switches, const char *word);

/** Adds a switch of which only the system name is known. PB_ERR_NO_MEMORY. */
int import_switches_add_name(import_switches_t *switches, const char *name);

/** Whether a word names a neighbour, as import_switches_find() names switches. */
bool import_is_called(const char *chassis, const char *name, const char *word);

/** Makes two switches one to the topology, called as the first. */
void import_switches_pair(import_switches_t *switches, int first, int second);

/**
 * Gives each switch that stands for itself its label: its system name in letters, digits, '.', '_'
 * and '-', or "switch-" and its chassis ID if it has none, shares it, or a host has it.
 * `is_taken` tells which names hosts have. PB_ERR_NO_MEMORY. O(switches^2).
 */
int import_switches_label(import_switches_t *switches,
                          bool (*is_taken)(void *context, const char *label), void *context);

/** A name for messages: the system name, or else the chassis ID. */
const char *import_switch_name(const import_switches_t *switches, int i);

#endif
