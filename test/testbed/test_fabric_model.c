/* The model of links and switches, to the nanosecond: it has no clock, so every time is exact. */
#include <inttypes.h>

#include "test/failing_memory.h"
#include "test/tap.h"
#include "test/testbed/fabric_bench.h"

static void one_frame(void)
{
    bench_t bench =
        bench_set_up("SwitchName=s0 Nodes=a,b Switches=s1; SwitchName=s1 Nodes=c", bench_links);
    bench_send(&bench, "a", "b", 1466, 1, 1000);
    int64_t time = bench_next(&bench, INT64_MAX);
    ok(time == 1000 + 2 * (WIRE(1466) + LATENCY) && bench.host == bench_find(&bench, "b"),
       "a frame over one switch takes two links' time (%" PRId64 ")", time);
    bench_send(&bench, "a", "c", 1466, 1, 10000000);
    time = bench_next(&bench, INT64_MAX);
    ok(time == 10000000 + 3 * (WIRE(1466) + LATENCY) && bench.host == bench_find(&bench, "c"),
       "over two switches three");
    bench_send(&bench, "c", "a", 20, 1, 20000000);
    time = bench_next(&bench, INT64_MAX);
    ok(time == 20000000 + 3 * (WIRE(60) + LATENCY), "a short frame is padded to 60 bytes");
    bench_send(&bench, "a", "a", 100, 1, 30000000);
    ok(fabric_model_next_event(bench.model) == INT64_MAX, "a frame to oneself goes nowhere");
    bench_tear_down(&bench);
}

static void deadlines(void)
{
    bench_t bench = bench_set_up("SwitchName=s0 Nodes=a,b", bench_links);
    int64_t due = 2 * (WIRE(1000) + LATENCY);
    bench_send(&bench, "a", "b", 1000, 1, 0);
    ok(bench_next(&bench, due - 1) == -1, "nothing is delivered too early");
    ok(bench_next(&bench, due) == due, "but in time");
    bench_tear_down(&bench);
}

static void pipelining(void)
{
    bench_t bench = bench_set_up("SwitchName=s0 Nodes=a,b", bench_links);
    int wrong = 0;
    for (int i = 0; i < 100; i++) {
        bench_send(&bench, "a", "b", 1514, (unsigned char) i, 0);
    }
    for (int i = 0; i < 100; i++) {
        int64_t time = bench_next(&bench, INT64_MAX);
        wrong += time != (i + 2) * WIRE(1514) + 2 * LATENCY || bench.mark != i;
    }
    ok(wrong == 0, "100 frames at once follow each other in order without a gap");
    const fabric_link_t *up = bench_link(&bench, "a", true);
    ok(up->counters[FABRIC_REAL].frames == 100 && up->counters[FABRIC_REAL].bytes == 100 * 1514 &&
           up->queue_peak == 99 * 1514 && up->queue_bytes == 0 &&
           up->counters[FABRIC_REAL].busy == 100 * WIRE(1514),
       "the link counted frames, bytes, its queue and its busy time");
    const fabric_link_t *down = bench_link(&bench, "b", false);
    ok(down->queue_peak <= 1514, "no queue where frames come no faster than they go");
    bench_tear_down(&bench);
}

static void sharing(void)
{
    bench_t bench =
        bench_set_up("SwitchName=s0 Nodes=a,b Switches=s1; SwitchName=s1 Nodes=c,d", bench_links);
    int early[2] = {0, 0};
    int64_t time = 0;
    for (int i = 0; i < 50; i++) {
        bench_send(&bench, "a", "c", 1000, 1, 0);
        bench_send(&bench, "b", "d", 1000, 2, 0);
    }
    for (int i = 0; i < 100; i++) {
        time = bench_next(&bench, INT64_MAX);
        early[0] += i < 50 && bench.mark == 1;
        early[1] += i < 50 && bench.mark == 2;
    }
    ok(early[0] == 25 && early[1] == 25, "two flows over one link get half each");
    ok(time == 102 * WIRE(1000) + 3 * LATENCY, "and together all of it");
    bench_tear_down(&bench);
}

static void full_queue(void)
{
    fabric_links_t links = bench_links;
    links.switch_queue = 5000;
    bench_t bench = bench_set_up("SwitchName=s0 Nodes=a,b,c", links);
    for (int i = 0; i < 50; i++) {
        bench_send(&bench, "a", "c", 1000, 1, 0);
        bench_send(&bench, "b", "c", 1000, 2, 0);
    }
    const int delivered = bench_run_out(&bench);
    const fabric_link_t *down = bench_link(&bench, "c", false);
    /* Two frames come in the time of one, so that every second one stays, until five wait. After
     * the last pair the port has sent 49 and one is on the wire; five wait. */
    ok(delivered == 55 && down->counters[FABRIC_REAL].drops == 45,
       "what a full queue cannot hold is dropped (%d)", delivered);
    ok(down->counters[FABRIC_REAL].drop_bytes == 45 * 1000 && down->queue_peak == 5000,
       "and counted, with the peak of the queue");
    bench_tear_down(&bench);
}

static void speeds(void)
{
    bench_t bench = bench_set_up(
        "SwitchName=s0 Nodes=a Switches=s1 LinkSpeed=4; SwitchName=s1 Nodes=b LinkSpeed=1",
        bench_links);
    bench_send(&bench, "a", "b", 976, 1, 0);
    int64_t time = bench_next(&bench, INT64_MAX);
    ok(time == 2 * WIRE(976) / 4 + WIRE(976) + 3 * LATENCY, "links are as fast as LinkSpeed says");
    ok(bench_link(&bench, "a", true)->rate == 4 * RATE &&
           bench_link(&bench, "b", true)->rate == RATE,
       "the lowest speed has the base rate");
    bench_tear_down(&bench);
}

static void changes(void)
{
    bench_t bench = bench_set_up("SwitchName=s0 Nodes=a,b", bench_links);
    int link = pb_link_up(bench_find(&bench, "a"));
    bench_send(&bench, "a", "b", 976, 1, 0);
    bench_send(&bench, "a", "b", 976, 2, 0);
    /* In the middle of the first frame: that one keeps its rate, the second is twice as slow. */
    bench_change(&bench, link, -1, WIRE(976) / 2, (fabric_change_t){RATE / 2, -1, -1, -1});
    int64_t first = bench_next(&bench, INT64_MAX);
    int64_t second = bench_next(&bench, INT64_MAX);
    ok(first == 2 * WIRE(976) + 2 * LATENCY, "a frame on the wire keeps its rate");
    ok(second == 4 * WIRE(976) + 2 * LATENCY, "one that waits gets the new one");
    bench_change(&bench, link, -1, second, (fabric_change_t){RATE, 10000000, -1, -1});
    bench_next(&bench, second);
    bench_send(&bench, "a", "b", 976, 3, second);
    bench_change(&bench, link, -1, second + 1, (fabric_change_t){0, 0, -1, -1});
    bench_next(&bench, second + 1);
    bench_send(&bench, "a", "b", 976, 4, second + 1);
    int64_t third = bench_next(&bench, INT64_MAX);
    ok(bench.mark == 3 && third == second + 2 * WIRE(976) + 10000000 + LATENCY,
       "a lower latency lets no frame overtake");
    bench_next(&bench, INT64_MAX);
    ok(fabric_model_n_changes(bench.model) == 3 && fabric_model_n_planned(bench.model) == 0 &&
           bench_link(&bench, "a", true)->queue_limit == 1500000,
       "changes are counted, and leave alone what they do not name");
    bench_tear_down(&bench);
}

/** Frames of WIRE(976) each, 0.8 ms, to a host that is interrupted every 2 ms at most. */
static void interrupts(void)
{
    fabric_links_t links = bench_links;
    links.interrupt = 2000000;
    bench_t bench = bench_set_up("SwitchName=s0 Nodes=a,b", links);
    int64_t times[5];
    for (int i = 0; i < 5; i++) {
        bench_send(&bench, "a", "b", 976, 1, 0);
    }
    for (int i = 0; i < 5; i++) {
        times[i] = bench_next(&bench, INT64_MAX);
    }
    ok(times[0] == 2 * WIRE(976) + 2 * LATENCY,
       "a host takes a frame that comes alone when it comes");
    ok(times[1] == times[0] + 2000000 && times[2] == times[1],
       "frames that come soon after it are taken together, an interrupt later");
    ok(times[3] == times[1] + 2000000 && times[4] == times[3], "and those after them likewise");
    bench_send(&bench, "a", "b", 976, 1, 2 * times[4]);
    ok(bench_next(&bench, INT64_MAX) == 2 * times[4] + times[0],
       "after a pause a frame does not wait");
    bench_tear_down(&bench);
}

static void late_frames(void)
{
    bench_t bench = bench_set_up("SwitchName=s0 Nodes=a,b", bench_links);
    fabric_model_free(bench.model);
    const long alive = failing_memory_alive();
    bench = bench_on(bench.network, bench_links);
    bench_send(&bench, "a", "b", 976, 1, 5000000);
    bench_send(&bench, "a", "b", 976, 2, 4000000);
    int64_t first = bench_next(&bench, INT64_MAX);
    int64_t second = bench_next(&bench, INT64_MAX);
    ok(bench.mark == 2 && second - first == WIRE(976),
       "a frame that comes out of time goes behind");
    bench_send(&bench, "a", "b", 976, 3, 9000000);
    fabric_model_free(bench.model);
    ok(failing_memory_alive() == alive, "frames under way are freed with the model");
    pb_network_free(bench.network);
}

int main(void)
{
    ok(fabric_link_wire_time(1000000000, 1476) == 12000, "1500 bytes on the wire at 1 Gbit/s");
    ok(fabric_link_wire_time(3, 60) == 224000000000, "a very slow link");
    one_frame();
    deadlines();
    pipelining();
    sharing();
    full_queue();
    speeds();
    changes();
    interrupts();
    late_frames();
    return tap_done();
}
