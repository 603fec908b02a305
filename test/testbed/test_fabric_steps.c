/* Changes and synthetic load at their times: what they do to links, and to the frames of hosts. */
#include <string.h>

#include "contrib/testbed/fabric_words.h"
#include "test/tap.h"
#include "test/testbed/fabric_bench.h"
#include "test/topo/util/golden.h"

#define TWO_SWITCHES "SwitchName=s0 Nodes=a,b Switches=s1; SwitchName=s1 Nodes=c,d"
#define SECOND INT64_C(1000000000)
/* A load of RATE / 2: a frame each 2 * WIRE(1514), the first immediately. */
#define FRAMES_OF_A_SECOND ((SECOND + 2 * WIRE(1514) - 1) / (2 * WIRE(1514)))

static int plan_load(const bench_t *bench, const char *from, const char *to, uint64_t rate,
                     int64_t begin, int64_t duration)
{
    const fabric_step_t step = {.kind = FABRIC_STEP_LOAD,
                                .time = begin,
                                .load = {.from = bench_find(bench, from),
                                         .to = bench_find(bench, to),
                                         .rate = rate,
                                         .duration = duration,
                                         .length = 1514}};
    return fabric_model_plan(bench->model, &step);
}

static const fabric_link_counters_t *loaded(const bench_t *bench, const char *below, bool up)
{
    return &bench_link(bench, below, up)->counters[FABRIC_SYNTHETIC];
}

static void constant_load(void)
{
    bench_t bench = bench_set_up(TWO_SWITCHES, bench_links);
    ok(plan_load(&bench, "a", "c", RATE / 2, SECOND, SECOND) == PB_SUCCESS, "a load is planned");
    ok(fabric_model_next_event(bench.model) == SECOND && fabric_model_n_planned(bench.model) == 1,
       "and begins at its time");
    ok(bench_run_out(&bench) == 0, "no host gets a synthetic frame");
    const int64_t wanted = FRAMES_OF_A_SECOND;
    const fabric_link_counters_t *way[] = {loaded(&bench, "a", true), loaded(&bench, "s1", false),
                                           loaded(&bench, "c", false)};
    for (int i = 0; i < 3; i++) {
        ok((int64_t) way[i]->frames == wanted && way[i]->busy == wanted * WIRE(1514) &&
               (int64_t) way[i]->bytes == wanted * 1514 && way[i]->drops == 0,
           "link %d of its path carries half of what it can, for a second", i + 1);
    }
    ok(loaded(&bench, "s1", true)->frames + loaded(&bench, "b", true)->frames +
               loaded(&bench, "d", false)->frames + loaded(&bench, "a", false)->frames ==
           0,
       "and no other");
    ok(bench_link(&bench, "a", true)->counters[FABRIC_REAL].frames == 0, "it is counted apart");
    ok(fabric_model_n_planned(bench.model) == 0, "it has ended");
    bench_tear_down(&bench);
}

/** Two switches' own link: no host's port takes part. */
static void load_of_a_cable(void)
{
    bench_t bench = bench_set_up(TWO_SWITCHES, bench_links);
    plan_load(&bench, "s0", "s1", RATE / 4, 0, SECOND);
    plan_load(&bench, "d", "s1", RATE / 4, 0, SECOND);
    bench_run_out(&bench);
    ok(loaded(&bench, "s1", false)->frames > 0 && loaded(&bench, "s1", true)->frames == 0 &&
           loaded(&bench, "c", false)->frames + loaded(&bench, "d", false)->frames == 0,
       "a load between two switches stays on their link");
    ok(loaded(&bench, "d", true)->frames == loaded(&bench, "s1", false)->frames,
       "one from a host to its switch on the host's");
    bench_tear_down(&bench);
}

/** A frame of a host meets a link that is busy with load. */
static void in_the_way(void)
{
    bench_t bench = bench_set_up(TWO_SWITCHES, bench_links);
    plan_load(&bench, "s0", "s1", RATE, 0, SECOND);
    bench_send(&bench, "a", "c", 1514, 1, 0);
    int64_t time = bench_next(&bench, INT64_MAX);
    /* At s0 at WIRE + LATENCY: the second synthetic frame is on the wire until 2 * WIRE, and the
     * third came later. */
    ok(time == 4 * WIRE(1514) + 2 * LATENCY, "a host's frame waits for a synthetic one");
    bench_run_out(&bench);
    const fabric_link_t *down = bench_link(&bench, "s1", false);
    ok(down->counters[FABRIC_REAL].frames == 1 && down->counters[FABRIC_REAL].bytes == 1514,
       "and is counted as real");
    bench_tear_down(&bench);
}

static void too_much(void)
{
    bench_t bench = bench_set_up(TWO_SWITCHES, bench_links);
    plan_load(&bench, "a", "c", 4 * RATE, 0, 2 * SECOND);
    bench_run_out(&bench);
    const fabric_link_t *up = bench_link(&bench, "a", true);
    ok(up->queue_peak <= FABRIC_LOAD_WAITING && up->queue_peak > FABRIC_LOAD_WAITING - 1514,
       "a load that is too much fills no host's queue");
    ok(up->counters[FABRIC_SYNTHETIC].drops > 0 && up->counters[FABRIC_REAL].drops == 0,
       "the surplus is lost, and counted apart");
    /* Frames that wait at the end are sent after it. */
    const int64_t most = 2 * SECOND + (FABRIC_LOAD_WAITING / 1514 + 1) * WIRE(1514);
    ok(up->counters[FABRIC_SYNTHETIC].busy <= most && up->counters[FABRIC_SYNTHETIC].busy > SECOND,
       "the port is busy as long as the load lasts, and a little longer");
    bench_tear_down(&bench);
}

static void order_of_steps(void)
{
    bench_t bench = bench_set_up(TWO_SWITCHES, bench_links);
    const int up = pb_link_up(bench_find(&bench, "s1"));
    for (uint64_t rate = 1000; rate < 1040; rate++) {
        bench_change(&bench, up, 0, 1000, (fabric_change_t){rate, -1, -1, -1});
    }
    bench_change(&bench, up, 0, 500, (fabric_change_t){0, 77, 88, -1});
    bench_next(&bench, 999);
    const fabric_link_t *link = bench_link(&bench, "s1", true);
    ok(link->rate == RATE && link->latency == 77 && link->queue_limit == 88,
       "an earlier step comes first, and changes only what it names");
    bench_next(&bench, 1000);
    ok(link->rate == 1039 && link->latency == 77, "steps of one time come in their order");
    bench_tear_down(&bench);
}

/** A port that drops one frame in a hundred, the same ones each time. */
static void losses(void)
{
    enum { N_FRAMES = 20000 };
    bench_t bench = bench_set_up(TWO_SWITCHES, bench_links);
    bench_change(&bench, pb_link_down(bench_find(&bench, "s1")), 0, 0,
                 (fabric_change_t){0, -1, -1, FABRIC_ALL / 100});
    for (int i = 0; i < N_FRAMES; i++) {
        bench_send(&bench, "a", "c", 100, 1, i * 2 * WIRE(100));
        bench_send(&bench, "c", "a", 100, 1, i * 2 * WIRE(100));
    }
    const int n = bench_run_out(&bench);
    const fabric_link_counters_t *port = &bench_link(&bench, "s1", false)->counters[FABRIC_REAL];
    ok(port->drops > N_FRAMES / 130 && port->drops < N_FRAMES / 75, "%d of %d frames are dropped",
       (int) port->drops, N_FRAMES);
    ok(n == 2 * N_FRAMES - (int) port->drops && port->drop_bytes == 100 * port->drops,
       "the others arrive, and those of the other way");
    bench_tear_down(&bench);
}

static void forgetting(void)
{
    bench_t bench = bench_set_up(TWO_SWITCHES, bench_links);
    plan_load(&bench, "a", "c", RATE / 2, 0, 1000 * SECOND);
    bench_change(&bench, 0, 0, 2 * SECOND, (fabric_change_t){5, -1, -1, -1});
    bench_next(&bench, SECOND);
    fabric_model_forget(bench.model);
    ok(fabric_model_n_planned(bench.model) == 0, "nothing is planned after forgetting");
    const uint64_t before = loaded(&bench, "a", true)->frames;
    plan_load(&bench, "d", "c", RATE / 2, SECOND, SECOND);
    bench_run_out(&bench);
    ok(loaded(&bench, "a", true)->frames == before && fabric_model_n_changes(bench.model) == 0,
       "loads end and steps do not come");
    ok((int64_t) loaded(&bench, "d", true)->frames == FRAMES_OF_A_SECOND,
       "what is planned later does");
    bench_tear_down(&bench);
}

static const char *read_line(const bench_t *bench, const char *line, fabric_step_t *step)
{
    char text[200];
    strcpy(text, line);
    return fabric_read_step(bench->network, 1514, text, step);
}

static void check_refused(char *const *columns, int n)
{
    bench_t bench = bench_set_up(TWO_SWITCHES, bench_links);
    fabric_step_t step;
    ok(n == 1 && read_line(&bench, columns[0], &step) != NULL, "'%s' is refused", columns[0]);
    bench_tear_down(&bench);
}

static void words(void)
{
    bench_t bench = bench_set_up(TWO_SWITCHES, bench_links);
    fabric_step_t step;
    ok(read_line(&bench, "3 link s0 s1 -1 0 7 8 -1", &step) == NULL && step.time == 3 &&
           step.kind == FABRIC_STEP_CHANGE && step.link == pb_link_down(bench_find(&bench, "s1")) &&
           step.change.rate == 0 && step.change.latency == 7 && step.change.queue_limit == 8 &&
           step.change.loss == -1,
       "a change of a link in words");
    ok(step.member == -1 && read_line(&bench, "0 link s0 s1 0 9 7 8 -1", &step) == NULL &&
           step.member == 0 && step.change.rate == 9,
       "of all its members, or of one");
    ok(read_line(&bench, "0 switch s1 0", &step) == NULL && step.kind == FABRIC_STEP_SWITCH &&
           step.node == bench_find(&bench, "s1") && step.no_multicast &&
           read_line(&bench, "0 switch s1 1", &step) == NULL && !step.no_multicast,
       "a change of a switch");
    ok(read_line(&bench, "0 load a s1 5 6 70", &step) == NULL && step.kind == FABRIC_STEP_LOAD &&
           step.load.from == bench_find(&bench, "a") && step.load.to == bench_find(&bench, "s1") &&
           step.load.rate == 5 && step.load.duration == 6 && step.load.length == 70,
       "a load in words");
    ok(read_line(&bench, "", &step) != NULL, "no words are refused");
    bench_tear_down(&bench);
}

int main(void)
{
    words();
    ok(golden_rows("bad_steps.rows", check_refused) == 24, "there are rows");
    constant_load();
    load_of_a_cable();
    in_the_way();
    too_much();
    order_of_steps();
    losses();
    forgetting();
    return tap_done();
}
