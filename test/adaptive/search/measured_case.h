/*
 * Random measured links for tests and benchmarks of trees made from them. The
 * same seed gives the same on every host. Functions abort if out of memory.
 */
#ifndef PB_MEASURED_CASE_H
#define PB_MEASURED_CASE_H

#include "contrib/adaptive/advice/tree.h"
#include "contrib/adaptive/search/link_matrix.h"
#include "contrib/adaptive/search/link_share.h"
#include "test/must.h"
#include "topo/network/placement.h"
#include "topo/util/random.h"

typedef enum {
    MEASURED_UNIFORM, /**< paper 4, Figure 3: each pair 0.1 to 10 Mbit/s, one cluster */
    MEASURED_GRID, /**< 4 sites, 8 clusters, links as in its section 3, some loaded by 50 to 90 % */
    MEASURED_NETWORK, /**< a random tree of switches, each a cluster and a site; some links loaded
                       */
    MEASURED_COUNT,
} measured_kind_t;

typedef struct measured_case {
    pb_link_matrix_t *matrix;
    pb_network_t *network;     /**< of MEASURED_NETWORK; else NULL */
    pb_placement_t *placement; /**< rank i is node i; NULL without a network */
    int root;
} measured_case_t;

const char *measured_kind_name(measured_kind_t kind);

/** A case of n_nodes nodes. Free with measured_case_clear(). */
void measured_case_init(measured_case_t *c, pb_random_t *random, measured_kind_t kind, int n_nodes);
void measured_case_clear(measured_case_t *c);

/** Links that its pairs share, of its network or of its clusters. The caller frees it. The caller
 * frees it. */
pb_link_share_t *measured_share(const measured_case_t *c);

enum { MEASURED_MAX_NODES = 64 };

/** A random tree from the root over all nodes, of at most MEASURED_MAX_NODES. */
void measured_random_tree(pb_random_t *random, int root, pb_tree_t *tree);

#endif
