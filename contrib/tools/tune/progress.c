#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "contrib/tools/common/clock.h"

#define REPORT_EVERY INT64_C(200000000)

void tune_progress_begin(tune_progress_t *progress, bool quiet)
{
    *progress = (tune_progress_t){.shown = !quiet && isatty(STDERR_FILENO),
                                  .begin_ns = common_clock_local()};
}

void tune_progress_report(void *context, int64_t n_trials, int64_t n_left)
{
    tune_progress_t *p = context;
    const int64_t now = common_clock_local();
    if (p->shown && n_trials > 0 && now - p->reported_ns > REPORT_EVERY) {
        const double each = (double) (now - p->begin_ns) * 1e-9 / (double) n_trials;
        fprintf(stderr, "\r%" PRId64 " trials, about %" PRId64 " left: %.0f s \033[K", n_trials,
                n_left, each * (double) n_left);
        fflush(stderr);
        p->reported_ns = now;
    }
}

void tune_progress_end(tune_progress_t *p)
{
    if (p->shown && p->reported_ns > 0) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
}
