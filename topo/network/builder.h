/*
 * Makes a network from a file's lines: switches, and lists of the nodes below each.
 *
 * Nodes enter the network when they are first named, so that children keep the order of the file.
 * Links are decided after all lines were read. Slurm prints upper switches with the hosts of all
 * switches below them. A host's link is at the lowest switch that names it, at the first one if
 * several are lowest. A link that closes a cycle is ignored. Switches that are above the same one
 * are merged (spines.h). Several tops get a virtual one above them (network.h).
 *
 * An invalid entry is ignored with a warning that names its line, and costs only the hosts that it
 * concerns.
 */
#ifndef PB_BUILDER_H
#define PB_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/network/network.h"
#include "topo/util/diag.h"

/**
 * Links between the top switch and a host. No path then has more than 1024, which is the
 * longest that a model file may have; IEEE 802.1Q lets a spanning tree have 40.
 */
#define PB_BUILDER_MAX_DEPTH 512

/** A list of what is below a switch. Texts are borrowed. */
typedef struct pb_builder_list {
    int line;
    const char *key; /**< what the file calls it, for messages: "Nodes" */
    const char *names;
    pb_node_kind_t kind; /**< of what it names */
    int parent;          /**< the switch */
    uint32_t speed;      /**< of each link, 0: not given */
    int members;         /**< parallel links to each, 0: not given */
    bool repeats;        /**< hosts that it names are those of switches below */
    /** Adds to what other lists name: links that are there get what is given, and further links
     * go down to what is there. */
    bool adds;
} pb_builder_list_t;

typedef struct pb_builder {
    const char *file;  /**< borrowed, for messages */
    const char *entry; /**< borrowed: what the file has for each switch, "SwitchName line" */
    pb_diag_t *warnings;
    pb_network_t *network;
    struct pb_builder_mention *mentions; /**< by node */
    int mentions_capacity;
    struct pb_builder_link *links; /**< all that were named, in order */
    int n_links, links_capacity;
    int n_lists;     /**< read so far */
    bool is_settled; /**< where the hosts of the lists without `adds` have their links */
    bool full;       /**< the network has no room; reading ends */
    int n_named; /**< names in lists so far; more than there may be nodes are too many, however few
                    are new */
    int n_added; /**< links that lists with `adds` have added, or given something */
    int multicast; /**< the last value of our key Multicast, pb_multicast_allowed_t */
    int marked;    /**< the switch that those above it were marked for last, -1: none */
    int n_marks;   /**< so far */
    const pb_builder_list_t *list; /**< that is being read */
} pb_builder_t;

/** An empty one; to be cleared in any case. PB_ERR_NO_MEMORY. */
int pb_builder_init(pb_builder_t *builder, const char *file, const char *entry,
                    pb_diag_t *warnings);
void pb_builder_clear(pb_builder_t *builder);

/** The switch of this name that a line describes. PB_ERR_INPUT after a warning, PB_ERR_NO_MEMORY.
 */
int pb_builder_switch(pb_builder_t *builder, int line, const char *name);

/** Adds what a finished network has; its virtual top is not taken. PB_ERR_NO_MEMORY. O(nodes). */
int pb_builder_copy(pb_builder_t *builder, const pb_network_t *network);

/** Takes one name as it is, below the parent of the list, whose names are not read.
 * PB_ERR_NO_MEMORY. */
int pb_builder_name(pb_builder_t *builder, const pb_builder_list_t *list, const char *name);

/** Takes a list: names as hostlist.h has them, or ALL. PB_ERR_NO_MEMORY. O(names). */
int pb_builder_list(pb_builder_t *builder, const pb_builder_list_t *list);

/**
 * Gives all links down from a switch that were named so far a speed and members, where these are
 * not 0. Hosts that it only repeats have none. PB_ERR_NO_MEMORY. O(links), and once as much as
 * pb_builder_finish().
 */
int pb_builder_add_all(pb_builder_t *builder, int line, int parent, uint32_t speed, int members);

/**
 * The finished network, or PB_ERR_INPUT with a message in `diag` that nothing can be used; `hint`
 * tells how lines are written. A note tells of several tops. O(nodes + links), and for each host
 * that is repeated, as many steps as there are links above its switch at most; and
 * pb_spines_merge().
 */
int pb_builder_finish(pb_builder_t *builder, const char *hint, pb_diag_t *notes, pb_diag_t *diag,
                      pb_network_t **network_p);

#endif
