/*
 * The collapse theorem (doc/topologies.md): where spines and bundles are merged into one link of
 * one member's speed, a plan that does not load that link too much loads no member of it too much,
 * whatever the hash does. Fabrics are read from topology.conf, planned as trees, and judged cable
 * by cable.
 */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/check/hashed_flows.h"
#include "topo/check/checker.h"
#include "topo/network/topology.h"
#include "topo/trees/plan.h"

#define N_SEEDS 10

typedef struct fabric_case {
    pb_cabling_t cabling;
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;
    int *host; /* by rank */
} fabric_case_t;

/* What many plans did. */
typedef struct tally {
    int plans;
    int hashes; /* plans times seeds */
    int contending;
    int heavier; /* a physical link carries more edges than any of the tree */
    long choices;
} tally_t;

static void must(bool good)
{
    if (!good) {
        abort();
    }
}

/* One or two ranks on each host, in random order. */
static void place_ranks(fabric_case_t *c, pb_random_t *random)
{
    const int n_hosts = c->cabling.n_hosts, n_ranks = n_hosts + pb_random_below(random, n_hosts);
    c->host = malloc((size_t) n_ranks * sizeof(int));
    c->placement = pb_placement_new(c->network, n_ranks);
    must(c->host != NULL && c->placement != NULL);
    for (int rank = 0; rank < n_ranks; rank++) {
        c->host[rank] = rank % n_hosts;
    }
    pb_random_shuffle(random, c->host, n_ranks);
    for (int rank = 0; rank < n_ranks; rank++) {
        char name[20];
        snprintf(name, sizeof(name), "h%d", c->host[rank]);
        c->placement->host[rank] = pb_network_find(c->network, name);
    }
    must(pb_view_new(c->placement, pb_random_below(random, n_ranks), NULL, 0, &c->view) ==
         PB_SUCCESS);
}

/* Plans for the tree that the reader makes of the text. */
static void read_network(fabric_case_t *c, const char *text, size_t length)
{
    pb_diag_t diag;
    pb_diag_init(&diag);
    const pb_topology_text_t topology = {.text = text, .length = length, .name = "fabric"};
    if (pb_topology_parse(&topology, &c->network, &diag) != PB_SUCCESS) {
        printf("# %s\n%s\n", pb_diag_first(&diag), text);
        abort();
    }
    pb_diag_clear(&diag);
}

/* The text of the cables; or, as it was read once, bundles as links of their members' sum. */
static void read_cabling(fabric_case_t *c, bool sums)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    must(out != NULL);
    pb_cabling_t written = c->cabling;
    pb_cable_t *cables = malloc((size_t) written.n_cables * sizeof(*cables));
    must(cables != NULL);
    memcpy(cables, written.cables, (size_t) written.n_cables * sizeof(*cables));
    for (int i = 0; i < written.n_cables && sums; i++) {
        cables[i].speed *= cables[i].lower < written.n_switches ? cables[i].members : 1;
        cables[i].members = 1;
    }
    written.cables = cables;
    pb_cabling_write(&written, out);
    must(fclose(out) == 0);
    read_network(c, text, length);
    free(cables);
    free(text);
}

static void case_init(fabric_case_t *c, pb_random_t *random, pb_cabling_kind_t kind, int max_speed,
                      bool sums)
{
    must(pb_cabling_random(random, kind, max_speed, &c->cabling) == PB_SUCCESS);
    read_cabling(c, sums);
    place_ranks(c, random);
}

static void case_clear(fabric_case_t *c)
{
    pb_view_free(c->view);
    pb_placement_free(c->placement);
    pb_network_free(c->network);
    pb_cabling_clear(&c->cabling);
    free(c->host);
}

/* The most edges over a link of the tree. */
static int most_edges(const fabric_case_t *c, const pb_plan_t *plan)
{
    pb_check_t check;
    pb_diag_t diag;
    pb_diag_init(&diag);
    must(pb_check_plan(c->placement, plan, NULL, &check, &diag) == PB_SUCCESS);
    const int most = check.max_edges;
    pb_check_clear(&check);
    pb_diag_clear(&diag);
    return most;
}

static void hash_plan(const fabric_case_t *c, const pb_plan_t *plan, tally_t *tally)
{
    const int most = most_edges(c, plan);
    tally->plans++;
    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        pb_hashed_load_t load;
        must(pb_hashed_load(&c->cabling, c->host, plan, seed, &load) == PB_SUCCESS);
        tally->hashes++;
        tally->contending += load.n_contending > 0;
        tally->heavier += load.most_edges > most;
        tally->choices += load.n_choices;
    }
}

/* Every kind that makes the promise, or that does not. */
static void hash_kinds(const fabric_case_t *c, bool promises, tally_t *tally)
{
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        pb_plan_t *plan;
        if (pb_kind_row((pb_kind_t) kind)->promises != promises) {
            continue;
        }
        const int error = pb_plan_compute(c->view, (pb_kind_t) kind, NULL, &plan);
        must(error == PB_SUCCESS || error == PB_ERR_UNFIT);
        if (error == PB_SUCCESS) {
            hash_plan(c, plan, tally);
            pb_plan_free(plan);
        }
    }
}

static tally_t hash_fabrics(pb_cabling_kind_t kind, int n, int max_speed, bool sums, bool promises)
{
    pb_random_t random = pb_random_seed(1000 * (uint64_t) kind + (uint64_t) max_speed);
    tally_t tally = {0};
    for (int i = 0; i < n; i++) {
        fabric_case_t c;
        case_init(&c, &random, kind, max_speed, sums);
        hash_kinds(&c, promises, &tally);
        case_clear(&c);
    }
    return tally;
}

int main(void)
{
    const int n = tap_trials(250, 50);
    for (int kind = 0; kind < PB_CABLING_COUNT; kind++) {
        const char *name = pb_cabling_name((pb_cabling_kind_t) kind);
        for (int max_speed = 1; max_speed <= 4; max_speed += 3) {
            const tally_t all = hash_fabrics((pb_cabling_kind_t) kind, n, max_speed, false, true);
            ok(all.contending == 0 && all.plans >= 4 * n,
               "%s, links up to %d times a host's: %d fabrics, %d plans, %d hashes: %d contend",
               name, max_speed, n, all.plans, all.hashes, all.contending);
            ok(all.heavier == 0 && all.choices > all.hashes,
               "no member carries more than the link of the tree; %ld choices", all.choices);
        }
        const tally_t other = hash_fabrics((pb_cabling_kind_t) kind, n, 1, false, false);
        ok(other.contending > 0, "%s: of plans without the promise %d of %d hashes contend", name,
           other.contending, other.hashes);
    }
    const tally_t sums = hash_fabrics(PB_CABLING_BUNDLES, n, 1, true, true);
    ok(sums.contending > 0, "bundles as one fast link: %d of %d hashes contend", sums.contending,
       sums.hashes);
    return tap_done();
}
