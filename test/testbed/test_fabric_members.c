/* Parallel links: which member a flow takes, and what the members carry. */
#include <stdlib.h>
#include <string.h>

#include "contrib/testbed/fabric_frame.h"
#include "test/tap.h"
#include "test/testbed/fabric_bench.h"
#include "test/topo/network/given.h"

#define FLOWS 1000

/* Four members from t0 up, and as many from t1. */
static const char bundle[] = "SwitchName=t0 Nodes=a,b; SwitchName=t1 Nodes=c,d; "
                             "SwitchName=t Switches=t0,t1 Uplinks=4";

static fabric_links_t seeded(uint64_t seed)
{
    fabric_links_t links = bench_links;
    links.hash_seed = seed;
    return links;
}

static int add(pb_network_t *network, pb_node_kind_t kind, const char *name, int parent)
{
    const int node = pb_network_add(network, kind, name);
    must(node >= 0 && (parent < 0 || pb_network_connect(network, parent, node, 1) == PB_SUCCESS));
    return node;
}

/** Leaves l0 with a and b, l1 with c and d, below some spines, with some links to each of them. */
static pb_network_t *leaf_spine(int spines, int links)
{
    pb_network_t *network = pb_network_new();
    const int top = add(network, PB_NODE_SWITCH, "spines", -1);
    pb_network_set_spines(network, top, spines);
    for (int i = 0; i < 2; i++) {
        const int leaf = add(network, PB_NODE_SWITCH, i == 0 ? "l0" : "l1", top);
        must(pb_network_bundle(network, leaf, spines * links) == PB_SUCCESS);
        (void) add(network, PB_NODE_HOST, i == 0 ? "a" : "c", leaf);
        (void) add(network, PB_NODE_HOST, i == 0 ? "b" : "d", leaf);
    }
    given_finish(network);
    return network;
}

static int up_of(const bench_t *bench, const char *name)
{
    return pb_link_up(bench_find(bench, name));
}

static int down_of(const bench_t *bench, const char *name)
{
    return pb_link_down(bench_find(bench, name));
}

/** The number, among those of its link, of the member that a flow takes. */
static int chosen(const bench_t *bench, int link, int from, uint32_t flow)
{
    const fabric_members_t *members = fabric_model_members(bench->model);
    return fabric_members_at(members, fabric_members_choose(members, link, from, flow))->number;
}

enum { FRAME = 100 };

/** The headers of an IPv4 frame of TCP, from a host to the same other one, between two ports. */
static void set_headers(unsigned char *data, unsigned char host, uint16_t source, uint16_t target)
{
    memset(data, 0, FRAME);
    data[12] = 8;
    data[FABRIC_HEADER] = 0x45;
    data[FABRIC_HEADER + 9] = 6;
    memcpy(data + FABRIC_HEADER + 12, "\x0a\x4d\x00\x01\x0a\x4d\x00\x02", 8);
    data[FABRIC_HEADER + 15] = host;
    data[FABRIC_HEADER + 20] = (unsigned char) (source >> 8);
    data[FABRIC_HEADER + 21] = (unsigned char) source;
    data[FABRIC_HEADER + 22] = (unsigned char) (target >> 8);
    data[FABRIC_HEADER + 23] = (unsigned char) target;
}

static uint32_t tcp_flow(uint16_t source, uint16_t target)
{
    unsigned char data[FRAME];
    set_headers(data, 1, source, target);
    return fabric_flow_of(data, FRAME);
}

static void flows(void)
{
    unsigned char one[FRAME], other[FRAME];
    int wrong = 0;
    set_headers(one, 1, 1, 1);
    set_headers(other, 1, 1, 1);
    other[60] = 9;
    ok(fabric_flow_of(one, FRAME) == fabric_flow_of(other, FRAME), "a connection is one flow");
    set_headers(other, 2, 1, 1);
    ok(fabric_flow_of(one, FRAME) != fabric_flow_of(other, FRAME), "other addresses, another flow");
    set_headers(other, 1, 2, 1);
    ok(fabric_flow_of(one, FRAME) != fabric_flow_of(other, FRAME), "other ports, another flow");
    for (uint32_t length = 0; length <= 37; length++) {
        wrong += fabric_flow_of(one, length) != fabric_flow_of(other, length);
    }
    ok(wrong == 0, "ports beyond the end of a frame are not read");
    one[FABRIC_HEADER + 6] = other[FABRIC_HEADER + 6] = 0x20;
    ok(fabric_flow_of(one, FRAME) == fabric_flow_of(other, FRAME), "fragments have no ports");
    one[12] = other[12] = 0x88;
    ok(fabric_flow_of(one, FRAME) == fabric_flow_of(other, FRAME), "nor has what is not IPv4");
}

static void shares(void)
{
    bench_t bench = bench_set_up(bundle, seeded(1));
    int got[4] = {0}, other[4] = {0}, unsteady = 0;
    for (int i = 0; i < FLOWS; i++) {
        const uint32_t flow = tcp_flow((uint16_t) (1024 + i), 5000);
        const int member = chosen(&bench, up_of(&bench, "t0"), 0, flow);
        unsteady += chosen(&bench, up_of(&bench, "t0"), 0, flow) != member;
        got[member]++;
        other[chosen(&bench, up_of(&bench, "t1"), 0, flow)] += member == 0;
    }
    ok(unsteady == 0, "a flow stays on its member");
    for (int i = 0; i < 4; i++) {
        /* 250 and 62.5 are expected; six standard deviations away are 82 and 41. */
        ok(abs(got[i] - FLOWS / 4) < 82, "member %d has its share of the flows (%d)", i, got[i]);
        ok(abs(other[i] - FLOWS / 16) < 41, "and of those that met on a member elsewhere (%d)",
           other[i]);
    }
    bench_tear_down(&bench);
}

static void seeds(void)
{
    bench_t one = bench_set_up(bundle, seeded(1)), same = bench_set_up(bundle, seeded(1)),
            two = bench_set_up(bundle, seeded(2));
    int differ = 0, wrong = 0, each_way = 0;
    for (uint32_t flow = 0; flow < FLOWS; flow++) {
        const int member = chosen(&one, up_of(&one, "t0"), 0, flow);
        wrong += chosen(&same, up_of(&same, "t0"), 0, flow) != member;
        differ += chosen(&two, up_of(&two, "t0"), 0, flow) != member;
        each_way += chosen(&one, down_of(&one, "t0"), 0, flow) != member;
    }
    ok(wrong == 0, "a seed is the same hash every time");
    ok(abs(differ - FLOWS * 3 / 4) < 82, "another seed has other members for flows (%d)", differ);
    ok(abs(each_way - FLOWS * 3 / 4) < 82, "and so has the other direction (%d)", each_way);
    bench_tear_down(&one);
    bench_tear_down(&same);
    bench_tear_down(&two);
}

static void send_flows(bench_t *bench, int n)
{
    for (int i = 0; i < n; i++) {
        bench_send_flow(bench, "a", "c", 1000, (uint32_t) i, 1, (int64_t) i * 10000000);
        bench_run_out(bench);
    }
}

static uint64_t bytes_of(const bench_t *bench, const char *below, bool up, int number)
{
    return bench_member(bench, below, up, number)->counters[FABRIC_REAL].bytes;
}

static void members_are_links(void)
{
    bench_t bench = bench_set_up(bundle, seeded(1));
    const fabric_link_t *single = bench_link(&bench, "a", true);
    int flow[2] = {-1, -1};
    for (int i = 0; i < FLOWS; i++) {
        const int member = chosen(&bench, up_of(&bench, "t0"), 0, (uint32_t) i);
        if (member < 2) {
            flow[member] = i;
        }
    }
    must(flow[0] >= 0 && flow[1] >= 0);
    ok(bench_member(&bench, "t0", true, 3)->rate == single->rate, "a member has one link's rate");
    bench_send_flow(&bench, "a", "c", 1000, (uint32_t) flow[0], 1, 0);
    bench_send_flow(&bench, "b", "c", 1000, (uint32_t) flow[0], 2, 0);
    (void) bench_next(&bench, INT64_MAX);
    ok(bench_member(&bench, "t0", true, 0)->queue_peak == 1000, "flows that meet queue");
    bench_send_flow(&bench, "a", "c", 1000, (uint32_t) flow[0], 1, 100000000);
    bench_send_flow(&bench, "b", "c", 1000, (uint32_t) flow[1], 2, 100000000);
    bench_run_out(&bench);
    ok(bench_member(&bench, "t0", true, 1)->queue_peak == 0, "others do not disturb each other");
    bench_tear_down(&bench);
}

static void one_member_changes(void)
{
    bench_t bench = bench_set_up(bundle, seeded(1));
    const fabric_change_t loss = {0, -1, -1, FABRIC_ALL};
    ok(bench_change(&bench, up_of(&bench, "t0"), 2, 0, loss) == PB_SUCCESS,
       "one member becomes a faulty one");
    send_flows(&bench, 100);
    uint64_t drops = 0;
    for (int i = 0; i < 4; i++) {
        drops += bench_member(&bench, "t0", true, i)->counters[FABRIC_REAL].drops;
    }
    ok(drops > 0 && drops == bench_member(&bench, "t0", true, 2)->counters[FABRIC_REAL].drops &&
           bytes_of(&bench, "t0", true, 2) == 0,
       "its flows are lost there, and no others");
    ok(bench_change(&bench, up_of(&bench, "t0"), -1, 2000000000, loss) == PB_SUCCESS,
       "all of them do");
    bench_send(&bench, "a", "c", 1000, 1, 3000000000);
    bench_run_out(&bench);
    ok(bench_member(&bench, "t0", true, 0)->loss == FABRIC_ALL &&
           bench_member(&bench, "t0", true, 3)->loss == FABRIC_ALL,
       "a change of a link is one of each member");
    bench_tear_down(&bench);
}

/** `pod` switches below `core` others, as two nodes with `links` between them. */
static pb_network_t *two_levels(int pod, int core, int links)
{
    pb_network_t *network = pb_network_new();
    const int top = add(network, PB_NODE_SWITCH, "core", -1);
    const int low = add(network, PB_NODE_SWITCH, "pod", top);
    (void) add(network, PB_NODE_HOST, "a", low);
    pb_network_set_spines(network, top, core);
    pb_network_set_spines(network, low, pod);
    must(pb_network_bundle(network, low, links) == PB_SUCCESS);
    given_finish(network);
    return network;
}

/** Every pair of switches is joined by as many members as any other, and both directions have the
 * same ends. */
static void plugged_evenly(int pod, int core)
{
    pb_network_t *network = two_levels(pod, core, 2 * pod * core);
    fabric_members_t *members = fabric_members_new(network, 1);
    const int node = pb_network_find(network, "pod");
    const int up = fabric_members_first(members, pb_link_up(node));
    const int down = fabric_members_first(members, pb_link_down(node));
    int joined[64] = {0}, wrong = 0;
    for (int i = 0; i < 2 * pod * core; i++) {
        const fabric_member_t *one = fabric_members_at(members, up + i);
        const fabric_member_t *other = fabric_members_at(members, down + i);
        wrong += one->from_switch != other->to_switch || one->to_switch != other->from_switch;
        joined[one->from_switch * core + one->to_switch]++;
    }
    for (int i = 0; i < pod * core; i++) {
        wrong += joined[i] != 2;
    }
    ok(wrong == 0, "%d switches below %d: each two are joined twice", pod, core);
    fabric_members_free(members);
    pb_network_free(network);
}

static void merged_above_merged(void)
{
    plugged_evenly(2, 4);
    plugged_evenly(3, 4);
    plugged_evenly(4, 4);
    plugged_evenly(1, 3);
    pb_network_t *network = two_levels(2, 4, 3);
    fabric_members_t *members = fabric_members_new(network, 1);
    const int node = pb_network_find(network, "pod");
    int wrong = 0, taken[3] = {0};
    for (uint32_t flow = 0; flow < FLOWS; flow++) {
        const int up = fabric_members_choose(members, pb_link_up(node), (int) flow % 2, flow);
        const int down = fabric_members_choose(members, pb_link_down(node), 3, flow);
        wrong += fabric_members_at(members, up)->from_switch != (int) flow % 2;
        taken[fabric_members_at(members, down)->number]++;
    }
    ok(wrong == 0, "a switch sends over its own members");
    ok(taken[0] > 0 && taken[1] > 0 && taken[2] > 0, "and over any if it has none");
    fabric_members_free(members);
    pb_network_free(network);
}

/** Each of `spines` spines has `links` links to each leaf: up and down are over the same one. */
static void many_networks(void)
{
    enum { N = 300 };
    int lost = 0, astray = 0, unused = 0;
    for (int trial = 0; trial < 40; trial++) {
        const int spines = 1 + trial % 5, links = 1 + trial % 4;
        bench_t bench = bench_on(leaf_spine(spines, links), seeded((uint64_t) trial));
        uint64_t balance[5] = {0};
        send_flows(&bench, N);
        for (int i = 0; i < spines * links; i++) {
            balance[i % spines] += bytes_of(&bench, "l0", true, i);
            unused += bytes_of(&bench, "l0", true, i) == 0;
            balance[i % spines] -= bytes_of(&bench, "l1", false, i);
        }
        for (int i = 0; i < spines; i++) {
            astray += balance[i] != 0;
        }
        lost += bytes_of(&bench, "c", false, 0) != N * 1000;
        bench_tear_down(&bench);
    }
    ok(lost == 0, "no frame is lost, whatever the spines, bundles and seed");
    ok(unused == 0, "every member is used");
    ok(astray == 0, "and each comes down from the spine to which it went up");
}

/** A load that begins at merged switches uses several of them, and ends where it should. */
static void load_from_spines(void)
{
    bench_t bench = bench_on(leaf_spine(2, 2), seeded(1));
    int used = 0;
    for (int i = 0; i < 20; i++) {
        const fabric_step_t step = {.kind = FABRIC_STEP_LOAD,
                                    .time = 1000,
                                    .load = {.from = bench_find(&bench, "spines"),
                                             .to = bench_find(&bench, "a"),
                                             .rate = 100000,
                                             .duration = 1,
                                             .length = 1000}};
        must(fabric_model_plan(bench.model, &step) == PB_SUCCESS);
    }
    bench_run_out(&bench);
    for (int i = 0; i < 4; i++) {
        used += bench_member(&bench, "l0", false, i)->counters[FABRIC_SYNTHETIC].frames > 0;
    }
    ok(used == 4 && bench_link(&bench, "a", false)->counters[FABRIC_SYNTHETIC].frames == 20,
       "loads that begin at spines take members of each, and arrive");
    bench_tear_down(&bench);
}

int main(void)
{
    flows();
    shares();
    seeds();
    members_are_links();
    one_member_changes();
    merged_above_merged();
    many_networks();
    load_from_spines();
    return tap_done();
}
