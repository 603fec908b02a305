/* Arrival patterns, their metrics and their files: exact numbers, no clocks. */
#include <assert.h>
#include <string.h>

#include "contrib/tools/bench/arrival_metrics.h"
#include "contrib/tools/bench/arrival_pattern.h"
#include "contrib/tools/bench/arrival_trace.h"
#include "test/tap.h"

enum { MAX_RANKS = 64 };

static struct bench_arrival_metrics measured(int n_ranks, int root, const int64_t *arrivals,
                                             const int64_t *exits, double unit)
{
    const struct bench_arrival_times times = {
        .n_ranks = n_ranks, .root = root, .arrivals_ns = arrivals, .exits_ns = exits};
    struct bench_arrival_metrics metrics;
    bench_arrival_measure(&times, unit, &metrics);
    return metrics;
}

static void test_metrics(void)
{
    /* All numbers are such that a double holds them. */
    const int64_t even[] = {5, 5, 5, 5}, even_exits[] = {105, 125, 145, 165};
    struct bench_arrival_metrics m = measured(4, 0, even, even_exits, 80);
    ok(m.node == 130 && m.worst == 160, "balanced: average and worst-case per-node time");
    ok(m.average_imbalance == 0 && m.worst_imbalance == 0, "balanced: no imbalance");
    ok(m.bound_blocking == 60 && m.bound_nonblocking == 60, "balanced: OPT from (n - 1) T / n");

    /* The root is first, the last rank comes 400 later. */
    const int64_t late[] = {0, 400, 0, 0}, late_exits[] = {500, 480, 80, 100};
    m = measured(4, 0, late, late_exits, 80);
    ok(m.node == 190 && m.worst == 500, "a late receiver: per-node times");
    ok(m.average_imbalance == 150 && m.worst_imbalance == 400,
       "a late receiver: distance from the mean arrival, and from first to last");
    ok(m.bound_blocking == 160 && m.bound_nonblocking == 60,
       "a late receiver: only the blocking model's sender waits for it");

    /* The root, rank 2, comes when two ranks wait; the last one comes 200 after it. */
    const int64_t waiting[] = {0, 100, 300, 500}, left[] = {400, 400, 700, 580};
    m = measured(4, 2, waiting, left, 40);
    ok(m.node == 295 && m.worst == 400, "the root comes third: per-node times");
    ok(m.average_imbalance == 175 && m.worst_imbalance == 500, "the root comes third: imbalance");
    ok(m.bound_nonblocking == 155, "the root comes third: 300 + 200 of waiting belong to OPT");
    ok(m.bound_blocking == 205, "and what the last one is later than the root");

    double ratios[BENCH_N_RATIOS];
    ok(m.waiting == 125, "the root comes third: 500 of the ranks' time passed before it");
    bench_arrival_ratios(&m, ratios);
    ok(ratios[BENCH_RATIO_BLOCKING] == 295.0 / 205 &&
           ratios[BENCH_RATIO_NONBLOCKING] == 295.0 / 155 &&
           ratios[BENCH_RATIO_NET_BLOCKING] == 170.0 / 80 &&
           ratios[BENCH_RATIO_NET_NONBLOCKING] == 170.0 / 30,
       "competitive ratios, and net of the waiting for the root");

    m = measured(4, 3, waiting, left, 40);
    ok(m.bound_blocking == 305 && m.bound_nonblocking == 305,
       "the root comes last: nobody waits for a receiver");

    struct bench_arrival_metrics sum = {.node = 0};
    bench_arrival_metrics_add(&sum, &m);
    bench_arrival_metrics_add(&sum, &m);
    bench_arrival_metrics_divide(&sum, 2);
    /* NOLINTNEXTLINE(*-suspicious-memory-comparison,cert-exp42-c,cert-flp37-c): all are doubles */
    ok(memcmp(&sum, &m, sizeof m) == 0, "the mean of two equal broadcasts is each of them");
}

static struct bench_arrival_recipe recipe_of(enum bench_arrival_kind kind, int max_if)
{
    return (struct bench_arrival_recipe){.kind = kind,
                                         .seed = 7,
                                         .number = 3,
                                         .max_if = max_if,
                                         .late_share = 0.2,
                                         .n_ranks = MAX_RANKS,
                                         .root = 5,
                                         .unit_ns = 1000};
}

static void test_random(void)
{
    struct bench_arrival_recipe recipe = recipe_of(BENCH_ARRIVAL_RANDOM, 8);
    int64_t delays[MAX_RANKS], again[MAX_RANKS], wider[MAX_RANKS];
    int seen[8] = {0}, in_bounds = 1, kept_quantiles = 1, all_seen = 1;
    bench_arrival_delays(&recipe, delays);
    bench_arrival_delays(&recipe, again);
    ok(memcmp(delays, again, sizeof delays) == 0, "equal recipes, equal patterns");
    recipe.max_if = 16;
    bench_arrival_delays(&recipe, wider);
    for (int i = 0; i < MAX_RANKS; i++) {
        in_bounds &= delays[i] >= 0 && delays[i] < 8000 && delays[i] % 1000 == 0;
        seen[delays[i] / 1000 % 8]++;
        kept_quantiles &= wider[i] / 2000 == delays[i] / 1000;
    }
    for (int i = 0; i < 8; i++) {
        all_seen &= seen[i] > 0;
    }
    ok(in_bounds && all_seen, "random: all whole units from 0 to MAX_IF - 1, and no others");
    ok(kept_quantiles, "random: a rank keeps its quantile when MAX_IF doubles");
    const int64_t known[] = {6000, 7000, 4000, 5000, 6000, 7000};
    recipe = recipe_of(BENCH_ARRIVAL_RANDOM, 8);
    bench_arrival_delays(&recipe, delays);
    ok(memcmp(delays, known, sizeof known) == 0,
       "random: the same on every host: %d %d %d %d %d %d", (int) delays[0], (int) delays[1],
       (int) delays[2], (int) delays[3], (int) delays[4], (int) delays[5]);
    recipe.number++;
    bench_arrival_delays(&recipe, again);
    ok(memcmp(delays, again, sizeof delays) != 0, "random: the next pattern differs");
    recipe.number--;
    recipe.seed++;
    bench_arrival_delays(&recipe, again);
    ok(memcmp(delays, again, sizeof delays) != 0, "random: another seed differs");
    struct bench_arrival_recipe first = recipe;
    first.kind = BENCH_ARRIVAL_ROOT_FIRST;
    bench_arrival_delays(&first, delays);
    again[first.root] = 0;
    ok(memcmp(delays, again, sizeof delays) == 0,
       "root-first: the same but for the root, which is on time");
    recipe.max_if = 1;
    bench_arrival_delays(&recipe, delays);
    int64_t sum = 0;
    for (int i = 0; i < MAX_RANKS; i++) {
        sum += delays[i];
    }
    ok(sum == 0, "random: MAX_IF 1 is a balanced arrival");
}

/** How many ranks are late over 50 patterns; -1 if a delay is neither 0 nor MAX_IF units. */
static int count_late(struct bench_arrival_recipe recipe, int *root_p)
{
    int64_t delays[MAX_RANKS];
    int n_late = 0;
    *root_p = 0;
    for (recipe.number = 0; recipe.number < 50; recipe.number++) {
        bench_arrival_delays(&recipe, delays);
        *root_p += delays[recipe.root] != 0;
        for (int i = 0; i < recipe.n_ranks; i++) {
            if (delays[i] != 0 && delays[i] != 16000) {
                return -1;
            }
            n_late += delays[i] != 0;
        }
    }
    return n_late;
}

static void test_late(void)
{
    struct bench_arrival_recipe recipe = recipe_of(BENCH_ARRIVAL_LATE, 16);
    int root, n_late = count_late(recipe, &root), receivers = 50 * (MAX_RANKS - 1);
    ok(n_late > 0.17 * receivers && n_late < 0.23 * receivers,
       "late: about 20 %% of the receivers, by MAX_IF units (%d of %d)", n_late, receivers);
    ok(root == 0, "late: never the root");
    recipe.late_share = 0;
    ok(count_late(recipe, &root) == 0, "late: a share of 0 is nobody");
    recipe.late_share = 1;
    ok(count_late(recipe, &root) == receivers && root == 0,
       "late: a share of 1 is everybody but the root");
}

static const char head[] = "pipebcast-arrivals 1\nranks 2\n";

/** Reads a text as a file; yields bench_trace_read()'s status. */
static int read_text(struct bench_trace *trace, const char *begin, const char *text, char *error,
                     size_t error_size)
{
    FILE *file = tmpfile();
    if (!file) {
        printf("Bail out! no temporary file\n");
        exit(EXIT_FAILURE);
    }
    fputs(begin, file);
    fputs(text, file);
    rewind(file);
    int status = bench_trace_read(trace, file, "FILE", error, error_size);
    fclose(file);
    return status;
}

static void test_round_trip(void)
{
    char name[] = "test_arrival.trace", error[256] = "";
    const int64_t arrivals[][3] = {{70, 20, 45}, {0, 0, INT64_C(900000000000)}};
    const int64_t exits[][3] = {{700, 200, 450}, {5, 6, INT64_C(900000000001)}};
    struct bench_trace_writer writer;
    struct bench_trace trace = {.n_ranks = 0};
    ok(bench_trace_create(&writer, name, 3) == 0, "a file is created");
    for (int i = 0; i < 2; i++) {
        const struct bench_arrival_times times = {
            .n_ranks = 3, .root = i + 1, .arrivals_ns = arrivals[i], .exits_ns = exits[i]};
        bench_trace_write(&writer, 1000 + i, &times);
    }
    ok(bench_trace_close(&writer, 1) == 0, "and written");
    FILE *file = fopen(name, "r");
    int status = file ? bench_trace_read(&trace, file, name, error, sizeof error) : -1;
    if (!ok(status == 0, "and read: %s", error)) {
        return;
    }
    fclose(file);
    remove(name);
    ok(trace.n_ranks == 3 && trace.n_broadcasts == 2 && trace.broadcasts[0].bytes == 1000 &&
           trace.broadcasts[1].bytes == 1001 && trace.broadcasts[0].root == 1 &&
           trace.broadcasts[1].root == 2,
       "ranks, broadcasts, sizes and roots are those that were written");
    assert(trace.arrivals_ns != NULL);
    ok(memcmp(trace.arrivals_ns, arrivals, sizeof arrivals) == 0, "arrivals likewise");
    int64_t delays[3];
    const int64_t wanted[] = {50, 0, 25};
    bench_trace_delays(&trace, 0, delays);
    ok(memcmp(delays, wanted, sizeof delays) == 0, "delays count from the first arrival");
    bench_trace_free(&trace);
    ok(bench_trace_create(&writer, "no/such/directory", 3) == -1,
       "a file that cannot be created is reported");
    ok(bench_trace_close(&writer, 1) == 0, "and nothing is left to close");
}

static void test_full_disk(void)
{
    const int64_t times_ns[] = {0};
    const struct bench_arrival_times times = {
        .n_ranks = 1, .root = 0, .arrivals_ns = times_ns, .exits_ns = times_ns};
    struct bench_trace_writer writer;
    if (bench_trace_create(&writer, "/dev/full", 1)) {
        ok(1, "a full disk # SKIP there is no /dev/full");
        return;
    }
    bench_trace_write(&writer, 1, &times);
    ok(bench_trace_close(&writer, 1) == -1, "a full disk is reported");
}

static void test_bad_files(void)
{
    static const struct {
        const char *begin, *text, *wanted;
    } cases[] = {
        {"", "", "FILE:1: this is no file of arrivals"},
        {"", "something else\n", "FILE:1: this is no file of arrivals"},
        {"", "pipebcast-arrivals 2\n", "FILE:1: version 2"},
        {"", "pipebcast-arrivals x\n", "FILE:1: this is no file of arrivals"},
        {"", "pipebcast-arrivals 1\n", "FILE:2: expected 'ranks N'"},
        {"", "pipebcast-arrivals 1\nranks 0\n", "FILE:2: expected 'ranks N'"},
        {"", "pipebcast-arrivals 1\nranks 1000001\n", "FILE:2: expected 'ranks N'"},
        {head, "", "FILE:3: the file ends without"},
        {head, "end 0\n", "FILE:3: the file holds no broadcast"},
        {head, "0 64 0 0 1 2\n0 64 0 1 1 2\n", "FILE:5: the file ends without"},
        {head, "0 64 0 0 1 2\n0 64 0 1 1", "FILE:4: the line is cut off"},
        {head, "0 64 0 0 1 2\nend 1\n", "FILE:4: 'end 1' does not match the 0 whole"},
        {head, "0 64 0 0 1 2\n0 64 0 1 1 2\nend 2\n", "FILE:5: 'end 2' does not match the 1"},
        {head, "0 64 0 0 1 2\n0 64 0 1 1 2\nend 1\n\n#\nx\n", "FILE:8: nothing may follow"},
        {head, "0 64 0 1 1 2\n", "FILE:3: expected broadcast 0 rank 0"},
        {head, "1 64 0 0 1 2\n", "FILE:3: expected broadcast 0 rank 0"},
        {head, "0 64 0 0 1 2\n0 64 0 0 1 2\n", "FILE:4: expected broadcast 0 rank 1"},
        {head, "0 64 2 0 1 2\n", "FILE:3: expected 'broadcast bytes"},
        {head, "0 0 0 0 1 2\n", "FILE:3: expected 'broadcast bytes"},
        {head, "0 64 0 0 -1 2\n", "FILE:3: expected 'broadcast bytes"},
        {head, "0 64 0 0 1\n", "FILE:3: expected 'broadcast bytes"},
        {head, "0 64 0 0 1 2 3\n", "FILE:3: expected 'broadcast bytes"},
        {head, "0 64 0 0 1 1000000000000001\n", "FILE:3: expected 'broadcast bytes"},
        {head, "0 64 0 0 1 99999999999999999999\n", "FILE:3: expected 'broadcast bytes"},
        {head, "0 64 0 0 2 1\n", "FILE:3: the rank leaves before it arrives"},
        {head, "0 64 0 0 1 2\n0 65 0 1 1 2\n", "FILE:4: the ranks of a broadcast have different"},
        {head, "0 64 0 0 1 2\n0 64 1 1 1 2\n", "FILE:4: the ranks of a broadcast have different"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct bench_trace trace;
        char error[256] = "";
        int status = read_text(&trace, cases[i].begin, cases[i].text, error, sizeof error);
        if (!ok(status == -1 && strncmp(error, cases[i].wanted, strlen(cases[i].wanted)) == 0 &&
                    !trace.broadcasts && !trace.arrivals_ns,
                "refused: %s", cases[i].wanted)) {
            printf("# status %d: %s\n", status, error);
        }
    }
    char longest[400], error[16];
    struct bench_trace trace;
    memset(longest, '#', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    ok(read_text(&trace, head, longest, error, sizeof error) == -1 &&
           strlen(error) == sizeof error - 1,
       "a line that is too long; a message that is cut off");
}

int main(void)
{
    test_metrics();
    test_random();
    test_late();
    test_round_trip();
    test_full_disk();
    test_bad_files();
    return tap_done();
}
