/* The fair queue: turns, new flows first, order within a flow; and what a flow is. */
#include "contrib/testbed/fabric_fair.h"

#include <string.h>

#include "test/failing_memory.h"
#include "test/tap.h"
#include "test/testbed/fabric_bench.h"

static bench_t fair_bench(void)
{
    fabric_links_t links = bench_links;
    links.host_qdisc = FABRIC_QDISC_FAIR;
    return bench_set_up("SwitchName=s0 Nodes=a,b,c", links);
}

static void turns(void)
{
    bench_t bench = fair_bench();
    int host, mark = 0, early[2] = {0, 0};
    for (int i = 0; i < 100; i++) {
        bench_send_flow(&bench, "a", "b", 1514, 1, 0, 0);
    }
    for (int i = 0; i < 400; i++) {
        bench_send_flow(&bench, "a", "c", 300, 2, 1, 0);
    }
    while (bench_next(&bench, 100 * WIRE(1514), &host, &mark) >= 0) {
        early[mark] += mark == 0 ? 1514 : 300;
    }
    ok(early[0] > 0 && early[0] - early[1] < 2 * 1514 && early[1] - early[0] < 2 * 1514,
       "flows of long and of short frames get the same bytes (%d, %d)", early[0], early[1]);
    bench_tear_down(&bench);
}

static void fresh_first(void)
{
    bench_t bench = fair_bench();
    int host, mark = 0;
    for (int i = 0; i < 50; i++) {
        bench_send_flow(&bench, "a", "b", 1514, 1, 1, 0);
        bench_send_flow(&bench, "a", "b", 1514, 2, 2, 0);
    }
    /* While frame 5 is on the wire, so that 6 is the first that it can overtake. */
    int64_t sent = 4 * WIRE(1514) + WIRE(1514) / 2;
    while (bench_next(&bench, sent, &host, &mark) >= 0) {
    }
    bench_send_flow(&bench, "a", "c", 66, 3, 3, sent);
    int64_t time = -1;
    while (mark != 3) {
        time = bench_next(&bench, INT64_MAX, &host, &mark);
    }
    ok(time == 5 * WIRE(1514) + 2 * (WIRE(66) + LATENCY),
       "a frame of a flow that was silent is next, whatever waits");
    bench_tear_down(&bench);
}

/** A flow that always has one frame and no more waiting must not go before all others. */
static void no_starving(void)
{
    fabric_fair_t *fair = fabric_fair_new(1514);
    fabric_frame_t thin = {.flow = 1, .length = 1514};
    fabric_frame_t thick[10];
    int n_thick = 0;
    fabric_fair_push(fair, &thin);
    for (int i = 0; i < 10; i++) {
        thick[i] = (fabric_frame_t){.flow = 2, .length = 1514};
        fabric_fair_push(fair, &thick[i]);
    }
    for (int i = 0; i < 20; i++) {
        fabric_frame_t *frame = fabric_fair_pop(fair);
        if (frame == &thin) {
            fabric_fair_push(fair, &thin);
        } else {
            n_thick++;
        }
    }
    ok(n_thick == 10, "a flow that has a frame at every turn gets half (%d of 20)", n_thick);
    fabric_fair_free(fair);
}

static void order(void)
{
    fabric_fair_t *fair = fabric_fair_new(1514);
    fabric_frame_t frames[60];
    int next[3] = {0, 1, 2}, wrong = 0;
    for (int i = 0; i < 60; i++) {
        frames[i] = (fabric_frame_t){.flow = (uint32_t) i % 3, .length = 100 + (uint32_t) i * 20};
        fabric_fair_push(fair, &frames[i]);
    }
    for (int i = 0; i < 60; i++) {
        fabric_frame_t *frame = fabric_fair_pop(fair);
        wrong += frame != &frames[next[frame->flow]];
        next[frame->flow] += 3;
    }
    ok(wrong == 0, "every frame comes out once, those of one flow in their order");
    fabric_fair_free(fair);
}

static void limit(void)
{
    fabric_links_t links = bench_links;
    links.host_qdisc = FABRIC_QDISC_FAIR;
    links.host_queue = 10000;
    bench_t bench = bench_set_up("SwitchName=s0 Nodes=a,b", links);
    fabric_model_free(bench.model);
    const long alive = failing_memory_alive();
    bench = bench_on(bench.network, links);
    for (uint32_t i = 0; i < 20; i++) {
        bench_send_flow(&bench, "a", "b", 1000, i, 1, 0);
    }
    const fabric_link_t *up = bench_link(&bench, "a", true);
    ok(up->queue_bytes == 10000 && up->counters[FABRIC_REAL].drops == 9,
       "the limit is that of all flows together");
    fabric_model_free(bench.model);
    ok(failing_memory_alive() == alive,
       "frames that wait in a fair queue are freed with the model");
    pb_network_free(bench.network);
}

/** A TCP segment's headers: Ethernet, IPv4, and the ports; the rest is zero. */
static void headers(unsigned char *data, unsigned char host, unsigned char port)
{
    memset(data, 0, 100);
    data[12] = 0x08;
    data[14] = 0x45;
    data[14 + 9] = 6;
    data[14 + 15] = host;
    data[34 + 1] = port;
}

static void flows(void)
{
    unsigned char one[100], other[100];
    headers(one, 1, 1);
    headers(other, 1, 1);
    other[60] = 9;
    ok(fabric_flow_of(one, 100) == fabric_flow_of(other, 100), "equal connections are one flow");
    headers(other, 2, 1);
    ok(fabric_flow_of(one, 100) != fabric_flow_of(other, 100), "other addresses, another flow");
    headers(other, 1, 2);
    ok(fabric_flow_of(one, 100) != fabric_flow_of(other, 100), "other ports, another flow");
    one[14 + 6] = other[14 + 6] = 0x20;
    ok(fabric_flow_of(one, 100) == fabric_flow_of(other, 100), "fragments have no ports");
    one[12] = other[12] = 0x88;
    ok(fabric_flow_of(one, 100) == fabric_flow_of(other, 100), "nor has what is not IPv4");
    headers(one, 1, 1);
    headers(other, 1, 2);
    int wrong = 0;
    for (uint32_t length = 0; length <= 37; length++) {
        wrong += fabric_flow_of(one, length) != fabric_flow_of(other, length);
    }
    ok(wrong == 0, "ports beyond the end of a frame are not read");
}

int main(void)
{
    turns();
    fresh_first();
    no_starving();
    order();
    limit();
    flows();
    return tap_done();
}
