#include "output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "op.h"
#include "output_foreign.h"

enum { N_COLUMNS = 18 };

/** Prefix of counters that the fallback component moves. */
static const char fallback[] = "fallback_";

/** Greatest time over the least from which a row is marked. */
static const double spread_limit = 1.5;

static double microseconds(double ns, int n)
{
    return n > 0 ? ns / 1e3 : (double) NAN;
}

static double sync_us(const struct bench_result *result)
{
    return microseconds((double) result->sync.median_ns, result->sync.n);
}

static double pingpong_us(const struct bench_result *result)
{
    return microseconds((double) result->pingpong.median_ns, result->pingpong.n);
}

static double loop_us(const struct bench_result *result)
{
    return microseconds(result->loop.mean_ns, result->loop.n);
}

/** The time that the table shows: of mode sync if it was measured. */
static double time_us(const struct bench_result *result)
{
    return result->sync.n > 0 ? sync_us(result) : loop_us(result);
}

/** The columns that CSV and JSON share, in order. */
static void columns_of(const struct bench_result *result, struct bench_column columns[N_COLUMNS])
{
    const int n_sync = result->sync.n, n_calls = result->calls.n;
    const struct bench_column all[N_COLUMNS] = {
        {"bytes", (double) result->bytes, 0},
        {"pingpong_us", pingpong_us(result), 3},
        {"pingpong_iterations", result->pingpong.n, 0},
        {"loop_us", loop_us(result), 3},
        {"loop_ratio", loop_us(result) / pingpong_us(result), 4},
        {"loop_iterations", result->loop.n, 0},
        {"sync_median_us", sync_us(result), 3},
        {"sync_min_us", microseconds((double) result->sync.min_ns, n_sync), 3},
        {"sync_max_us", microseconds((double) result->sync.max_ns, n_sync), 3},
        {"sync_ratio", sync_us(result) / pingpong_us(result), 4},
        {"sync_iterations", n_sync, 0},
        {"sync_late", result->sync.n_late, 0},
        {"call_mean_us", microseconds(result->calls.mean_ns, n_calls), 3},
        {"call_min_us", microseconds(result->calls.min_ns, n_calls), 3},
        {"call_max_us", microseconds(result->calls.max_ns, n_calls), 3},
        {"warmup", result->n_warmup, 0},
        {"clock_error_us", (double) result->clock_error_ns / 1e3, 3},
        {"limited", result->limited, 0},
    };
    memcpy(columns, all, sizeof all);
}

static const char *root_name(const struct bench_options *options, char text[16])
{
    snprintf(text, 16, options->root == BENCH_ROOT_ROTATE ? "rotate" : "%d", options->root);
    return text;
}

/* ---- the table ---- */

static void begin_text(const struct bench_output *output)
{
    const struct bench_options *options = output->options;
    char root[16];
    printf("# %s, %d %s on %d %s, root %s%s%s%s\n", bench_op_at(options->op)->function,
           output->n_ranks, output->n_ranks == 1 ? "rank" : "ranks", output->n_hosts,
           output->n_hosts == 1 ? "host" : "hosts", root_name(options, root),
           options->check ? ", every byte verified" : "", options->label[0] != '\0' ? "; " : "",
           options->label);
    if (options->pingpong) {
        printf("# T(M): one message of the size from rank %d to rank %d\n",
               options->pingpong_ranks[0], options->pingpong_ranks[1]);
    }
    printf("%11s %13s %13s %7s %9s   %s\n", "bytes", "time us", "T(M) us", "ratio", "Gbit/s",
           "served by");
}

static void print_cell(int width, int decimals, double value)
{
    if (isnan(value)) {
        printf(" %*s", width, "-");
    } else {
        printf(" %*.*f", width, decimals, value);
    }
}

static const char *server_of(const struct bench_output *output, const struct bench_result *result)
{
    return result->served_by[0] != '\0'   ? result->served_by
           : output->component[0] != '\0' ? output->component
                                          : "-";
}

static void result_text(struct bench_output *output, const struct bench_result *result)
{
    const double time = time_us(result), ratio = time / pingpong_us(result);
    const bool spread = result->sync.n > 0 &&
                        (double) result->sync.max_ns > spread_limit * (double) result->sync.min_ns;
    const bool below_one = ratio < 1;
    printf("%11lld", result->bytes);
    print_cell(13, 1, time);
    print_cell(13, 1, pingpong_us(result));
    print_cell(7, 2, ratio);
    print_cell(9, 3, (double) result->bytes * 8e-3 / time);
    printf("   %s%s%s%s\n", server_of(output, result), spread ? " ~" : "", below_one ? " <" : "",
           result->limited ? " *" : "");
    output->spread |= spread;
    output->below_one |= below_one;
    output->limited |= result->limited;
}

/** Explains the marks, and answers: how fast was it, and by whom? */
static void end_text(const struct bench_output *output)
{
    const struct bench_result *last = &output->last;
    const double ratio = time_us(last) / pingpong_us(last);
    if (output->spread) {
        printf("# ~ the slowest broadcast took %g times as long as the fastest, or more: was the "
               "network in use?\n",
               spread_limit);
    }
    if (output->below_one) {
        printf("# < faster than one message between two hosts: T(M) was disturbed, ranks share "
               "hosts, or links differ\n");
    }
    if (output->limited) {
        printf("# * fewer iterations, by --time-per-size\n");
    }
    if (output->n_ranks == 1) {
        printf("# one rank sends no message; start one on each host: pipebcast bench --hostfile "
               "HOSTS\n");
    }
    if (output->n_results == 0 || output->n_ranks == 1) {
        return;
    }
    printf("# %lld bytes to %d ranks take ", last->bytes, output->n_ranks);
    if (isnan(ratio)) {
        printf("%.1f us", time_us(last));
    } else {
        printf("%.2f times as long as to one", ratio);
    }
    if (strncmp(last->served_by, fallback, strlen(fallback)) == 0) {
        printf("; pipebcast is loaded, but the fallback component served (%s): pipebcast doctor "
               "explains it\n",
               last->served_by + strlen(fallback));
    } else if (last->served_by[0] != '\0') {
        printf("; served by pipebcast (%s)\n"
               "# without pipebcast: OMPI_MCA_coll=^pipebcast in front of the same command\n",
               last->served_by);
    } else if (output->component[0] != '\0') {
        printf("; served by %s: pipebcast is not loaded\n", output->component);
    } else {
        printf("\n");
    }
}

/* ---- CSV and JSON ---- */

static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        printf(*text == '"' ? "\"\"" : "%c", *text);
    }
    putchar('"');
}

void bench_output_csv(struct bench_output *output, const struct bench_column *columns, int n)
{
    const struct bench_options *options = output->options;
    char root[16];
    if (output->n_results++ == 0) {
        printf("label,op,ranks,hosts,root,checked");
        for (int i = 0; i < n; i++) {
            printf(",%s", columns[i].name);
        }
        putchar('\n');
    }
    print_quoted(options->label);
    printf(",%s,%d,%d,%s,%d", bench_op_names[options->op], output->n_ranks, output->n_hosts,
           root_name(options, root), options->check);
    for (int i = 0; i < n; i++) {
        if (isnan(columns[i].value)) {
            putchar(',');
        } else {
            printf(",%.*f", columns[i].decimals, columns[i].value);
        }
    }
    putchar('\n');
    fflush(stdout);
}

static void begin_json(struct bench_output *output)
{
    const struct bench_options *options = output->options;
    const common_json_t whole = common_json_begin("pipebcast bench");
    char root[16];
    common_json_text(whole, "label", options->label);
    common_json_text(whole, "component", output->component[0] != '\0' ? output->component : NULL);
    common_json_text(whole, "op", bench_op_names[options->op]);
    common_json_integer(whole, "ranks", output->n_ranks);
    common_json_integer(whole, "hosts", output->n_hosts);
    common_json_text(whole, "root", root_name(options, root));
    common_json_truth(whole, "checked", options->check);
    output->json = whole;
    output->results = common_json_array(whole, "results");
}

static void result_json(const struct bench_output *output, const struct bench_result *result)
{
    const common_json_t object = common_json_object(output->results, NULL);
    struct bench_column columns[N_COLUMNS];
    columns_of(result, columns);
    for (int i = 0; i < N_COLUMNS; i++) {
        const struct bench_column *column = &columns[i];
        if (column->decimals > 0 || isnan(column->value)) {
            common_json_real(object, column->name, column->value, column->decimals);
        } else {
            common_json_integer(object, column->name, (int64_t) column->value);
        }
    }
    common_json_text(object, "served_by", result->served_by[0] != '\0' ? result->served_by : NULL);
}

/* ---- any form ---- */

void bench_output_begin(struct bench_output *output)
{
    const enum bench_format format = output->options->format;
    if (format == BENCH_JSON) {
        begin_json(output);
    } else if (format == BENCH_TEXT) {
        begin_text(output);
    } else if (format != BENCH_CSV) {
        bench_output_foreign_begin(format, output->n_ranks);
    }
    fflush(stdout);
}

void bench_output_result(struct bench_output *output, const struct bench_result *result)
{
    const enum bench_format format = output->options->format;
    struct bench_column columns[N_COLUMNS];
    output->last = *result;
    if (format == BENCH_CSV) {
        columns_of(result, columns);
        bench_output_csv(output, columns, N_COLUMNS);
        return;
    }
    if (format == BENCH_JSON) {
        result_json(output, result);
    } else if (format == BENCH_TEXT) {
        result_text(output, result);
    } else {
        bench_output_foreign_result(format, result);
    }
    output->n_results++;
    fflush(stdout);
}

void bench_output_end(struct bench_output *output)
{
    const enum bench_format format = output->options->format;
    if (format == BENCH_JSON) {
        common_json_end(output->json, stdout);
    } else if (format == BENCH_TEXT) {
        end_text(output);
    } else {
        bench_output_foreign_end(format);
    }
    fflush(stdout);
}
