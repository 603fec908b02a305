/*
 * Whether a communicator's broadcasts are arrival-aware; see engine/arrival/mode.h.
 */
#include "engine/arrival/mode.h"

/** Broadcasts of a probe: one to see, one to report. */
#define PROBE_LENGTH 2

/** Even broadcasts in a row after which they become plain again. */
#define PATIENCE 6

/**
 * Plain broadcasts between two probes, which double from one that finds nothing to
 * the next: of a new communicator, the first broadcasts of which may be unlike the rest;
 * in a program known to be uneven at times; and at most.
 */
#define FIRST_INTERVAL 4
#define MIN_INTERVAL 8
#define MAX_INTERVAL 128

/** Together they weigh so much between two probes at most, if MIN_INTERVAL or more. */
#define MAX_WEIGHT MAX_INTERVAL

/**
 * A broadcast of so many bytes for each rank weighs 1. An ARRIVED is a frame of about
 * 100 bytes, so where MAX_WEIGHT decides, both of a probe are within 1 % of the
 * bytes that the root's link carried between.
 */
#define LIGHT_BYTES_PER_RANK 256

void pb_arrival_mode_init(pb_arrival_mode_t *mode)
{
    *mode = (pb_arrival_mode_t){
        .interval = FIRST_INTERVAL / 2, .n_plain = FIRST_INTERVAL / 2 - 1, .last_root = -1};
}

static uint16_t weight_of(size_t bytes, int n_ranks)
{
    const size_t weight = bytes / LIGHT_BYTES_PER_RANK / (size_t) n_ranks;
    return (uint16_t) (weight < 1 ? 1 : weight > MAX_WEIGHT ? MAX_WEIGHT : weight);
}

static bool is_probe_due(const pb_arrival_mode_t *mode)
{
    return mode->n_plain >= mode->interval ||
           (mode->n_plain >= MIN_INTERVAL && mode->weight >= MAX_WEIGHT);
}

bool pb_arrival_mode_begin(pb_arrival_mode_t *mode, size_t bytes, int n_ranks)
{
    if (mode->patience > 0) {
        return true;
    }
    if (!is_probe_due(mode)) {
        mode->n_plain++;
        mode->weight = (uint16_t) (mode->weight + weight_of(bytes, n_ranks));
        return false;
    }
    mode->patience = PROBE_LENGTH;
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

void pb_arrival_mode_end(pb_arrival_mode_t *mode, uint8_t announced, int root,
                         pb_arrival_report_t report)
{
    if (announced >= PATIENCE) {
        mode->interval = MIN_INTERVAL / 2;
        mode->uneven = true;
    }
    if (announced == 0) {
        mode->uneven = false;
        mode->interval =
            (uint16_t) (2 * mode->interval < MAX_INTERVAL ? 2 * mode->interval : MAX_INTERVAL);
        mode->n_plain = 0;
        mode->weight = 0;
    }
    mode->patience = announced;
    mode->last_root = root;
    mode->report = report;
}
