/*
 * State of a communicator between arrival-aware broadcasts; see engine/arrival/state.h.
 */
#include "engine/arrival/state.h"

#include <stdlib.h>

#include "engine/schedule.h"

/* The mode. */

/** Broadcasts of a probe: one to see, one to report. */
#define PROBE_LENGTH 2

/** Even broadcasts in a row after which they become plain again. */
#define PATIENCE 6

/**
 * Suspicions that are passed over after probes that found nothing, at most. There is one for each
 * PB_SCHEDULE_INTERVAL of bytes at most, so all probes together stay below 1 % of the time.
 */
#define MAX_PASSED_OVER 31

void pb_arrival_mode_init(pb_arrival_mode_t *mode)
{
    *mode = (pb_arrival_mode_t){.last_root = -1};
}

void pb_arrival_mode_suspect(pb_arrival_mode_t *mode)
{
    if (mode->patience > 0) {
        return;
    }
    if (mode->n_passed_over < mode->n_to_pass_over) {
        mode->n_passed_over++;
        return;
    }
    mode->n_passed_over = 0;
    mode->patience = PROBE_LENGTH;
    mode->last_root = -1;
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
        mode->n_to_pass_over = 0;
        mode->uneven = true;
    }
    if (announced == 0) {
        const int more = mode->uneven ? 0 : 2 * mode->n_to_pass_over + 1;
        mode->n_to_pass_over = (uint8_t) (more < MAX_PASSED_OVER ? more : MAX_PASSED_OVER);
        mode->uneven = false;
    }
    mode->patience = announced;
    mode->last_root = root;
    mode->report = report;
}

/* The credit. */

/** Returns what a broadcast of `total` bytes counts; 0: none. */
static uint64_t weight_of(uint64_t total)
{
    return total > 0 ? total + PB_SCHEDULE_WEIGHT_OF_ANY : 0;
}

void pb_arrival_credit_init(pb_arrival_credit_t *credit, uint64_t bound)
{
    *credit = (pb_arrival_credit_t){.bound = bound};
}

bool pb_arrival_credit_reserve(pb_arrival_credit_t *credit, int n_ranks)
{
    if (credit->of == NULL) {
        credit->of = calloc((size_t) n_ranks, sizeof(*credit->of));
    }
    return credit->of != NULL;
}

void pb_arrival_credit_fini(pb_arrival_credit_t *credit)
{
    free(credit->of);
    credit->of = NULL;
}

void pb_arrival_credit_other(pb_arrival_credit_t *credit, uint64_t total)
{
    credit->others += weight_of(total);
}

bool pb_arrival_credit_take(pb_arrival_credit_t *credit, int rank, uint64_t total)
{
    pb_arrival_debt_t *debt = &credit->of[rank];
    if (debt->own + (credit->others - debt->others_seen) + weight_of(total) > credit->bound) {
        return false;
    }
    debt->own += weight_of(total);
    return true;
}

void pb_arrival_credit_return(pb_arrival_credit_t *credit, int rank, uint64_t others_then,
                              uint64_t unasked)
{
    pb_arrival_debt_t *debt = &credit->of[rank];
    debt->own -= weight_of(unasked);
    if (others_then > debt->others_seen) {
        debt->others_seen = others_then;
    }
}
