#include "topo/discover/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

/** Least share of the flows' rates that contention must cost for a verdict. */
#define LEAST_LOSS 0.1

/* ---- leaving flows out ---- */

static void shuffle(pb_random_t *random, pb_flow_t *flows, int n)
{
    for (int i = n - 1; i > 0; i--) {
        const int j = pb_random_below(random, i + 1);
        const pb_flow_t flow = flows[i];
        flows[i] = flows[j];
        flows[j] = flow;
    }
}

/** Keeps the half of the flows that contains slow ones, as long as there is one. Returns the number
 * of flows that are left, or an error. */
static int halve(pb_gauge_t *gauge, const pb_cuts_t *cuts, pb_flow_t *flows, int n)
{
    bool found = true;
    while (found && n > 2) {
        const int half = (n + 1) / 2;
        shuffle(&gauge->random, flows, n);
        int n_slow = pb_gauge_find_slow(gauge, cuts, flows, half);
        if (n_slow == 0) {
            n_slow = pb_gauge_find_slow(gauge, cuts, flows + half, n - half);
            memmove(flows, n_slow > 0 ? flows + half : flows,
                    (size_t) (n_slow > 0 ? n_slow : 0) * sizeof *flows);
        }
        if (n_slow < 0) {
            return n_slow;
        }
        found = n_slow > 0;
        n = found ? n_slow : n;
    }
    return n;
}

/**
 * Leaves out parts of the flows, by halves, quarters and so on down to single ones, as long as some
 * of the others are slow. `rest` has room for n. Returns how many are needed.
 */
static int leave_out(pb_gauge_t *gauge, const pb_cuts_t *cuts, pb_flow_t *flows, int n,
                     pb_flow_t *rest)
{
    for (int part = n > 4 ? n / 2 : 1; part > 0 && n > 1; part /= 2) {
        /* The flows before `first` are needed, as far as parts of this size can show. */
        for (int first = 0; first < n && n > 1;) {
            const int size = part < n - first ? part : n - first;
            memcpy(rest, flows, (size_t) first * sizeof *rest);
            memcpy(rest + first, flows + first + size, (size_t) (n - first - size) * sizeof *rest);
            const int n_slow = n > size ? pb_gauge_find_slow(gauge, cuts, rest, n - size) : 0;
            if (n_slow < 0) {
                return n_slow;
            }
            if (n_slow > 0) {
                n -= size;
                memcpy(flows, rest, (size_t) n * sizeof *flows);
                first = 0;
            } else {
                first += size;
            }
        }
    }
    return n;
}

/**
 * Reduces `flows`, whose first n_slow are slow among all n, to those that are needed. Slow flows
 * mostly share a link with each other, else with flows that stay fast because they have less
 * anyway.
 */
static int reduce(pb_gauge_t *gauge, const pb_cuts_t *cuts, pb_flow_t *flows, int n_slow, int n,
                  pb_flow_t *rest)
{
    memcpy(rest, flows, (size_t) n * sizeof *rest);
    int left = pb_gauge_find_slow(gauge, cuts, flows, n_slow);
    if (left > 0) {
        left = halve(gauge, cuts, flows, left);
    } else if (left == 0) {
        memcpy(flows, rest, (size_t) n * sizeof *rest);
        shuffle(&gauge->random, flows, n);
        /* Most often they were slow by chance, which one more look is enough to see. */
        left = pb_gauge_find_slow(gauge, cuts, flows, n);
        left = left > 0 ? n : left;
    }
    return left > 0 ? leave_out(gauge, cuts, flows, left, rest) : left;
}

/** Tells whether flows may form a core: in a tree, a flow to a host and one from it share no
 * directed link. */
static bool is_possible(const pb_core_t *core)
{
    for (int i = 0; i < core->n; i++) {
        for (int k = 0; k < core->n; k++) {
            if (core->flows[i].to == core->flows[k].from) {
                return false;
            }
        }
    }
    return true;
}

/** The core's capacity, and whether its flows still contend. */
static int confirm(pb_gauge_t *gauge, const pb_cuts_t *cuts, pb_core_t *core)
{
    double sums[3] = {0}, free = 0;
    int code = PB_SUCCESS;
    for (int i = 0; code == PB_SUCCESS && i < 3; i++) {
        code = pb_gauge_trial(gauge, cuts, core->flows, core->n, &sums[i], &free);
    }
    /* The middle one of three. */
    core->capacity = fmax(fmin(sums[0], sums[1]), fmin(fmax(sums[0], sums[1]), sums[2]));
    if (code == PB_SUCCESS && (core->capacity > PB_GAUGE_SLOW * free || !is_possible(core))) {
        core->n = 0;
    }
    return code;
}

/* ---- verdicts ---- */

int pb_core_contends(pb_gauge_t *gauge, const pb_cuts_t *cuts, double capacity,
                     const pb_flow_t *flows, int n, bool *contends_p, bool *known_p)
{
    double sum, free;
    const int code = pb_gauge_trial(gauge, cuts, flows, n, &sum, &free);
    const double shared = fmin(free, capacity);
    *known_p = free - shared >= LEAST_LOSS * free;
    *contends_p = *known_p && sum < (shared + free) / 2;
    return code;
}

/** Gives the senders other receivers, or the receivers other senders: of a bundle, a hash chooses
 * anew. */
static void exchange(const pb_core_t *core, int shift, bool back, pb_flow_t *flows)
{
    for (int i = 0; i < core->n; i++) {
        const int from = core->flows[i].from, to = core->flows[(i + shift) % core->n].to;
        flows[i] = back ? (pb_flow_t){to, from} : (pb_flow_t){from, to};
    }
}

static int find_hash(pb_gauge_t *gauge, const pb_cuts_t *cuts, pb_core_t *core, pb_flow_t *flows)
{
    int code = PB_SUCCESS;
    for (int variant = 1; core->n > 1 && variant < 4 && !core->hashed; variant++) {
        bool contends = false, known = true;
        exchange(core, variant % 2, variant / 2 == 1, flows);
        for (int repeat = 0; code == PB_SUCCESS && repeat < 2 && !contends; repeat++) {
            code = pb_core_contends(gauge, cuts, core->capacity, flows, core->n, &contends, &known);
        }
        if (code != PB_SUCCESS) {
            return code;
        }
        core->hashed = known && !contends;
    }
    return code;
}

int pb_core_find(pb_gauge_t *gauge, const pb_cuts_t *cuts, pb_flow_t *flows, int n_slow, int n,
                 pb_core_t *core)
{
    pb_flow_t *rest = malloc((size_t) n * sizeof *rest);
    *core = (pb_core_t){.flows = malloc((size_t) n * sizeof *core->flows)};
    int code = PB_ERR_NO_MEMORY;
    if (rest != NULL && core->flows != NULL) {
        code = reduce(gauge, cuts, flows, n_slow, n, rest);
    }
    if (code > 0) {
        core->n = code;
        memcpy(core->flows, flows, (size_t) core->n * sizeof *flows);
        code = confirm(gauge, cuts, core);
    }
    if (code == PB_SUCCESS && core->n > 0) {
        code = find_hash(gauge, cuts, core, rest);
    }
    free(rest);
    return code;
}

void pb_core_clear(pb_core_t *core)
{
    free(core->flows);
    *core = (pb_core_t){.flows = NULL};
}
