#include "schedule.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "contrib/tools/common/all_good.h"
#include "contrib/tools/common/report.h"
#include "measuring.h"

enum { MOST_SCHEDULED = 100000, MAX_LINE = 256 };

/** From the agreement on a start to the start: ranks that share a processor need it. */
#define MARGIN_NS INT64_C(50000000)

/** The latest time of a broadcast. */
#define MOST_SECONDS 1e6

/** One line of the file. */
struct scheduled {
    int64_t bytes;
    int64_t at_ns; /**< after the first one's beginning; later if the one before is not over */
};

/* ---- the file ---- */

/** Reads a line "SECONDS BYTES". False if it is none; *blank_p: it has nothing but a comment. */
static bool read_line(char *text, struct scheduled *scheduled, bool *blank_p)
{
    char *rest, *end;
    text[strcspn(text, "#")] = '\0';
    const char *time = strtok_r(text, " \t\r\n", &rest);
    const char *size = strtok_r(NULL, " \t\r\n", &rest);
    *blank_p = time == NULL;
    if (*blank_p) {
        return true;
    }
    const double seconds = strtod(time, &end);
    scheduled->at_ns = (int64_t) (seconds * 1e9);
    return end != time && *end == '\0' && seconds >= 0 && seconds <= MOST_SECONDS && size != NULL &&
           strtok_r(NULL, " \t\r\n", &rest) == NULL &&
           common_read_size(size, 1, INT_MAX, &scheduled->bytes);
}

/** Reads a file into room for MOST_SCHEDULED broadcasts. Returns how many; 0 with a message. */
static int read_schedule(const char *path, struct scheduled *schedule)
{
    char text[MAX_LINE];
    FILE *file = fopen(path, "r");
    int n = 0;
    bool blank, good = true;
    if (file == NULL) {
        common_report("--schedule: %s cannot be opened: %s", path, strerror(errno));
        return 0;
    }
    for (int line = 1; good && fgets(text, MAX_LINE, file) != NULL; line++) {
        good = n < MOST_SCHEDULED && read_line(text, &schedule[n], &blank) &&
               (blank || n == 0 || schedule[n].at_ns >= schedule[n - 1].at_ns);
        n += good && !blank;
        if (!good) {
            common_report("--schedule: %s:%d: is not SECONDS BYTES, is before the line above, or "
                          "there are more than %d broadcasts",
                          path, line, MOST_SCHEDULED);
        }
    }
    fclose(file);
    if (good && n == 0) {
        common_report("--schedule: %s has no broadcast", path);
    }
    return good ? n : 0;
}

/** Rank 0 reads, all ranks get it. Returns the number of broadcasts. */
static int share(const struct bench_run *run, struct scheduled *schedule)
{
    int n = run->rank == 0 ? read_schedule(run->options->schedule, schedule) : 0;
    MPI_Bcast(&n, 1, MPI_INT, 0, run->control);
    common_require(n > 0, run->control);
    MPI_Bcast(schedule, n * (int) sizeof *schedule, MPI_BYTE, 0, run->control);
    return n;
}

/* ---- the run ---- */

/** The command of --begin, run by rank 0. */
static void begin_world(const struct bench_run *run)
{
    bool good = true;
    if (run->rank == 0 && run->options->begin[0] != '\0') {
        const int code = system(run->options->begin);
        good = code != -1 && WIFEXITED(code) && WEXITSTATUS(code) == 0;
    }
    if (!good) {
        common_report("--begin: '%s' failed", run->options->begin);
    }
    common_require(good, run->control);
}

static void print_one(struct bench_output *output, int number, const struct scheduled *scheduled,
                      const struct bench_timing *timing, int64_t first_ns)
{
    const struct bench_column columns[] = {
        {"broadcast", number, 0},
        {"bytes", (double) scheduled->bytes, 0},
        {"at_s", (double) scheduled->at_ns * 1e-9, 6},
        {"begun_s", (double) (timing->start_ns - first_ns) * 1e-9, 6},
        {"time_us", (double) timing->last_ns / 1e3, 3},
        {"again", timing->n_again, 0},
    };
    bench_output_csv(output, columns, sizeof columns / sizeof columns[0]);
}

/** Runs one broadcast of the schedule; `first_ns` is the agreed time of the beginning of all. */
static void run_one(struct bench_run *run, struct bench_output *output, int number,
                    const struct scheduled *scheduled, int64_t first_ns)
{
    struct bench_measuring measuring;
    const struct bench_step step = {.phase = "schedule", .iteration = number};
    bench_measuring_begin(&measuring, run, scheduled->bytes);
    measuring.margin_ns = MARGIN_NS;
    common_clock_wait_until(&run->clock, first_ns + scheduled->at_ns - MARGIN_NS);
    const struct bench_timing timing = bench_measuring_timed(&measuring, &step);
    if (run->rank == 0) {
        print_one(output, number, scheduled, &timing, first_ns);
    }
    bench_measuring_end(&measuring);
}

/** Agreed time a little from now; equal on all ranks. */
static int64_t agree_on_beginning(const struct bench_run *run)
{
    const int64_t now = common_clock_agreed(&run->clock);
    int64_t latest;
    MPI_Allreduce(&now, &latest, 1, MPI_INT64_T, MPI_MAX, run->control);
    return latest + 2 * MARGIN_NS;
}

void bench_schedule_run(struct bench_run *run, struct bench_output *output)
{
    static struct scheduled schedule[MOST_SCHEDULED + 1];
    const int n = share(run, schedule);
    begin_world(run);
    const int64_t first_ns = agree_on_beginning(run);
    for (int i = 0; i < n; i++) {
        run_one(run, output, i, &schedule[i], first_ns);
    }
}
