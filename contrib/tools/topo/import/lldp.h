/*
 * A topology from what LLDP has told hosts and switches.
 *
 * A host is connected to the switch that it sees. How switches are connected to each other is in
 * their own tables, or in a table of trunks; where there is neither, they are joined by one switch
 * above them, which is right about hosts on one switch and says nothing of the trunks.
 */
#ifndef IMPORT_LLDP_H
#define IMPORT_LLDP_H

#include <stdio.h>

#include "table.h"
#include "topo/util/diag.h"
#include "trunks.h"

/** Texts that somebody has given, each of one word or several with commas between them. */
typedef struct import_words {
    const char *const *all; /**< borrowed */
    int n;
} import_words_t;

typedef struct import_request {
    import_table_t *hosts; /**< what becomes of their neighbours is noted in them */
    int n_hosts;
    import_table_t *switches; /**< likewise */
    int n_switches;
    const import_trunks_t *trunks; /**< NULL: none */
    import_words_t interfaces;     /**< of hosts that count; none: all do */
    import_words_t pairs;          /**< in each switches that are one (MLAG, stacks) */
    import_words_t ignored;        /**< neighbours that do not count */
    import_words_t tops;           /**< switches of the highest layer; none: to be found */
} import_request_t;

/**
 * Writes a topology file (import_write()) to `out`. PB_ERR_INPUT with every fault in `diag`;
 * PB_ERR_NO_MEMORY. `warnings` gets what is doubtful. O(neighbours * switches), and
 * import_layers().
 */
int import_lldp(const import_request_t *request, FILE *out, pb_diag_t *diag, pb_diag_t *warnings);

#endif
