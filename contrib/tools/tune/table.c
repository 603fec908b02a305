#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cluster.h"
#include "contrib/tools/common/report.h"

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

/** Half the width of a confidence interval, as a share of the mean, with which a model is of use.
 */
#define USABLE_ERROR 0.1

static bool is_settled(const char *name, const struct tune_swept *swept, double precision)
{
    const double bound = precision > USABLE_ERROR ? precision : USABLE_ERROR;
    char list[512] = "";
    for (int i = 0; i < swept->costs.n_rows; i++) {
        if (worst_error(&swept->certainty[i]) > bound) {
            const size_t used = strlen(list);
            snprintf(list + used, sizeof list - used, "%s%" PRIu64, used > 0 ? ", " : "",
                     swept->costs.rows[i].bytes);
        }
    }
    if (list[0] != '\0') {
        common_report("%s: messages of %s bytes did not settle within %g %%", name, list,
                      100 * bound);
    }
    return list[0] == '\0';
}

bool tune_table_settled(const struct tune_swept swept[PB_PLACE_COUNT], double precision)
{
    bool settled = true;
    for (int place = 0; place < PB_PLACE_COUNT; place++) {
        const char *name = pb_place_name((pb_place_t) place);
        if (swept[place].n_left_out > 0) {
            common_report("warning: %s: the largest %d sizes were not measured, as the time was "
                          "over; the model goes on along the line of the last two that were "
                          "measured; give a longer --time-limit",
                          name, swept[place].n_left_out);
        }
        settled &= is_settled(name, &swept[place], precision);
    }
    return settled;
}
