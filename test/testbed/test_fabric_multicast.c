/* Group frames: what each copy costs, that none comes twice, and what switches that snoop or drop
 * multicast do with them. */
#include <inttypes.h>
#include <string.h>

#include "contrib/testbed/fabric_igmp.h"
#include "test/tap.h"
#include "test/testbed/fabric_bench.h"

#define LINE                                                                                       \
    "SwitchName=s0 Nodes=a,b Switches=s1; SwitchName=s1 Nodes=c,d Switches=s2; "                   \
    "SwitchName=s2 Nodes=e,f"
#define SECOND INT64_C(1000000000)
#define GROUP 0xefc00001u /* 239.192.0.1 */
#define OTHER_GROUP 0xefc00002u
enum { MAX_NODES = 64 };

/* ---- frames ---- */

typedef struct packet {
    uint32_t length;
    unsigned char data[1514];
} packet_t;

static void put_32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        bytes[i] = (unsigned char) (value >> (24 - 8 * i));
    }
}

/** An IPv4 packet of `n` bytes to a group, with a header of `header` bytes. */
static packet_t to_group(uint32_t group, int protocol, uint32_t header, const void *bytes,
                         uint32_t n)
{
    packet_t packet = {.length = FABRIC_HEADER + header + n};
    unsigned char *ip = packet.data + FABRIC_HEADER;
    put_32(packet.data + 2, group & 0x7fffff);
    memcpy(packet.data, "\x01\x00\x5e", 3);
    packet.data[12] = 0x08;
    ip[0] = (unsigned char) (0x40 | header / 4);
    ip[2] = (unsigned char) ((header + n) >> 8);
    ip[3] = (unsigned char) (header + n);
    ip[9] = (unsigned char) protocol;
    put_32(ip + 16, group);
    memcpy(ip + header, bytes, n);
    packet.length = packet.length < FABRIC_MIN_FRAME ? FABRIC_MIN_FRAME : packet.length;
    return packet;
}

static packet_t datagram(uint32_t group)
{
    return to_group(group, 17, 20, (unsigned char[100]){0}, 100);
}

static packet_t report_of(const void *message, uint32_t n)
{
    return to_group(0xe0000016, 2, 24, message, n);
}

/** A report of version 3 with one record without sources. */
static packet_t report(int type, uint32_t group)
{
    unsigned char message[16] = {0x22, [7] = 1, [8] = (unsigned char) type};
    put_32(message + 12, group);
    return report_of(message, sizeof(message));
}

static packet_t join(uint32_t group)
{
    return report(4, group);
}

static packet_t leave(uint32_t group)
{
    return report(3, group);
}

static void send(const bench_t *bench, const char *from, packet_t packet, int64_t now)
{
    fabric_frame_t *frame = fabric_model_frame(bench->model);
    frame->length = packet.length;
    memcpy(frame->data, packet.data, packet.length);
    frame->cast = fabric_igmp_cast(frame->data, frame->length, &frame->group);
    fabric_model_send(bench->model, bench_find(bench, from), frame, now);
}

/** Which hosts get a frame, by their names in order, each as often as it does; "" if none. */
static const char *reached(const bench_t *bench)
{
    static char names[200];
    int n[MAX_NODES] = {0}, host, mark;
    while (bench_next(bench, INT64_MAX, &host, &mark) >= 0) {
        n[host]++;
    }
    names[0] = '\0';
    for (int node = 0; node < pb_network_size(bench->network); node++) {
        for (int i = 0; i < n[node]; i++) {
            strcat(names, pb_network_node(bench->network, node)->name);
        }
    }
    return names;
}

static int holds(const bench_t *bench, const char *from, packet_t packet, int64_t now,
                 const char *wanted, const char *what)
{
    send(bench, from, packet, now);
    const char *found = reached(bench);
    return ok(strcmp(found, wanted) == 0, "%s (reached '%s')", what, found);
}

static uint64_t frames_on(const bench_t *bench, const char *below, bool up)
{
    return bench_link(bench, below, up)->counters[FABRIC_REAL].frames;
}

/* ---- what copies cost ---- */

/** Sends `n` long frames to all at 0; the last arrival at each host, by node. */
static int flood_long_frames(const bench_t *bench, const char *from, int n, int64_t *last)
{
    int host, mark, n_delivered = 0;
    int64_t time;
    for (int i = 0; i < n; i++) {
        bench_send(bench, from, NULL, 1514, (unsigned char) i, 0);
    }
    while ((time = bench_next(bench, INT64_MAX, &host, &mark)) >= 0) {
        last[host] = time;
        n_delivered++;
    }
    return n_delivered;
}

static void cost_of_copies(void)
{
    enum { N = 64 };
    static const struct {
        const char *name;
        int n_links;
    } hosts[] = {{"b", 2}, {"c", 3}, {"d", 3}, {"e", 4}, {"f", 4}};
    bench_t bench = bench_set_up(LINE, bench_links);
    int64_t last[MAX_NODES] = {0};
    int n_late = 0, n_wrong = 0;
    ok(flood_long_frames(&bench, "a", N, last) == 5 * N,
       "each host but the sender gets each frame");
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        const int64_t wanted = (N - 1 + hosts[i].n_links) * WIRE(1514) + hosts[i].n_links * LATENCY;
        n_late += last[bench_find(&bench, hosts[i].name)] != wanted;
        n_wrong += frames_on(&bench, hosts[i].name, false) != N ||
                   bench_link(&bench, hosts[i].name, false)->counters[FABRIC_REAL].busy !=
                       N * WIRE(1514) ||
                   frames_on(&bench, hosts[i].name, true) != 0;
    }
    ok(n_late == 0,
       "store-and-forward: the last frame comes after N frames and one for each switch");
    ok(n_wrong == 0, "each copy takes its time on its link");
    ok(frames_on(&bench, "s1", false) == N && frames_on(&bench, "s2", false) == N &&
           frames_on(&bench, "s1", true) + frames_on(&bench, "s2", true) == 0,
       "trunks carry each frame once, one way");
    ok(frames_on(&bench, "a", true) == N && frames_on(&bench, "a", false) == 0,
       "and nothing goes back to the sender");
    bench_tear_down(&bench);
}

/** Two hosts that flood at full rate: other hosts' ports carry both. */
static void copies_share_links(void)
{
    enum { N = 50 };
    fabric_links_t links = bench_links;
    links.switch_queue = 20 * 1514;
    bench_t bench = bench_set_up("SwitchName=s0 Nodes=a,b,c,d", links);
    int host, mark, n[MAX_NODES] = {0};
    for (int i = 0; i < N; i++) {
        bench_send(&bench, "a", NULL, 1514, 1, 0);
        bench_send(&bench, "b", NULL, 1514, 2, 0);
    }
    while (bench_next(&bench, INT64_MAX, &host, &mark) >= 0) {
        n[host]++;
    }
    const fabric_link_counters_t *c = &bench_link(&bench, "c", false)->counters[FABRIC_REAL];
    ok(n[bench_find(&bench, "a")] == N && n[bench_find(&bench, "b")] == N,
       "of two floods each sender gets the other's");
    /* Two frames come in the time of one: after the last pair the port has sent N - 1 and one is on
     * the wire; 20 wait. */
    ok(n[bench_find(&bench, "c")] == N + 20 && c->drops == N - 20,
       "a port's queue that both fill drops copies, at that port alone (%d)", (int) c->drops);
    bench_tear_down(&bench);
}

#define SPINES                                                                                     \
    "SwitchName=leaf1 Nodes=a,b; SwitchName=leaf2 Nodes=c,d; SwitchName=leaf3 Nodes=e,f; "         \
    "SwitchName=spine1 Switches=leaf[1-3]; SwitchName=spine2 Switches=leaf[1-3]"
#define BUNDLE "SwitchName=s0 Nodes=a,b Switches=s1 Uplinks=4; SwitchName=s1 Nodes=c,d"

static void no_copy_twice(const char *what, const char *conf, const char *trunk, int n_members,
                          const char *wanted)
{
    bench_t bench = bench_set_up(conf, bench_links);
    int n_wrong = 0, n_used = 0;
    uint64_t n_up = 0;
    for (uint32_t flow = 0; flow < 100; flow++) {
        bench_send_flow(&bench, "a", NULL, 100, flow, 1, flow * SECOND);
        n_wrong += strcmp(reached(&bench), wanted) != 0;
    }
    for (int i = 0; i < n_members; i++) {
        const uint64_t n = bench_member(&bench, trunk, true, i)->counters[FABRIC_REAL].frames +
                           bench_member(&bench, trunk, false, i)->counters[FABRIC_REAL].frames;
        n_up += n;
        n_used += n > 10;
    }
    ok(n_wrong == 0, "%s: every host gets each frame once", what);
    ok(n_up == 100 && n_used == n_members, "%s: each flow over one link of %d, all are used", what,
       n_members);
    bench_tear_down(&bench);
}

static void losses(void)
{
    enum { N = 2000, HOSTS = 5 };
    uint64_t drops[3] = {0}, first[3] = {0};
    for (int i = 0; i < 3; i++) {
        fabric_links_t links = bench_links;
        links.host_loss = FABRIC_ALL / 50;
        links.loss_seed = i == 2 ? 8 : 7;
        links.host_queue = links.switch_queue = N * 1514;
        bench_t bench = bench_set_up(LINE, links);
        int64_t last[MAX_NODES];
        flood_long_frames(&bench, "a", N, last);
        for (int h = 0; h < HOSTS; h++) {
            const char name[] = {(char) ('b' + h), '\0'};
            drops[i] += bench_link(&bench, name, false)->counters[FABRIC_REAL].drops;
        }
        first[i] = bench_link(&bench, "b", false)->counters[FABRIC_REAL].drops;
        if (i == 0) {
            ok(frames_on(&bench, "a", true) == N && frames_on(&bench, "s1", false) == N &&
                   frames_on(&bench, "s2", false) == N,
               "ports other than those to hosts lose nothing");
        }
        bench_tear_down(&bench);
    }
    /* Binomial: 200 of 10,000 with a standard deviation of 14. */
    ok(drops[0] > 200 - 56 && drops[0] < 200 + 56,
       "2 %% of the copies are lost at ports to hosts (%d)", (int) drops[0]);
    ok(drops[0] == drops[1] && first[0] == first[1], "the same ones for the same seed");
    ok(drops[0] != drops[2] || first[0] != first[2], "others for another");
}

/* ---- what switches read ---- */

static void casts(void)
{
    uint32_t group = 1;
    packet_t packet = datagram(GROUP);
    ok(fabric_igmp_cast(packet.data, packet.length, &group) == FABRIC_CAST_GROUP && group == GROUP,
       "a datagram to an IPv4 group");
    ok(fabric_igmp_cast(packet.data, 33, &group) == FABRIC_CAST_MULTICAST && group == 0,
       "one that is cut off is multicast");
    packet = datagram(0xe00000fb);
    ok(fabric_igmp_cast(packet.data, packet.length, &group) == FABRIC_CAST_MULTICAST,
       "224.0.0.251 is flooded");
    packet = join(GROUP);
    ok(fabric_igmp_cast(packet.data, packet.length, &group) == FABRIC_CAST_REPORT, "a report");
    packet.data[FABRIC_HEADER + 7] = 1;
    ok(fabric_igmp_cast(packet.data, packet.length, &group) == FABRIC_CAST_MULTICAST,
       "a fragment of one is none");
    packet = report_of("\x11\0\0\0\0\0\0\0", 8);
    ok(fabric_igmp_cast(packet.data, packet.length, &group) == FABRIC_CAST_MULTICAST,
       "a query is none either");
    memset(packet.data, 0xff, 6);
    ok(fabric_igmp_cast(packet.data, packet.length, &group) == FABRIC_CAST_BROADCAST,
       "a broadcast");
    memcpy(packet.data, "\x33\x33\0\0\0\1\2\0\0\0\0\1\x86\xdd\x60", 15);
    ok(fabric_igmp_cast(packet.data, packet.length, &group) == FABRIC_CAST_MULTICAST, "IPv6");
}

typedef struct found {
    int n;
    uint32_t groups[8];
    bool is_member[8];
} found_t;

static void note(void *context, uint32_t group, bool is_member)
{
    found_t *found = context;
    found->groups[found->n % 8] = group;
    found->is_member[found->n++ % 8] = is_member;
}

static found_t read_all(const packet_t *packet, uint32_t length)
{
    found_t found = {0};
    unsigned char *exact = malloc(length); /* so that a sanitizer sees reading on */
    memcpy(exact, packet->data, length);
    fabric_igmp_read(exact, length, note, &found);
    free(exact);
    return found;
}

static bool one_found(packet_t packet, uint32_t group, bool is_member)
{
    const found_t found = read_all(&packet, packet.length);
    return found.n == 1 && found.groups[0] == group && found.is_member[0] == is_member;
}

static void reports(void)
{
    ok(one_found(report_of("\x12\0\0\0\xef\xc0\0\1", 8), GROUP, true), "a report of version 1");
    ok(one_found(report_of("\x16\0\0\0\xef\xc0\0\1", 8), GROUP, true), "of version 2");
    ok(one_found(report_of("\x17\0\0\0\xef\xc0\0\1", 8), GROUP, false), "leave of version 2");
    ok(one_found(report(2, GROUP), GROUP, true) && one_found(report(4, GROUP), GROUP, true),
       "version 3: excluding nothing is membership");
    ok(one_found(report(1, GROUP), GROUP, false) && one_found(report(3, GROUP), GROUP, false),
       "including nothing is none");
    packet_t packet = report(6, GROUP);
    ok(read_all(&packet, packet.length).n == 0, "blocking a source changes nothing");
    packet = report(4, 0xe00000fb);
    ok(read_all(&packet, packet.length).n == 0, "224.0.0.251 is left out");
    /* Three records: the second with two sources and auxiliary data. */
    static const unsigned char message[] = {0x22, 0, 0, 0, 0,    0,    0, 3, /* three */
                                            4,    0, 0, 0, 0xef, 0xc0, 0, 1, /* exclude nothing */
                                            3,    1, 0, 2, 0xef, 0xc0, 0, 2, 1, 1,
                                            1,    1, 2, 2, 2,    2,    9, 9, 9, 9, /* include two */
                                            3,    0, 0, 0, 0xef, 0xc0, 0, 3};
    packet = report_of(message, sizeof(message));
    const found_t found = read_all(&packet, packet.length);
    ok(found.n == 3 && found.groups[1] == OTHER_GROUP && found.is_member[1] &&
           found.groups[2] == GROUP + 2 && !found.is_member[2],
       "all records are read, those with sources too");
    bool right = true;
    for (uint32_t length = FABRIC_HEADER; length < packet.length; length++) {
        right &= read_all(&packet, length).n < 3;
    }
    ok(right, "what is cut off is not");
}

static uint32_t sum(const unsigned char *bytes, int n)
{
    uint32_t total = 0;
    for (int i = 0; i < n; i += 2) {
        total += (uint32_t) bytes[i] << 8 | bytes[i + 1];
    }
    return (total & 0xffff) + (total >> 16);
}

static void queries(void)
{
    unsigned char frame[FABRIC_IGMP_QUERY];
    fabric_igmp_query(0x10203, 125 * SECOND, 10 * SECOND, frame);
    ok(memcmp(frame, "\x01\0\x5e\0\0\1\x02\x70\x73\1\2\3\x08\0\x46", 15) == 0,
       "a query is to all hosts, from the switch");
    ok(sum(frame + 14, 24) == 0xffff && sum(frame + 38, 12) == 0xffff, "its checksums are right");
    ok(frame[38] == 0x11 && frame[39] == 100 && frame[46] == 2 && frame[47] == 125,
       "with the times in their units");
    fabric_igmp_query(1, 1000 * SECOND, 20 * SECOND, frame);
    /* 1000 is 16 + 15 of mantissa, times 2^5 (992); 200 is 16 + 9, times 2^3. */
    ok(frame[47] == (0x80 | 2 << 4 | 15) && frame[39] == (0x80 | 0 << 4 | 9),
       "long ones as a mantissa and an exponent");
}

/* ---- snooping ---- */

static bench_t snooping_bench(fabric_snooping_kind_t kind)
{
    bench_t bench = bench_set_up(LINE, bench_links);
    if (fabric_model_snoop(bench.model, kind, 10 * SECOND) != PB_SUCCESS) {
        printf("Bail out! no snooping\n");
        exit(EXIT_FAILURE);
    }
    return bench;
}

static int n_groups(const bench_t *bench, const char *name, int64_t now)
{
    return fabric_model_n_groups(bench->model, bench_find(bench, name), now);
}

static void without_snooping(void)
{
    bench_t bench = bench_set_up(LINE, bench_links);
    holds(&bench, "a", datagram(GROUP), 0, "bcdef", "without snooping a group's frames go to all");
    holds(&bench, "a", join(GROUP), SECOND, "bcdef", "and so do reports");
    bench_tear_down(&bench);
}

static void without_querier(void)
{
    bench_t bench = snooping_bench(FABRIC_SNOOPING_NO_QUERIER);
    const fabric_switch_t *s0 = fabric_model_switch(bench.model, bench_find(&bench, "s0"));
    holds(&bench, "a", datagram(GROUP), 0, "", "a group of which nobody is known goes nowhere");
    ok(s0->filtered == 1, "which is counted");
    holds(&bench, "e", join(GROUP), SECOND, "", "a report reaches no host");
    ok(n_groups(&bench, "s0", SECOND) == 1 && n_groups(&bench, "s1", SECOND) == 1 &&
           n_groups(&bench, "s2", SECOND) == 1,
       "but all switches");
    holds(&bench, "a", datagram(GROUP), 2 * SECOND, "e", "the group then goes to that host");
    holds(&bench, "a", datagram(OTHER_GROUP), 2 * SECOND, "", "another group does not");
    holds(&bench, "e", datagram(GROUP), 3 * SECOND, "", "and to the sender nothing goes back");
    send(&bench, "b", join(GROUP), 3 * SECOND);
    send(&bench, "f", join(GROUP), 4 * SECOND);
    holds(&bench, "a", datagram(GROUP), 5 * SECOND, "bef", "more hosts, on several switches");
    ok(frames_on(&bench, "c", false) == 0, "links without a member carry nothing");
    holds(&bench, "e", leave(GROUP), 6 * SECOND, "", "a host leaves");
    holds(&bench, "a", datagram(GROUP), 7 * SECOND, "bf",
          "and takes nothing from others behind it");
    holds(&bench, "a", datagram(0xe00000fb), 7 * SECOND, "bcdef", "224.0.0.x goes to all");
    bench_send(&bench, "a", NULL, 60, 1, 8 * SECOND);
    ok(strcmp(reached(&bench), "bcdef") == 0, "and so do broadcasts");
    send(&bench, "b", join(GROUP), 12 * SECOND);
    holds(&bench, "a", datagram(GROUP), 13 * SECOND + SECOND / 2, "bf", "all are still known");
    holds(&bench, "a", datagram(GROUP), 15 * SECOND, "b", "a host ages out without another report");
    holds(&bench, "a", datagram(GROUP), 23 * SECOND, "", "and then the group does");
    ok(n_groups(&bench, "s0", 23 * SECOND) == 0, "no switch knows it any more");
    bench_tear_down(&bench);
}

static void with_querier(void)
{
    bench_t bench = snooping_bench(FABRIC_SNOOPING_QUERIER);
    holds(&bench, "a", datagram(GROUP), 0, "", "nobody is known");
    ok(frames_on(&bench, "s1", false) == 0, "and s0, the top switch, is the querier itself");
    send(&bench, "e", datagram(GROUP), SECOND);
    ok(strcmp(reached(&bench), "") == 0 && frames_on(&bench, "s2", true) == 1 &&
           frames_on(&bench, "s1", true) == 1,
       "a group's frames go up to the querier, wanted or not");
    holds(&bench, "c", join(GROUP), 2 * SECOND, "", "a report reaches no host");
    ok(n_groups(&bench, "s1", 2 * SECOND) == 1 && n_groups(&bench, "s0", 2 * SECOND) == 1 &&
           n_groups(&bench, "s2", 2 * SECOND) == 0,
       "and the switches up to the querier");
    holds(&bench, "e", datagram(GROUP), 3 * SECOND, "c", "the member gets frames from below");
    holds(&bench, "a", datagram(GROUP), 4 * SECOND, "c", "and from above");
    fabric_frame_t *frame = fabric_model_frame(bench.model);
    fabric_igmp_query(0, 125 * SECOND, 10 * SECOND, frame->data);
    frame->length = FABRIC_IGMP_QUERY;
    frame->cast = FABRIC_CAST_MULTICAST;
    fabric_model_spread(bench.model, frame, 5 * SECOND);
    ok(strcmp(reached(&bench), "abcdef") == 0, "a query reaches every host");
    bench_tear_down(&bench);
}

/** More groups than switches keep: those that have aged out make room, others do not. */
static void too_many_groups(void)
{
    bench_t bench = bench_set_up("SwitchName=s0 Nodes=a,b", bench_links);
    fabric_model_snoop(bench.model, FABRIC_SNOOPING_NO_QUERIER, 10 * SECOND);
    for (uint32_t i = 0; i < FABRIC_MAX_GROUPS + 10; i++) {
        send(&bench, "b", join(0xef000000 + i), i * WIRE(60));
        (void) reached(&bench);
    }
    const int64_t now = FABRIC_MAX_GROUPS * WIRE(60) + SECOND;
    ok(n_groups(&bench, "s0", now) == FABRIC_MAX_GROUPS,
       "switches keep a limited number of groups");
    holds(&bench, "b", join(GROUP), now + 20 * SECOND, "", "another, when all have aged out");
    holds(&bench, "a", datagram(GROUP), now + 21 * SECOND, "b", "is kept");
    bench_tear_down(&bench);
}

/* ---- switches that drop multicast ---- */

static void set_multicast(const bench_t *bench, const char *name, bool on, int64_t time)
{
    const fabric_step_t step = {.kind = FABRIC_STEP_SWITCH,
                                .time = time,
                                .node = bench_find(bench, name),
                                .no_multicast = !on};
    fabric_model_plan(bench->model, &step);
}

static void no_multicast(void)
{
    bench_t bench = bench_set_up(LINE, bench_links);
    const fabric_switch_t *s1 = fabric_model_switch(bench.model, bench_find(&bench, "s1"));
    set_multicast(&bench, "s1", false, 0);
    set_multicast(&bench, "s1", true, 10 * SECOND);
    holds(&bench, "a", datagram(GROUP), SECOND, "b", "a switch that drops multicast");
    ok(s1->drops == 1 && s1->no_multicast == false && fabric_model_n_planned(bench.model) == 0,
       "counts what it drops, until it does no more");
    holds(&bench, "a", datagram(GROUP), 11 * SECOND, "bcdef", "from then on all is as before");
    set_multicast(&bench, "s1", false, 12 * SECOND);
    send(&bench, "a", datagram(0xe00000fb), 13 * SECOND);
    ok(strcmp(reached(&bench), "b") == 0, "224.0.0.x is multicast, too");
    bench_send(&bench, "a", NULL, 60, 1, 14 * SECOND);
    ok(strcmp(reached(&bench), "bcdef") == 0, "a broadcast is none");
    bench_send(&bench, "a", "e", 60, 1, 15 * SECOND);
    ok(strcmp(reached(&bench), "e") == 0 && s1->drops == 2, "nor is what goes to one host");
    bench_tear_down(&bench);
}

int main(void)
{
    cost_of_copies();
    copies_share_links();
    no_copy_twice("leaves and spines", SPINES, "leaf1", 2, "bcdef");
    no_copy_twice("a bundle", BUNDLE, "s1", 4, "bcd");
    losses();
    casts();
    reports();
    queries();
    without_snooping();
    without_querier();
    with_querier();
    too_many_groups();
    no_multicast();
    return tap_done();
}
