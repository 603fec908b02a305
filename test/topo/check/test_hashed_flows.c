/*
 * Flows over the cables of fabrics before anything is merged. At each switch a hash chooses the
 * cable that leads nearer, and the member of a bundle. Whatever it chooses, a plan for the tree
 * that the reader makes of such a fabric is contention-free. One rank alone sends over a physical
 * link in a direction, or the message goes once, or c times over a link c times as fast. Knows
 * nothing of networks and views but for that tree.
 */
#include <stdlib.h>
#include <string.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/network/given.h"
#include "topo/check/checker.h"
#include "topo/network/topology.h"
#include "topo/util/hash.h"
#include "topo/util/random.h"

enum {
    N_SEEDS = 10,
    MAX_SPINES = 4,
    MAX_LEAVES = 6,
    MAX_PODS = 3,
    MAX_HOSTS_PER_LEAF = 5,
    MAX_MEMBERS = 4,
    MAX_NODES = 128,
    MAX_CABLES = 512,
};

/* One direction of one member of a cable. */
typedef struct lane {
    int edges, senders;
    int share;       /* edges, of each sender no more than there are streams */
    int last_sender; /* the last rank that was counted, less one; 0: none */
    int last_edges;  /* of that rank */
} lane_t;

/* A link between two nodes, or a bundle of some. */
typedef struct cable {
    int lower, upper, members;
    int speed; /* of each of them, in multiples of a host's */
} cable_t;

/* Nodes are numbered, switches first. Switch i is called s<i>, node n_switches + i is host h<i>. */
typedef struct fabric {
    int n_switches, n_hosts, n_cables;
    cable_t cables[MAX_CABLES];
    int distance[MAX_NODES][MAX_NODES]; /* by host, then by node: links between the two */
    pb_network_t *network;              /* the tree that is read of it */
    pb_placement_t *placement;
    pb_view_t *view;
    int host[2 * MAX_NODES]; /* by rank */
} fabric_t;

typedef enum { BUNDLES, LEAF_SPINE, SOME_SPINES, PODS, N_KINDS } kind_t;

static const char *const kind_names[] = {"bundles", "leaves and spines",
                                         "leaves with some of the spines", "pods and superspines"};

/* ---- random fabrics, in which every two hosts are as near as in their trees ---- */

static int between(pb_random_t *random, int low, int high)
{
    return low + pb_random_below(random, high - low + 1);
}

static void add_cable(fabric_t *f, int lower, int upper, int members)
{
    f->cables[f->n_cables++] =
        (cable_t){.lower = lower, .upper = upper, .members = members, .speed = 1};
}

/* Connects leaves to at least `least` of the spines, by bundles. */
static void connect_layer(fabric_t *f, pb_random_t *random, int first_leaf, int n_leaves,
                          int first_spine, int n_spines, int least)
{
    for (int leaf = first_leaf; leaf < first_leaf + n_leaves; leaf++) {
        int spines[MAX_SPINES];
        for (int i = 0; i < n_spines; i++) {
            spines[i] = first_spine + i;
        }
        pb_random_shuffle(random, spines, n_spines);
        for (int i = 0, n = between(random, least, n_spines); i < n; i++) {
            add_cable(f, leaf, spines[i], between(random, 1, 3));
        }
    }
}

/* Superspines come first, n_super for each plane; then the pods, each its spines and its leaves. */
static void draw_pods(fabric_t *f, pb_random_t *random)
{
    const int n_planes = between(random, 1, 3), n_super = between(random, 1, 2);
    f->n_switches = n_planes * n_super;
    for (int n_pods = between(random, 2, MAX_PODS); n_pods > 0; n_pods--) {
        const int spine = f->n_switches, leaf = spine + n_planes, n_leaves = between(random, 1, 3);
        f->n_switches = leaf + n_leaves;
        connect_layer(f, random, leaf, n_leaves, spine, n_planes, n_planes);
        for (int i = 0; i < n_planes * n_super; i++) {
            add_cable(f, spine + i / n_super, i, between(random, 1, 2));
        }
    }
}

static void draw_switches(fabric_t *f, pb_random_t *random, kind_t kind)
{
    if (kind == BUNDLES) { /* a switch below a random earlier one, the first at the top */
        f->n_switches = between(random, 2, 2 * MAX_LEAVES);
        for (int node = 1; node < f->n_switches; node++) {
            add_cable(f, node, pb_random_below(random, node), between(random, 1, MAX_MEMBERS));
        }
    } else if (kind == PODS) {
        draw_pods(f, random);
    } else { /* all spines, or more than half of them */
        const bool some = kind == SOME_SPINES;
        const int n_spines = between(random, some ? 3 : 1, MAX_SPINES);
        const int n_leaves = between(random, 2, MAX_LEAVES);
        f->n_switches = n_spines + n_leaves;
        connect_layer(f, random, n_spines, n_leaves, 0, n_spines,
                      some ? n_spines / 2 + 1 : n_spines);
    }
}

/* Hosts on leaves: switches that are below others and above none. */
static void draw_hosts(fabric_t *f, pb_random_t *random)
{
    const int n_trunks = f->n_cables;
    for (int node = 0; node < f->n_switches; node++) {
        bool above = false, below = false;
        for (int i = 0; i < n_trunks; i++) {
            above = above || f->cables[i].upper == node;
            below = below || f->cables[i].lower == node;
        }
        for (int n = below && !above ? between(random, 1, MAX_HOSTS_PER_LEAF) : 0; n > 0; n--) {
            add_cable(f, f->n_switches + f->n_hosts++, node, between(random, 1, 2));
        }
    }
    if (f->n_hosts == 1) { /* a line of switches has one leaf */
        add_cable(f, f->n_switches + f->n_hosts++, f->n_switches - 1, 1);
    }
}

/* Reads the text of the cables; or, as it was read once, bundles as links of their members' sum. */
static void read_fabric(fabric_t *f, bool sums)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    for (int i = 0; i < f->n_cables; i++) {
        const cable_t *cable = &f->cables[i];
        const bool is_host = cable->lower >= f->n_switches, is_sum = sums && !is_host;
        fprintf(out, "SwitchName=s%d %s%d Uplinks=%d LinkSpeed=%d\n", cable->upper,
                is_host ? "Nodes=h" : "Switches=s",
                is_host ? cable->lower - f->n_switches : cable->lower, sums ? 1 : cable->members,
                cable->speed * (is_sum ? cable->members : 1));
    }
    fclose(out);
    f->network = given_network(text);
    free(text);
}

/* One or two ranks on each host, in random order. */
static void place_ranks(fabric_t *f, pb_random_t *random)
{
    const int n_ranks = f->n_hosts + pb_random_below(random, f->n_hosts);
    f->placement = pb_placement_new(f->network, n_ranks);
    for (int rank = 0; rank < n_ranks; rank++) {
        f->host[rank] = rank % f->n_hosts;
    }
    pb_random_shuffle(random, f->host, n_ranks);
    for (int rank = 0; rank < n_ranks; rank++) {
        char name[20];
        snprintf(name, sizeof(name), "h%d", f->host[rank]);
        f->placement->host[rank] = pb_network_find(f->network, name);
    }
    must(pb_view_new(f->placement, pb_random_below(random, n_ranks), NULL, 0, &f->view) ==
         PB_SUCCESS);
}

/* The other end of a cable at a node, -1 if the node is at neither. */
static int other_end(const cable_t *cable, int node)
{
    return cable->lower == node ? cable->upper : cable->upper == node ? cable->lower : -1;
}

static void find_distances(fabric_t *f, int host)
{
    int *distance = f->distance[host], queue[MAX_NODES], n = 0;
    memset(distance, 0xff, sizeof(f->distance[host]));
    distance[f->n_switches + host] = 0;
    queue[n++] = f->n_switches + host;
    for (int i = 0; i < n; i++) {
        for (int cable = 0; cable < f->n_cables; cable++) {
            const int next = other_end(&f->cables[cable], queue[i]);
            if (next >= 0 && distance[next] < 0) {
                distance[next] = distance[queue[i]] + 1;
                queue[n++] = next;
            }
        }
    }
}

static void fabric_init(fabric_t *f, pb_random_t *random, kind_t kind, int max_speed, bool sums)
{
    memset(f, 0, sizeof(*f));
    draw_switches(f, random, kind);
    for (int i = 0; i < f->n_cables; i++) {
        f->cables[i].speed = between(random, 1, max_speed);
    }
    draw_hosts(f, random);
    read_fabric(f, sums);
    place_ranks(f, random);
    for (int host = 0; host < f->n_hosts; host++) {
        find_distances(f, host);
    }
}

static void fabric_clear(fabric_t *f)
{
    pb_view_free(f->view);
    pb_placement_free(f->placement);
    pb_network_free(f->network);
}

/* ---- flows ---- */

/* Results of many plans. */
typedef struct tally {
    int plans, hashes; /* plans times seeds */
    int contending;    /* with links whose senders bring more than they carry */
    int heavier;       /* with a physical link that carries more edges than any of the tree */
    long choices;      /* hops at which there was more than one link to choose from */
} tally_t;

/* The loads of one plan by one hash. */
typedef struct hashed {
    const fabric_t *fabric;
    uint64_t seed;
    int n_streams;
    lane_t lanes[MAX_CABLES][2][MAX_MEMBERS]; /* by cable, 1: upwards, and member */
    long n_choices;
} hashed_t;

static int choose(const hashed_t *h, int what, int from, int to, int n)
{
    uint64_t hash = pb_hash_number(PB_HASH_START, h->seed);
    hash = pb_hash_number(hash, (uint64_t) what);
    hash = pb_hash_number(hash, (uint64_t) from);
    hash = pb_hash_number(hash, (uint64_t) to);
    return (int) (pb_hash_end(hash) % (uint64_t) n);
}

/* The cable that the flow takes from a node: one of those that lead nearer. */
static int next_cable(hashed_t *h, int node, int from, int to)
{
    const fabric_t *f = h->fabric;
    int nearer[MAX_CABLES] = {0}, n = 0;
    for (int cable = 0; cable < f->n_cables; cable++) {
        const int next = other_end(&f->cables[cable], node);
        if (next >= 0 && f->distance[to][next] == f->distance[to][node] - 1) {
            nearer[n++] = cable;
        }
    }
    const int chosen = nearer[choose(h, node, from, to, n)];
    h->n_choices += n > 1 || f->cables[chosen].members > 1;
    return chosen;
}

/* Every edge of a sender in turn, so that senders are counted once. */
static void pass_edge(hashed_t *h, int sender, int receiver)
{
    const fabric_t *f = h->fabric;
    const int from = f->host[sender], to = f->host[receiver];
    for (int node = f->n_switches + from; node != f->n_switches + to;) {
        const int number = next_cable(h, node, from, to);
        const cable_t *cable = &f->cables[number];
        const bool up = cable->lower == node;
        lane_t *lane =
            &h->lanes[number][up][choose(h, MAX_NODES + 2 * number + up, from, to, cable->members)];
        if (lane->last_sender != sender + 1) {
            lane->last_sender = sender + 1;
            lane->last_edges = 0;
            lane->senders++;
        }
        lane->edges++;
        lane->share += lane->last_edges++ < h->n_streams;
        node = other_end(cable, node);
    }
}

static void hash_plan(const fabric_t *f, const pb_plan_t *plan, uint64_t seed, int most_in_tree,
                      tally_t *tally)
{
    static hashed_t h;
    bool contends = false, is_heavier = false;
    memset(&h, 0, sizeof(h));
    h.fabric = f;
    h.seed = seed;
    h.n_streams = plan->n_streams;
    for (int rank = 0; rank < plan->n_ranks; rank++) {
        for (int s = 0; s < plan->n_streams; s++) {
            const pb_stream_t *stream = &plan->streams[s];
            for (int i = stream->first_child[rank]; i < stream->first_child[rank + 1]; i++) {
                pass_edge(&h, rank, stream->child[i]);
            }
        }
    }
    for (int i = 0; i < f->n_cables * 2 * MAX_MEMBERS; i++) {
        const int cable = i / (2 * MAX_MEMBERS);
        const lane_t *lane = &h.lanes[cable][i / MAX_MEMBERS % 2][i % MAX_MEMBERS];
        is_heavier = is_heavier || lane->edges > most_in_tree;
        contends = contends || (lane->senders > 1 && lane->edges > plan->n_streams &&
                                lane->share > plan->n_streams * f->cables[cable].speed);
    }
    tally->hashes++;
    tally->contending += contends;
    tally->heavier += is_heavier;
    tally->choices += h.n_choices;
}

/* Every kind of tree that makes the promise, or that does not. */
static void hash_kinds(const fabric_t *f, bool promises, tally_t *tally)
{
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        pb_plan_t *plan;
        pb_check_t check;
        pb_diag_t diag;
        pb_diag_init(&diag);
        if (pb_kind_row((pb_kind_t) kind)->promises != promises ||
            pb_plan_compute(f->view, (pb_kind_t) kind, NULL, &plan) != PB_SUCCESS) {
            continue;
        }
        must(pb_check_plan(f->placement, plan, NULL, &check, &diag) == PB_SUCCESS);
        tally->plans++;
        for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
            hash_plan(f, plan, seed, check.max_edges, tally);
        }
        pb_check_clear(&check);
        pb_diag_clear(&diag);
        pb_plan_free(plan);
    }
}

static tally_t hash_fabrics(kind_t kind, int n, int max_speed, bool sums, bool promises)
{
    pb_random_t random = pb_random_seed(1000 * (uint64_t) kind + (uint64_t) max_speed);
    tally_t tally = {0};
    for (int i = 0; i < n; i++) {
        static fabric_t f;
        fabric_init(&f, &random, kind, max_speed, sums);
        hash_kinds(&f, promises, &tally);
        fabric_clear(&f);
    }
    return tally;
}

int main(void)
{
    const int n = tap_trials(250, 50);
    for (kind_t kind = BUNDLES; kind < N_KINDS; kind++) {
        for (int max_speed = 1; max_speed <= 4; max_speed += 3) {
            const tally_t all = hash_fabrics(kind, n, max_speed, false, true);
            ok(all.contending == 0 && all.plans >= 4 * n,
               "%s, links up to %d times a host's: %d fabrics, %d plans, %d hashes: %d contend",
               kind_names[kind], max_speed, n, all.plans, all.hashes, all.contending);
            ok(all.heavier == 0 && all.choices > all.hashes,
               "no member carries more than the link of the tree; %ld choices", all.choices);
        }
        const tally_t other = hash_fabrics(kind, n, 1, false, false);
        ok(other.contending > 0, "%s: of plans without the promise %d of %d hashes contend",
           kind_names[kind], other.contending, other.hashes);
    }
    const tally_t sums = hash_fabrics(BUNDLES, n, 1, true, true);
    ok(sums.contending > 0, "bundles as one fast link: %d of %d hashes contend", sums.contending,
       sums.hashes);
    return tap_done();
}
