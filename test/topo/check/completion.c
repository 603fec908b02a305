#include "test/topo/check/completion.h"

double completion(const pb_placement_t *placement, const pb_plan_t *plan, int n_segments)
{
    pb_simulate_options_t options = {.n_segments = n_segments};
    pb_simulation_t result;
    const int error = pb_simulate(placement, plan, &options, &result);
    const double time = error == PB_SUCCESS ? pb_simulate_units(result.completion) : -1;
    pb_simulation_clear(&result);
    return time;
}
