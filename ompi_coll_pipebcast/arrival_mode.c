/*
 * Whether a communicator's broadcasts mind who has arrived; see arrival_mode.h.
 */
#include "arrival_mode.h"

/** Broadcasts of a sounding: one to see, one to tell. */
#define SOUNDING 2

/** Even broadcasts in a row after which they become plain again. */
#define PATIENCE 6

/** Plain broadcasts between two soundings: at first, and at most. */
#define MIN_INTERVAL 8
#define MAX_INTERVAL 128

void pb_arrival_mode_init(pb_arrival_mode_t *mode)
{
    *mode = (pb_arrival_mode_t){.interval = MIN_INTERVAL / 2, .until_sounding = 1, .last_root = -1};
}

bool pb_arrival_mode_begin(pb_arrival_mode_t *mode)
{
    if (mode->patience > 0) {
        return true;
    }
    if (mode->until_sounding > 0) {
        mode->until_sounding--;
        return false;
    }
    mode->patience = SOUNDING;
    mode->last_root = -1;
    return true;
}

uint8_t pb_arrival_mode_decide(const pb_arrival_mode_t *mode, pb_arrival_report_t report)
{
    if (report == PB_ARRIVAL_UNEVEN) {
        return PATIENCE;
    }
    /* Where the last root's report is still out, nothing changes. */
    const bool is_known = mode->last_root < 0 || report == PB_ARRIVAL_EVEN;
    return (uint8_t) (mode->patience - (is_known && mode->patience > 0));
}

void pb_arrival_mode_end(pb_arrival_mode_t *mode, uint8_t said, int root,
                         pb_arrival_report_t report)
{
    if (said >= PATIENCE) {
        mode->interval = MIN_INTERVAL / 2;
        mode->uneven = true;
    }
    if (said == 0) {
        mode->uneven = false;
        mode->interval =
            (uint16_t) (2 * mode->interval < MAX_INTERVAL ? 2 * mode->interval : MAX_INTERVAL);
        mode->until_sounding = mode->interval;
    }
    mode->patience = said;
    mode->last_root = root;
    mode->report = report;
}
