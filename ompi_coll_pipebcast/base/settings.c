/*
 * The settings; see base/settings.h.
 */
#include "base/settings.h"

#include "base/log.h"

coll_pipebcast_settings_t coll_pipebcast_first_settings;

void coll_pipebcast_settings_open(void)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    coll_pipebcast_first_settings = (coll_pipebcast_settings_t){
        .algorithm = params->algorithm,
        .arrival = params->arrival,
        .learn = params->learn,
        .segment_size = params->segment_size,
    };
}

/* What is wanted. MPI_T writes each parameter by one store, at any time. */

static void report(const char *name, long long value)
{
    coll_pipebcast_warn("the value %lld of the parameter coll_pipebcast_%s, set while the program "
                        "runs, is out of range, or of an earlier release. This process leaves it "
                        "as it was.",
                        value, name);
}

static int wanted_int(const char *name, const int *parameter, int low, int high, int in_force)
{
    const int value = __atomic_load_n(parameter, __ATOMIC_RELAXED);
    if (value < low || value > high) {
        report(name, value);
        return in_force;
    }
    return value;
}

static size_t wanted_segment(size_t in_force)
{
    const size_t value = __atomic_load_n(&coll_pipebcast_params.segment_size, __ATOMIC_RELAXED);
    if (!coll_pipebcast_is_segment_size(value)) {
        report("segment_size", (long long) value);
        return in_force;
    }
    return value;
}

coll_pipebcast_settings_t coll_pipebcast_settings_wanted(const coll_pipebcast_settings_t *in_force)
{
    const coll_pipebcast_params_t *params = &coll_pipebcast_params;
    return (coll_pipebcast_settings_t){
        .algorithm = wanted_int("algorithm", &params->algorithm, COLL_PIPEBCAST_AUTO,
                                PB_KIND_COUNT - 1, in_force->algorithm),
        .arrival = wanted_int("arrival", &params->arrival, COLL_PIPEBCAST_ARRIVAL_OFF,
                              COLL_PIPEBCAST_ARRIVAL_NB, in_force->arrival),
        .learn = wanted_int("learn", &params->learn, COLL_PIPEBCAST_LEARN_OFF,
                            COLL_PIPEBCAST_LEARN_KEEP, in_force->learn),
        .segment_size = wanted_segment(in_force->segment_size),
    };
}

/* As a number: from the lowest bits on, the segment size, what is learnt, how arrivals are treated,
 * and the algorithm. */

enum { LEARN_AT = 32, ARRIVAL_AT = 40, ALGORITHM_AT = 48, PART = 0xff };

_Static_assert(COLL_PIPEBCAST_MAX_SEGMENT < UINT64_C(1) << LEARN_AT, "a segment size has room");
_Static_assert(PB_KIND_COUNT - COLL_PIPEBCAST_AUTO <= PART, "an algorithm has room");

uint64_t coll_pipebcast_settings_pack(const coll_pipebcast_settings_t *settings)
{
    return settings->segment_size | (uint64_t) settings->learn << LEARN_AT |
           (uint64_t) settings->arrival << ARRIVAL_AT |
           (uint64_t) (settings->algorithm - COLL_PIPEBCAST_AUTO) << ALGORITHM_AT;
}

coll_pipebcast_settings_t coll_pipebcast_settings_unpack(uint64_t number)
{
    return (coll_pipebcast_settings_t){
        .algorithm = (int) (number >> ALGORITHM_AT & PART) + COLL_PIPEBCAST_AUTO,
        .arrival = (int) (number >> ARRIVAL_AT & PART),
        .learn = (int) (number >> LEARN_AT & PART),
        .segment_size = (size_t) (number & UINT32_MAX),
    };
}
