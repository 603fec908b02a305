#include "output.h"

#include <math.h>
#include <string.h>

#include "op.h"
#include "output_arrival.h"
#include "output_foreign.h"
#include "output_print.h"
#include "output_schedule.h"

enum { MAX_COLUMNS = 24 };

/** The share of the broadcast's own time that was hidden; at least 0. NAN if not measured. */
static double overlap_percent(const struct bench_result *result)
{
    if (result->overlap.n == 0) {
        return NAN;
    }
    const double exposed = (double) result->overlap.exposed_ns / (double) result->sync.median_ns;
    return exposed < 0 ? 100 : exposed > 1 ? 0 : 100 * (1 - exposed);
}

/** The columns that CSV and JSON share, in order. Yields how many. */
static int columns_of(const struct bench_result *result, struct bench_column *columns)
{
    double pingpong = bench_microseconds((double) result->pingpong.median_ns, result->pingpong.n);
    double loop = bench_microseconds(result->loop.mean_ns, result->loop.n);
    double sync = bench_microseconds((double) result->sync.median_ns, result->sync.n);
    int n = 0;
    columns[n++] = (struct bench_column){"bytes", (double) result->bytes, 0};
    columns[n++] = (struct bench_column){"pingpong_us", pingpong, 3};
    columns[n++] = (struct bench_column){"pingpong_iterations", result->pingpong.n, 0};
    columns[n++] = (struct bench_column){"loop_us", loop, 3};
    columns[n++] = (struct bench_column){"loop_ratio", loop / pingpong, 4};
    columns[n++] = (struct bench_column){"loop_iterations", result->loop.n, 0};
    columns[n++] = (struct bench_column){"sync_median_us", sync, 3};
    columns[n++] = (struct bench_column){
        "sync_min_us", bench_microseconds((double) result->sync.min_ns, result->sync.n), 3};
    columns[n++] = (struct bench_column){
        "sync_max_us", bench_microseconds((double) result->sync.max_ns, result->sync.n), 3};
    columns[n++] = (struct bench_column){"sync_ratio", sync / pingpong, 4};
    columns[n++] = (struct bench_column){"sync_iterations", result->sync.n, 0};
    columns[n++] = (struct bench_column){"sync_late", result->sync.n_late, 0};
    columns[n++] = (struct bench_column){
        "call_mean_us", bench_microseconds(result->calls.mean_ns, result->calls.n), 3};
    columns[n++] = (struct bench_column){
        "call_min_us", bench_microseconds(result->calls.min_ns, result->calls.n), 3};
    columns[n++] = (struct bench_column){
        "call_max_us", bench_microseconds(result->calls.max_ns, result->calls.n), 3};
    columns[n++] = (struct bench_column){
        "overlap_us", bench_microseconds((double) result->overlap.median_ns, result->overlap.n), 3};
    columns[n++] = (struct bench_column){
        "exposed_us", bench_microseconds((double) result->overlap.exposed_ns, result->overlap.n),
        3};
    columns[n++] = (struct bench_column){"overlap_percent", overlap_percent(result), 2};
    columns[n++] = (struct bench_column){"warmup", result->n_warmup, 0};
    columns[n++] =
        (struct bench_column){"clock_error_us", (double) result->clock_error_ns / 1e3, 3};
    columns[n++] = (struct bench_column){"limited", result->limited, BENCH_FLAG};
    return n;
}

static void begin_text(const struct bench_output *output)
{
    const struct bench_options *options = output->options;
    char root[16];
    printf("# pipebcast-bench %s%s%s\n", PACKAGE_VERSION, *options->label ? ": " : "",
           options->label);
    printf("# %s, %d ranks on %d hosts, root %s, datatype %s%s\n", bench_op_names[options->op],
           output->n_ranks, output->n_hosts, bench_root_name(options, root, sizeof root),
           bench_datatype_name(options->datatype),
           options->check ? ", every byte verified" : ", bytes not verified");
    if (options->group_ranks > 0) {
        printf("# groups of %d ranks%s, all at once\n", options->group_ranks,
               options->strided ? ", strided" : "");
    }
    if (options->pingpong) {
        printf("# T(M) between ranks %d and %d\n", options->pingpong_ranks[0],
               options->pingpong_ranks[1]);
    }
    if (options->arrival.kind != BENCH_ARRIVAL_NONE) {
        bench_output_arrival_head(options);
        return;
    }
    if (options->schedule[0] != '\0') {
        bench_output_schedule_head();
        return;
    }
    printf("#%10s %6s %12s %12s %7s %12s %12s %12s %7s\n", "bytes", "iters", "T(M) us", "loop us",
           "ratio", "median us", "min us", "max us", "ratio");
}

static void result_text(const struct bench_result *result)
{
    double pingpong = bench_microseconds((double) result->pingpong.median_ns, result->pingpong.n);
    double loop = bench_microseconds(result->loop.mean_ns, result->loop.n);
    double sync = bench_microseconds((double) result->sync.median_ns, result->sync.n);
    printf(" %10lld %6d", result->bytes, result->sync.n ? result->sync.n : result->loop.n);
    bench_print_cell(12, 1, pingpong);
    bench_print_cell(12, 1, loop);
    bench_print_cell(7, 2, loop / pingpong);
    bench_print_cell(12, 1, sync);
    bench_print_cell(12, 1, bench_microseconds((double) result->sync.min_ns, result->sync.n));
    bench_print_cell(12, 1, bench_microseconds((double) result->sync.max_ns, result->sync.n));
    bench_print_cell(7, 2, sync / pingpong);
    if (result->overlap.n > 0) {
        printf("  overlap %.1f %%", overlap_percent(result));
    }
    printf("%s\n", result->limited ? " *" : "");
}

static void begin_csv(const struct bench_options *options)
{
    const struct bench_result none = {.bytes = 0};
    struct bench_column columns[MAX_COLUMNS];
    printf("label,op,ranks,hosts,root,datatype,checked");
    if (options->arrival.kind != BENCH_ARRIVAL_NONE) {
        bench_output_arrival_csv_names();
    } else if (options->schedule[0] != '\0') {
        bench_output_schedule_csv_names();
    } else {
        bench_print_csv_names(columns, columns_of(&none, columns));
    }
    putchar('\n');
}

void bench_output_csv_head(const struct bench_output *output)
{
    const struct bench_options *options = output->options;
    char root[16];
    bench_print_quoted(options->label, "\"", '"');
    printf(",%s,%d,%d,%s,%s,%d", bench_op_names[options->op], output->n_ranks, output->n_hosts,
           bench_root_name(options, root, sizeof root), bench_datatype_name(options->datatype),
           options->check);
}

static void result_csv(const struct bench_output *output, const struct bench_result *result)
{
    struct bench_column columns[MAX_COLUMNS];
    bench_output_csv_head(output);
    bench_print_csv(columns, columns_of(result, columns));
    putchar('\n');
}

static void begin_json(struct bench_output *output)
{
    const struct bench_options *options = output->options;
    const common_json_t whole = common_json_begin("pipebcast bench");
    char library[MPI_MAX_LIBRARY_VERSION_STRING], root[16];
    int length;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    common_json_text(whole, "label", options->label);
    common_json_text(whole, "mpi", library);
    common_json_text(whole, "op", bench_op_names[options->op]);
    common_json_integer(whole, "ranks", output->n_ranks);
    common_json_integer(whole, "hosts", output->n_hosts);
    common_json_text(whole, "root", bench_root_name(options, root, sizeof root));
    common_json_text(whole, "datatype", bench_datatype_name(options->datatype));
    common_json_truth(whole, "checked", options->check);
    common_json_text(whole, "clock", options->shared_clock ? "shared" : "estimate");
    if (options->pingpong) {
        const common_json_t ranks = common_json_array(whole, "pingpong_ranks");
        common_json_integer(ranks, NULL, options->pingpong_ranks[0]);
        common_json_integer(ranks, NULL, options->pingpong_ranks[1]);
    }
    if (options->arrival.kind != BENCH_ARRIVAL_NONE) {
        bench_output_arrival_json(whole, &options->arrival);
    }
    output->json = whole;
    output->results = common_json_array(whole, "results");
}

static void result_json(const struct bench_output *output, const struct bench_result *result)
{
    struct bench_column columns[MAX_COLUMNS];
    bench_add_columns(common_json_object(output->results, NULL), columns,
                      columns_of(result, columns));
}

void bench_output_begin(struct bench_output *output)
{
    output->begun = true;
    switch (output->options->format) {
    case BENCH_CSV:
        begin_csv(output->options);
        break;
    case BENCH_JSON:
        begin_json(output);
        break;
    case BENCH_OSU:
    case BENCH_OSU_FULL:
    case BENCH_IMB:
        bench_output_foreign_begin(output->options->format, output->n_ranks);
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
    case BENCH_OSU:
    case BENCH_OSU_FULL:
    case BENCH_IMB:
        bench_output_foreign_result(output->options->format, result);
        break;
    default:
        result_text(result);
        break;
    }
    output->n_results++;
    fflush(stdout);
}

void bench_output_end(struct bench_output *output)
{
    if (output->begun && output->options->format == BENCH_JSON) {
        output->failed |= !common_json_end(output->json, stdout);
    }
    if (output->begun) {
        bench_output_foreign_end(output->options->format);
    }
    fflush(stdout);
}
