#include "output.h"

#include <math.h>
#include <string.h>

#include "op.h"

/** A number of a result, NAN where it was not measured. */
struct column {
    const char *name; /**< in CSV and JSON */
    double value;
    int decimals;
};

enum { MAX_COLUMNS = 20 };

static double microseconds(double ns, int n)
{
    return n > 0 ? ns / 1e3 : NAN;
}

/** The columns that CSV and JSON share, in order. Yields how many. */
static int columns_of(const struct bench_result *result, struct column *columns)
{
    double pingpong = microseconds((double) result->pingpong.median_ns, result->pingpong.n);
    double loop = microseconds(result->loop.mean_ns, result->loop.n);
    double sync = microseconds((double) result->sync.median_ns, result->sync.n);
    int n = 0;
    columns[n++] = (struct column){"bytes", (double) result->bytes, 0};
    columns[n++] = (struct column){"pingpong_us", pingpong, 3};
    columns[n++] = (struct column){"pingpong_iterations", result->pingpong.n, 0};
    columns[n++] = (struct column){"loop_us", loop, 3};
    columns[n++] = (struct column){"loop_ratio", loop / pingpong, 4};
    columns[n++] = (struct column){"loop_iterations", result->loop.n, 0};
    columns[n++] = (struct column){"sync_median_us", sync, 3};
    columns[n++] = (struct column){"sync_min_us",
                                   microseconds((double) result->sync.min_ns, result->sync.n), 3};
    columns[n++] = (struct column){"sync_max_us",
                                   microseconds((double) result->sync.max_ns, result->sync.n), 3};
    columns[n++] = (struct column){"sync_ratio", sync / pingpong, 4};
    columns[n++] = (struct column){"sync_iterations", result->sync.n, 0};
    columns[n++] = (struct column){"sync_late", result->sync.n_late, 0};
    columns[n++] = (struct column){"warmup", result->n_warmup, 0};
    columns[n++] = (struct column){"clock_error_us", (double) result->clock_error_ns / 1e3, 3};
    columns[n++] = (struct column){"limited", result->limited, 0};
    return n;
}

static const char *root_name(const struct bench_options *options, char *text, size_t size)
{
    if (options->root == BENCH_ROOT_ROTATE) {
        return "rotate";
    }
    snprintf(text, size, "%d", options->root);
    return text;
}

/** A string in double quotes; each quote in it preceded by an escape character. */
static void print_quoted(const char *text, const char *escaped, char escape)
{
    putchar('"');
    for (; *text; text++) {
        if (strchr(escaped, *text)) {
            putchar(escape);
        }
        putchar(*text);
    }
    putchar('"');
}

static void begin_text(const struct bench_output *output)
{
    const struct bench_options *options = output->options;
    char root[16];
    printf("# pipebcast-bench %s%s%s\n", PACKAGE_VERSION, *options->label ? ": " : "",
           options->label);
    printf("# %s, %d ranks on %d hosts, root %s, datatype %s%s\n", bench_op_at(options->op)->name,
           output->n_ranks, output->n_hosts, root_name(options, root, sizeof root),
           bench_datatype_name(options->datatype),
           options->check ? ", every byte verified" : ", bytes not verified");
    if (options->pingpong) {
        printf("# T(M) between ranks %d and %d\n", options->pingpong_ranks[0],
               options->pingpong_ranks[1]);
    }
    printf("#%10s %6s %12s %12s %7s %12s %12s %12s %7s\n", "bytes", "iters", "T(M) us", "loop us",
           "ratio", "median us", "min us", "max us", "ratio");
}

static void print_cell(int width, int decimals, double value)
{
    if (isnan(value)) {
        printf(" %*s", width, "-");
    } else {
        printf(" %*.*f", width, decimals, value);
    }
}

static void result_text(const struct bench_result *result)
{
    double pingpong = microseconds((double) result->pingpong.median_ns, result->pingpong.n);
    double loop = microseconds(result->loop.mean_ns, result->loop.n);
    double sync = microseconds((double) result->sync.median_ns, result->sync.n);
    printf(" %10lld %6d", result->bytes, result->sync.n ? result->sync.n : result->loop.n);
    print_cell(12, 1, pingpong);
    print_cell(12, 1, loop);
    print_cell(7, 2, loop / pingpong);
    print_cell(12, 1, sync);
    print_cell(12, 1, microseconds((double) result->sync.min_ns, result->sync.n));
    print_cell(12, 1, microseconds((double) result->sync.max_ns, result->sync.n));
    print_cell(7, 2, sync / pingpong);
    printf("%s\n", result->limited ? " *" : "");
}

static void begin_csv(void)
{
    struct bench_result none = {.bytes = 0};
    struct column columns[MAX_COLUMNS];
    int n = columns_of(&none, columns);
    printf("label,op,ranks,hosts,root,datatype,checked");
    for (int i = 0; i < n; i++) {
        printf(",%s", columns[i].name);
    }
    putchar('\n');
}

static void result_csv(const struct bench_output *output, const struct bench_result *result)
{
    const struct bench_options *options = output->options;
    struct column columns[MAX_COLUMNS];
    char root[16];
    int n = columns_of(result, columns);
    print_quoted(options->label, "\"", '"');
    printf(",%s,%d,%d,%s,%s,%d", bench_op_at(options->op)->name, output->n_ranks, output->n_hosts,
           root_name(options, root, sizeof root), bench_datatype_name(options->datatype),
           options->check);
    for (int i = 0; i < n; i++) {
        putchar(',');
        if (!isnan(columns[i].value)) {
            printf("%.*f", columns[i].decimals, columns[i].value);
        }
    }
    putchar('\n');
}

static void begin_json(const struct bench_output *output)
{
    const struct bench_options *options = output->options;
    char library[MPI_MAX_LIBRARY_VERSION_STRING], root[16];
    int length;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    printf("{\n  \"program\": \"pipebcast-bench\",\n  \"version\": \"%s\",\n  \"label\": ",
           PACKAGE_VERSION);
    print_quoted(options->label, "\"\\", '\\');
    printf(",\n  \"mpi\": ");
    print_quoted(library, "\"\\", '\\');
    printf(",\n  \"op\": \"%s\",\n  \"ranks\": %d,\n  \"hosts\": %d,\n  \"root\": \"%s\",\n"
           "  \"datatype\": \"%s\",\n  \"checked\": %s,\n  \"clock\": \"%s\",\n",
           bench_op_at(options->op)->name, output->n_ranks, output->n_hosts,
           root_name(options, root, sizeof root), bench_datatype_name(options->datatype),
           options->check ? "true" : "false", options->shared_clock ? "shared" : "estimate");
    if (options->pingpong) {
        printf("  \"pingpong_ranks\": [%d, %d],\n", options->pingpong_ranks[0],
               options->pingpong_ranks[1]);
    }
    printf("  \"results\": [");
}

static void result_json(const struct bench_output *output, const struct bench_result *result)
{
    struct column columns[MAX_COLUMNS];
    int n = columns_of(result, columns);
    printf("%s\n    {", output->n_results ? "," : "");
    for (int i = 0; i < n; i++) {
        printf("%s\"%s\": ", i ? ", " : "", columns[i].name);
        if (isnan(columns[i].value)) {
            printf("null");
        } else if (strcmp(columns[i].name, "limited") == 0) {
            printf("%s", result->limited ? "true" : "false");
        } else {
            printf("%.*f", columns[i].decimals, columns[i].value);
        }
    }
    printf("}");
}

void bench_output_begin(const struct bench_output *output)
{
    switch (output->options->format) {
    case BENCH_CSV:
        begin_csv();
        break;
    case BENCH_JSON:
        begin_json(output);
        break;
    default:
        begin_text(output);
        break;
    }
    fflush(stdout);
}

void bench_output_result(struct bench_output *output, const struct bench_result *result)
{
    switch (output->options->format) {
    case BENCH_CSV:
        result_csv(output, result);
        break;
    case BENCH_JSON:
        result_json(output, result);
        break;
    default:
        result_text(result);
        break;
    }
    output->n_results++;
    fflush(stdout);
}

void bench_output_end(const struct bench_output *output)
{
    if (output->options->format == BENCH_JSON) {
        printf("\n  ]\n}\n");
        fflush(stdout);
    }
}
