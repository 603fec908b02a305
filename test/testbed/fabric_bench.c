#include "test/testbed/fabric_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/topo/network/given.h"

const fabric_links_t bench_links = {
    .rate = RATE, .latency = LATENCY, .host_queue = 1500000, .switch_queue = 131072};

bench_t bench_set_up(const char *conf, fabric_links_t links)
{
    return bench_on(given_network(conf), links);
}

bench_t bench_on(pb_network_t *network, fabric_links_t links)
{
    bench_t bench = {.network = network, .model = fabric_model_new(network, &links, 1514)};
    must(bench.model != NULL);
    return bench;
}

void bench_tear_down(bench_t *bench)
{
    fabric_model_free(bench->model);
    pb_network_free(bench->network);
}

int bench_find(const bench_t *bench, const char *name)
{
    return pb_network_find(bench->network, name);
}

void bench_send(const bench_t *bench, const char *from, const char *to, uint32_t length,
                unsigned char mark, int64_t now)
{
    bench_send_flow(bench, from, to, length, 0, mark, now);
}

void bench_send_flow(const bench_t *bench, const char *from, const char *to, uint32_t length,
                     uint32_t flow, unsigned char mark, int64_t now)
{
    fabric_frame_t *frame = fabric_model_frame(bench->model);
    frame->target = to != NULL ? bench_find(bench, to) : -1;
    frame->length = length;
    frame->flow = flow;
    memset(frame->data, 0, length);
    frame->data[0] = mark;
    fabric_model_send(bench->model, bench_find(bench, from), frame, now);
}

int64_t bench_next(bench_t *bench, int64_t until)
{
    int64_t time = -1;
    fabric_frame_t *frame = fabric_model_deliver(bench->model, until, &bench->host, &time);
    if (frame == NULL) {
        return -1;
    }
    bench->mark = frame->data[0];
    free(frame);
    if (bench->host < BENCH_NODES) {
        bench->n_got[bench->host]++;
        bench->last[bench->host] = time;
    }
    return time;
}

int bench_run_out(bench_t *bench)
{
    int n = 0;
    while (bench_next(bench, INT64_MAX) >= 0) {
        n++;
    }
    return n;
}

int bench_change(const bench_t *bench, int link, int member, int64_t time, fabric_change_t change)
{
    const fabric_step_t step = {
        .kind = FABRIC_STEP_CHANGE, .time = time, .link = link, .member = member, .change = change};
    return fabric_model_plan(bench->model, &step);
}

const fabric_link_t *bench_member(const bench_t *bench, const char *below, bool up, int number)
{
    int node = bench_find(bench, below), link = up ? pb_link_up(node) : pb_link_down(node);
    int first = fabric_members_first(fabric_model_members(bench->model), link);
    return fabric_model_link(bench->model, first + number);
}

const fabric_link_t *bench_link(const bench_t *bench, const char *below, bool up)
{
    return bench_member(bench, below, up, 0);
}
