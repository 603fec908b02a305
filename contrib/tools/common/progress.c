#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "ompi_coll_pipebcast/base/clock.h"
#include "terminal.h"

#define SILENT_NS INT64_C(2000000000)
#define REPORT_EVERY_NS INT64_C(200000000)

void common_progress_begin(common_progress_t *progress, bool wanted)
{
    *progress = (common_progress_t){.shown = wanted && common_on_terminal(STDERR_FILENO),
                                    .begin_ns = coll_pipebcast_now()};
}

void common_progress_report(common_progress_t *progress, double done)
{
    const int64_t now = coll_pipebcast_now(), spent = now - progress->begin_ns;
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
