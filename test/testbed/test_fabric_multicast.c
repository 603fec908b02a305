/* Group frames: what each copy costs, that none comes twice, and what switches that
 * drop multicast do with them. */
#include <inttypes.h>
#include <string.h>

#include "test/tap.h"
#include "test/testbed/fabric_bench.h"

#define LINE                                                                                       \
    "SwitchName=s0 Nodes=a,b Switches=s1; SwitchName=s1 Nodes=c,d Switches=s2; "                   \
    "SwitchName=s2 Nodes=e,f"
#define SECOND INT64_C(1000000000)

/* ---- frames ---- */

/** Sends a frame to a group. */
static void send(const bench_t *bench, const char *from, int64_t now)
{
    fabric_frame_t *frame = fabric_model_frame(bench->model);
    frame->length = FABRIC_MIN_FRAME;
    memset(frame->data, 0, frame->length);
    frame->is_multicast = true;
    fabric_model_send(bench->model, bench_find(bench, from), frame, now);
}

/** Returns the hosts that get a frame, in order of names, each as often as it does; "" if none. */
static const char *reached(bench_t *bench)
{
    static char names[200];
    memset(bench->n_got, 0, sizeof(bench->n_got));
    bench_run_out(bench);
    names[0] = '\0';
    for (int node = 0; node < pb_network_size(bench->network); node++) {
        for (int i = 0; i < bench->n_got[node]; i++) {
            strcat(names, pb_network_node(bench->network, node)->name);
        }
    }
    return names;
}

static int holds(bench_t *bench, const char *from, int64_t now, const char *wanted,
                 const char *what)
{
    send(bench, from, now);
    const char *found = reached(bench);
    return ok(strcmp(found, wanted) == 0, "%s (reached '%s')", what, found);
}

static uint64_t frames_on(const bench_t *bench, const char *below, bool up)
{
    return bench_link(bench, below, up)->counters[FABRIC_REAL].frames;
}

/* ---- what copies cost ---- */

/** Sends `n` long frames to all at 0; returns how many arrive. */
static int flood_long_frames(bench_t *bench, const char *from, int n)
{
    for (int i = 0; i < n; i++) {
        bench_send(bench, from, NULL, 1514, (unsigned char) i, 0);
    }
    return bench_run_out(bench);
}

static void cost_of_copies(void)
{
    enum { N = 64 };
    static const struct {
        const char *name;
        int n_links;
    } hosts[] = {{"b", 2}, {"c", 3}, {"d", 3}, {"e", 4}, {"f", 4}};
    bench_t bench = bench_set_up(LINE, bench_links);
    int n_late = 0, n_wrong = 0;
    ok(flood_long_frames(&bench, "a", N) == 5 * N, "each host but the sender gets each frame");
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        const int64_t wanted = (N - 1 + hosts[i].n_links) * WIRE(1514) + hosts[i].n_links * LATENCY;
        n_late += bench.last[bench_find(&bench, hosts[i].name)] != wanted;
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
    for (int i = 0; i < N; i++) {
        bench_send(&bench, "a", NULL, 1514, 1, 0);
        bench_send(&bench, "b", NULL, 1514, 2, 0);
    }
    bench_run_out(&bench);
    const fabric_link_counters_t *c = &bench_link(&bench, "c", false)->counters[FABRIC_REAL];
    ok(bench.n_got[bench_find(&bench, "a")] == N && bench.n_got[bench_find(&bench, "b")] == N,
       "of two floods each sender gets the other's");
    /* Two frames come in the time of one. After the last pair the port has sent N - 1 and one is on
     * the wire; 20 wait. */
    ok(bench.n_got[bench_find(&bench, "c")] == N + 20 && c->drops == N - 20,
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
        flood_long_frames(&bench, "a", N);
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
    holds(&bench, "a", SECOND, "b", "a switch that drops multicast");
    ok(s1->drops == 1 && s1->no_multicast == false && fabric_model_n_planned(bench.model) == 0,
       "counts what it drops, until it does no more");
    holds(&bench, "a", 11 * SECOND, "bcdef", "from then on all is as before");
    set_multicast(&bench, "s1", false, 12 * SECOND);
    bench_send(&bench, "a", NULL, 60, 1, 14 * SECOND);
    ok(strcmp(reached(&bench), "bcdef") == 0, "a broadcast is none");
    bench_send(&bench, "a", "e", 60, 1, 15 * SECOND);
    ok(strcmp(reached(&bench), "e") == 0 && s1->drops == 1, "nor is what goes to one host");
    bench_tear_down(&bench);
}

int main(void)
{
    cost_of_copies();
    copies_share_links();
    no_copy_twice("leaves and spines", SPINES, "leaf1", 2, "bcdef");
    no_copy_twice("a bundle", BUNDLE, "s1", 4, "bcd");
    losses();
    no_multicast();
    return tap_done();
}
