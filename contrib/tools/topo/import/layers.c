#include "layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

/** Links of a cycle that a message names. */
enum { MAX_NAMED = 8 };

/** What is known of each switch. */
typedef struct layers {
    import_fabric_t *fabric;
    int n;         /* switches */
    int *distance; /* from what import_fabric_spread() began at */
    int *height;   /* the higher one of two that are joined is above */
    bool *in_core; /* is left when dead ends are taken off, again and again */
    bool *carries; /* has hosts itself, or dead ends that have */
    pb_diag_t *diag, *warnings;
} layers_t;

static void clear_distances(layers_t *l)
{
    for (int i = 0; i < l->n; i++) {
        l->distance[i] = -1;
    }
}

/** Directs each link by the heights of its ends, which must differ. */
static void direct(layers_t *l)
{
    for (int i = 0; i < l->fabric->n_links; i++) {
        import_link_t *link = &l->fabric->links[i];
        if (l->height[link->lower] > l->height[link->upper]) {
            const int upper = link->lower;
            link->lower = link->upper;
            link->upper = upper;
        }
    }
}

/* ---- cycles ---- */

/** The link by which the way over `distance` goes on from a switch to where it began. */
static int next_back(const layers_t *l, int without, int at)
{
    for (int i = 0; i < l->fabric->n_links; i++) {
        const import_link_t *link = &l->fabric->links[i];
        const int other = link->lower == at ? link->upper : link->lower;
        if (i != without && (link->lower == at || link->upper == at) &&
            l->distance[other] == l->distance[at] - 1) {
            return i;
        }
    }
    return -1;
}

/** Reports a shortest cycle through a link, by its links; `distance` is from its lower end. */
static int report_cycle(layers_t *l, int through)
{
    const import_link_t *links = l->fabric->links;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    fprintf(out, "%s", links[through].where);
    int n = 1;
    for (int at = links[through].upper; l->distance[at] > 0; n++) {
        const int link = next_back(l, through, at);
        if (n < MAX_NAMED) {
            fprintf(out, "; %s", links[link].where);
        }
        at = links[link].lower == at ? links[link].upper : links[link].lower;
    }
    if (n > MAX_NAMED) {
        fprintf(out, "; and %d more", n - MAX_NAMED);
    }
    if (fclose(out) != 0) {
        free(text);
        return PB_ERR_NO_MEMORY;
    }
    pb_diag_fault(
        l->diag, NULL, 0,
        "these links are a cycle, but no leaves below spines: %s. Leave out the link that "
        "the spanning tree blocks (a table for --trunks can be edited), or name the "
        "switches at the top (--top), or those that are an MLAG pair (--pair)",
        text);
    free(text);
    return PB_ERR_INPUT;
}

/** Reports a link whose ends are of one height. */
static int report_level(layers_t *l, int level)
{
    const import_link_t *link = &l->fabric->links[level];
    clear_distances(l);
    l->distance[link->lower] = 0;
    import_fabric_spread(l->fabric, level, l->distance);
    if (l->distance[link->upper] > 0) {
        return report_cycle(l, level);
    }
    pb_diag_fault(l->diag, NULL, 0,
                  "the link %s joins two switches of one layer; name the switches of the highest "
                  "layer, one of these among them or none (--top)",
                  link->where);
    return PB_ERR_INPUT;
}

/** Directs links by heights, if those of the ends of each differ. */
static int direct_or_report(layers_t *l)
{
    for (int i = 0; i < l->fabric->n_links; i++) {
        const import_link_t *link = &l->fabric->links[i];
        if (l->height[link->lower] == l->height[link->upper]) {
            return report_level(l, i);
        }
    }
    direct(l);
    return PB_SUCCESS;
}

/* ---- a given top ---- */

/** Heights that fall with the distance from the tops. */
static void heights_below(layers_t *l, import_named_t tops)
{
    clear_distances(l);
    for (int i = 0; i < tops.n; i++) {
        l->distance[tops.all[i]] = 0;
    }
    import_fabric_spread(l->fabric, -1, l->distance);
    for (int i = 0; i < l->n; i++) {
        l->height[i] = -l->distance[i];
    }
}

/* ---- trees ---- */

/** The most links from a switch to any other. */
static int eccentricity(layers_t *l, int at)
{
    int most = 0;
    clear_distances(l);
    l->distance[at] = 0;
    import_fabric_spread(l->fabric, -1, l->distance);
    for (int i = 0; i < l->n; i++) {
        most = l->distance[i] > most ? l->distance[i] : most;
    }
    return most;
}

/** The switch in the middle; of two, the one without hosts, or the first by name. */
static int find_middle(layers_t *l)
{
    const import_fabric_t *f = l->fabric;
    int best = -1, least = 0;
    for (int i = 0; i < l->n; i++) {
        if (!f->is_used[i]) {
            continue;
        }
        const int most = eccentricity(l, i);
        bool better = best < 0 || most < least;
        if (!better && most == least) {
            const int order = strverscmp(import_switch_name(f->switches, i),
                                         import_switch_name(f->switches, best));
            const bool has = f->n_hosts[i] > 0, best_has = f->n_hosts[best] > 0;
            better = has != best_has ? best_has : order < 0;
        }
        if (better) {
            best = i;
            least = most;
        }
    }
    return best;
}

/* ---- layers ---- */

/** The only link of a switch to the core, -1 if there are several or none. */
static int only_link(const layers_t *l, int at)
{
    int found = -1;
    for (int i = 0; i < l->fabric->n_links; i++) {
        const import_link_t *link = &l->fabric->links[i];
        const bool counts = (link->lower == at || link->upper == at) && l->in_core[link->lower] &&
                            l->in_core[link->upper];
        if (counts && found >= 0) {
            return -1;
        }
        found = counts ? i : found;
    }
    return found;
}

/** Takes dead ends off the core; whom they hang from has their hosts below it. */
static void find_core(layers_t *l)
{
    bool changed = true;
    for (int i = 0; i < l->n; i++) {
        l->in_core[i] = l->fabric->is_used[i];
        l->carries[i] = l->fabric->n_hosts[i] > 0;
    }
    while (changed) {
        changed = false;
        for (int i = 0; i < l->n; i++) {
            const int only = l->in_core[i] ? only_link(l, i) : -1;
            if (only >= 0) {
                const import_link_t *link = &l->fabric->links[only];
                l->in_core[i] = false;
                l->carries[link->lower == i ? link->upper : link->lower] = true;
                changed = true;
            }
        }
    }
}

/** Whether a switch of the core is of the lowest layer: it has hosts, or, if `hung` counts, carries
 * some. */
static bool is_leaf(const layers_t *l, int i, bool hung)
{
    return l->in_core[i] && (l->fabric->n_hosts[i] > 0 || (hung && l->carries[i]));
}

static bool some_leaf_has_hosts(const layers_t *l)
{
    bool some = false;
    for (int i = 0; i < l->n; i++) {
        some |= is_leaf(l, i, false);
    }
    return some;
}

/**
 * In the core, heights rise with the distance from its leaves; outside, they fall with that from
 * the core, and are below all of it.
 */
static void heights_above_leaves(layers_t *l, bool hung)
{
    clear_distances(l);
    for (int i = 0; i < l->n; i++) {
        l->distance[i] = l->in_core[i] ? 0 : -1;
    }
    import_fabric_spread(l->fabric, -1, l->distance);
    for (int i = 0; i < l->n; i++) {
        l->height[i] = -l->distance[i];
        l->distance[i] = is_leaf(l, i, hung) ? 0 : -1;
    }
    import_fabric_spread(l->fabric, -1, l->distance);
    for (int i = 0; i < l->n; i++) {
        l->height[i] = l->in_core[i] ? l->distance[i] : l->height[i];
    }
}

static bool has_level_link(const layers_t *l)
{
    bool has = false;
    for (int i = 0; i < l->fabric->n_links; i++) {
        const import_link_t *link = &l->fabric->links[i];
        has |= l->height[link->lower] == l->height[link->upper];
    }
    return has;
}

/**
 * A switch that hangs from another by one link may be a leaf whose other links are down, below a
 * spine, or be below a leaf. The former is tried first, as the switches with hosts of their own are
 * leaves for sure.
 */
static void find_heights(layers_t *l)
{
    find_core(l);
    const bool try_first = some_leaf_has_hosts(l);
    if (try_first) {
        heights_above_leaves(l, false);
    }
    if (!try_first || has_level_link(l)) {
        heights_above_leaves(l, true);
    }
}

static int count_used(const import_fabric_t *fabric)
{
    int n = 0;
    for (int i = 0; i < fabric->switches->n; i++) {
        n += fabric->is_used[i];
    }
    return n;
}

/* ---- the whole ---- */

/** Takes a switch out that has nothing below it. */
static void take_out(import_fabric_t *fabric, int at, pb_diag_t *warnings)
{
    if (fabric->is_used[at]) {
        pb_diag_fault(warnings, NULL, 0,
                      "switch %s has no hosts, and no switches below it; it is left out. Is it of "
                      "the highest layer (--top)?",
                      import_switch_name(fabric->switches, at));
    }
    fabric->is_used[at] = false;
}

/** Takes out switches that have neither hosts nor switches below them, until there is none. */
static void take_out_empty(import_fabric_t *fabric, bool *has_below, pb_diag_t *warnings)
{
    int n = -1;
    while (n != fabric->n_links) {
        n = fabric->n_links;
        for (int i = 0; i < fabric->switches->n; i++) {
            has_below[i] = fabric->n_hosts[i] > 0;
        }
        for (int i = 0; i < n; i++) {
            has_below[fabric->links[i].upper] = true;
        }
        fabric->n_links = 0;
        for (int i = 0; i < n; i++) {
            if (has_below[fabric->links[i].lower]) {
                fabric->links[fabric->n_links++] = fabric->links[i];
            } else {
                take_out(fabric, fabric->links[i].lower, warnings);
            }
        }
    }
}

static int find_layers(layers_t *l, import_named_t tops)
{
    if (tops.n > 0) {
        heights_below(l, tops);
    } else if (l->fabric->n_links < count_used(l->fabric)) {
        const int middle = find_middle(l);
        heights_below(l, (import_named_t){.all = &middle, .n = middle >= 0});
    } else {
        find_heights(l);
    }
    const int error = direct_or_report(l);
    if (error == PB_SUCCESS) {
        take_out_empty(l->fabric, l->carries, l->warnings);
    }
    return error;
}

int import_layers(import_fabric_t *fabric, import_named_t tops, pb_diag_t *diag,
                  pb_diag_t *warnings)
{
    const size_t n = (size_t) fabric->switches->n + 1;
    layers_t l = {.fabric = fabric,
                  .n = fabric->switches->n,
                  .distance = malloc(n * sizeof(*l.distance)),
                  .height = malloc(n * sizeof(*l.height)),
                  .in_core = malloc(n * sizeof(*l.in_core)),
                  .carries = malloc(n * sizeof(*l.carries)),
                  .diag = diag,
                  .warnings = warnings};
    int error = PB_ERR_NO_MEMORY;
    if (l.distance != NULL && l.height != NULL && l.in_core != NULL && l.carries != NULL) {
        error = find_layers(&l, tops);
    }
    free(l.distance);
    free(l.height);
    free(l.in_core);
    free(l.carries);
    return error;
}
