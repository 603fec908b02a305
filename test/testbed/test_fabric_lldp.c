/* What the fabric's switches announce, and what they keep to themselves. */
#include <string.h>

#include "contrib/testbed/fabric_lldp.h"
#include "test/tap.h"
#include "test/testbed/fabric_bench.h"

/** The frame of a switch called "leaf1", which is node 258, to port 3 at 1 Gbit/s for 4 s. */
static const unsigned char wanted[] =
    "\x01\x80\xc2\x00\x00\x0e\x02\x70\x73\x00\x01\x02\x88\xcc" /* to, from, type */
    "\x02\x07\x04\x02\x70\x73\x00\x01\x02"                     /* chassis ID, an address */
    "\x04\x06\x05port3"                                        /* port ID, a name */
    "\x06\x02\x00\x04"                                         /* 4 s */
    "\x0a\x05leaf1"                                            /* system name */
    "\x0e\x04\x00\x04\x00\x04"                                 /* a bridge */
    "\xfe\x09\x00\x12\x0f\x01\x03\x80\x00\x00\x1e"             /* 1000BaseTFD */
    "\x00";                                                    /* end, two bytes with the '\0' */

static fabric_announced_t leaf1(void)
{
    return (fabric_announced_t){.node = 258,
                                .name = "leaf1",
                                .port = 3,
                                .rate = 1000000000,
                                .lifetime = INT64_C(3000000001)};
}

static void test_frame(void)
{
    unsigned char frame[FABRIC_LLDP_MAX];
    fabric_announced_t announced = leaf1();
    const uint32_t length = fabric_lldp_frame(&announced, frame);
    ok(length == sizeof(wanted), "the frame has %u bytes", (unsigned) length);
    ok(memcmp(frame, wanted, sizeof(wanted)) == 0, "and is as the standard has it");

    announced.rate = 2000000;
    const uint32_t shorter = fabric_lldp_frame(&announced, frame);
    ok(shorter == FABRIC_MIN_FRAME, "no transceiver has 2 Mbit/s, and the frame is padded");
    ok(memcmp(frame, wanted, sizeof(wanted) - 13) == 0 && frame[sizeof(wanted) - 13] == 0,
       "all else is as before");

    char name[300];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    announced = leaf1();
    announced.name = name;
    announced.lifetime = INT64_C(100000) * 1000000000;
    announced.port = 1 << 24;
    const uint32_t longest = fabric_lldp_frame(&announced, frame);
    ok(longest <= FABRIC_LLDP_MAX && longest > 255, "the longest name fits: %u bytes",
       (unsigned) longest);
}

static void test_addresses(void)
{
    unsigned char address[] = {0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e};
    ok(fabric_lldp_is_local(address), "the nearest switch's address");
    address[5] = 0x00;
    ok(fabric_lldp_is_local(address), "that of spanning trees");
    address[5] = 0x10;
    ok(!fabric_lldp_is_local(address), "one that is forwarded");
    address[4] = 0x01;
    address[5] = 0x0e;
    ok(!fabric_lldp_is_local(address), "another one");
}

/** An announcement occupies the host's link and no other. */
static void test_announce(void)
{
    bench_t bench =
        bench_set_up("SwitchName=s0 Nodes=a,b Switches=s1; SwitchName=s1 Nodes=c", bench_links);
    const int host = bench_find(&bench, "c");
    fabric_frame_t *frame = fabric_model_frame(bench.model);
    frame->length = 100;
    frame->data[0] = 7;
    fabric_model_announce(bench.model, host, frame, 1000);
    int at, mark;
    const int64_t time = bench_next(&bench, INT64_MAX, &at, &mark);
    ok(at == host && mark == 7 && time == 1000 + WIRE(100) + LATENCY,
       "an announcement comes after the time of one link");
    ok(bench_next(&bench, INT64_MAX, &at, &mark) < 0, "and only to its host");
    ok(bench_link(&bench, "c", false)->counters[FABRIC_REAL].frames == 1 &&
           bench_link(&bench, "s1", false)->counters[FABRIC_REAL].frames == 0,
       "it is counted where it was");
    bench_tear_down(&bench);
}

int main(void)
{
    test_frame();
    test_addresses();
    test_announce();
    return tap_done();
}
