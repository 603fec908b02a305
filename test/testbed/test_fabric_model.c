/* The model of links and switches, to the nanosecond: it has no clock, so every time is exact. */
#include <inttypes.h>
#include <string.h>

#include "contrib/testbed/fabric_model.h"
#include "test/tap.h"
#include "topo/slurm_conf.h"

/* 10 Mbit/s is 800 ns for a byte; 5 us of latency. */
#define RATE 10000000
#define LATENCY 5000
#define WIRE(length) (((int64_t) (length) + 24) * 800)

typedef struct bench {
    pb_network_t *network;
    fabric_model_t *model;
} bench_t;

static bench_t set_up(const char *conf, fabric_cables_t cables)
{
    bench_t bench = {NULL, NULL};
    pb_diag_t diag;
    pb_diag_init(&diag);
    int status = pb_slurm_conf_parse(conf, strlen(conf), "test", ';', &bench.network, &diag);
    if (status != PB_SUCCESS) {
        printf("Bail out! %s\n", pb_diag_first(&diag));
        exit(EXIT_FAILURE);
    }
    pb_diag_clear(&diag);
    bench.model = fabric_model_new(bench.network, &cables, 1514);
    return bench;
}

static void tear_down(bench_t *bench)
{
    fabric_model_free(bench->model);
    pb_network_free(bench->network);
}

static const fabric_cables_t plain = {
    .rate = RATE, .latency = LATENCY, .host_queue = 1500000, .switch_queue = 131072};

static int find(const bench_t *bench, const char *name)
{
    return pb_network_find(bench->network, name);
}

/** Sends a frame; `mark` is its first byte. */
static void send_frame(const bench_t *bench, const char *from, const char *to, uint32_t length,
                       unsigned char mark, int64_t now)
{
    fabric_frame_t *frame = fabric_model_frame(bench->model);
    frame->target = to != NULL ? find(bench, to) : -1;
    frame->length = length;
    memset(frame->data, 0, length);
    frame->data[0] = mark;
    fabric_model_send(bench->model, find(bench, from), frame, now);
}

/** The time at which the next frame is delivered, and its mark; -1 if there is none. */
static int64_t next_delivery(const bench_t *bench, int64_t until, int *machine_p, int *mark_p)
{
    int64_t time = -1;
    fabric_frame_t *frame = fabric_model_deliver(bench->model, until, machine_p, &time);
    if (frame == NULL) {
        return -1;
    }
    *mark_p = frame->data[0];
    fabric_model_release(bench->model, frame);
    return time;
}

static const fabric_link_t *link_between(const bench_t *bench, const char *below, bool up)
{
    int node = find(bench, below);
    return fabric_model_link(bench->model, up ? pb_link_up(node) : pb_link_down(node));
}

static void one_frame(void)
{
    bench_t bench = set_up("SwitchName=s0 Nodes=a,b Switches=s1; SwitchName=s1 Nodes=c", plain);
    int machine, mark = 0;
    send_frame(&bench, "a", "b", 1466, 1, 1000);
    int64_t time = next_delivery(&bench, INT64_MAX, &machine, &mark);
    ok(time == 1000 + 2 * (WIRE(1466) + LATENCY) && machine == find(&bench, "b"),
       "a frame over one switch takes two links' time (%" PRId64 ")", time);
    send_frame(&bench, "a", "c", 1466, 1, 10000000);
    time = next_delivery(&bench, INT64_MAX, &machine, &mark);
    ok(time == 10000000 + 3 * (WIRE(1466) + LATENCY) && machine == find(&bench, "c"),
       "over two switches three");
    send_frame(&bench, "c", "a", 20, 1, 20000000);
    time = next_delivery(&bench, INT64_MAX, &machine, &mark);
    ok(time == 20000000 + 3 * (WIRE(60) + LATENCY), "a short frame is padded to 60 bytes");
    send_frame(&bench, "a", "a", 100, 1, 30000000);
    ok(fabric_model_next_event(bench.model) == INT64_MAX, "a frame to oneself goes nowhere");
    tear_down(&bench);
}

static void deadlines(void)
{
    bench_t bench = set_up("SwitchName=s0 Nodes=a,b", plain);
    int machine, mark = 0;
    int64_t due = 2 * (WIRE(1000) + LATENCY);
    send_frame(&bench, "a", "b", 1000, 1, 0);
    ok(next_delivery(&bench, due - 1, &machine, &mark) == -1, "nothing is delivered too early");
    ok(next_delivery(&bench, due, &machine, &mark) == due, "but in time");
    tear_down(&bench);
}

static void pipelining(void)
{
    bench_t bench = set_up("SwitchName=s0 Nodes=a,b", plain);
    int machine, mark = 0, wrong = 0;
    for (int i = 0; i < 100; i++) {
        send_frame(&bench, "a", "b", 1514, (unsigned char) i, 0);
    }
    for (int i = 0; i < 100; i++) {
        int64_t time = next_delivery(&bench, INT64_MAX, &machine, &mark);
        wrong += time != (i + 2) * WIRE(1514) + 2 * LATENCY || mark != i;
    }
    ok(wrong == 0, "100 frames at once follow each other in order without a gap");
    const fabric_link_t *up = link_between(&bench, "a", true);
    ok(up->counters.frames == 100 && up->counters.bytes == 100 * 1514 &&
           up->counters.queue_peak == 99 * 1514 && up->queue_bytes == 0 &&
           up->counters.busy == 100 * WIRE(1514),
       "the link counted frames, bytes, its queue and its busy time");
    const fabric_link_t *down = link_between(&bench, "b", false);
    ok(down->counters.queue_peak <= 1514, "no queue where frames come no faster than they go");
    tear_down(&bench);
}

static void sharing(void)
{
    bench_t bench = set_up("SwitchName=s0 Nodes=a,b Switches=s1; SwitchName=s1 Nodes=c,d", plain);
    int machine, mark = 0, early[2] = {0, 0};
    int64_t time = 0;
    for (int i = 0; i < 50; i++) {
        send_frame(&bench, "a", "c", 1000, 1, 0);
        send_frame(&bench, "b", "d", 1000, 2, 0);
    }
    for (int i = 0; i < 100; i++) {
        time = next_delivery(&bench, INT64_MAX, &machine, &mark);
        early[0] += i < 50 && mark == 1;
        early[1] += i < 50 && mark == 2;
    }
    ok(early[0] == 25 && early[1] == 25, "two flows over one link get half each");
    ok(time == 102 * WIRE(1000) + 3 * LATENCY, "and together all of it");
    tear_down(&bench);
}

static void full_queue(void)
{
    fabric_cables_t cables = plain;
    cables.switch_queue = 5000;
    bench_t bench = set_up("SwitchName=s0 Nodes=a,b,c", cables);
    int machine, mark = 0, delivered = 0;
    for (int i = 0; i < 50; i++) {
        send_frame(&bench, "a", "c", 1000, 1, 0);
        send_frame(&bench, "b", "c", 1000, 2, 0);
    }
    while (next_delivery(&bench, INT64_MAX, &machine, &mark) >= 0) {
        delivered++;
    }
    const fabric_link_t *down = link_between(&bench, "c", false);
    /* Two frames come in the time of one, so that every second one stays, until five wait. After
     * the last pair the port has sent 49 and one is on the wire; five wait. */
    ok(delivered == 55 && down->counters.drops == 45,
       "what a full queue cannot hold is dropped (%d)", delivered);
    ok(down->counters.drop_bytes == 45 * 1000 && down->counters.queue_peak == 5000,
       "and counted, with the peak of the queue");
    tear_down(&bench);
}

static void speeds(void)
{
    bench_t bench = set_up(
        "SwitchName=s0 Nodes=a Switches=s1 LinkSpeed=4; SwitchName=s1 Nodes=b LinkSpeed=1", plain);
    int machine, mark = 0;
    send_frame(&bench, "a", "b", 976, 1, 0);
    int64_t time = next_delivery(&bench, INT64_MAX, &machine, &mark);
    ok(time == 2 * WIRE(976) / 4 + WIRE(976) + 3 * LATENCY, "cables are as fast as LinkSpeed says");
    ok(link_between(&bench, "a", true)->rate == 4 * RATE &&
           link_between(&bench, "b", true)->rate == RATE,
       "the lowest speed has the base rate");
    tear_down(&bench);
}

static void changes(void)
{
    bench_t bench = set_up("SwitchName=s0 Nodes=a,b", plain);
    int machine, mark = 0;
    int link = pb_link_up(find(&bench, "a"));
    send_frame(&bench, "a", "b", 976, 1, 0);
    send_frame(&bench, "a", "b", 976, 2, 0);
    /* In the middle of the first frame: that one keeps its rate, the second is twice as slow. */
    fabric_model_change(bench.model, link, WIRE(976) / 2, RATE / 2, LATENCY, 1500000);
    int64_t first = next_delivery(&bench, INT64_MAX, &machine, &mark);
    int64_t second = next_delivery(&bench, INT64_MAX, &machine, &mark);
    ok(first == 2 * WIRE(976) + 2 * LATENCY, "a frame on the wire keeps its rate");
    ok(second == 4 * WIRE(976) + 2 * LATENCY, "one that waits gets the new one");
    fabric_model_change(bench.model, link, second, RATE, 10000000, 1500000);
    send_frame(&bench, "a", "b", 976, 3, second);
    fabric_model_change(bench.model, link, second + 1, RATE, 0, 1500000);
    send_frame(&bench, "a", "b", 976, 4, second + 1);
    next_delivery(&bench, INT64_MAX, &machine, &mark);
    ok(mark == 3, "a lower latency lets no frame overtake");
    tear_down(&bench);
}

static void flooding(void)
{
    bench_t bench = set_up("SwitchName=s0 Nodes=a,b Switches=s1; SwitchName=s1 Nodes=c,d", plain);
    int machine, mark = 0, reached[16] = {0}, n = 0;
    send_frame(&bench, "c", NULL, 60, 1, 0);
    while (next_delivery(&bench, INT64_MAX, &machine, &mark) >= 0) {
        reached[machine]++;
        n++;
    }
    ok(n == 3 && reached[find(&bench, "a")] == 1 && reached[find(&bench, "b")] == 1 &&
           reached[find(&bench, "d")] == 1,
       "a frame to all reaches every machine but its sender, once");
    tear_down(&bench);
}

static void late_frames(void)
{
    bench_t bench = set_up("SwitchName=s0 Nodes=a,b", plain);
    int machine, mark = 0;
    send_frame(&bench, "a", "b", 976, 1, 5000000);
    send_frame(&bench, "a", "b", 976, 2, 4000000);
    int64_t first = next_delivery(&bench, INT64_MAX, &machine, &mark);
    int64_t second = next_delivery(&bench, INT64_MAX, &machine, &mark);
    ok(mark == 2 && second - first == WIRE(976), "a frame that comes out of time goes behind");
    send_frame(&bench, "a", "b", 976, 3, 9000000);
    tear_down(&bench);
    ok(1, "frames under way are freed with the model");
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
    flooding();
    late_frames();
    return tap_done();
}
