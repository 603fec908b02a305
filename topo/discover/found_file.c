#include "topo/discover/found_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/network/topology.h"
#include "topo/util/decimal.h"
#include "topo/util/error.h"
#include "topo/util/median.h"

/** A rate this near to a multiple of the usual one is that multiple. */
#define NEAR 0.13

/** TCP's payload is this share of what Ethernet sends; the higher bound is the clocks'. */
#define LEAST_PAYLOAD 0.88
#define MOST_PAYLOAD 1.04

enum { MOST_MULTIPLE = 16 };

/** The least usual speed that is written in Mbit/s, which `pipebcast explain` takes LinkSpeed for.
 */
#define LEAST_MBIT 100

/** Rates of Ethernet, in Mbit/s. */
static const double ethernet_rates[] = {10,    100,   1000,  2500,   5000,   10000,
                                        25000, 40000, 50000, 100000, 200000, 400000};

typedef struct writing {
    const pb_discovery_t *found;
    char *const *names;
    FILE *out;
    char prefix[40]; /**< of switches' names */
    int *host_cut;   /**< by host: the smallest cut that it is inside, -1: none */
    int *parent_cut; /**< by cut: the smallest one that it is inside, -1: none */
    bool *written;   /**< by host */
    double usual;    /**< bytes per second of most hosts' links */
    double unit;     /**< bytes per second that LinkSpeed counts */
    const char *unit_name;
    double usual_speed; /**< in units */
} writing_t;

/* ---- speeds ---- */

/** The middle one of the hosts' rates. */
static bool find_usual(writing_t *w)
{
    const size_t n = (size_t) w->found->cuts.n_hosts;
    double *sorted = malloc(n * sizeof *sorted);
    if (sorted != NULL) {
        memcpy(sorted, w->found->speeds, n * sizeof *sorted);
        w->usual = pb_median(sorted, (int) n);
    }
    free(sorted);
    return sorted != NULL;
}

/** The unit is such that fractions of the usual speed are whole numbers. */
static void choose_unit(writing_t *w)
{
    double mbit = w->usual * 8e-6;
    for (size_t i = 0; i < sizeof ethernet_rates / sizeof ethernet_rates[0]; i++) {
        if (mbit < MOST_PAYLOAD * ethernet_rates[i] && mbit >= LEAST_PAYLOAD * ethernet_rates[i]) {
            mbit = ethernet_rates[i];
        }
    }
    w->unit = mbit >= LEAST_MBIT ? 125e3 : 125;
    w->unit_name = mbit >= LEAST_MBIT ? "Mbit/s" : "kbit/s";
    w->usual_speed = fmax(1, round(mbit * 125e3 / w->unit));
}

/** The ratio, or the multiple or fraction that it is near. */
static double snap(double ratio)
{
    const double high = ratio < 1 ? 1 / ratio : ratio, whole = round(high);
    if (whole > MOST_MULTIPLE || fabs(high - whole) > NEAR * whole) {
        return ratio;
    }
    return ratio < 1 ? 1 / whole : whole;
}

static uint32_t speed_of(const writing_t *w, double rate)
{
    const double speed = round(w->usual_speed * snap(rate / w->usual));
    return speed < 1 ? 1 : speed < UINT32_MAX ? (uint32_t) speed : UINT32_MAX;
}

/* ---- the tree ---- */

/** The smallest cuts around each host and each cut. A cut's hosts are inside its parent's, too. */
static void find_parents(writing_t *w)
{
    const pb_cuts_t *cuts = &w->found->cuts;
    for (int i = 0; i < cuts->n; i++) {
        int first = 0;
        while (!cuts->cuts[i].inside[first]) {
            first++;
        }
        w->parent_cut[i] = -1;
        for (int k = 0; k < cuts->n; k++) {
            const int best = w->parent_cut[i];
            if (k != i && cuts->cuts[k].inside[first] &&
                cuts->cuts[k].n_inside > cuts->cuts[i].n_inside &&
                (best < 0 || cuts->cuts[k].n_inside < cuts->cuts[best].n_inside)) {
                w->parent_cut[i] = k;
            }
        }
    }
    for (int host = 0; host < cuts->n_hosts; host++) {
        w->host_cut[host] = -1;
        for (int k = 0; k < cuts->n; k++) {
            const int best = w->host_cut[host];
            if (cuts->cuts[k].inside[host] &&
                (best < 0 || cuts->cuts[k].n_inside < cuts->cuts[best].n_inside)) {
                w->host_cut[host] = k;
            }
        }
    }
}

/** A prefix with which no host's name begins. */
static void choose_prefix(writing_t *w)
{
    const size_t most = sizeof w->prefix - 1;
    strcpy(w->prefix, "switch");
    for (int host = 0; host < w->found->cuts.n_hosts; host++) {
        const size_t length = strlen(w->prefix);
        if (strncmp(w->names[host], w->prefix, length) == 0 && length < most) {
            strcat(w->prefix, "_");
            host = -1;
        }
    }
}

/* ---- lines ---- */

/** The switch inside a cut; -1: outside all of them. */
static void write_switch(const writing_t *w, int cut)
{
    fprintf(w->out, "%s%d", w->prefix, cut + 1);
}

static void write_link(const writing_t *w, int cut)
{
    const pb_cut_t *c = &w->found->cuts.cuts[cut];
    fprintf(w->out, "# ");
    write_switch(w, w->parent_cut[cut]);
    fprintf(w->out, " to ");
    write_switch(w, cut);
    if (c->hashed) {
        fprintf(w->out, ": about %d parallel links, each of", c->members);
    } else {
        fprintf(w->out, ":");
    }
    char rate[PB_RATE_TEXT_SIZE];
    fprintf(w->out, " %s Mbit/s, seen by %d flow%s; %d of %d verdicts agree\n",
            pb_rate_text(8 * c->capacity, rate), c->n_flows, c->n_flows == 1 ? "" : "s together",
            c->n_agree, c->n_agree + c->n_disagree);
    fprintf(w->out, "SwitchName=");
    write_switch(w, w->parent_cut[cut]);
    fprintf(w->out, " Switches=");
    write_switch(w, cut);
    fprintf(w->out, " LinkSpeed=%" PRIu32, speed_of(w, c->capacity));
    if (c->hashed) {
        fprintf(w->out, " Uplinks=%d", c->members);
    }
    fprintf(w->out, "\n");
}

/** A line for each speed of hosts on the switch inside a cut. */
static void write_hosts(writing_t *w, int cut)
{
    const int n = w->found->cuts.n_hosts;
    for (int first = 0; first < n; first++) {
        if (w->host_cut[first] != cut || w->written[first]) {
            continue;
        }
        const uint32_t speed = speed_of(w, w->found->speeds[first]);
        fprintf(w->out, "SwitchName=");
        write_switch(w, cut);
        fprintf(w->out, " Nodes=");
        for (int host = first; host < n; host++) {
            if (w->host_cut[host] == cut && speed_of(w, w->found->speeds[host]) == speed) {
                fprintf(w->out, "%s%s", host > first ? "," : "", w->names[host]);
                w->written[host] = true;
            }
        }
        fprintf(w->out, " LinkSpeed=%" PRIu32 "\n", speed);
    }
}

static void write_all(writing_t *w)
{
    const pb_discovery_t *found = w->found;
    fprintf(w->out,
            "#pipebcast Version=" PB_TOPOLOGY_KEYS_VERSION "\n"
            "# Found by contention, in %" PRId64 " trials between %d hosts; LinkSpeed is in %s.\n"
            "# A link that %d hosts cannot fill was not seen, and its switches are one.\n",
            found->n_trials, found->cuts.n_hosts, w->unit_name, found->cuts.n_hosts);
    if (found->complete) {
        fprintf(w->out,
                "# At last %d rounds of flows, which this file calls disjoint, had their "
                "full rates.\n",
                found->n_rounds);
    } else {
        fprintf(w->out, "# Not complete: there were flows that contended without a link that "
                        "explains it, or the time was over.\n");
    }
    for (int cut = -1; cut < found->cuts.n; cut++) {
        write_hosts(w, cut);
    }
    for (int cut = 0; cut < found->cuts.n; cut++) {
        write_link(w, cut);
    }
}

int pb_found_write(const pb_discovery_t *found, char *const *names, FILE *out)
{
    const size_t n = (size_t) found->cuts.n_hosts;
    writing_t w = {.found = found, .names = names, .out = out};
    w.host_cut = calloc(n, sizeof *w.host_cut);
    w.parent_cut = calloc((size_t) found->cuts.n + 1, sizeof *w.parent_cut);
    w.written = calloc(n, sizeof *w.written);
    const bool good =
        w.host_cut != NULL && w.parent_cut != NULL && w.written != NULL && find_usual(&w);
    if (good) {
        choose_unit(&w);
        choose_prefix(&w);
        find_parents(&w);
        write_all(&w);
    }
    free(w.host_cut);
    free(w.parent_cut);
    free(w.written);
    return good ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}
