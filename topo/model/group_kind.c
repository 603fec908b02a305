/*
 * The kind of tree for a group of some ranks; see topo/model/group_kind.h.
 */
#include "topo/model/group_kind.h"

/** Nanoseconds per member to compute a two-tree (0.3 ms for 32, 28 ms for 1024). */
#define TWOTREE_NS 28000.0

/** And a binary tree (0.7 ms for 1024); a chain takes a tenth of that. */
#define BINARY_NS 700.0

static int log2_up(int n)
{
    int log = 0;
    while (log < 30 && 1 << log < n) {
        log++;
    }
    return log;
}

pb_kind_t pb_group_kind(int n_members, uint64_t n_segments, double message_ns)
{
    const double segments = (double) n_segments;
    const double segment_ns = message_ns / segments;
    const int height = log2_up(n_members);
    /* On the way down to the last member the computations of `height` ranks follow each other. */
    const double computing = (double) n_members * height;
    const double chain = (segments + n_members - 2) * segment_ns;
    const double binary = 2 * (segments + height - 1) * segment_ns + BINARY_NS * computing;
    const double twotree = (segments + 2 * height - 2) * segment_ns + TWOTREE_NS * computing;
    if (chain <= binary && chain <= twotree) {
        return PB_KIND_CHAIN;
    }
    return twotree <= binary ? PB_KIND_TWOTREE : PB_KIND_BINARY;
}
