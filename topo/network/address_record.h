/*
 * The record by which a process publishes to the others of its job where Slurm has it in the
 * network. It is one text of four lines: the version, the node's name, its address and the
 * address's pattern. A process outside Slurm publishes empty ones.
 */
#ifndef PB_ADDRESS_RECORD_H
#define PB_ADDRESS_RECORD_H

#include "topo/network/addresses.h"

/**
 * The record of a process with these values, which may be NULL, as "". A value that is longer than
 * pb_addresses_join() takes is cut to one byte more than that. So the excess is noticed where
 * the record is read. The caller frees it; NULL if out of memory. O(bytes).
 */
char *pb_address_record_write(const char *node, const char *address, const char *pattern);

/**
 * Cuts a record into texts, to which `*address_p` then points; its host stays as it is.
 * PB_ERR_MALFORMED, with empty values, for a record of another version or a malformed one.
 * O(bytes).
 */
int pb_address_record_read(char *record, pb_address_t *address_p);

#endif
