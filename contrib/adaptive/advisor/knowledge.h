/* Knowledge of the network: a file of measured links, a topology, and the links of a set of hosts
 * by both. */
#ifndef ADVISE_KNOWLEDGE_H
#define ADVISE_KNOWLEDGE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "contrib/adaptive/advice/host_set.h"
#include "contrib/adaptive/search/link_share.h"

/** Assumed where nothing was measured: of 1 Gbit/s Ethernet. */
#define ADVISE_ASSUMED_LATENCY 50000
#define ADVISE_ASSUMED_STARTUP 10000
#define ADVISE_ASSUMED_BANDWIDTH 118000000

/** Latencies that a hop is taken to cost: an idle connection waits for acknowledgements until its
 * window has opened (ours). */
#define ADVISE_HOP_LATENCIES 3

/** The file of links, read again whenever it was replaced. */
struct advise_links {
    const char *path;         /**< borrowed; NULL: none */
    struct timespec changed;  /**< of the file that was read last, good or not */
    pb_link_matrix_t *matrix; /**< of the last good one; NULL: none yet */
    time_t measured;          /**< when that was written */
    bool lacks_hosts;         /**< that are in programs; it was reported of this file */
};

struct advise_knowledge {
    struct advise_links links;
    pb_network_t *network; /**< of the topology file; NULL: none, or a flat one */
    int max_age;           /**< seconds for which links hold */
    bool lacks_hosts;      /**< the topology does; it was reported */
};

/**
 * Reads the topology, if there is one; of a file of several, the one called `name`. False after
 * messages.
 */
bool advise_knowledge_open(struct advise_knowledge *knowledge, const char *topology,
                           const char *name, const char *links, int max_age);
void advise_knowledge_close(struct advise_knowledge *knowledge);

/** Reads the file of links if it was replaced. An invalid one is reported once, and the known links
 * stay. Returns whether there is something new. */
bool advise_knowledge_refresh(struct advise_knowledge *knowledge);

/** The network between a set of hosts; host i is node i. */
struct advise_network {
    pb_link_matrix_t *matrix;
    pb_network_t *one_switch;  /**< in place of a topology; NULL with one */
    pb_network_t *joined;      /**< the topology with hosts that it lacks; NULL: it has all */
    pb_placement_t *placement; /**< in the topology, or on the one switch */
    pb_link_share_t *share;    /**< of the matrix as it is */
    bool measured;             /**< the matrix is of measured links; else assumed ones */
};

/**
 * The matrix of these hosts, from the file of links if that holds and has them all. Else it is
 * assumed, from the topology or as one cluster. Hosts that the topology lacks are below its top for
 * this network alone, which is reported once. Clear also after an error: PB_ERR_UNKNOWN (not all
 * can be there), PB_ERR_NO_MEMORY and others. O(hosts^2 * path).
 */
int advise_network_make(struct advise_knowledge *knowledge, const pb_host_set_t *hosts,
                        struct advise_network *network);
void advise_network_clear(struct advise_network *network);

/** Computes the share anew, after the matrix was changed. PB_ERR_NO_MEMORY. */
int advise_network_share(struct advise_network *network);

#endif
