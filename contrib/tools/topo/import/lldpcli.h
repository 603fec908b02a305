/*
 * Reader for what `lldpcli -f json0 show neighbors [details]` prints: the neighbours of a host or
 * of a switch on which lldpd runs. In json0 every element is an array whatever there is of it,
 * unlike in json. Without `details` the speeds of links are missing.
 */
#ifndef IMPORT_LLDPCLI_H
#define IMPORT_LLDPCLI_H

#include <stdbool.h>
#include <stddef.h>

#include "table.h"
#include "topo/util/diag.h"

/** Whether there is a reader of JSON. */

/**
 * Adds the neighbours in `text` to an initialised table. Where a neighbour announces itself by
 * several protocols over one interface, only LLDP counts. PB_ERR_INPUT with every fault in `diag`;
 * PB_ERR_NO_MEMORY. The caller clears the table also after an error. O(length).
 */
int import_lldpcli_parse(const char *text, size_t length, import_table_t *table, pb_diag_t *diag);

#endif
