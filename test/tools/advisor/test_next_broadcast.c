/* The predictions of the next broadcast. */
#include "contrib/adaptive/advisor/next_broadcast.h"

#include <math.h>

#include "test/tap.h"

#define MS INT64_C(1000000)

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * (1 + fabs(b));
}

static void test_lines(void)
{
    const double one[] = {7}, rising[] = {1, 3, 5}, constant[] = {4, 4, 4, 4};
    const double scattered[] = {1, 2, 2, 5}; /* by hand: mean 2.5, slope 1.2 */
    ok(near(advise_regress(one, 1), 7), "one value is the next one, too");
    ok(near(advise_regress(rising, 3), 7), "a line goes on");
    ok(near(advise_regress(constant, 4), 4), "a constant stays constant");
    ok(near(advise_regress(scattered, 4), 5.5), "the least-squares line of scattered values");
}

/** n broadcasts of falling sizes, each of 10 ms, with gaps of 100, 90, ... ms. */
static void make_records(pb_history_record_t *records, int n)
{
    int64_t begun = 1000 * MS;
    for (int i = 0; i < n; i++) {
        records[i] = (pb_history_record_t){
            .bytes = (uint64_t) (1000000 - 10000 * i), .begun = begun, .taken = 10 * MS};
        begun += (110 - i) * MS;
    }
}

static void test_predictions(void)
{
    pb_history_record_t records[60];
    struct advise_next next;
    make_records(records, 60);
    ok(!advise_predict(records, 0, &next), "nothing is predicted from nothing");
    ok(advise_predict(records, 1, &next) && next.bytes == 1000000 && !next.has_gap,
       "one broadcast: its size, and no gap");
    ok(advise_predict(records, 2, &next) && next.bytes == 980000 && next.has_gap &&
           next.gap == 100 * MS,
       "two broadcasts: a line through their sizes, and their gap");
    ok(advise_predict(records, 30, &next) && next.bytes == 700000 && next.gap == 71 * MS,
       "30 broadcasts: both lines go on");
    for (int i = 0; i < 30; i++) {
        records[i].bytes = 77;
    }
    ok(advise_predict(records, 60, &next) && next.bytes == 400000, "only the last %d are looked at",
       ADVISE_HISTORY);
}

static void test_bounds(void)
{
    pb_history_record_t records[] = {{.bytes = 1000, .begun = 0, .taken = 10 * MS},
                                     {.bytes = 100, .begun = 110 * MS, .taken = 10 * MS},
                                     {.bytes = 10, .begun = 121 * MS, .taken = 10 * MS},
                                     {.bytes = 5000, .begun = 120 * MS, .taken = 10 * MS}};
    struct advise_next next;
    ok(advise_predict(records, 3, &next) && next.bytes == 5 && next.gap == MS / 2,
       "a falling line ends at half the least");
    ok(advise_predict(records, 4, &next) && next.gap >= 0 && next.bytes <= 10000,
       "broadcasts that overlap have no gap, and a rising line ends at twice the most");
}

int main(void)
{
    test_lines();
    test_predictions();
    test_bounds();
    return tap_done();
}
