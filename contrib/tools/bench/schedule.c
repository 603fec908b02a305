#include "schedule.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "contrib/tools/common/report.h"
#include "measuring.h"
#include "output_schedule.h"

enum { MAX_LINE = 256 };

/** From the agreement on a start to the start: ranks that share a processor need it. */
#define MARGIN_NS INT64_C(50000000)

/** The latest time of a broadcast. */
#define MOST_SECONDS 1e6

/* ---- the file ---- */

/** A file being read, and the schedule that grows from it. */
struct reader {
    const char *path;
    int line;
    struct bench_scheduled *all;
    int n, most;
    char *error;
    size_t error_size;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct reader *reader, const char *format,
                                                        ...)
{
    va_list args;
    const int n =
        snprintf(reader->error, reader->error_size, "%s:%d: ", reader->path, reader->line);
    if (n >= 0 && (size_t) n < reader->error_size) {
        va_start(args, format);
        vsnprintf(reader->error + n, reader->error_size - (size_t) n, format, args);
        va_end(args);
    }
    return false;
}

static bool keep(struct reader *reader, const struct bench_scheduled *scheduled)
{
    if (reader->n == BENCH_MOST_SCHEDULED) {
        return wrong(reader, "there are more than %d broadcasts", BENCH_MOST_SCHEDULED);
    }
    if (reader->n == reader->most) {
        const int most = reader->most > 0 ? 2 * reader->most : 64;
        struct bench_scheduled *all = realloc(reader->all, (size_t) most * sizeof *all);
        if (all == NULL) {
            return wrong(reader, "no memory for so many broadcasts");
        }
        reader->all = all;
        reader->most = most;
    }
    reader->all[reader->n++] = *scheduled;
    return true;
}

static bool read_line(struct reader *reader, const struct bench_options *options, char *text)
{
    char *rest, where[BENCH_MAX_PATH + 32];
    char *time = strtok_r(text, " \t\r\n", &rest), *size = strtok_r(NULL, " \t\r\n", &rest), *end;
    struct bench_scheduled scheduled;
    int64_t bytes;
    if (time == NULL) {
        return true;
    }
    if (size == NULL || strtok_r(NULL, " \t\r\n", &rest) != NULL) {
        return wrong(reader, "the line is not SECONDS BYTES");
    }
    const double seconds = strtod(time, &end);
    if (end == time || *end != '\0' || !(seconds >= 0 && seconds <= MOST_SECONDS)) {
        return wrong(reader, "'%s' is no number of seconds", time);
    }
    scheduled.at_ns = (int64_t) (seconds * 1e9);
    if (reader->n > 0 && scheduled.at_ns < reader->all[reader->n - 1].at_ns) {
        return wrong(reader, "'%s' is before the broadcast of the line above", time);
    }
    if (!common_read_size(size, 1, INT64_MAX, &bytes)) {
        return wrong(reader, "'%s' is no size; write 65536 or 64K", size);
    }
    scheduled.bytes = bytes;
    snprintf(where, sizeof where, "%s:%d", reader->path, reader->line);
    return bench_options_size_fits(options, where, scheduled.bytes, reader->error,
                                   reader->error_size) &&
           keep(reader, &scheduled);
}

static bool read_lines(struct reader *reader, const struct bench_options *options, FILE *file)
{
    char text[MAX_LINE];
    while (fgets(text, MAX_LINE, file) != NULL) {
        reader->line++;
        if (strchr(text, '\n') == NULL && !feof(file)) {
            return wrong(reader, "the line is longer than %d bytes", MAX_LINE - 2);
        }
        text[strcspn(text, "#")] = '\0';
        if (!read_line(reader, options, text)) {
            return false;
        }
    }
    if (ferror(file)) {
        return wrong(reader, "cannot be read: %s", strerror(errno));
    }
    return reader->n > 0 || wrong(reader, "there is no broadcast");
}

/**
 * Reads a file: a line "SECONDS BYTES" for each broadcast, at times that do not fall; '#' begins a
 * comment, K and M follow a number. The caller frees *schedule_p. Yields how many there are, or -1
 * with a message of line and reason in error.
 */
static int read_schedule(const char *path, const struct bench_options *options,
                         struct bench_scheduled **schedule_p, char *error, size_t error_size)
{
    struct reader reader = {.path = path, .error = error, .error_size = error_size};
    FILE *file = fopen(path, "r");
    *schedule_p = NULL;
    if (file == NULL) {
        wrong(&reader, "cannot be opened: %s", strerror(errno));
        return -1;
    }
    const bool good = read_lines(&reader, options, file);
    fclose(file);
    if (!good) {
        free(reader.all);
        return -1;
    }
    *schedule_p = reader.all;
    return reader.n;
}

/** Rank 0 reads, all ranks get it. BENCH_BAD_FILE, BENCH_NO_MEMORY, which were reported. */
static enum bench_status share(struct bench_run *run, struct bench_scheduled **schedule_p, int *n_p)
{
    char error[BENCH_MAX_PATH + 256];
    *schedule_p = NULL;
    *n_p = 0;
    if (run->rank == 0) {
        *n_p = read_schedule(run->options->schedule, run->options, schedule_p, error, sizeof error);
        if (*n_p < 0) {
            common_report("--schedule: %s", error);
        }
    }
    MPI_Bcast(n_p, 1, MPI_INT, 0, run->control);
    if (*n_p < 0) {
        return BENCH_BAD_FILE;
    }
    if (run->rank != 0) {
        *schedule_p = calloc((size_t) *n_p, sizeof **schedule_p);
    }
    int good = *schedule_p != NULL, all_good;
    if (!good) {
        common_report("rank %d: no memory for %d broadcasts", run->rank, *n_p);
    }
    MPI_Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, run->control);
    if (all_good) {
        assert(*schedule_p != NULL);
        MPI_Bcast(*schedule_p, *n_p * (int) sizeof **schedule_p, MPI_BYTE, 0, run->control);
    }
    return all_good ? BENCH_OK : BENCH_NO_MEMORY;
}

/* ---- the run ---- */

/** The command that makes the world around begin, too, run by rank 0. */
static enum bench_status begin_world(const struct bench_run *run)
{
    int good = 1;
    if (run->rank == 0 && run->options->begin[0] != '\0') {
        const int code = system(run->options->begin);
        good = code != -1 && WIFEXITED(code) && WEXITSTATUS(code) == 0;
        if (!good) {
            common_report("--begin: '%s' failed", run->options->begin);
        }
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, run->control);
    return good ? BENCH_OK : BENCH_BAD_FILE;
}

/** One broadcast of the schedule; `first_ns` is the agreed time of the beginning of all. */
static enum bench_status run_one(struct bench_run *run, int number,
                                 const struct bench_scheduled *scheduled, int64_t first_ns,
                                 struct bench_schedule_result *result)
{
    struct bench_measuring measuring;
    struct bench_timing timing;
    const struct bench_step step = {.phase = "schedule", .iteration = number};
    *result = (struct bench_schedule_result){.number = number, .wanted = *scheduled};
    enum bench_status status = bench_measuring_begin(&measuring, run, scheduled->bytes);
    measuring.margin_ns = MARGIN_NS;
    if (status == BENCH_OK) {
        common_clock_wait_until(&run->clock, first_ns + scheduled->at_ns - MARGIN_NS);
        status = bench_measuring_timed(&measuring, &step, &timing);
    }
    if (status == BENCH_OK) {
        result->begun_ns = timing.start_ns - first_ns;
        result->taken_ns = timing.last_ns;
        result->n_again = timing.n_again;
    }
    bench_measuring_end(&measuring);
    return status;
}

/** Agreed time a little from now; equal on all ranks. */
static int64_t agree_on_beginning(const struct bench_run *run)
{
    const int64_t now = common_clock_agreed(&run->clock);
    int64_t latest;
    MPI_Allreduce(&now, &latest, 1, MPI_INT64_T, MPI_MAX, run->control);
    return latest + 2 * MARGIN_NS;
}

enum bench_status bench_schedule_run(struct bench_run *run, struct bench_output *output)
{
    struct bench_scheduled *schedule;
    int n;
    enum bench_status status = share(run, &schedule, &n);
    if (status == BENCH_OK) {
        status = begin_world(run);
    }
    if (run->rank == 0 && status == BENCH_OK) {
        bench_output_begin(output);
    }
    const int64_t first_ns = agree_on_beginning(run);
    for (int i = 0; i < n && status == BENCH_OK; i++) {
        struct bench_schedule_result result;
        status = run_one(run, i, &schedule[i], first_ns, &result);
        if (run->rank == 0 && status == BENCH_OK) {
            bench_output_schedule_result(output, &result);
        }
    }
    if (run->rank == 0 && n > 0) {
        bench_output_end(output);
    }
    free(schedule);
    return status;
}
