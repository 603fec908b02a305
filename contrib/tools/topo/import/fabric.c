#include "fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

int import_fabric_init(import_fabric_t *fabric, const import_switches_t *switches)
{
    const size_t n = (size_t) switches->n + 1;
    *fabric = (import_fabric_t){.switches = switches,
                                .n_hosts = calloc(n, sizeof(*fabric->n_hosts)),
                                .has_table = calloc(n, sizeof(*fabric->has_table)),
                                .is_used = calloc(n, sizeof(*fabric->is_used))};
    const bool all =
        fabric->n_hosts != NULL && fabric->has_table != NULL && fabric->is_used != NULL;
    return all ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

void import_fabric_clear(import_fabric_t *fabric)
{
    for (int i = 0; i < fabric->n_sightings; i++) {
        free(fabric->sightings[i].where);
    }
    free(fabric->sightings);
    free(fabric->links);
    free(fabric->n_hosts);
    free(fabric->has_table);
    free(fabric->is_used);
    *fabric = (import_fabric_t){.n_links = 0};
}

/** One end in words. */
static const char *port_of(import_port_t end)
{
    return end.port != NULL ? end.port : "?";
}

int import_fabric_add(import_fabric_t *fabric, import_port_t from, import_port_t to,
                      uint32_t megabits, bool both)
{
    if (fabric->n_sightings == fabric->capacity) {
        const int capacity = fabric->capacity > 0 ? 2 * fabric->capacity : 64;
        import_sighting_t *more =
            realloc(fabric->sightings, (size_t) capacity * sizeof(*fabric->sightings));
        if (more == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        fabric->sightings = more;
        fabric->capacity = capacity;
    }
    const bool rising = from.at < to.at;
    import_sighting_t *sighting = &fabric->sightings[fabric->n_sightings];
    *sighting = (import_sighting_t){.low = rising ? from.at : to.at,
                                    .high = rising ? to.at : from.at,
                                    .by_low = both || rising,
                                    .by_high = both || !rising,
                                    .megabits = megabits};
    if (asprintf(&sighting->where, "%s %s to %s %s", import_switch_name(fabric->switches, from.at),
                 port_of(from), import_switch_name(fabric->switches, to.at), port_of(to)) < 0) {
        sighting->where = NULL;
        return PB_ERR_NO_MEMORY;
    }
    fabric->n_sightings++;
    return PB_SUCCESS;
}

/* ---- links of sightings ---- */

/** The slower of two speeds of which each may be unknown. */
static uint32_t slower(uint32_t a, uint32_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static int compare_sightings(const void *a, const void *b)
{
    const import_sighting_t *left = a, *right = b;
    return left->low != right->low ? left->low - right->low : left->high - right->high;
}

/** Links between two switches, as the two tables count them. */
typedef struct count {
    int low, high; /* links in the table of either */
} count_t;

/** Links that both tables have; those of the only one that has any, where it is one. */
static int agreed_number(count_t count)
{
    const int least = count.low < count.high ? count.low : count.high;
    const int most = count.low < count.high ? count.high : count.low;
    return least > 0 ? least : most;
}

/** Reports that the tables of a link's ends contradict each other. */
static void compare_tables(const import_fabric_t *fabric, const import_link_t *link, count_t count,
                           pb_diag_t *warnings)
{
    if (!fabric->has_table[link->lower] || !fabric->has_table[link->upper] ||
        count.low == count.high) {
        return;
    }
    pb_diag_fault(
        warnings, NULL, 0,
        "the tables of %s and %s differ in the number of links between them, %d and %d; taken "
        "is %d. Is LLDP on at both ends, and are both tables of the same time?",
        import_switch_name(fabric->switches, link->lower),
        import_switch_name(fabric->switches, link->upper), count.low, count.high, link->members);
}

/** The link that sightings of the same two switches make. */
static import_link_t make_link(const import_fabric_t *fabric, const import_sighting_t *same, int n,
                               pb_diag_t *warnings)
{
    count_t count = {0, 0};
    import_link_t link = {.lower = same->low, .upper = same->high, .where = same->where};
    for (int i = 0; i < n; i++) {
        count.low += same[i].by_low;
        count.high += same[i].by_high;
        link.megabits = slower(link.megabits, same[i].megabits);
    }
    link.members = agreed_number(count);
    compare_tables(fabric, &link, count, warnings);
    return link;
}

static int compare_links(const void *a, const void *b)
{
    const import_link_t *left = a, *right = b;
    return left->lower != right->lower ? left->lower - right->lower : left->upper - right->upper;
}

/** Gives a link the switches that stand for its own, in order of their numbers. */
static void stand_in(const import_fabric_t *fabric, import_link_t *link)
{
    const int a = fabric->switches->all[link->lower].stands;
    const int b = fabric->switches->all[link->upper].stands;
    link->lower = a < b ? a : b;
    link->upper = a < b ? b : a;
}

/** Makes links between the same two switches one, and takes out those inside a pair. */
static void merge_links(import_fabric_t *fabric)
{
    int n = 0;
    qsort(fabric->links, (size_t) fabric->n_links, sizeof(*fabric->links), compare_links);
    for (int i = 0; i < fabric->n_links; i++) {
        const import_link_t link = fabric->links[i];
        import_link_t *last = n > 0 ? &fabric->links[n - 1] : NULL;
        if (link.lower == link.upper) {
            continue;
        }
        if (last != NULL && compare_links(last, &link) == 0) {
            last->members += link.members;
            last->megabits = slower(last->megabits, link.megabits);
        } else {
            fabric->links[n++] = link;
        }
    }
    fabric->n_links = n;
}

/* ---- switches that nobody needs ---- */

/** Whether both ends of a link are used. */
static bool is_used(const import_fabric_t *fabric, const import_link_t *link)
{
    return fabric->is_used[link->lower] && fabric->is_used[link->upper];
}

static int count_used_links(const import_fabric_t *fabric, int at)
{
    int n = 0;
    for (int i = 0; i < fabric->n_links; i++) {
        const import_link_t *link = &fabric->links[i];
        n += is_used(fabric, link) && (link->lower == at || link->upper == at);
    }
    return n;
}

/** Leaves out dead ends without hosts, again and again until there is none. */
static void leave_out(import_fabric_t *fabric)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i < fabric->switches->n; i++) {
            if (fabric->is_used[i] && fabric->n_hosts[i] == 0 && count_used_links(fabric, i) <= 1) {
                fabric->is_used[i] = false;
                changed = true;
            }
        }
    }
    int n = 0;
    for (int i = 0; i < fabric->n_links; i++) {
        if (is_used(fabric, &fabric->links[i])) {
            fabric->links[n++] = fabric->links[i];
        }
    }
    fabric->n_links = n;
}

int import_fabric_settle(import_fabric_t *fabric, pb_diag_t *warnings)
{
    const import_sighting_t *all = fabric->sightings;
    const int n = fabric->n_sightings;
    fabric->links = malloc(((size_t) n + 1) * sizeof(*fabric->links));
    if (fabric->links == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    if (n > 0) {
        qsort(fabric->sightings, (size_t) n, sizeof(*fabric->sightings), compare_sightings);
    }
    for (int begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && compare_sightings(&all[begin], &all[end]) == 0; end++) {
        }
        import_link_t *link = &fabric->links[fabric->n_links++];
        *link = make_link(fabric, &all[begin], end - begin, warnings);
        stand_in(fabric, link);
    }
    merge_links(fabric);
    for (int i = 0; i < fabric->switches->n; i++) {
        fabric->is_used[i] = fabric->switches->all[i].stands == i;
    }
    leave_out(fabric);
    return PB_SUCCESS;
}

/* ---- distances ---- */

void import_fabric_spread(const import_fabric_t *fabric, int without, int *distance)
{
    bool changed = true;
    for (int at = 0; changed; at++) {
        changed = false;
        for (int i = 0; i < fabric->n_links; i++) {
            const import_link_t *link = &fabric->links[i];
            const int ends[] = {link->lower, link->upper};
            for (int end = 0; i != without && end < 2; end++) {
                if (distance[ends[end]] == at && distance[ends[1 - end]] < 0) {
                    distance[ends[1 - end]] = at + 1;
                    changed = true;
                }
            }
        }
    }
}

int import_fabric_check_joined(const import_fabric_t *fabric, pb_diag_t *diag)
{
    const int n = fabric->switches->n;
    int first = -1, error = PB_SUCCESS;
    int *distance = malloc(((size_t) n + 1) * sizeof(*distance));
    if (distance == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < n; i++) {
        distance[i] = -1;
    }
    for (int i = 0; i < n; i++) {
        if (!fabric->is_used[i] || distance[i] >= 0) {
            continue;
        }
        if (first < 0) {
            first = i;
        } else {
            pb_diag_fault(diag, NULL, 0,
                          "no trunks of the tables lead from switch %s to %s; give the tables of "
                          "the switches between them",
                          import_switch_name(fabric->switches, first),
                          import_switch_name(fabric->switches, i));
            error = PB_ERR_INPUT;
        }
        distance[i] = 0;
        import_fabric_spread(fabric, -1, distance);
    }
    free(distance);
    return error;
}
