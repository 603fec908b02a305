/* On which side of a core's link each host is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/discover/core.h"
#include "topo/util/error.h"

enum {
    MOST_VOTES = 5,
    /** Trials of a host at a bundle before it is taken to be on the receivers' side. With four
     * members its flow meets the other one's with probability 1/4 in each. */
    MOST_VARIANTS = 6,
    MOST_PASSES = 2,
};

typedef enum { UNDECIDED, SENDERS, RECEIVERS } side_t;

typedef struct sorting {
    pb_gauge_t *gauge;
    const pb_cuts_t *cuts;
    const pb_core_t *core;
    pb_cut_t *cut;
    side_t *sides;    /**< by host */
    bool *of_core;    /**< by host */
    int *order;       /**< of hosts */
    pb_flow_t *flows; /**< of a trial */
    bool hashed;
    int n_tried, n_met; /**< of a bundle: trials of two flows over it, and of them contending */
} sorting_t;

/* ---- trials ---- */

/** The sender of a core's flow; of a bundle any host of that side, as each has another hash. */
static int sender_of(sorting_t *s, int i)
{
    const int n = s->gauge->meter->n_hosts;
    for (int tries = 0; s->hashed && tries < n; tries++) {
        const int host = pb_random_below(&s->gauge->random, n);
        if (s->sides[host] == SENDERS) {
            return host;
        }
    }
    return s->core->flows[i].from;
}

/** Runs one trial: the host takes the part of one of the core's senders. Variants differ in this
 * sender, and odd ones send in the other direction. */
static int try_variant(sorting_t *s, int host, int variant, bool *contends_p)
{
    const pb_core_t *core = s->core;
    const int replaced = variant / 2 % core->n;
    bool known = true;
    for (int i = 0; i < core->n; i++) {
        const int from = i == replaced ? host : sender_of(s, i), to = core->flows[i].to;
        s->flows[i] = variant % 2 == 0 ? (pb_flow_t){from, to} : (pb_flow_t){to, from};
    }
    return pb_core_contends(s->gauge, s->cuts, core->capacity, s->flows, core->n, contends_p,
                            &known);
}

/* ---- one host ---- */

/**
 * Decides by two variants that agree, else by the majority of five trials. Two variants that each
 * repeat themselves and yet differ are the work of a hash.
 */
static int sort_at_link(sorting_t *s, int host)
{
    int met[2] = {0}, n = 0, code = PB_SUCCESS;
    for (bool open = true; code == PB_SUCCESS && open;) {
        bool contends = false;
        code = try_variant(s, host, n % 2 == 0 ? 0 : 3, &contends);
        met[n % 2] += contends;
        n++;
        const int sum = met[0] + met[1];
        open = n < 2 || (n < MOST_VOTES && sum != 0 && sum != n);
        if (n == 4 && abs(met[0] - met[1]) == 2 && s->core->n == 2) {
            s->hashed = true;
            open = false;
        }
    }
    const int sum = met[0] + met[1], agree = 2 * sum > n ? sum : n - sum;
    s->sides[host] = s->hashed || 2 * sum > n ? SENDERS : RECEIVERS;
    s->cut->n_agree += agree;
    s->cut->n_disagree += n - agree;
    return code;
}

/** Decides by one variant that contends, and does so again. */
static int sort_at_bundle(sorting_t *s, int host)
{
    int code = PB_SUCCESS, variant = 0;
    s->sides[host] = RECEIVERS;
    while (code == PB_SUCCESS && s->sides[host] == RECEIVERS && variant < MOST_VARIANTS) {
        const uint64_t state = s->gauge->random.state;
        bool contends = false;
        code = try_variant(s, host, variant, &contends);
        if (code == PB_SUCCESS && contends) {
            s->gauge->random.state = state; /* the same senders again */
            code = try_variant(s, host, variant, &contends);
        }
        variant++;
        s->sides[host] = contends ? SENDERS : RECEIVERS;
    }
    s->n_tried += s->sides[host] == SENDERS ? variant : 0;
    s->n_met += s->sides[host] == SENDERS;
    s->cut->n_agree += variant;
    return code;
}

/* ---- all hosts ---- */

/** Tells whether a known cut has all hosts of the core on the side opposite to `host`. */
static bool is_apart(const sorting_t *s, const pb_cut_t *known, int host)
{
    for (int i = 0; i < s->core->n; i++) {
        const pb_flow_t flow = s->core->flows[i];
        if (known->inside[flow.from] == known->inside[host] ||
            known->inside[flow.to] == known->inside[host]) {
            return false;
        }
    }
    return true;
}

/** Gives a host's side to the hosts that a known cut keeps together with it. */
static void spread(sorting_t *s, int host)
{
    for (int c = 0; c < s->cuts->n; c++) {
        const pb_cut_t *known = &s->cuts->cuts[c];
        for (int other = 0; is_apart(s, known, host) && other < s->cuts->n_hosts; other++) {
            if (known->inside[other] == known->inside[host]) {
                s->sides[other] = s->sides[host];
            }
        }
    }
}

/** Decides the undecided in a random order, by one of them for all that are known to be together.
 */
static int sort_hosts(sorting_t *s)
{
    const int n = s->cuts->n_hosts;
    int code = PB_SUCCESS;
    pb_random_shuffle(&s->gauge->random, s->order, n);
    for (int i = 0; code == PB_SUCCESS && i < n; i++) {
        const int host = s->order[i];
        if (s->sides[host] != UNDECIDED) {
            continue;
        }
        code = s->hashed ? sort_at_bundle(s, host) : sort_at_link(s, host);
        spread(s, host);
    }
    return code;
}

/** Hosts that never met another flow are tried again, with the senders that are known by now. */
static int forget_receivers(sorting_t *s)
{
    int n = 0;
    for (int host = 0; host < s->cuts->n_hosts; host++) {
        if (s->sides[host] == RECEIVERS && !s->of_core[host]) {
            s->sides[host] = UNDECIDED;
            n++;
        }
    }
    return n;
}

static int n_of(const sorting_t *s, side_t side)
{
    int n = 0;
    for (int host = 0; host < s->cuts->n_hosts; host++) {
        n += s->sides[host] == side;
    }
    return n;
}

static int sort_all(sorting_t *s)
{
    bool was_hashed = s->hashed;
    int code = sort_hosts(s), n_before = -1;
    for (int pass = 0; code == PB_SUCCESS && s->hashed && pass < MOST_PASSES; pass++) {
        if (was_hashed && n_of(s, SENDERS) == n_before) {
            break;
        }
        n_before = was_hashed ? n_of(s, SENDERS) : -1;
        was_hashed = true;
        forget_receivers(s);
        code = sort_hosts(s);
    }
    return code;
}

static void fill_cut(const sorting_t *s)
{
    pb_cut_t *cut = s->cut;
    cut->n_inside = n_of(s, RECEIVERS);
    cut->capacity = s->core->capacity;
    cut->n_flows = s->core->n;
    cut->hashed = s->hashed;
    cut->members = s->hashed && s->n_met > 0 ? (int) lround((double) s->n_tried / s->n_met) : 1;
    if (s->hashed && cut->members < 2) {
        cut->members = 2;
    }
    for (int host = 0; host < s->cuts->n_hosts; host++) {
        cut->inside[host] = s->sides[host] == RECEIVERS;
    }
}

int pb_core_cut(pb_gauge_t *gauge, const pb_cuts_t *cuts, const pb_core_t *core, pb_cut_t *cut)
{
    const size_t n = (size_t) cuts->n_hosts;
    sorting_t s = {.gauge = gauge,
                   .cuts = cuts,
                   .core = core,
                   .cut = cut,
                   .sides = calloc(n, sizeof *s.sides),
                   .of_core = calloc(n, sizeof *s.of_core),
                   .order = calloc(n, sizeof *s.order),
                   .flows = calloc((size_t) core->n, sizeof *s.flows),
                   .hashed = core->hashed};
    int code = PB_ERR_NO_MEMORY;
    cut->n_agree = cut->n_disagree = 0;
    if (s.sides != NULL && s.of_core != NULL && s.order != NULL && s.flows != NULL) {
        for (int host = 0; host < cuts->n_hosts; host++) {
            s.order[host] = host;
        }
        for (int i = 0; i < core->n; i++) {
            s.sides[core->flows[i].from] = SENDERS;
            s.sides[core->flows[i].to] = RECEIVERS;
            s.of_core[core->flows[i].from] = s.of_core[core->flows[i].to] = true;
        }
        code = sort_all(&s);
    }
    if (code == PB_SUCCESS) {
        fill_cut(&s);
    }
    free(s.sides);
    free(s.of_core);
    free(s.order);
    free(s.flows);
    return code;
}
