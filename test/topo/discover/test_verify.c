/* Topology files against networks: true ones, and each kind of mistake. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulated.h"
#include "test/must.h"
#include "test/tap.h"
#include "test/topo/network/given.h"
#include "test/topo/util/golden.h"
#include "topo/discover/verify.h"
#include "topo/network/topology.h"

/* Verifies the file `text` on the network s, whose hosts it names. */
static pb_verification_t verify(pb_simulated_t *s, const pb_network_t *file)
{
    pb_verification_t v;
    int *nodes = must_zeroed((size_t) s->meter.n_hosts, sizeof *nodes);
    for (int host = 0; host < s->meter.n_hosts; host++) {
        nodes[host] = pb_network_find(file, s->names[host]);
        must(nodes[host] >= 0);
    }
    must(pb_verify(&s->meter, file, nodes, 1, &v) == PB_SUCCESS);
    free(nodes);
    return v;
}

static void test_true(void)
{
    static const pb_links_like_t like[] = {
        {.most_speed = 1},
        {.most_speed = 4},
        {.most_speed = 1, .one_in_slow = 3},
        {.most_speed = 1, .one_in_bundle = 2, .most_members = 4}};
    const int n_networks = tap_trials(2000, 300);
    int n_contradictions = 0;
    for (int i = 0; i < n_networks; i++) {
        pb_random_t random = pb_random_seed((uint64_t) i);
        pb_simulated_t s;
        const int n_switches = 1 + pb_random_below(&random, 6);
        pb_simulated_random(&s, &random, n_switches, 8 + pb_random_below(&random, 25),
                            &like[i % 4]);
        s.noise = 0.08;
        pb_verification_t v = verify(&s, s.network);
        n_contradictions += v.n;
        pb_verification_clear(&v);
        pb_simulated_clear(&s);
    }
    ok(n_contradictions == 0, "%d true files, rates up to 8 %% too low: no contradiction",
       n_networks);
}

/* Traffic of others: flows between two sides share what is no link, or a host receives a third. */
typedef struct burst {
    pb_simulated_t *network;
    int begin, end, n; /* trials */
    bool is_host;
} burst_t;

static int answer_in_burst(void *context, const pb_flow_t *flows, int n, double *rates)
{
    burst_t *burst = context;
    const pb_meter_t *meter = &burst->network->meter;
    const int code = meter->measure(meter->context, flows, n, rates);
    int n_across = 0;
    for (int i = 0; i < n; i++) {
        n_across += flows[i].from % 2 == 0 && flows[i].to % 2 == 1;
    }
    burst->n++;
    n_across *= burst->n > 150 ? 2 : 1;
    for (int i = 0; burst->n > burst->begin && burst->n <= burst->end && i < n; i++) {
        const bool is_across = flows[i].from % 2 == 0 && flows[i].to % 2 == 1;
        rates[i] /= burst->is_host ? (flows[i].to == 0 ? 3 : 1) : is_across ? n_across : 1;
    }
    return code;
}

/* A burst may pass for a link as long as it goes on. With a host that stays slow it is given up.
 * One that goes on and grows is a link that the file lacks. */
static void test_burst(void)
{
    const pb_links_like_t plain = {.most_speed = 1};
    int n_contradictions = 0, n_wrong = 0;
    for (int i = 0; i < 90; i++) {
        pb_random_t random = pb_random_seed((uint64_t) i);
        pb_simulated_t s;
        pb_simulated_random(&s, &random, 3, 16, &plain);
        const bool is_host = i % 3 == 1, grows = i % 3 == 2;
        burst_t burst = {&s, 40, i % 3 > 0 ? INT32_MAX : 120, 0, is_host};
        pb_simulated_t of_burst = s;
        of_burst.meter.measure = answer_in_burst;
        of_burst.meter.context = &burst;
        pb_verification_t v = verify(&of_burst, s.network);
        n_contradictions += grows ? 0 : v.n;
        n_wrong += !grows && v.complete == is_host;
        for (int k = 0; k < v.n; k++) {
            n_wrong +=
                v.contradictions[k].kind == PB_CONTRADICTION_LINK && v.contradictions[k].link < 0;
        }
        pb_verification_clear(&v);
        pb_simulated_clear(&s);
    }
    ok(n_contradictions == 0 && n_wrong == 0,
       "what others send contradicts no true file; one is not verified meanwhile: %d", n_wrong);
}

/* Tells whether exactly these hosts are named. */
static bool names(const pb_simulated_t *s, const pb_contradiction_t *c, const char *text)
{
    char all[200] = "";
    for (int i = 0; i < c->n_hosts; i++) {
        strcat(strcat(all, s->names[c->hosts[i]]), " ");
    }
    printf("# kind %d, hosts %s\n", c->kind, all);
    return strcmp(all, text) == 0;
}

static void test_mistake(char *const *columns, int n)
{
    pb_simulated_t s;
    pb_simulated_parse(&s, columns[1]);
    s.noise = 0.05;
    pb_network_t *file = given_network(columns[2]);
    pb_verification_t v = verify(&s, file);
    ok(n == 7 && v.n > 0 && (int) v.contradictions[0].kind == atoi(columns[3]) &&
           v.contradictions[0].link == pb_network_find(file, columns[4]) &&
           (columns[5][0] == '-' || names(&s, &v.contradictions[0], columns[5])),
       "%s: found, with its hosts and link", columns[0]);
    ok(v.n == atoi(columns[6]), "and nothing else (%d)", v.n);
    pb_verification_clear(&v);
    pb_network_free(file);
    pb_simulated_clear(&s);
}

/* The network with one of its hosts at another switch. */
static pb_network_t *with_moved(const pb_network_t *network, int moved, int to)
{
    char text[1 << 14];
    int n = 0;
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *of = pb_network_node(network, node);
        const int parent = node == moved ? to : of->parent;
        if (parent >= 0) {
            n += snprintf(text + n, sizeof(text) - (size_t) n, "SwitchName=%s %s=%s LinkSpeed=%u\n",
                          pb_network_node(network, parent)->name,
                          of->kind == PB_NODE_HOST ? "Nodes" : "Switches", of->name, of->speed);
        }
    }
    return given_network(text);
}

/* Random networks, in whose files one host of each is under another switch. */
static void test_moved(void)
{
    const pb_links_like_t plain = {.most_speed = 1};
    const int n_networks = tap_trials(500, 100);
    int n_found = 0, n_tried = 0;
    for (int i = 0; i < n_networks; i++) {
        pb_random_t random = pb_random_seed((uint64_t) i);
        pb_simulated_t s;
        pb_simulated_random(&s, &random, 2 + pb_random_below(&random, 4),
                            16 + pb_random_below(&random, 17), &plain);
        const int moved = s.hosts[pb_random_below(&random, s.meter.n_hosts)];
        const int to = pb_random_below(&random, pb_network_n_switches(s.network));
        const int from = pb_network_node(s.network, moved)->parent;
        pb_network_t *file = with_moved(s.network, moved, to);
        /* Tells whether it matters depends on who else is there: links with several hosts on each
         * side.
         */
        if (from != to && pb_simulated_fills(&s, from > 0 ? from : to) &&
            pb_simulated_fills(&s, to > 0 ? to : from)) {
            pb_verification_t v = verify(&s, file);
            bool named = false;
            for (int k = 0; k < v.n; k++) {
                for (int h = 0; h < v.contradictions[k].n_hosts; h++) {
                    named = named || s.hosts[v.contradictions[k].hosts[h]] == moved;
                }
            }
            n_tried++;
            n_found += named;
            pb_verification_clear(&v);
        }
        pb_network_free(file);
        pb_simulated_clear(&s);
    }
    ok(n_tried > 0 && n_found * 20 >= n_tried * 19,
       "a host that is elsewhere is named in %d of %d random networks", n_found, n_tried);
}

int main(void)
{
    test_true();
    test_burst();
    ok(golden_rows("discover/mistakes.rows", test_mistake) == 6, "there are mistakes");
    test_moved();
    return tap_done();
}
