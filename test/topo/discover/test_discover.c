/*
 * Networks that are found by trials alone: thousands of random ones, with exact and noisy answers,
 * and some wrong ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "simulated.h"
#include "test/must.h"
#include "test/tap.h"
#include "test/topo/network/given.h"
#include "topo/discover/found_file.h"
#include "topo/network/topology.h"

/* Results of searches of many networks. */
typedef struct tally {
    int networks;
    int cuts;
    int wrong;     /* cuts that are no link */
    int missed;    /* links that can be filled, and were not found */
    int misjudged; /* links whose speed is not right within a tenth */
    int incomplete;
    double most_trials; /* for each host and doubling of hosts */
} tally_t;

static pb_discovery_t discover(pb_simulated_t *s)
{
    pb_discovery_t found;
    must(pb_discover(&s->meter, &(pb_discover_options_t){.seed = 1}, &found) == PB_SUCCESS);
    return found;
}

static void judge(const pb_simulated_t *s, const pb_discovery_t *found, tally_t *t)
{
    const int n_nodes = pb_network_size(s->network);
    const double n = s->meter.n_hosts, unit = PB_SIMULATED_RATE / 100.0;
    bool *seen = must_zeroed((size_t) n_nodes, sizeof *seen);
    for (int i = 0; i < found->cuts.n; i++) {
        const pb_cut_t *cut = &found->cuts.cuts[i];
        int node = pb_simulated_link(s, cut->inside, 0);
        double speed = INFINITY;
        t->wrong += node < 0;
        for (; node >= 0; node = pb_simulated_link(s, cut->inside, node + 1)) {
            speed = fmin(speed, pb_network_node(s->network, node)->speed * unit);
            seen[node] = true;
        }
        t->misjudged += speed < INFINITY && fabs(cut->capacity / speed - 1) > 0.1;
    }
    for (int node = 0; node < n_nodes; node++) {
        if (pb_network_node(s->network, node)->kind == PB_NODE_SWITCH && !seen[node]) {
            t->missed += pb_simulated_fills(s, node);
        }
    }
    t->networks++;
    t->cuts += found->cuts.n;
    t->incomplete += !found->complete;
    t->most_trials = fmax(t->most_trials, (double) found->n_trials / (n * log2(n)));
    free(seen);
}

static tally_t discover_many(int n_networks, double noise, double wrong,
                             const pb_links_like_t *like)
{
    tally_t t = {.networks = 0};
    for (int i = 0; i < n_networks; i++) {
        pb_random_t random = pb_random_seed((uint64_t) i);
        pb_simulated_t s;
        const int n_switches = 1 + pb_random_below(&random, 6);
        pb_simulated_random(&s, &random, n_switches, 8 + pb_random_below(&random, 25), like);
        s.noise = noise;
        s.wrong = wrong;
        pb_discovery_t found = discover(&s);
        judge(&s, &found, &t);
        pb_discovery_clear(&found);
        pb_simulated_clear(&s);
    }
    return t;
}

static void test_random(void)
{
    static const struct {
        const char *what;
        int n_long, n_short; /* networks */
        double noise, wrong;
        pb_links_like_t like;
        int of_wrong, of_missed, of_misjudged; /* one of this number of links may be; 0: none */
    } cases[] = {
        /* most_speed, one_in_slow, one_in_bundle, most_members */
        {"exact answers", 2000, 300, 0, 0, {1, 0, 0, 0}, 0, 0, 0},
        {"links of half a host's speed", 1000, 150, 0, 0, {1, 2, 0, 0}, 100, 20, 0},
        {"rates up to 8 % too low", 1000, 150, 0.08, 0, {1, 0, 0, 0}, 0, 200, 1000},
        {"one rate of 100 means nothing", 1000, 150, 0.05, 0.01, {1, 0, 0, 0}, 200, 200, 500},
        {"links up to four times a host's", 1000, 200, 0.02, 0, {4, 0, 0, 0}, 0, 20, 20},
        {"bundles of up to four links", 500, 60, 0.02, 0, {1, 0, 2, 4}, 100, 100, 50},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const tally_t t = discover_many(tap_trials(cases[i].n_long, cases[i].n_short),
                                        cases[i].noise, cases[i].wrong, &cases[i].like);
        ok(t.cuts > t.networks &&
               t.wrong <= (cases[i].of_wrong > 0 ? t.cuts / cases[i].of_wrong : 0) &&
               t.missed <= (cases[i].of_missed > 0 ? t.cuts / cases[i].of_missed : 0) &&
               t.misjudged <= (cases[i].of_misjudged > 0 ? t.cuts / cases[i].of_misjudged : 0),
           "%s: of %d links found %d are wrong, %d missed, %d misjudged", cases[i].what, t.cuts,
           t.wrong, t.missed, t.misjudged);
        ok(i > 0 || (t.most_trials < 8 && t.incomplete == 0), "in O(n log n) trials");
    }
}

/* Hosts of several speeds: their own rates, and links between switches all the same. */
static void test_hosts(void)
{
    pb_simulated_t s;
    tally_t t = {.networks = 0};
    pb_simulated_parse(&s, "SwitchName=a Nodes=a[0-5] LinkSpeed=100\n"
                           "SwitchName=b Nodes=b[0-3] LinkSpeed=100\n"
                           "SwitchName=b Nodes=c[0-1] LinkSpeed=50\n"
                           "SwitchName=a Switches=b LinkSpeed=100\n");
    pb_discovery_t found = discover(&s);
    judge(&s, &found, &t);
    ok(t.cuts == 1 && t.wrong == 0, "hosts of two speeds: the link is found");
    bool good = true;
    for (int host = 0; host < s.meter.n_hosts; host++) {
        const double speed = pb_network_node(s.network, s.hosts[host])->speed / 100.0;
        good = good && fabs(found.speeds[host] / PB_SIMULATED_RATE - speed) < 0.01;
    }
    ok(good, "and each host's speed");
    pb_discovery_clear(&found);
    pb_simulated_clear(&s);
}

static void test_small(void)
{
    static const char two[] = "SwitchName=a Nodes=h[0-1]\n",
                      four[] = "SwitchName=a Nodes=h[0-1]\nSwitchName=b Nodes=h[2-3]\n"
                               "SwitchName=a Switches=b\n";
    static const struct {
        const char *what, *text;
        int n_left, max_flows, n_cuts; /* as in simulated.h; 0: all; -1: not complete */
    } cases[] = {
        {"two hosts are on one switch", two, -1, 0, 0},
        {"two and two hosts are on two", four, -1, 0, 1},
        {"where the time is over first, the result reports it", four, 5, 0, -1},
        {"with two flows at a time, too", four, -1, 2, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pb_simulated_t s;
        pb_simulated_parse(&s, cases[i].text);
        s.meter.max_flows = cases[i].max_flows > 0 ? cases[i].max_flows : s.meter.max_flows;
        s.n_left = cases[i].n_left;
        pb_discovery_t found = discover(&s);
        ok(cases[i].n_cuts < 0 ? !found.complete && found.n_trials == cases[i].n_left
                               : found.complete && found.cuts.n == cases[i].n_cuts,
           "%s", cases[i].what);
        pb_discovery_clear(&found);
        pb_simulated_clear(&s);
    }
}

/* The text of what is found, read as the plugin reads it. */
static pb_network_t *read_back(const pb_simulated_t *s, const pb_discovery_t *found, char **text_p)
{
    size_t length = 0;
    FILE *out = open_memstream(text_p, &length);
    must(out != NULL && pb_found_write(found, s->names, out) == PB_SUCCESS && fclose(out) == 0);
    return given_network(*text_p);
}

static void test_file(void)
{
    static const char text[] = "SwitchName=a Nodes=h[0-7] LinkSpeed=100\n"
                               "SwitchName=b Nodes=h[8-15] LinkSpeed=100\n"
                               "SwitchName=c Nodes=h[16-23] LinkSpeed=100\n"
                               "SwitchName=c Nodes=switch[1-2] LinkSpeed=50\n"
                               "SwitchName=a Switches=b LinkSpeed=200\n"
                               "SwitchName=b Switches=c LinkSpeed=100 Uplinks=2\n";
    pb_simulated_t s;
    char *written;
    pb_simulated_parse(&s, text);
    s.noise = 0.03;
    pb_discovery_t found = discover(&s);
    pb_network_t *network = read_back(&s, &found, &written);
    const pb_node_t *slow = pb_network_node(network, pb_network_find(network, "switch1")),
                    *usual = pb_network_node(network, pb_network_find(network, "h3"));
    uint32_t fast = 0;
    int members = 1;
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *n = pb_network_node(network, node);
        fast = n->speed > fast ? n->speed : fast;
        members = n->members > members ? n->members : members;
    }
    ok(pb_network_n_hosts(network) == 26 && pb_network_n_switches(network) == 3,
       "the file that is written can be read, with all hosts and switches");
    ok(usual->speed == 10000 && slow->speed == 5000 && fast == 20000,
       "in kbit/s of Ethernet, multiples and fractions of a host's");
    ok(members > 1, "and a bundle");
    ok(strstr(written, "verdicts agree") != NULL && strstr(written, "rounds of flows") != NULL,
       "comments report how sure it is");
    free(written);
    pb_network_free(network);
    pb_discovery_clear(&found);
    pb_simulated_clear(&s);
}

int main(void)
{
    test_random();
    test_hosts();
    test_small();
    test_file();
    return tap_done();
}
