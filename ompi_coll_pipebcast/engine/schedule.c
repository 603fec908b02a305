/*
 * Schedule of a communicator's sweeps; see engine/schedule.h.
 */
#include "engine/schedule.h"

/** Returns the weight of a broadcast of `bytes`. */
static uint64_t weight_of(size_t bytes)
{
    return bytes < PB_SCHEDULE_MAX_WEIGHT - PB_SCHEDULE_WEIGHT_OF_ANY
               ? bytes + PB_SCHEDULE_WEIGHT_OF_ANY
               : PB_SCHEDULE_MAX_WEIGHT;
}

/** At least, as the last rank has a broadcast no sooner than a message of its size takes. */
static int64_t time_of(const pb_schedule_t *schedule, size_t bytes)
{
    const size_t counted = bytes < PB_SCHEDULE_INTERVAL ? bytes : PB_SCHEDULE_INTERVAL;
    return schedule->short_message + (int64_t) counted * schedule->mebibyte / (INT64_C(1) << 20);
}

void pb_schedule_init(pb_schedule_t *schedule)
{
    *schedule = (pb_schedule_t){.weight = PB_SCHEDULE_INTERVAL - 1};
}

void pb_schedule_set_times(pb_schedule_t *schedule, int64_t short_message, int64_t mebibyte,
                           int n_ranks)
{
    int height = 1;
    while (n_ranks >> height > 0) {
        height++;
    }
    schedule->short_message = short_message > 0 ? short_message : 1;
    schedule->mebibyte = mebibyte;
    schedule->interval = PB_SCHEDULE_INTERVAL_MESSAGES * schedule->short_message;
    schedule->lag = 2 * 2 * height * schedule->short_message;
}

static bool has_passed(const pb_schedule_t *schedule, uint32_t fewest, int64_t time)
{
    return schedule->short_message > 0 && schedule->n >= fewest && schedule->time >= time;
}

bool pb_schedule_is_due(const pb_schedule_t *schedule)
{
    return schedule->is_open && (schedule->weight >= PB_SCHEDULE_LAG ||
                                 has_passed(schedule, PB_SCHEDULE_FEWEST_LAG, schedule->lag) ||
                                 (schedule->is_asked && schedule->n >= PB_SCHEDULE_FEWEST_LAG));
}

void pb_schedule_close(pb_schedule_t *schedule)
{
    schedule->is_open = false;
}

/** Returns 0 to 3, another number for each sweep: else sweeps would fall on the same broadcast of a
 * program's loop. */
static uint32_t drawn(const pb_schedule_t *schedule)
{
    return schedule->n_sweeps * UINT32_C(0x9e3779b9) >> 30;
}

/** Returns whether the next broadcast is swept: no sweep is open, and it is `asked`, or enough
 * weight or time has passed. */
static bool is_next(const pb_schedule_t *schedule, bool asked)
{
    const uint32_t other = drawn(schedule);
    return !schedule->is_open &&
           (asked || schedule->n_passed > other ||
            schedule->weight >= PB_SCHEDULE_INTERVAL - other * PB_SCHEDULE_MAX_WEIGHT / 2);
}

bool pb_schedule_begin(pb_schedule_t *schedule, size_t bytes, bool asked)
{
    schedule->n_passed += has_passed(schedule, PB_SCHEDULE_FEWEST, schedule->interval);
    const bool is_swept = is_next(schedule, asked);
    if (is_swept) {
        schedule->n_passed = 0;
        schedule->is_open = true;
        schedule->is_asked = asked;
        schedule->weight = 0;
        schedule->time = 0;
        schedule->n = 0;
        schedule->n_sweeps++;
    }
    schedule->weight += weight_of(bytes);
    schedule->time += time_of(schedule, bytes);
    schedule->n++;
    return is_swept;
}
