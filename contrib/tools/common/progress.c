#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "terminal.h"

#define SILENT_NS INT64_C(2000000000)
#define REPORT_EVERY_NS INT64_C(200000000)

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

void common_progress_begin(common_progress_t *progress, bool wanted)
{
    *progress = (common_progress_t){.shown = wanted && common_on_terminal(STDERR_FILENO),
                                    .begin_ns = now_ns()};
}

void common_progress_report(common_progress_t *progress, double done)
{
    const int64_t now = now_ns(), spent = now - progress->begin_ns;
    if (!progress->shown || done <= 0 || spent < SILENT_NS ||
        now - progress->reported_ns < REPORT_EVERY_NS) {
        return;
    }
    const double left = (double) spent * 1e-9 * (1 - done) / done;
    fprintf(stderr, "\r%s: %.0f %%, about %.0f s left \033[K", program_invocation_short_name,
            100 * done, left);
    fflush(stderr);
    progress->is_there = true;
    progress->reported_ns = now;
}

void common_progress_end(common_progress_t *progress)
{
    if (progress->is_there) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
    progress->is_there = false;
}
