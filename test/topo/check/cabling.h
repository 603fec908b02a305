/*
 * The cables of a fabric as they are, before anything is merged: for tests of what is merged.
 * Knows nothing of networks and views, so that what it finds is independent of them.
 */
#ifndef PB_CABLING_H
#define PB_CABLING_H

#include <stdio.h>

#include "topo/util/error.h"
#include "topo/util/random.h"

/** A link between two nodes, or a bundle of some. */
typedef struct pb_cable {
    int lower, upper; /**< nodes */
    int members;      /**< parallel links, at least 1 */
    int speed;        /**< of each of them, in multiples of a host's */
} pb_cable_t;

/** Nodes are numbered, switches first. Switch i is called s<i>, node n_switches + i is host h<i>.
 */
typedef struct pb_cabling {
    int n_switches;
    int n_hosts;
    pb_cable_t *cables;
    int n_cables;
    int capacity; /**< of cables */
} pb_cabling_t;

typedef enum {
    PB_CABLING_BUNDLES,    /**< a random tree of switches, whose links are bundles */
    PB_CABLING_LEAF_SPINE, /**< leaves that have all spines, by bundles */
    PB_CABLING_SOME,       /**< leaves that have more than half of the spines */
    PB_CABLING_PODS,       /**< pods of leaves and spines, below planes of superspines */
    PB_CABLING_COUNT,
} pb_cabling_kind_t;

const char *pb_cabling_name(pb_cabling_kind_t kind);

/**
 * A random fabric of at least two hosts, every two of which are as near in it as in its tree. Links
 * between switches have speeds from 1 to max_speed.
 * PB_ERR_NO_MEMORY. Free with pb_cabling_clear() in any case.
 */
int pb_cabling_random(pb_random_t *random, pb_cabling_kind_t kind, int max_speed,
                      pb_cabling_t *cabling);
void pb_cabling_clear(pb_cabling_t *cabling);

/** Writes it in the form of Slurm's topology.conf, a line for each cable; no switch without one. */
void pb_cabling_write(const pb_cabling_t *cabling, FILE *out);

#endif
