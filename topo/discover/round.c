#include "topo/discover/round.h"

#include <stdlib.h>

#include "topo/util/error.h"

/** Factor by which a link's measured rate may be below its flows' measured rates. */
#define ROUNDING 1.04

typedef struct making {
    const pb_gauge_t *gauge;
    const pb_cuts_t *cuts;
    int over;      /**< the cut that flows must pass; -1: none */
    int way;       /**< in which direction */
    double *loads; /**< by cut and direction */
} making_t;

static double *load_of(const making_t *m, int cut, int way)
{
    return &m->loads[2 * cut + (way > 0)];
}

static bool fits(const making_t *m, pb_flow_t flow)
{
    const double rate = pb_gauge_alone(m->gauge, flow);
    for (int c = 0; c < m->cuts->n; c++) {
        const pb_cut_t *cut = &m->cuts->cuts[c];
        const int way = pb_cut_passed(cut, flow);
        if (c == m->over) {
            if (way != m->way) {
                return false;
            }
        } else if (way != 0 && *load_of(m, c, way) > 0 &&
                   *load_of(m, c, way) + rate > cut->capacity * ROUNDING) {
            return false;
        }
    }
    return flow.from != flow.to;
}

static void add_load(const making_t *m, pb_flow_t flow)
{
    for (int c = 0; c < m->cuts->n; c++) {
        const int way = pb_cut_passed(&m->cuts->cuts[c], flow);
        if (way != 0) {
            *load_of(m, c, way) += pb_gauge_alone(m->gauge, flow);
        }
    }
}

/** Gives each sender the first receiver that is left and fits. */
static int match(const making_t *m, const int *senders, int *receivers, int n_hosts, int most,
                 pb_flow_t *flows)
{
    int n = 0;
    for (int i = 0; i < n_hosts && n < most; i++) {
        for (int k = n; k < n_hosts; k++) {
            const pb_flow_t flow = {senders[i], receivers[k]};
            if (fits(m, flow)) {
                add_load(m, flow);
                receivers[k] = receivers[n];
                receivers[n] = flow.to;
                flows[n++] = flow;
                break;
            }
        }
    }
    return n;
}

static int make(pb_gauge_t *gauge, making_t *m, int most, pb_flow_t *flows)
{
    const int n = gauge->meter->n_hosts;
    int *senders = malloc(2 * (size_t) n * sizeof *senders), code = PB_ERR_NO_MEMORY;
    m->loads = calloc(2 * (size_t) m->cuts->n + 1, sizeof *m->loads);
    if (senders != NULL && m->loads != NULL) {
        int *receivers = senders + n;
        for (int i = 0; i < n; i++) {
            senders[i] = receivers[i] = i;
        }
        pb_random_shuffle(&gauge->random, senders, n);
        pb_random_shuffle(&gauge->random, receivers, n);
        code = match(m, senders, receivers, n, most, flows);
    }
    free(senders);
    free(m->loads);
    return code;
}

int pb_round_make(pb_gauge_t *gauge, const pb_cuts_t *cuts, int most, pb_flow_t *flows)
{
    making_t m = {.gauge = gauge, .cuts = cuts, .over = -1};
    return make(gauge, &m, most, flows);
}

int pb_round_over(pb_gauge_t *gauge, const pb_cuts_t *cuts, int cut, bool inward, int most,
                  pb_flow_t *flows)
{
    making_t m = {.gauge = gauge, .cuts = cuts, .over = cut, .way = inward ? 1 : -1};
    return make(gauge, &m, most, flows);
}
