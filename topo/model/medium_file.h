/*
 * The line of a file that names a medium:
 *
 *   transport ob1 btl tcp interface eth0 rate 1000     # Mbit/s; "-": not known
 *
 * Names of several BTLs or interfaces are separated by '+'.
 */
#ifndef PB_MEDIUM_FILE_H
#define PB_MEDIUM_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "topo/model/medium.h"
#include "topo/util/item_file.h"

/** Its form, for a table of items. */
#define PB_MEDIUM_FORM "transport PML btl BTLS interface INTERFACES rate MBITS"

/** Reads the line into the names and the rate of a medium; the rest stays as it is. False, with an
 * error, if a name is too long or the rate is 0. */
bool pb_medium_read_item(pb_item_reader_t *item, pb_medium_t *medium);

/** Writes the line. */
void pb_medium_write_item(const pb_medium_t *medium, FILE *stream);

#endif
