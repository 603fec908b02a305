#include "contrib/testbed/fabric_load.h"

#include <math.h>

#include "contrib/testbed/fabric_link.h"

/** A uniform number above 0 and at most 1: splitmix64 (Steele, Lea and Flood 2014). */
static double draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double) ((z >> 11) + 1) / 9007199254740992.0;
}

int64_t fabric_load_gap(fabric_load_t *load)
{
    int64_t mean = fabric_link_wire_time(load->rate, load->length);
    if (!load->random) {
        return mean;
    }
    int64_t gap = (int64_t) (-log(draw(&load->seed)) * (double) mean);
    return gap > 0 ? gap : 1;
}
