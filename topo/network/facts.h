/*
 * The facts that a process publishes of itself before the job begins, beside its address
 * (topo/network/address_record.h): all that others need to know of it to find out, without a
 * message, whether they would all serve broadcasts in the same way. One line of text.
 */
#ifndef PB_FACTS_H
#define PB_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/network/locality.h"

/** A number that is not known, of those of which the least one counts: more than any. */
#define PB_FACTS_UNKNOWN UINT64_MAX

/** Bytes of the line, with its end. */
#define PB_FACTS_SIZE 128

typedef struct pb_facts {
    uint64_t digest; /**< of all on which ranks must be alike; 0: not known, nor is what follows */
    uint64_t host;   /**< hash of its host's name */
    pb_locality_t place;      /**< where it sits in its host */
    uint64_t bits_per_second; /**< of its link to other hosts */
    uint64_t mtu;             /**< likewise */
    uint64_t connections;     /**< neighbours that it may have */
    uint64_t kept;            /**< digest of what it has read of earlier jobs; 0: nothing */
} pb_facts_t;

/** Writes the line without a newline; `line` is returned. */
const char *pb_facts_write(const pb_facts_t *facts, char line[PB_FACTS_SIZE]);

/** Reads a line. PB_ERR_MALFORMED, with a digest of 0: it is none, or one of another version. */
int pb_facts_read(const char *line, pb_facts_t *facts_p);

#endif
