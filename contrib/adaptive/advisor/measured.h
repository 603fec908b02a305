/*
 * Link rates measured by running broadcasts (ours; left open in the paper's section 6).
 *
 * Each host notes the rate at which its parent delivered. A slow edge may have a reason in the
 * tree. The parent itself got the message no faster (or at an unknown rate), or the edge shared a
 * full link with others of the tree. Without such a reason its rate replaces the probe's for the
 * path between the two clusters. A fast edge shows that the path is at least as fast.
 *
 * Paths that no tree uses are not measured and keep their last rates. Those that leave or enter a
 * cluster next to a loaded one are suspected. They are taken to be a little slower, so that other
 * paths come first. If two paths into (out of) a cluster are loaded and none is known to be free,
 * all unmeasured ones are taken to be loaded.
 */
#ifndef ADVISE_MEASURED_H
#define ADVISE_MEASURED_H

#include "contrib/adaptive/advice/history.h"
#include "contrib/adaptive/search/link_share.h"

/** An edge is slowed by the edges before it if it is not slower than that by more than this. */
#define ADVISE_SAME_PERCENT 85

/** Percentage of a link that its edges together use at least if it is full. */
#define ADVISE_FULL_PERCENT 80

/** Percentage of the known rate below which a path is loaded; above, differences are noise. */
#define ADVISE_LOADED_PERCENT 75

/**
 * Latencies that a loaded path takes longer at least: an idle connection needs some round trips
 * until its window has opened. Within them slowness shows nothing, as a lost frame or a busy
 * processor costs as much.
 */
#define ADVISE_SETTLING_LATENCIES 8

/** Percentage of its bandwidth that a suspected path keeps. */
#define ADVISE_SUSPECT_PERCENT 90

/** Rates of one communicator's broadcasts, hosts being nodes of the matrix. */
struct advise_rates {
    int root; /**< nobody delivers to it, but in broadcasts of other roots */
    const pb_history_record_t *records; /**< grouped by broadcast, oldest first */
    int n;
};

/** Results of the rates, for people. */
struct advise_findings {
    int n_used;                 /**< records that were new enough */
    int n_loaded;               /**< ordered pairs of clusters that are measured as loaded */
    int loaded_from, loaded_to; /**< the last of them */
};

/**
 * Enters measured rates into the bandwidths of a matrix. Records that ended before `since` (ns, as
 * they count) are too old. `share` holds the links as the matrix was before; NULL: none is shared.
 * PB_ERR_NO_MEMORY. O(records * path + nodes^2).
 */
int advise_apply_rates(pb_link_matrix_t *matrix, const pb_link_share_t *share,
                       const struct advise_rates *rates, int64_t since,
                       struct advise_findings *findings);

#endif
