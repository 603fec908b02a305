#include "arrival_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINE = 256, FORMAT_VERSION = 1 };

/** Times up to eleven days. */
static const int64_t most_ns = INT64_C(1000000000000000);

/** A file being read, and the trace that grows from it. */
struct reader {
    struct bench_trace *trace;
    FILE *file;
    const char *name;
    int line;
    char text[MAX_LINE];
    int next_rank; /**< of the last broadcast, whose next line this is; 0: it is whole */
    int capacity;  /**< broadcasts that there is memory for */
    char *error;
    size_t error_size;
};

__attribute__((format(printf, 2, 3))) static int wrong(struct reader *reader, const char *format,
                                                       ...)
{
    va_list args;
    int n = snprintf(reader->error, reader->error_size, "%s:%d: ", reader->name, reader->line);
    if (n >= 0 && (size_t) n < reader->error_size) {
        va_start(args, format);
        vsnprintf(reader->error + n, reader->error_size - (size_t) n, format, args);
        va_end(args);
    }
    return -1;
}

/** The next line that is not for people. 1: there is one, 0: the file ends, -1: a fault. */
static int next_line(struct reader *reader)
{
    do {
        reader->line++;
        if (!fgets(reader->text, MAX_LINE, reader->file)) {
            return ferror(reader->file) ? wrong(reader, "cannot be read: %s", strerror(errno)) : 0;
        }
        char *newline = strchr(reader->text, '\n');
        if (!newline) {
            return wrong(reader, "the line is cut off, or longer than %d bytes", MAX_LINE - 2);
        }
        *newline = '\0';
    } while (reader->text[0] == '#' || reader->text[0] == '\0');
    return 1;
}

/** Reads n numbers, each in its bounds, and nothing behind them. */
static int parse_numbers(const char *text, int n, const int64_t *most, int64_t *numbers)
{
    for (int i = 0; i < n; i++) {
        char *end;
        errno = 0;
        numbers[i] = strtoll(text, &end, 10);
        if (end == text || errno || numbers[i] < 0 || numbers[i] > most[i] ||
            (*end != ' ' && *end != '\0')) {
            return -1;
        }
        text = end;
    }
    return *text == '\0' ? 0 : -1;
}

static int read_head(struct reader *reader)
{
    const int64_t most = BENCH_TRACE_MOST_RANKS;
    int64_t version, n_ranks;
    const int64_t most_version = INT32_MAX;
    static const char first[] = "pipebcast-arrivals ", second[] = "ranks ";
    int found = next_line(reader);
    if (found < 0) {
        return -1;
    }
    if (!found || strncmp(reader->text, first, strlen(first)) != 0 ||
        parse_numbers(reader->text + strlen(first), 1, &most_version, &version)) {
        return wrong(reader, "this is no file of arrivals: its first line must be '%s%d'", first,
                     FORMAT_VERSION);
    }
    if (version != FORMAT_VERSION) {
        return wrong(reader, "version %" PRId64 " of this format is unknown; known is %d", version,
                     FORMAT_VERSION);
    }
    found = next_line(reader);
    if (found < 0) {
        return -1;
    }
    if (!found || strncmp(reader->text, second, strlen(second)) != 0 ||
        parse_numbers(reader->text + strlen(second), 1, &most, &n_ranks) || n_ranks < 1) {
        return wrong(reader, "expected 'ranks N', N from 1 to %d", BENCH_TRACE_MOST_RANKS);
    }
    reader->trace->n_ranks = (int) n_ranks;
    return 0;
}

/** Makes room for one broadcast more, in all for twice as many as there were. */
static int reserve(struct reader *reader)
{
    struct bench_trace *trace = reader->trace;
    size_t n_ranks = (size_t) trace->n_ranks;
    if (trace->n_broadcasts == BENCH_TRACE_MOST_BROADCASTS ||
        (size_t) (trace->n_broadcasts + 1) * n_ranks > BENCH_TRACE_MOST_TIMES) {
        return wrong(reader, "more broadcasts than can be held (%d, and %d arrivals)",
                     BENCH_TRACE_MOST_BROADCASTS, BENCH_TRACE_MOST_TIMES);
    }
    if (trace->n_broadcasts < reader->capacity) {
        return 0;
    }
    int capacity = reader->capacity ? 2 * reader->capacity : 1;
    void *broadcasts = realloc(trace->broadcasts, (size_t) capacity * sizeof *trace->broadcasts);
    trace->broadcasts = broadcasts ? broadcasts : trace->broadcasts;
    void *arrivals =
        realloc(trace->arrivals_ns, (size_t) capacity * n_ranks * sizeof *trace->arrivals_ns);
    trace->arrivals_ns = arrivals ? arrivals : trace->arrivals_ns;
    if (!broadcasts || !arrivals) {
        return wrong(reader, "out of memory");
    }
    reader->capacity = capacity;
    return 0;
}

enum { BROADCAST, BYTES, ROOT, RANK, ARRIVAL, EXIT, N_FIELDS };

/** Begins the next broadcast by the line of its rank 0. */
static int add_broadcast(struct reader *reader, const int64_t *fields)
{
    struct bench_trace *trace = reader->trace;
    if (reserve(reader)) {
        return -1;
    }
    trace->broadcasts[trace->n_broadcasts++] =
        (struct bench_trace_broadcast){.bytes = fields[BYTES], .root = (int) fields[ROOT]};
    return 0;
}

static int read_times(struct reader *reader)
{
    struct bench_trace *trace = reader->trace;
    const int64_t most[N_FIELDS] = {BENCH_TRACE_MOST_BROADCASTS, INT64_MAX / 4, trace->n_ranks - 1,
                                    trace->n_ranks - 1,          most_ns,       most_ns};
    int64_t fields[N_FIELDS];
    if (parse_numbers(reader->text, N_FIELDS, most, fields) || fields[BYTES] < 1) {
        return wrong(reader,
                     "expected 'broadcast bytes root rank arrival_ns exit_ns', root and rank of %d "
                     "ranks, times up to %" PRId64,
                     trace->n_ranks, most_ns);
    }
    int broadcast = reader->next_rank == 0 ? trace->n_broadcasts : trace->n_broadcasts - 1;
    if (fields[BROADCAST] != broadcast || fields[RANK] != reader->next_rank) {
        return wrong(reader, "expected broadcast %d rank %d", broadcast, reader->next_rank);
    }
    if (fields[EXIT] < fields[ARRIVAL]) {
        return wrong(reader, "the rank leaves before it arrives");
    }
    if (reader->next_rank == 0 && add_broadcast(reader, fields)) {
        return -1;
    }
    const struct bench_trace_broadcast *known = &trace->broadcasts[broadcast];
    if (known->bytes != fields[BYTES] || known->root != fields[ROOT]) {
        return wrong(reader, "the ranks of a broadcast have different bytes or roots");
    }
    trace->arrivals_ns[(size_t) broadcast * (size_t) trace->n_ranks + (size_t) fields[RANK]] =
        fields[ARRIVAL];
    reader->next_rank = (reader->next_rank + 1) % trace->n_ranks;
    return 0;
}

/** The last line, and that nothing follows it. */
static int read_end(struct reader *reader)
{
    const int64_t most = BENCH_TRACE_MOST_BROADCASTS;
    const struct bench_trace *trace = reader->trace;
    int64_t count;
    if (parse_numbers(reader->text + strlen("end "), 1, &most, &count) ||
        count != trace->n_broadcasts || reader->next_rank != 0) {
        return wrong(reader, "'%s' does not match the %d whole broadcasts above", reader->text,
                     trace->n_broadcasts - (reader->next_rank != 0));
    }
    if (count == 0) {
        return wrong(reader, "the file holds no broadcast");
    }
    int found = next_line(reader);
    return found > 0 ? wrong(reader, "nothing may follow the line 'end'") : found;
}

static int read_all(struct reader *reader)
{
    if (read_head(reader)) {
        return -1;
    }
    for (;;) {
        int found = next_line(reader);
        if (found < 0) {
            return -1;
        }
        if (!found) {
            return wrong(reader, "the file ends without the line 'end'; it was not written to its "
                                 "end");
        }
        if (strncmp(reader->text, "end ", 4) == 0) {
            return read_end(reader);
        }
        if (read_times(reader)) {
            return -1;
        }
    }
}

int bench_trace_read(struct bench_trace *trace, FILE *file, const char *name, char *error,
                     size_t error_size)
{
    struct reader reader = {
        .trace = trace, .file = file, .name = name, .error = error, .error_size = error_size};
    *trace = (struct bench_trace){.n_ranks = 0};
    int status = read_all(&reader);
    if (status) {
        bench_trace_free(trace);
    }
    return status;
}

void bench_trace_free(struct bench_trace *trace)
{
    free(trace->broadcasts);
    free(trace->arrivals_ns);
    *trace = (struct bench_trace){.n_ranks = 0};
}

void bench_trace_delays(const struct bench_trace *trace, int broadcast, int64_t *delays_ns)
{
    const int64_t *arrivals = &trace->arrivals_ns[(size_t) broadcast * (size_t) trace->n_ranks];
    int64_t first = arrivals[0];
    for (int rank = 1; rank < trace->n_ranks; rank++) {
        first = arrivals[rank] < first ? arrivals[rank] : first;
    }
    for (int rank = 0; rank < trace->n_ranks; rank++) {
        delays_ns[rank] = arrivals[rank] - first;
    }
}

int bench_trace_create(struct bench_trace_writer *writer, const char *name, int n_ranks)
{
    *writer = (struct bench_trace_writer){.file = fopen(name, "w")};
    if (!writer->file) {
        return -1;
    }
    fprintf(writer->file, "pipebcast-arrivals %d\nranks %d\n", FORMAT_VERSION, n_ranks);
    fprintf(writer->file, "# broadcast bytes root rank arrival_ns exit_ns\n");
    return 0;
}

void bench_trace_write(struct bench_trace_writer *writer, long long bytes,
                       const struct bench_arrival_times *times)
{
    if (!writer->file) {
        return;
    }
    for (int rank = 0; rank < times->n_ranks; rank++) {
        fprintf(writer->file, "%d %lld %d %d %" PRId64 " %" PRId64 "\n", writer->n_broadcasts,
                bytes, times->root, rank, times->arrivals_ns[rank], times->exits_ns[rank]);
    }
    writer->n_broadcasts++;
}

int bench_trace_close(struct bench_trace_writer *writer, int whole)
{
    if (!writer->file) {
        return 0;
    }
    if (whole) {
        fprintf(writer->file, "end %d\n", writer->n_broadcasts);
    }
    int failed = ferror(writer->file);
    failed |= fclose(writer->file) != 0;
    writer->file = NULL;
    return failed ? -1 : 0;
}
