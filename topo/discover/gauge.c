#include "topo/discover/gauge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

/** A host with less than this share of the highest rate is measured with further partners. */
#define LIKE_OTHERS 0.8

/** Factor by which a rate above the one before is news. */
#define RISEN 1.1

/** Share of a link that acknowledgements, and messages that wait behind them, leave. */
#define BOTH_WAYS 0.92

/** Least and most repetitions for slow flows, as long as each leaves fewer of them, as it does
 * where they are slow by chance. */
#define LEAST_REPEATS 2
#define MOST_REPEATS 6

/** Unsteady trials after which all trials become longer. */
#define MOST_UNSTEADY 3

int pb_gauge_init(pb_gauge_t *gauge, const pb_meter_t *meter, uint64_t seed)
{
    const size_t n = (size_t) meter->n_hosts;
    *gauge = (pb_gauge_t){.meter = meter,
                          .random = pb_random_seed(seed),
                          .out = calloc(n, sizeof *gauge->out),
                          .in = calloc(n, sizeof *gauge->in),
                          .rates = calloc(n, sizeof *gauge->rates),
                          .expected = calloc(n, sizeof *gauge->expected)};
    return gauge->out != NULL && gauge->in != NULL && gauge->rates != NULL &&
                   gauge->expected != NULL
               ? PB_SUCCESS
               : PB_ERR_NO_MEMORY;
}

void pb_gauge_clear(pb_gauge_t *gauge)
{
    free(gauge->out);
    free(gauge->in);
    free(gauge->rates);
    free(gauge->expected);
    *gauge = (pb_gauge_t){.meter = NULL};
}

/* ---- hosts' links ---- */

/** The second highest reading; if there is only one, that. */
static double settled(const double readings[PB_GAUGE_READINGS])
{
    const double last = readings[PB_GAUGE_READINGS - 1];
    return last > 0 ? last : readings[0];
}

double pb_gauge_out(const pb_gauge_t *gauge, int host)
{
    return settled(gauge->out[host]);
}

double pb_gauge_in(const pb_gauge_t *gauge, int host)
{
    return settled(gauge->in[host]);
}

double pb_gauge_alone(const pb_gauge_t *gauge, pb_flow_t flow)
{
    return fmin(pb_gauge_out(gauge, flow.from), pb_gauge_in(gauge, flow.to));
}

static void keep(double readings[PB_GAUGE_READINGS], double rate)
{
    for (int i = 0; i < PB_GAUGE_READINGS; i++) {
        if (rate > readings[i]) {
            const double lower = readings[i];
            readings[i] = rate;
            rate = lower;
        }
    }
}

void pb_gauge_lower(pb_gauge_t *gauge, int host, double rate)
{
    for (int i = 0; i < PB_GAUGE_READINGS; i++) {
        gauge->out[host][i] = rate;
        gauge->in[host][i] = rate;
    }
}

static int measure(pb_gauge_t *gauge, const pb_flow_t *flows, int n)
{
    const int code = gauge->meter->measure(gauge->meter->context, flows, n, gauge->rates);
    gauge->n_trials += code == PB_SUCCESS;
    for (int i = 0; code == PB_SUCCESS && i < n; i++) {
        keep(gauge->out[flows[i].from], gauge->rates[i]);
        keep(gauge->in[flows[i].to], gauge->rates[i]);
    }
    return code;
}

/** A flow from each host to the one that is `distance` further in a random order. */
static int measure_ring(pb_gauge_t *gauge, const int *order, int distance)
{
    const int n = gauge->meter->n_hosts;
    int code = PB_SUCCESS;
    for (int i = 0; code == PB_SUCCESS && i < n; i++) {
        const pb_flow_t flow = {order[i], order[(i + distance) % n]};
        code = measure(gauge, &flow, 1);
    }
    return code;
}

/** The highest rate of a host. */
static double highest_rate(const pb_gauge_t *gauge)
{
    double highest = 0;
    for (int host = 0; host < gauge->meter->n_hosts; host++) {
        highest = fmax(highest, fmax(pb_gauge_out(gauge, host), pb_gauge_in(gauge, host)));
    }
    return highest;
}

/** A flow to or from a random partner, and again where that was faster than any before. */
static int try_partner(pb_gauge_t *gauge, int host, bool sends)
{
    const int n = gauge->meter->n_hosts;
    const int partner = (host + 1 + pb_random_below(&gauge->random, n - 1)) % n;
    const pb_flow_t flow = sends ? (pb_flow_t){host, partner} : (pb_flow_t){partner, host};
    const double before = sends ? pb_gauge_out(gauge, host) : pb_gauge_in(gauge, host);
    const int code = measure(gauge, &flow, 1);
    if (code == PB_SUCCESS && gauge->rates[0] > RISEN * before) {
        return measure(gauge, &flow, 1);
    }
    return code;
}

/** Further partners for a host that seems slow: what was slow may be a link between switches. */
static int try_partners(pb_gauge_t *gauge, int host, double highest)
{
    const int most = 2 + 2 * (int) ceil(log2(gauge->meter->n_hosts));
    int code = PB_SUCCESS;
    for (int i = 0; code == PB_SUCCESS && i < most; i++) {
        const double out = pb_gauge_out(gauge, host), in = pb_gauge_in(gauge, host);
        if (fmin(out, in) >= LIKE_OTHERS * highest) {
            break;
        }
        code = try_partner(gauge, host, out <= in);
    }
    return code;
}

int pb_gauge_refresh(pb_gauge_t *gauge)
{
    const double highest = highest_rate(gauge);
    int code = PB_SUCCESS;
    if (highest < RISEN * gauge->highest) {
        return PB_SUCCESS;
    }
    gauge->highest = highest;
    for (int host = 0; code == PB_SUCCESS && host < gauge->meter->n_hosts; host++) {
        code = try_partners(gauge, host, highest);
    }
    return code;
}

/** A flow from each host to the next, and one to a random other. */
int pb_gauge_hosts(pb_gauge_t *gauge)
{
    const int n = gauge->meter->n_hosts;
    int *order = malloc((size_t) n * sizeof *order);
    if (order == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < n; i++) {
        order[i] = i;
    }
    int code = measure_ring(gauge, order, 1);
    pb_random_shuffle(&gauge->random, order, n);
    code = code == PB_SUCCESS ? measure_ring(gauge, order, 1) : code;
    code = code == PB_SUCCESS ? pb_gauge_refresh(gauge) : code;
    free(order);
    return code;
}

/* ---- trials ---- */

/** Reduces the rates of flows whose hosts send and receive by the acknowledgements' share. */
static void acknowledge(const pb_flow_t *flows, int n, double *rates)
{
    for (int i = 0; i < n; i++) {
        bool both = false;
        for (int k = 0; k < n && !both; k++) {
            both = flows[k].to == flows[i].from || flows[k].from == flows[i].to;
        }
        rates[i] *= both ? BOTH_WAYS : 1;
    }
}

/** Computes the rate of each flow with no other cuts than the known ones. */
static void expect(pb_gauge_t *gauge, const pb_cuts_t *cuts, const pb_flow_t *flows, int n)
{
    for (int i = 0; i < n; i++) {
        gauge->expected[i] = pb_gauge_alone(gauge, flows[i]);
    }
    pb_cuts_share(cuts, flows, n, gauge->expected);
    acknowledge(flows, n, gauge->expected);
}

int pb_gauge_trial(pb_gauge_t *gauge, const pb_cuts_t *cuts, const pb_flow_t *flows, int n,
                   double *sum_p, double *free_p)
{
    const int code = measure(gauge, flows, n);
    *sum_p = *free_p = 0;
    if (code != PB_SUCCESS) {
        return code;
    }
    for (int i = 0; i < n; i++) {
        double own = pb_gauge_alone(gauge, flows[i]);
        pb_cuts_share(cuts, &flows[i], 1, &own);
        *sum_p += fmin(gauge->rates[i], own);
        *free_p += own;
    }
    return PB_SUCCESS;
}

/** Moves the flows to the front that are flagged in this trial; returns their number. */
static int keep_slow(pb_flow_t *flows, bool *slow, int n)
{
    int n_slow = 0;
    for (int i = 0; i < n; i++) {
        if (slow[i]) {
            const pb_flow_t flow = flows[i];
            flows[i] = flows[n_slow];
            slow[i] = slow[n_slow];
            flows[n_slow] = flow;
            slow[n_slow++] = true;
        }
    }
    return n_slow;
}

/** Counts flows that are slow in one trial and not in the next: a matter of chance, which longer
 * trials reduce. */
static void note_steadiness(pb_gauge_t *gauge, bool steady)
{
    gauge->n_unsteady += !steady;
    if (gauge->n_unsteady >= MOST_UNSTEADY && gauge->meter->lengthen != NULL) {
        gauge->meter->lengthen(gauge->meter->context);
        gauge->n_unsteady = 0;
    }
}

int pb_gauge_find_slow(pb_gauge_t *gauge, const pb_cuts_t *cuts, pb_flow_t *flows, int n)
{
    bool *slow = malloc((size_t) n * sizeof *slow);
    if (slow == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    int code = PB_SUCCESS, n_slow = n, n_before = n + 1, n_first = 0;
    memset(slow, true, (size_t) n * sizeof *slow);
    for (int repeat = 0; code == PB_SUCCESS && n_slow > 0 && repeat < MOST_REPEATS &&
                         (repeat < LEAST_REPEATS || n_slow < n_before);
         repeat++) {
        code = measure(gauge, flows, n);
        expect(gauge, cuts, flows, n);
        n_before = n_slow;
        n_slow = 0;
        for (int i = 0; i < n; i++) {
            slow[i] = slow[i] && gauge->rates[i] < PB_GAUGE_SLOW * gauge->expected[i];
            n_slow += slow[i];
        }
        n_first = repeat == 0 ? n_slow : n_first;
    }
    if (code == PB_SUCCESS) {
        note_steadiness(gauge, n_slow == n_first);
        code = keep_slow(flows, slow, n);
    }
    free(slow);
    return code;
}
