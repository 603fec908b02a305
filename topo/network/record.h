/*
 * The record that a process publishes before the job begins: facts on it, and where it is in the
 * network. By the records all ranks find out, without a message, whether they would serve
 * broadcasts in the same way. A text of five lines: the facts, the host, and the node's name,
 * address and pattern as Slurm or the site gives them (topo/network/addresses.h).
 */
#ifndef PB_RECORD_H
#define PB_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/network/addresses.h"
#include "topo/network/locality.h"

/** Numbers on which all ranks must be alike: versions, parameters, digests of files. */
#define PB_FACTS_N_ALIKE 16

/** An unknown number where the least of all ranks counts: more than any. */
#define PB_FACTS_UNKNOWN UINT64_MAX

typedef struct pb_facts {
    bool can_serve; /**< else the process has found an error, which it reports itself */
    uint64_t alike[PB_FACTS_N_ALIKE];
    uint64_t model;           /**< digest of its measured model; 0: none */
    pb_locality_t place;      /**< where it sits in its host */
    uint64_t bits_per_second; /**< of its link to other hosts; the least of all ranks counts */
    uint64_t mtu;             /**< the least counts */
    uint64_t connections;     /**< neighbors that it may have; the least counts */
} pb_facts_t;

/**
 * The text, which the caller frees; NULL if out of memory. A NULL in the address is "". A value is
 * cut where its line ends, or one byte behind what pb_addresses_join() takes, which notices that.
 * O(bytes).
 */
char *pb_record_write(const pb_facts_t *facts, const pb_address_t *address);

/**
 * Reads a text and cuts it into those of the address. PB_ERR_MALFORMED: it is none, or one of
 * another version; then all numbers are 0, and of the address only the host is known, if at all.
 * O(bytes).
 */
int pb_record_read(char *text, pb_facts_t *facts_p, pb_address_t *address_p);

#endif
