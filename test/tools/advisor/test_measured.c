/*
 * What rates of broadcasts show of links: four clusters of two nodes, all ways of 1000 bytes
 * per ns-scaled second, at first.
 */
#include "contrib/adaptive/advisor/measured.h"

#include <stdlib.h>

#include "test/tap.h"

enum { N = 8, USUAL = 1000000 };

static pb_link_matrix_t *make_matrix(void)
{
    pb_link_matrix_t *m = pb_link_matrix_new(4, 4, N);
    for (int i = 0; i < 4; i++) {
        m->cluster_site[i] = i;
    }
    for (int i = 0; i < N; i++) {
        m->node_cluster[i] = i / 2;
        for (int j = 0; j < N; j++) {
            m->bandwidth[i * N + j] = USUAL;
        }
    }
    return m;
}

/** An edge of a broadcast that delivered so many bytes in a second, begun `broadcast` s after 0. */
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
    struct outcome outcome = {.matrix = make_matrix()};
    pb_link_share_t *share;
    const struct advise_rates rates = {.root = 0, .records = records, .n = n};
    if (pb_link_share_clusters(outcome.matrix, &share) != PB_SUCCESS ||
        advise_apply_rates(outcome.matrix, share, &rates, since, &outcome.findings) != PB_SUCCESS) {
        abort();
    }
    pb_link_share_free(share);
    return outcome;
}

static uint64_t between(const struct outcome *outcome, int from, int to)
{
    return pb_link_bandwidth(outcome->matrix, 2 * from, 2 * to);
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

static void test_explained(void)
{
    /* 0 -> 2 is slow; what 2 hands on cannot be faster. */
    const pb_history_record_t chain[] = {edge(1, 0, 2, USUAL / 4), edge(1, 2, 4, USUAL / 4)};
    struct outcome o = apply(chain, 2, 0);
    ok(between(&o, 0, 1) == USUAL / 4 && o.findings.n_loaded == 1,
       "of a chain only the first slow edge is blamed");
    pb_link_matrix_free(o.matrix);
    /* The root's link carries all three edges. */
    const pb_history_record_t star[] = {edge(1, 0, 2, USUAL / 3), edge(1, 0, 4, USUAL / 3),
                                        edge(1, 0, 6, USUAL / 3)};
    o = apply(star, 3, 0);
    ok(o.findings.n_loaded == 0 && between(&o, 0, 1) == USUAL,
       "edges that fill the link that they share are no load");
    pb_link_matrix_free(o.matrix);
    const pb_history_record_t unknown[] = {edge(1, 2, 4, USUAL / 4)};
    o = apply(unknown, 1, 0);
    ok(o.findings.n_loaded == 0,
       "nobody is blamed where it is not known how fast the parent got it");
    pb_link_matrix_free(o.matrix);
    const pb_history_record_t noise[] = {edge(1, 0, 2, USUAL * 8 / 10)};
    o = apply(noise, 1, 0);
    ok(o.findings.n_loaded == 0 && between(&o, 0, 1) == USUAL, "a little slower is noise");
    pb_link_matrix_free(o.matrix);
    const pb_history_record_t inside[] = {edge(1, 0, 1, USUAL / 4)};
    o = apply(inside, 1, 0);
    ok(pb_link_bandwidth(o.matrix, 0, 1) == USUAL, "rates inside a cluster change nothing");
    pb_link_matrix_free(o.matrix);
}

/** Takes four times as long as its bytes should, over a way of 10 ms latency. */
static bool is_loaded_by(uint64_t bytes)
{
    pb_history_record_t record = edge(1, 0, 2, USUAL);
    record.bytes = bytes;
    record.taken = (int64_t) bytes * 4 * (1000000000 / USUAL);
    struct outcome outcome = {.matrix = make_matrix()};
    for (int i = 0; i < N * N; i++) {
        outcome.matrix->latency[i] = 10000000;
    }
    const struct advise_rates rates = {.root = 0, .records = &record, .n = 1};
    if (advise_apply_rates(outcome.matrix, NULL, &rates, 0, &outcome.findings) != PB_SUCCESS) {
        abort();
    }
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

static void test_time(void)
{
    const pb_history_record_t records[] = {edge(1, 0, 2, USUAL / 4), edge(2, 0, 2, USUAL)};
    struct outcome o = apply(records, 2, 0);
    ok(between(&o, 0, 1) == USUAL && o.findings.n_loaded == 0, "the newest broadcast counts");
    pb_link_matrix_free(o.matrix);
    o = apply(records, 1, INT64_C(3000000000));
    ok(between(&o, 0, 1) == USUAL && o.findings.n_used == 0, "a rate that is too old does not");
    pb_link_matrix_free(o.matrix);
    const pb_history_record_t better[] = {edge(1, 0, 2, 2 * USUAL)};
    o = apply(better, 1, 0);
    ok(between(&o, 0, 1) == 2 * USUAL, "a way that is faster than a probe found it is raised");
    pb_link_matrix_free(o.matrix);
}

static void test_whole_cluster(void)
{
    const pb_history_record_t records[] = {edge(1, 0, 4, USUAL / 4), edge(2, 0, 2, USUAL),
                                           edge(2, 2, 4, USUAL / 5)};
    struct outcome o = apply(records, 3, 0);
    ok(between(&o, 3, 2) == USUAL / 4,
       "two loaded ways into a cluster: the third is not believed to be better");
    ok(between(&o, 2, 3) == USUAL, "ways out of it are not concerned");
    pb_link_matrix_free(o.matrix);
    const pb_history_record_t freed[] = {edge(1, 0, 4, USUAL / 4), edge(2, 0, 2, USUAL),
                                         edge(2, 2, 4, USUAL / 5), edge(3, 0, 6, USUAL),
                                         edge(3, 6, 4, USUAL)};
    o = apply(freed, 5, 0);
    ok(between(&o, 3, 2) == USUAL && between(&o, 0, 2) == USUAL / 4,
       "unless one way in is known to be free");
    pb_link_matrix_free(o.matrix);
}

int main(void)
{
    test_load();
    test_explained();
    test_short();
    test_time();
    test_whole_cluster();
    return tap_done();
}
