/*
 * Rates of broadcasts show the state of links: four clusters of two nodes, all ways of 1000 bytes
 * per ns-scaled second, at first.
 */
#include "contrib/adaptive/advisor/measured.h"

#include <stdlib.h>

#include "test/adaptive/search/given_matrix.h"
#include "test/must.h"
#include "test/tap.h"

enum { N = 8, USUAL = 1000000 };

static pb_link_matrix_t *make_matrix(int64_t latency)
{
    return given_matrix(4, 4, N, 0, latency, USUAL);
}

/** An edge of a broadcast that delivered `bytes` in a second, begun `broadcast` s after 0. */
static pb_history_record_t edge(uint64_t broadcast, int from, int to, uint64_t rate)
{
    return (pb_history_record_t){.broadcast = broadcast,
                                 .from = from,
                                 .to = to,
                                 .bytes = rate,
                                 .begun = (int64_t) broadcast * 1000000000,
                                 .taken = 1000000000};
}

struct outcome {
    pb_link_matrix_t *matrix;
    struct advise_findings findings;
};

static struct outcome apply(const pb_history_record_t *records, int n, int64_t since)
{
    struct outcome outcome = {.matrix = make_matrix(0)};
    pb_link_share_t *share;
    const struct advise_rates rates = {.root = 0, .records = records, .n = n};
    must(pb_link_share_clusters(outcome.matrix, &share) == PB_SUCCESS &&
         advise_apply_rates(outcome.matrix, share, &rates, since, &outcome.findings) == PB_SUCCESS);
    pb_link_share_free(share);
    return outcome;
}

/** The rate between two clusters, or inside one. */
static uint64_t between(const struct outcome *outcome, int from, int to)
{
    return pb_link_bandwidth(outcome->matrix, 2 * from, from == to ? 2 * to + 1 : 2 * to);
}

static void test_load(void)
{
    /* 0 -> 2 -> 4 and 0 -> 6: the way from cluster 1 to cluster 2 is slow by itself. */
    const pb_history_record_t records[] = {edge(1, 0, 2, USUAL), edge(1, 0, 6, USUAL),
                                           edge(1, 2, 4, USUAL * 3 / 10)};
    struct outcome o = apply(records, 3, 0);
    ok(between(&o, 1, 2) == USUAL * 3 / 10,
       "a slow edge is taken for the way between its clusters");
    ok(pb_link_bandwidth(o.matrix, 3, 5) == USUAL * 3 / 10,
       "also for other nodes of these clusters");
    ok(between(&o, 0, 1) == USUAL && between(&o, 0, 3) == USUAL, "ways that were fast stay");
    ok(between(&o, 1, 3) < USUAL && between(&o, 1, 3) > USUAL * 8 / 10,
       "another way out of the cluster is suspected");
    ok(between(&o, 3, 2) < USUAL, "and another way into the other one");
    ok(between(&o, 3, 0) == USUAL, "ways that have nothing to do with it are not");
    ok(o.findings.n_used == 3 && o.findings.n_loaded == 1 && o.findings.loaded_from == 1 &&
           o.findings.loaded_to == 2,
       "what was found is reported");
    pb_link_matrix_free(o.matrix);
}

/** Conclusions from records: the number of ways that are known to be loaded, and two rates. */
static void test_findings(void)
{
    enum { MOST = 5, QUARTER = USUAL / 4, FIFTH = USUAL / 5 };
    static const struct {
        const char *what;
        struct {
            int broadcast, from, to, rate;
        } edges[MOST];
        int since_s, n_loaded;
        struct {
            int from, to, rate;
        } ways[2]; /**< between clusters */
    } cases[] = {
        {"of a chain only the first slow edge is blamed",
         {{1, 0, 2, QUARTER}, {1, 2, 4, QUARTER}},
         0,
         1,
         {{0, 1, QUARTER}}},
        {"edges that fill the link that they share are no load",
         {{1, 0, 2, USUAL / 3}, {1, 0, 4, USUAL / 3}, {1, 0, 6, USUAL / 3}},
         0,
         0,
         {{0, 1, USUAL}}},
        {"nobody is blamed where it is not known how fast the parent got it",
         {{1, 2, 4, QUARTER}},
         0,
         0,
         {{0, 1, USUAL}}},
        {"a little slower is noise", {{1, 0, 2, USUAL / 10 * 8}}, 0, 0, {{0, 1, USUAL}}},
        {"rates inside a cluster change nothing", {{1, 0, 1, QUARTER}}, 0, 0, {{0, 0, USUAL}}},
        {"a root that others have delivered to is not blamed for what it got no faster",
         {{1, 2, 0, QUARTER}, {1, 0, 4, QUARTER}},
         0,
         0,
         {{0, 2, USUAL}}},
        {"the newest counts", {{1, 0, 2, QUARTER}, {2, 0, 2, USUAL}}, 0, 0, {{0, 1, USUAL}}},
        {"a rate that is too old does not", {{1, 0, 2, QUARTER}}, 3, 0, {{0, 1, USUAL}}},
        {"a faster way is raised", {{1, 0, 2, 2 * USUAL}}, 0, 0, {{0, 1, 2 * USUAL}}},
        {"two loaded ways into a cluster: the third is not believed to be better, ways out are",
         {{1, 0, 4, QUARTER}, {2, 0, 2, USUAL}, {2, 2, 4, FIFTH}},
         0,
         2,
         {{3, 2, QUARTER}, {2, 3, USUAL}}},
        {"unless one way in is known to be free",
         {{1, 0, 4, QUARTER},
          {2, 0, 2, USUAL},
          {2, 2, 4, FIFTH},
          {3, 0, 6, USUAL},
          {3, 6, 4, USUAL}},
         0,
         2,
         {{3, 2, USUAL}, {0, 2, QUARTER}}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pb_history_record_t records[MOST];
        int n = 0;
        while (n < MOST && cases[i].edges[n].rate > 0) {
            records[n] = edge((uint64_t) cases[i].edges[n].broadcast, cases[i].edges[n].from,
                              cases[i].edges[n].to, (uint64_t) cases[i].edges[n].rate);
            n++;
        }
        struct outcome o = apply(records, n, cases[i].since_s * INT64_C(1000000000));
        bool good = o.findings.n_loaded == cases[i].n_loaded;
        for (int k = 0; k < 2 && cases[i].ways[k].rate > 0; k++) {
            good = good && between(&o, cases[i].ways[k].from, cases[i].ways[k].to) ==
                               (uint64_t) cases[i].ways[k].rate;
        }
        ok(good && (cases[i].since_s == 0 || o.findings.n_used == 0), "%s", cases[i].what);
        pb_link_matrix_free(o.matrix);
    }
}

/** Takes four times as long as its bytes should, over a way of 10 ms latency. */
static bool is_loaded_by(uint64_t bytes)
{
    pb_history_record_t record = edge(1, 0, 2, USUAL);
    record.bytes = bytes;
    record.taken = (int64_t) bytes * 4 * (1000000000 / USUAL);
    struct outcome outcome = {.matrix = make_matrix(10000000)};
    const struct advise_rates rates = {.root = 0, .records = &record, .n = 1};
    must(advise_apply_rates(outcome.matrix, NULL, &rates, 0, &outcome.findings) == PB_SUCCESS);
    pb_link_matrix_free(outcome.matrix);
    return outcome.findings.n_loaded == 1;
}

static void test_short(void)
{
    const uint64_t least = USUAL / 100 * ADVISE_SETTLING_LATENCIES;
    ok(is_loaded_by(least), "slowness counts from so many bytes on as take eight latencies");
    ok(!is_loaded_by(least - 1), "less may be over before the connection is at its speed");
    ok(!is_loaded_by(2000), "so two segments that a warm-up sent late blame nobody");
}

int main(void)
{
    test_load();
    test_findings();
    test_short();
    return tap_done();
}
