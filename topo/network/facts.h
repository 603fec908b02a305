/*
 * Facts on a process that it publishes before the job begins, together with its host's name and its
 * address (topo/network/address_record.h). By them all ranks find out, without a message, whether
 * they would serve broadcasts in the same way. One line of text.
 */
#ifndef PB_FACTS_H
#define PB_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/network/locality.h"

/** Numbers on which all ranks must be alike: versions, parameters, digests of files. */
#define PB_FACTS_N_ALIKE 16

/** An unknown number where the least of all ranks counts: more than any. */
#define PB_FACTS_UNKNOWN UINT64_MAX

/** Bytes of the line, with its end. */
#define PB_FACTS_SIZE 384

typedef struct pb_facts {
    bool can_serve; /**< else the process has found an error, which it reports itself */
    uint64_t alike[PB_FACTS_N_ALIKE];
    uint64_t model;           /**< digest of its measured model; 0: none */
    pb_locality_t place;      /**< where it sits in its host */
    uint64_t bits_per_second; /**< of its link to other hosts; the least of all ranks counts */
    uint64_t mtu;             /**< the least counts */
    uint64_t connections;     /**< neighbors that it may have; the least counts */
} pb_facts_t;

/** Writes the line without a newline; `line` is returned. */
const char *pb_facts_write(const pb_facts_t *facts, char line[PB_FACTS_SIZE]);

/** Reads a line. PB_ERR_MALFORMED, with zeros: it is none, or one of another version. */
int pb_facts_read(const char *line, pb_facts_t *facts_p);

#endif
