/* The lower bound of broadcasts by unicast: small cases by hand, and no plan is simulated faster.
 */
#include <stdlib.h>

#include "test/tap.h"
#include "test/topo/check/random_network.h"
#include "topo/check/least_time.h"
#include "topo/check/simulator.h"

enum { MEGABITS = 1000 };

static void by_hand(const pb_model_t *model)
{
    const pb_cost_t one = pb_model_cost(model, 2, 1), all = pb_model_cost(model, 2, 65536);
    const int64_t g = one.gap, way = one.rtt / 2 - one.gap;
    ok(pb_least_time(model, 1, 65536) == 0 && pb_least_time_of_segments(model, 1, 65536, 1024) == 0,
       "one rank has it");
    ok(pb_least_time(model, 2, 65536) == all.gap + way, "two ranks: all is sent, and a way");
    ok(pb_least_time(model, 2, 1) == one.rtt / 2, "two ranks: one message");
    ok(pb_least_time(model, 3, 65536) == all.gap + g + way,
       "three ranks: the root sends the last byte twice, as its way takes longer than a gap");
    ok(pb_least_time_of_segments(model, 2, 65536, 65536) == all.rtt / 2,
       "two ranks: one segment is one message");
}

/* More ranks, more bytes and equal segments never take less. */
static void is_ordered(const pb_model_t *model)
{
    int n_wrong = 0;
    int64_t before = 0;
    for (int n = 1; n <= 65536; n *= 2) {
        const int64_t time = pb_least_time(model, n, 65536);
        n_wrong += time < before || time > pb_least_time(model, n, 131072);
        for (uint64_t segment = 256; segment <= 65536; segment *= 4) {
            n_wrong += time > pb_least_time_of_segments(model, n, 65536, segment);
        }
        before = time;
    }
    ok(n_wrong == 0, "%d of 17 numbers of ranks are out of order", n_wrong);
}

/* The costs of the wire model that the bound is made of. */
static pb_simulate_cost_t cost_of(const pb_model_t *model, uint64_t bytes)
{
    const pb_cost_t cost = pb_model_cost(model, 2, bytes);
    const int64_t further = (pb_model_cost(model, 3, bytes).rtt - cost.rtt) / 2;
    return (pb_simulate_cost_t){.send = cost.send,
                                .receive = cost.receive,
                                .link = pb_model_link_use(model, bytes).message,
                                .further = further,
                                .way = cost.rtt / 2 - cost.gap - cost.receive - further,
                                .memory = pb_model_cost(model, 0, bytes).gap};
}

/* How many plans of random networks, simulated without acknowledgements, are below the bounds. */
static void is_bound(const pb_model_t *model, int n_trials)
{
    static const uint64_t segments[] = {512, 1426, 8192, 65536};
    static const pb_kind_t kinds[] = {PB_KIND_CHAIN, PB_KIND_BINARY, PB_KIND_TWOTREE, PB_KIND_FLAT,
                                      PB_KIND_BINOMIAL};
    pb_random_t random = pb_random_seed(8800);
    int n = 0, n_below = 0, n_near = 0;
    for (int i = 0; i < n_trials; i++) {
        pb_network_t *network = pb_random_network(&random, PB_SHAPE_PAPER, 1 + i % 4, 2 + i, 0);
        pb_placement_t *placement = pb_random_placement(&random, network, 1);
        pb_view_t *view;
        if (pb_view_new(placement, 0, NULL, 0, &view) != PB_SUCCESS) {
            abort();
        }
        for (int j = 0; j < 20; j++) {
            const uint64_t segment = segments[j % 4], bytes = 65536;
            const int n_segments = (int) ((bytes - 1) / segment + 1);
            const pb_simulate_options_t options = {
                .model = PB_SIMULATE_WIRE,
                .n_segments = n_segments,
                .cost = cost_of(model, segment),
                .rest = cost_of(model, bytes - (uint64_t) (n_segments - 1) * segment)};
            pb_simulation_t result;
            pb_plan_t *plan;
            if (pb_plan_compute(view, kinds[j / 4], NULL, &plan) != PB_SUCCESS ||
                pb_simulate(placement, plan, &options, &result) != PB_SUCCESS) {
                abort();
            }
            const int n_ranks = placement->n_ranks;
            const int64_t least = pb_least_time(model, n_ranks, bytes);
            const int64_t equal = pb_least_time_of_segments(model, n_ranks, bytes, segment);
            n++;
            n_below += result.completion < least || result.completion < equal;
            n_near += result.completion < equal + equal / 10;
            pb_simulation_clear(&result);
            pb_plan_free(plan);
        }
        pb_view_free(view);
        pb_placement_free(placement);
        pb_network_free(network);
    }
    ok(n_below == 0, "%d of %d plans are simulated faster than the bounds allow", n_below, n);
    ok(n_near > 0, "%d of %d come within a tenth of the bound of their segments", n_near, n);
}

int main(void)
{
    static pb_model_t model;
    pb_model_assume((uint64_t) MEGABITS * 1000000, 1500, &model);
    by_hand(&model);
    is_ordered(&model);
    is_bound(&model, tap_trials(10, 40));
    return tap_done();
}
