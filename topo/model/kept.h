/*
 * What was learnt of broadcasts, kept for later jobs: a cache file of a user, and what it holds
 * (ours).
 *
 * It has an entry for each network, hosts and medium for which something was learnt, by each model
 * and way to choose; the last one that was written comes first. It is small, as each process of a
 * job reads it, and ranks compare the whole of it (topo/model/kept_store.h).
 */
#ifndef PB_KEPT_H
#define PB_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "topo/model/learner.h"
#include "topo/model/medium.h"
#include "topo/network/placement.h"
#include "topo/util/diag.h"

/** Entries of a file; beyond that, the one that was written longest ago goes. */
#define PB_KEPT_MAX 32

/** Bytes of a file. */
#define PB_KEPT_MAX_FILE ((size_t) 2 << 20)

/** For what something was learnt. What was learnt for one is good for no other. */
typedef struct pb_kept_key {
    uint64_t network;     /**< pb_network_hash(), without levels inside hosts */
    int n_hosts, n_ranks; /**< of the communicator */
    uint64_t hosts;       /**< pb_kept_hosts() */
    pb_medium_t medium;   /**< its names, and the rate in whole Mbit/s; the rest is 0 */
    uint64_t model;       /**< pb_model_hash() of the measured or assumed model */
    int kind;             /**< that was set, or PB_CHOOSE_ALL */
    uint64_t segment;     /**< bytes, that was set; 0: none was */
    int fanout;
    bool is_bound; /**< there was a bound on connections */
} pb_kept_key_t;

typedef struct pb_kept_entry {
    pb_kept_key_t key;
    pb_learner_t learner; /**< its speed, ratios and classes count; of these, all have a candidate
                               in force, and all entries notes that count */
} pb_kept_entry_t;

/** Zeros: nothing is kept. */
typedef struct pb_kept {
    int n;
    pb_kept_entry_t *entries[PB_KEPT_MAX]; /**< owned; the last one that was written comes first */
} pb_kept_t;

/** Frees the entries; nothing is kept then. */
void pb_kept_clear(pb_kept_t *kept);

/**
 * For a key: of the hosts that ranks are on, and how many on each, in any order; and of whether
 * plans are `by_leaders` (topo/trees/leaders.h). O(ranks).
 */
uint64_t pb_kept_hosts(const pb_placement_t *placement, bool by_leaders);

/** For a key: the names and the rate that count of a medium. */
pb_medium_t pb_kept_medium(const pb_medium_t *medium, uint64_t bits_per_second);

/** The index of the entry for a key, or -1. O(entries). */
int pb_kept_find(const pb_kept_t *kept, const pb_kept_key_t *key);

/**
 * Whether something should be written: it was learnt, or the entry would soon give way to others.
 */
bool pb_kept_is_worth(const pb_kept_t *kept, const pb_kept_key_t *key, const pb_learner_t *learner);

/**
 * Puts what was learnt for a key first, merged with what is there of it: of size classes of which
 * the learner has notes, its own counts, but one that is not settled gives way to one that is,
 * unless it has drifted; of others, those that are there. What was measured only where connections
 * were opened does not count: it is far from what later broadcasts take. PB_ERR_NO_MEMORY.
 */
int pb_kept_put(pb_kept_t *kept, const pb_kept_key_t *key, const pb_learner_t *learner);

/*
 * The file, version 1: text, one item a line, '#' starts a comment; times in nanoseconds.
 *
 *   pipebcast-learnt 1
 *   network 5b1c02... hosts 32 ranks 32 digest 9e01...    # an entry begins
 *   transport ob1 btl tcp interface eth0 rate 10000       # Mbit/s; "-": not known
 *   model 77aa...
 *   choice auto segment 0 fanout 3 unbounded              # kind that was set; 0: none was
 *   links 9400000 measured          # bits per second that they give, or guessed; may be missing
 *   ratio twotree 8192 1105         # 1024 times what was predicted, by kind and octave of segments
 *   size 65536 settled notes 9 spent 1200000 extra 3000   # or trying; a class of sizes
 *   used twotree segment 8192 notes 3 least 10000 usual 11000    # 0: the whole message
 *   tried fallback segment 0 notes 1 least 90000 usual 90000     # any number of them
 *   end 9                           # items
 *
 * Each entry has the first four, in this order, then the rest.
 */
#define PB_KEPT_VERSION 1

/**
 * Reads a file into *kept, which is cleared if there is a fault. PB_ERR_INPUT with every fault in
 * `diag`, each with file and line: numbers out of range, kinds that are not known or may not be
 * chosen, an entry, a size or a candidate that is there twice, or a file that was cut off.
 * PB_ERR_NO_MEMORY. O(file).
 */
int pb_kept_parse(const char *text, size_t length, const char *name, pb_kept_t *kept,
                  pb_diag_t *diag);

/** Writes a file as pb_kept_parse() reads it. PB_ERR_IO if the stream fails. */
int pb_kept_write(const pb_kept_t *kept, FILE *stream);

#endif
