#include "topo/discover/discover.h"

#include <math.h>
#include <stdlib.h>

#include "topo/discover/core.h"
#include "topo/discover/round.h"
#include "topo/util/error.h"

enum {
    LEAST_CLEAN = 12, /**< rounds in a row without a slow flow, and log2(hosts) more */
    MOST_REVIEWS = 4, /**< of all cuts */
    MOST_TRIES = 3,   /**< of a cut in a review */
    MOST_HASHED = 12, /**< of a bundle's */
    MOST_VAIN = 12,   /**< rounds with slow flows that yield no cut, before these are given up */
};

typedef struct search {
    pb_gauge_t gauge;
    pb_cuts_t *cuts;
    pb_flow_t *flows; /**< of a round */
    int n_clean;      /**< rounds without a slow flow, in a row */
    int n_vain;
    const pb_discover_options_t *options;
} search_t;

/** More of them where a round has not all hosts. */
static int clean_needed(const pb_meter_t *meter)
{
    const int n = meter->n_hosts, parts = (n + meter->max_flows - 1) / meter->max_flows;
    return (LEAST_CLEAN + (int) ceil(log2(n))) * parts * parts;
}

/** A guess: the rounds that are left, and what a further cut costs while rounds are not clean. */
static void report(const search_t *s)
{
    const int n = s->cuts->n_hosts, left = clean_needed(s->gauge.meter) - s->n_clean;
    if (s->options->progress != NULL) {
        s->options->progress(s->options->context, s->gauge.n_trials,
                             left + (s->n_clean < 3 ? 2 * n : 0) + 4 * s->cuts->n);
    }
}

/* ---- a cut against the others ---- */

/** Tells whether flows over a cut, which contend nowhere else, contend. No verdict: known is
 * false. */
static int try_cut(search_t *s, int cut, bool inward, bool *contends_p, bool *known_p)
{
    const int needed = s->cuts->cuts[cut].n_flows;
    const double capacity = s->cuts->cuts[cut].capacity;
    const pb_cut_t kept = s->cuts->cuts[cut];
    int n = 0;
    *contends_p = *known_p = false;
    for (int tries = 0; n >= 0 && n < needed && tries < MOST_TRIES; tries++) {
        n = pb_round_over(&s->gauge, s->cuts, cut, inward, needed, s->flows);
    }
    if (n < needed) {
        return n < 0 ? n : PB_SUCCESS;
    }
    /* Rates are expected as if it were not there. */
    s->cuts->cuts[cut].capacity = INFINITY;
    const int code =
        pb_core_contends(&s->gauge, s->cuts, capacity, s->flows, n, contends_p, known_p);
    s->cuts->cuts[cut].capacity = kept.capacity;
    return code;
}

/** Tells whether a cut is still seen: by the majority of three verdicts; of a bundle, by one of
 * many. A cut without a verdict is hidden by the others, and does not matter. */
static int is_seen(search_t *s, int cut, bool *seen_p)
{
    const bool hashed = s->cuts->cuts[cut].hashed;
    const int most = hashed ? MOST_HASHED : MOST_TRIES;
    int n_yes = 0, n_no = 0, code = PB_SUCCESS;
    for (int i = 0; code == PB_SUCCESS && i < most; i++) {
        bool contends, known;
        code = try_cut(s, cut, i % 2 == 0, &contends, &known);
        n_yes += known && contends;
        n_no += known && !contends;
        if (n_yes == 2 || (!hashed && n_no == 2)) {
            break;
        }
    }
    s->cuts->cuts[cut].n_agree += n_yes;
    s->cuts->cuts[cut].n_disagree += hashed ? 0 : n_no;
    *seen_p = hashed ? n_yes > 0 : n_yes > n_no;
    return code;
}

/** Drops the cuts that are not seen, the oldest first. *n_dropped_p: how many. */
static int review(search_t *s, int *n_dropped_p)
{
    int code = PB_SUCCESS;
    *n_dropped_p = 0;
    for (int i = 0; code == PB_SUCCESS && i < s->cuts->n;) {
        bool seen;
        code = is_seen(s, i, &seen);
        if (code == PB_SUCCESS && !seen) {
            pb_cuts_remove(s->cuts, i);
            ++*n_dropped_p;
        } else {
            i++;
        }
        report(s);
    }
    return code;
}

/* ---- new cuts ---- */

/** Drops cuts that cannot be in one tree with the new one and are not seen any more. */
static int settle_conflicts(search_t *s, const pb_cut_t *cut, bool *fits_p)
{
    int code = PB_SUCCESS;
    *fits_p = true;
    for (int i = 0; code == PB_SUCCESS && i < s->cuts->n;) {
        bool seen = true;
        if (!pb_cuts_compatible(s->cuts, &s->cuts->cuts[i], cut)) {
            code = is_seen(s, i, &seen);
            *fits_p = *fits_p && !seen;
        }
        if (code == PB_SUCCESS && !seen) {
            pb_cuts_remove(s->cuts, i);
        } else {
            i++;
        }
    }
    return code;
}

/** A new cut, or less capacity of one that is known. *new_p: something was learned. */
static int take_cut(search_t *s, const pb_cut_t *cut, bool *new_p)
{
    const int same = pb_cuts_find(s->cuts, cut);
    bool fits = true;
    int code = PB_SUCCESS;
    *new_p = false;
    if (same >= 0) {
        pb_cut_t *known = &s->cuts->cuts[same];
        *new_p = cut->capacity < known->capacity;
        known->capacity = fmin(known->capacity, cut->capacity);
        known->n_flows = cut->n_flows < known->n_flows ? cut->n_flows : known->n_flows;
        known->hashed = known->hashed || cut->hashed;
        return PB_SUCCESS;
    }
    code = settle_conflicts(s, cut, &fits);
    if (code == PB_SUCCESS && fits) {
        *new_p = true;
        code = pb_cuts_add(s->cuts, cut);
    }
    return code;
}

/** A side with one host is that host's link. */
static void take_lone_host(search_t *s, const pb_core_t *core, const pb_cut_t *cut)
{
    const bool alone_inside = cut->n_inside == 1;
    const int host = alone_inside ? core->flows[0].to : core->flows[0].from;
    if (core->n == 1) {
        pb_gauge_lower(&s->gauge, host, core->capacity);
    }
}

/** Learns a cut from a round of n flows, the first n_slow of them slow. */
static int learn(search_t *s, int n_slow, int n)
{
    pb_core_t core;
    pb_cut_t cut = {.inside = calloc((size_t) s->cuts->n_hosts, sizeof *cut.inside)};
    bool new = false;
    int code = PB_ERR_NO_MEMORY;
    if (cut.inside == NULL) {
        return code;
    }
    code = pb_core_find(&s->gauge, s->cuts, s->flows, n_slow, n, &core);
    /* More than two flows that share a bundle by chance look like those over another link. */
    if (code == PB_SUCCESS && core.n > 0 && !(core.hashed && core.n > 2)) {
        code = pb_core_cut(&s->gauge, s->cuts, &core, &cut);
        if (code == PB_SUCCESS && (cut.n_inside == 1 || s->cuts->n_hosts - cut.n_inside == 1)) {
            take_lone_host(s, &core, &cut);
        } else if (code == PB_SUCCESS) {
            code = take_cut(s, &cut, &new);
        }
    }
    /* Without a core the flows were slow by chance, as repeated trials show. */
    s->n_clean = new ? 0 : s->n_clean + (core.n == 0);
    s->n_vain += core.n > 0 && !new;
    pb_core_clear(&core);
    free(cut.inside);
    return code;
}

/** Runs rounds until clean_needed() in a row are clean. */
static int search_rounds(search_t *s)
{
    const int needed = clean_needed(s->gauge.meter);
    int code = PB_SUCCESS;
    for (s->n_clean = 0; code == PB_SUCCESS && s->n_clean < needed && s->n_vain < MOST_VAIN;) {
        report(s);
        code = pb_gauge_refresh(&s->gauge);
        if (code != PB_SUCCESS) {
            break;
        }
        const int n = pb_round_make(&s->gauge, s->cuts, s->gauge.meter->max_flows, s->flows);
        const int n_slow = n > 0 ? pb_gauge_find_slow(&s->gauge, s->cuts, s->flows, n) : n;
        if (n_slow > 0) {
            code = learn(s, n_slow, n);
        } else {
            s->n_clean++;
            code = n_slow;
        }
    }
    return code;
}

static int run(search_t *s)
{
    int code = pb_gauge_hosts(&s->gauge), n_dropped = 1;
    for (int i = 0; code == PB_SUCCESS && n_dropped > 0 && i < MOST_REVIEWS; i++) {
        s->n_vain = 0;
        code = search_rounds(s);
        code = code == PB_SUCCESS ? review(s, &n_dropped) : code;
    }
    return code;
}

int pb_discover(const pb_meter_t *meter, const pb_discover_options_t *options,
                pb_discovery_t *found)
{
    search_t s = {.cuts = &found->cuts, .options = options};
    const size_t n = (size_t) meter->n_hosts;
    *found = (pb_discovery_t){.speeds = calloc(n, sizeof *found->speeds)};
    pb_cuts_init(&found->cuts, meter->n_hosts);
    int code = pb_gauge_init(&s.gauge, meter, options->seed);
    s.flows = calloc(n, sizeof *s.flows);
    if (s.flows == NULL || found->speeds == NULL) {
        code = PB_ERR_NO_MEMORY;
    }
    code = code == PB_SUCCESS ? run(&s) : code;
    found->complete = code == PB_SUCCESS && s.n_vain < MOST_VAIN;
    found->n_rounds = s.n_clean;
    found->n_trials = s.gauge.n_trials;
    if (code == PB_SUCCESS || code == PB_ERR_UNFIT) {
        for (int host = 0; host < meter->n_hosts; host++) {
            found->speeds[host] = fmin(pb_gauge_out(&s.gauge, host), pb_gauge_in(&s.gauge, host));
        }
        code = PB_SUCCESS;
    }
    free(s.flows);
    pb_gauge_clear(&s.gauge);
    return code;
}

void pb_discovery_clear(pb_discovery_t *found)
{
    pb_cuts_clear(&found->cuts);
    free(found->speeds);
    *found = (pb_discovery_t){.speeds = NULL};
}
