#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cluster.h"
#include "contrib/tools/common/report.h"

/** Shares of a value by which it may be off without a warning. */
#define GAP_TOLERANCE 0.05
#define LATENCY_TOLERANCE 0.2

/** From this share of the gap on a processor is what bounds it. */
#define BUSY_SHARE 0.9

static double worst_error(const struct tune_certainty *certainty)
{
    return fmax(certainty->gap, fmax(certainty->rtt, certainty->both));
}

static double ms(int64_t ns)
{
    return (double) ns / 1e6;
}

static void print_place(pb_place_t place, const struct tune_swept *swept, double precision,
                        FILE *stream)
{
    fprintf(stream, "\n%s (%d links)\n%12s %11s %11s %11s %11s %11s %11s\n", pb_place_name(place),
            swept->costs.n_links, "message size", "g(m)", "RTT(m)", "L(m)", "both(m)", "o_s(m)",
            "o_r(m)");
    for (int i = 0; i < swept->costs.n_rows; i++) {
        const pb_cost_t *row = &swept->costs.rows[i];
        fprintf(stream, "%11" PRIu64 "B %9.4fms %9.4fms %9.4fms %9.4fms %9.4fms %9.4fms%s\n",
                row->bytes, ms(row->gap), ms(row->rtt), ms(pb_cost_latency(row)), ms(row->both),
                ms(row->send), ms(row->receive),
                worst_error(&swept->certainty[i]) > precision ? " *" : "");
    }
}

void tune_table_print(const struct tune_swept swept[PB_PLACE_COUNT], double precision, FILE *stream)
{
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        if (swept[place].costs.n_rows > 0) {
            print_place((pb_place_t) place, &swept[place], precision, stream);
        }
    }
    fprintf(stream,
            "\ng: from one message to the next; RTT: there and back; L = RTT/2 - g; both: g while\n"
            "as much is received; o_s, o_r: a processor is busy. *: not within %g %%.\n",
            100 * precision);
}

static void add_row(common_json_t to, const struct tune_swept *swept, int i, bool is_settled)
{
    const pb_cost_t *row = &swept->costs.rows[i];
    const common_json_t object = common_json_object(to, NULL);
    common_json_integer(object, "bytes", (int64_t) row->bytes);
    common_json_real(object, "gap_ms", ms(row->gap), 6);
    common_json_real(object, "rtt_ms", ms(row->rtt), 6);
    common_json_real(object, "latency_ms", ms(pb_cost_latency(row)), 6);
    common_json_real(object, "both_ms", ms(row->both), 6);
    common_json_real(object, "send_ms", ms(row->send), 6);
    common_json_real(object, "receive_ms", ms(row->receive), 6);
    common_json_truth(object, "settled", is_settled);
}

void tune_table_add(const struct tune_swept swept[PB_PLACE_COUNT], double precision,
                    common_json_t to)
{
    const common_json_t places = common_json_array(to, "places");
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        const pb_costs_t *costs = &swept[place].costs;
        if (costs->n_rows == 0) {
            continue;
        }
        const common_json_t object = common_json_object(places, NULL);
        common_json_text(object, "place", pb_place_name((pb_place_t) place));
        common_json_integer(object, "links", costs->n_links);
        const common_json_t rows = common_json_array(object, "rows");
        for (int i = 0; i < costs->n_rows; i++) {
            add_row(rows, &swept[place], i, worst_error(&swept[place].certainty[i]) <= precision);
        }
    }
}

/* ---- warnings ---- */

/** A list of sizes in the making: "256, 512". */
struct list {
    char text[512];
    int n;
};

static void list_add(struct list *list, uint64_t bytes)
{
    const size_t used = strlen(list->text);
    snprintf(list->text + used, sizeof list->text - used, "%s%" PRIu64, list->n > 0 ? ", " : "",
             bytes);
    list->n++;
}

/** Half the width of a confidence interval, as a share of the mean, with which a model is of use.
 */
#define USABLE_ERROR 0.1

static bool is_settled(const char *name, const struct tune_swept *swept, double precision)
{
    const double bound = precision > USABLE_ERROR ? precision : USABLE_ERROR;
    struct list list = {.n = 0};
    for (int i = 0; i < swept->costs.n_rows; i++) {
        if (worst_error(&swept->certainty[i]) > bound) {
            list_add(&list, swept->costs.rows[i].bytes);
        }
    }
    if (list.n > 0) {
        common_report("%s: messages of %s bytes did not settle within %g %%", name, list.text,
                      100 * bound);
    }
    return list.n == 0;
}

bool tune_table_settled(const struct tune_swept swept[PB_PLACE_COUNT], double precision)
{
    bool settled = true;
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        settled &= is_settled(pb_place_name((pb_place_t) place), &swept[place], precision);
    }
    return settled;
}

static void warn_left_out(const char *name, const struct tune_swept *swept)
{
    if (swept->n_left_out > 0) {
        common_report(
            "warning: %s: the largest %d sizes were not measured, as the time was over; the model "
            "goes on along the line of the last two that were measured; give a longer "
            "--time-limit",
            name, swept->n_left_out);
    }
}

/** Paper 2, section 5.1: with a processor at its limit, RTT/2 - g is less than the latency. */
static void warn_latency(const char *name, const struct tune_swept *swept, double precision)
{
    struct list list = {.n = 0};
    int64_t most = 0;
    for (int i = 0; i < swept->costs.n_rows; i++) {
        const pb_cost_t *row = &swept->costs.rows[i];
        const int64_t latency = pb_cost_latency(row);
        const double noise = precision * ((double) row->rtt / 2 + (double) row->gap);
        if ((double) latency + noise < (1 - LATENCY_TOLERANCE) * (double) most) {
            list_add(&list, row->bytes);
        }
        most = latency > most ? latency : most;
    }
    if (list.n > 0) {
        common_report("warning: %s: L(m) shrinks as the message grows, at %s bytes: there not the "
                      "network but something else, most often a processor, bounds the time from "
                      "message to message, and L is underestimated",
                      name, list.text);
    }
}

static void warn_gap(const char *name, const struct tune_swept *swept)
{
    struct list list = {.n = 0};
    for (int i = 1; i < swept->costs.n_rows; i++) {
        const pb_cost_t *row = &swept->costs.rows[i];
        if ((double) row->gap < (1 - GAP_TOLERANCE) * (double) row[-1].gap) {
            list_add(&list, row->bytes);
        }
    }
    if (list.n > 0) {
        common_report(
            "warning: %s: g(m) is less than for the next smaller message at %s bytes: another "
            "protocol of MPI begins there, or something else used the network; compare with a "
            "second run",
            name, list.text);
    }
}

static void warn_busy(const char *name, const struct tune_swept *swept)
{
    struct list list = {.n = 0};
    for (int i = 0; i < swept->costs.n_rows; i++) {
        const pb_cost_t *row = &swept->costs.rows[i];
        const int64_t busy = row->send > row->receive ? row->send : row->receive;
        if ((double) busy > BUSY_SHARE * (double) row->gap) {
            list_add(&list, row->bytes);
        }
    }
    if (list.n > 0) {
        common_report(
            "warning: %s: a processor is busy for as long as a message takes, at %s bytes: "
            "the processors and not the links are the limit there; a rank cannot send and "
            "receive at full speed",
            name, list.text);
    }
}

void tune_table_warn(const struct tune_swept swept[PB_PLACE_COUNT], double precision)
{
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        const char *name = pb_place_name((pb_place_t) place);
        warn_left_out(name, &swept[place]);
        if (place != PB_PLACE_HOST) { /* inside a host it is the processor that copies */
            warn_latency(name, &swept[place], precision);
            warn_gap(name, &swept[place]);
            warn_busy(name, &swept[place]);
        }
    }
}
