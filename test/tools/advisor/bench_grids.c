/*
 * Trees for grids whose links are loaded, each by several methods, as predicted from the links as
 * they are, and as simulated on them: paper 4's question, on grids that were drawn at random
 * (contrib/experiments/benchlib/drawn_grid.py has their form). Not a test: nothing fails.
 *
 * usage: bench_grids HOSTS BUDGET FILE... >FILE.csv
 *
 * HOSTS is 32 or 64. BUDGET is the number of transformations that each search has, but for basicSA,
 * which is one run on one random tree; 200000 are about what a second does for 64 hosts on a host
 * of 2020. Each method's tree comes with the segment size that is predicted to be its best. All
 * methods know the links exactly.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/adaptive/advice/host_plan.h"
#include "contrib/adaptive/advisor/finder.h"
#include "contrib/adaptive/advisor/known_trees.h"
#include "contrib/adaptive/advisor/segment.h"
#include "contrib/adaptive/search/anneal.h"
#include "contrib/adaptive/search/streams_cost.h"
#include "topo/check/simulator.h"
#include "topo/model/model.h"

enum {
    BITS_PER_SPEED = 8000000,
    MTU = 1500,
    HOST_SPEED = 8,
    HOST_LATENCY = 5000,
    DRAWN_HOSTS = 32
};

/** Of a link's rate, what a TCP stream's payload can have. */
#define PAYLOAD 0.94

/* ---- grids ---- */

enum { MOST_NODES = 128, MOST_LOADS = 32 };

typedef struct load {
    int situation, percent;
    char from[16], to[16];
} load_t;

typedef struct grid {
    int n_hosts;
    pb_network_t *network;
    pb_placement_t *placement;
    pb_view_t *view;
    int root;
    int64_t latency[MOST_NODES]; /**< by network node: of its uplink, ns */
    load_t loads[MOST_LOADS];
    int n_loads, n_situations;
} grid_t;

static void must(int error)
{
    if (error < 0) {
        fprintf(stderr, "bench_grids: %s\n", pb_error_text(error));
        exit(EXIT_FAILURE);
    }
}

static int add_node(grid_t *grid, pb_node_kind_t kind, const char *name, const char *above,
                    uint32_t speed, int64_t latency)
{
    const int node = pb_network_add(grid->network, kind, name);
    must(node);
    must(pb_network_connect(grid->network, pb_network_find(grid->network, above), node, speed));
    grid->latency[node] = latency;
    return node;
}

static void add_cluster(grid_t *grid, const char *name, const char *site, unsigned speed,
                        int64_t latency, int n, int *host, int *n_placed)
{
    add_node(grid, PB_NODE_SWITCH, name, site, speed, latency);
    for (int i = 0; i < n * grid->n_hosts / DRAWN_HOSTS; i++) {
        char text[16];
        snprintf(text, sizeof text, "h%02d", *n_placed);
        host[(*n_placed)++] = add_node(grid, PB_NODE_HOST, text, name, HOST_SPEED, HOST_LATENCY);
    }
}

/** One line of the file; false if it is none. */
static bool take_line(grid_t *grid, const char *line, int *host, int *n_placed, int *first)
{
    char a[16], b[16];
    unsigned speed;
    int latency, n;
    load_t *load = &grid->loads[grid->n_loads];
    if (sscanf(line, "site %15s speed %u latency %d", a, &speed, &latency) == 3) {
        add_node(grid, PB_NODE_SWITCH, a, "wan", speed, 1000 * (int64_t) latency);
    } else if (sscanf(line, "cluster %15s site %15s speed %u latency %d hosts %d", a, b, &speed,
                      &latency, &n) == 5) {
        first[pb_network_size(grid->network)] = *n_placed;
        add_cluster(grid, a, b, speed, 1000 * (int64_t) latency, n, host, n_placed);
    } else if (sscanf(line, "root %15s %d", a, &n) == 2) {
        grid->root = first[pb_network_find(grid->network, a)] + n;
    } else if (grid->n_loads < MOST_LOADS && sscanf(line, "load %d %15s %15s %d", &load->situation,
                                                    load->from, load->to, &load->percent) == 4) {
        grid->n_loads++;
        grid->n_situations = load->situation;
    } else {
        return false;
    }
    return true;
}

static void read_grid(grid_t *grid, const char *path, int n_hosts)
{
    int host[MOST_NODES] = {0}, first[MOST_NODES] = {0}, n_placed = 0;
    char line[256];
    FILE *file = fopen(path, "r");
    pb_diag_t diag;
    *grid = (grid_t){.n_hosts = n_hosts, .network = pb_network_new()};
    must(file == NULL ? PB_ERR_IO : PB_SUCCESS);
    must(grid->network == NULL ? PB_ERR_NO_MEMORY : PB_SUCCESS);
    must(pb_network_add(grid->network, PB_NODE_SWITCH, "wan"));
    while (fgets(line, sizeof line, file) != NULL) {
        if (!take_line(grid, line, host, &n_placed, first)) {
            fprintf(stderr, "bench_grids: %s: not a line of a grid: %s", path, line);
            exit(EXIT_FAILURE);
        }
    }
    fclose(file);
    pb_diag_init(&diag);
    must(pb_network_finish(grid->network, path, &diag));
    pb_diag_clear(&diag);
    grid->placement = pb_placement_new(grid->network, n_placed);
    memcpy(grid->placement->host, host, (size_t) n_placed * sizeof *host);
    must(pb_view_new(grid->placement, grid->root, NULL, 0, &grid->view));
}

static void clear_grid(grid_t *grid)
{
    pb_view_free(grid->view);
    pb_placement_free(grid->placement);
    pb_network_free(grid->network);
}

/* ---- a situation: what is on the links, and what is known of them ---- */

static void set_links(const grid_t *grid, int situation, pb_simulate_link_t *links)
{
    for (int link = 0; link < 2 * pb_network_size(grid->network); link++) {
        links[link] = (pb_simulate_link_t){.latency = grid->latency[pb_link_node(link)]};
    }
    for (int i = 0; i < grid->n_loads; i++) {
        const load_t *load = &grid->loads[i];
        const int from = pb_network_find(grid->network, load->from);
        const int to = pb_network_find(grid->network, load->to);
        const bool is_up = pb_network_node(grid->network, from)->parent == to;
        if (load->situation == situation) {
            links[is_up ? pb_link_up(from) : pb_link_down(to)].load_percent = load->percent;
        }
    }
}

static double rate_of(const grid_t *grid, const pb_simulate_link_t *links, int link)
{
    const double speed = pb_network_node(grid->network, pb_link_node(link))->speed;
    return PAYLOAD * BITS_PER_SPEED / 8 * speed * (100 - links[link].load_percent) / 100;
}

/** What a probe would have measured, and the advisor made of it. */
static void measure(const grid_t *grid, const pb_simulate_link_t *links, pb_link_matrix_t *m)
{
    int *path = calloc((size_t) pb_network_max_path(grid->network) + 1, sizeof *path);
    for (int i = 0; i < m->n_nodes; i++) {
        m->startup[i] = ADVISE_ASSUMED_STARTUP;
        for (int j = 0; j < m->n_nodes; j++) {
            double rate = PAYLOAD * BITS_PER_SPEED / 8 * HOST_SPEED;
            int64_t latency = i == j ? HOST_LATENCY : 0;
            const int n = pb_placement_path(grid->placement, i, j, path);
            for (int k = 0; k < n; k++) {
                const double of_link = rate_of(grid, links, path[k]);
                rate = of_link < rate ? of_link : rate;
                latency += links[path[k]].latency;
            }
            m->latency[i * m->n_nodes + j] = ADVISE_HOP_LATENCIES * latency;
            m->bandwidth[i * m->n_nodes + j] = (uint64_t) rate;
        }
    }
    free(path);
}

static void make_network(const grid_t *grid, const pb_simulate_link_t *links,
                         struct advise_network *network)
{
    const char *names[MOST_NODES];
    for (int i = 0; i < grid->placement->n_ranks; i++) {
        names[i] = pb_network_node(grid->network, grid->placement->host[i])->name;
    }
    *network = (struct advise_network){.placement = grid->placement, .measured = true};
    must(pb_link_matrix_of_network(grid->network, names, grid->placement->n_ranks,
                                   &network->matrix));
    measure(grid, links, network->matrix);
    must(advise_network_share(network));
}

/* ---- simulation ---- */

static pb_simulate_cost_t cost_of(const pb_model_t *model, uint64_t segment)
{
    const pb_cost_t near = pb_model_cost(model, 2, segment);
    const pb_link_use_t use = pb_model_link_use(model, segment);
    const int64_t further = (pb_model_cost(model, 3, segment).rtt - near.rtt) / 2;
    const int64_t way = near.rtt / 2 - near.gap - near.receive - further;
    return (pb_simulate_cost_t){.send = near.send,
                                .receive = near.receive,
                                .link = use.message,
                                .acknowledgements = use.acknowledgements,
                                .further = further,
                                .way = way > 0 ? way : 0,
                                .memory = pb_model_cost(model, 0, segment).gap};
}

/** ms until all have the message. */
static double simulate(const grid_t *grid, const pb_simulate_link_t *links, uint64_t bytes,
                       uint32_t segment, pb_tree_t *const *streams, int n_streams)
{
    int host[MOST_NODES];
    pb_model_t model;
    pb_plan_t *plan;
    pb_simulation_t result;
    segment = segment < bytes ? segment : (uint32_t) bytes;
    const int n = (int) ((bytes - 1) / segment + 1);
    for (int i = 0; i < grid->placement->n_ranks; i++) {
        host[i] = i;
    }
    must(pb_host_plan(grid->view, host, grid->placement->n_ranks,
                      (const pb_tree_t *const *) streams, n_streams, &plan));
    pb_model_assume(BITS_PER_SPEED, MTU, &model);
    const pb_simulate_options_t options = {
        .model = PB_SIMULATE_WIRE,
        .n_segments = n,
        .cost = cost_of(&model, segment),
        .rest = cost_of(&model, bytes - (uint64_t) (n - 1) * segment),
        .links = links};
    must(pb_simulate(grid->placement, plan, &options, &result));
    const double ms = (double) result.completion / 1e6;
    pb_simulation_clear(&result);
    pb_plan_free(plan);
    return ms;
}

/* ---- methods ---- */

typedef struct bench {
    const char *name; /**< of the grid */
    const grid_t *grid;
    int situation;
    const pb_simulate_link_t *links;
    const struct advise_network *network;
    uint64_t bytes;
    int64_t budget;
} bench_t;

static void print_row(const bench_t *bench, const char *method, uint32_t segment, int64_t predicted,
                      pb_tree_t *const *streams, int n_streams)
{
    printf("%s,%d,%d,%llu,%s,%u,%.3f,%.3f\n", bench->name, bench->grid->n_hosts, bench->situation,
           (unsigned long long) bench->bytes, method, segment, (double) predicted / 1e6,
           simulate(bench->grid, bench->links, bench->bytes, segment, streams, n_streams));
    fflush(stdout);
}

/** The best as predicted of some trees, or all together. */
static uint32_t try_known(const bench_t *bench, const char *method, struct advise_known *known,
                          advise_cost_together_t *together)
{
    uint32_t segment = 0;
    int64_t cost;
    int best = 0;
    pb_tree_costs_t *costs;
    must(advise_segment_choose(bench->network, bench->bytes, 0, together, known, known->n, &segment,
                               &cost));
    must(pb_tree_costs_new(bench->network->matrix, bench->network->share, bench->bytes, segment,
                           &costs));
    for (int i = 0; i < known->n && together == advise_least_cost; i++) {
        int64_t of_tree;
        must(pb_tree_cost(costs, known->trees[i], &of_tree));
        best = of_tree == cost ? i : best;
    }
    pb_tree_costs_free(costs);
    print_row(bench, method, segment, cost, known->trees + best,
              together == advise_least_cost ? 1 : known->n);
    return segment;
}

static void try_mateescu(const bench_t *bench)
{
    static const uint32_t sizes[] = {1426, 2874, 5770, 11562, 23146, 46314, 92650, 185322, 370666};
    struct advise_known known = {.n = 0};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        pb_tree_costs_t *costs;
        must(pb_tree_costs_new(bench->network->matrix, bench->network->share, bench->bytes,
                               sizes[i], &costs));
        must(pb_tree_mateescu(costs, bench->grid->root, &known.trees[known.n++]));
        pb_tree_costs_free(costs);
    }
    try_known(bench, "mateescu", &known, advise_least_cost);
    advise_known_clear(&known);
}

/** Anneals at a segment size, and once more at that which is the best of the tree found. */
static void try_annealing(const bench_t *bench, const char *method, uint32_t segment,
                          const pb_anneal_options_t *options)
{
    struct advise_known found = {.n = 0};
    uint32_t tried = 0;
    for (int i = 0; i < 2 && tried != segment; i++) {
        pb_tree_costs_t *costs;
        pb_anneal_result_t result;
        int64_t cost;
        must(pb_tree_costs_new(bench->network->matrix, bench->network->share, bench->bytes, segment,
                               &costs));
        must(pb_anneal(costs, bench->grid->root, options, &result));
        found.trees[found.n++] = result.tree;
        result.tree = NULL;
        pb_anneal_clear(&result);
        pb_tree_costs_free(costs);
        tried = segment;
        must(advise_segment_choose(bench->network, bench->bytes, 0, advise_least_cost, &found,
                                   found.n, &segment, &cost));
    }
    try_known(bench, method, &found, advise_least_cost);
    advise_known_clear(&found);
}

/** The paper's three routines, each from random trees alone. */
static void try_annealings(const bench_t *bench, uint32_t segment)
{
    pb_anneal_options_t options;
    pb_anneal_defaults(&options);
    options.budget = bench->budget;
    try_annealing(bench, "clusteredSA", segment, &options);
    options.n_pool_percents = 0;
    try_annealing(bench, "driverSA", segment, &options);
    options.budget = 0;
    options.random_runs = 1;
    options.refine_runs = 0;
    try_annealing(bench, "basicSA", segment, &options);
}

static void try_advised(const bench_t *bench)
{
    struct advise_found found;
    const struct advise_wish wish = {.method = ADVISE_ANNEALED,
                                     .root = bench->grid->root,
                                     .bytes = bench->bytes,
                                     .seed = 1,
                                     .budget = bench->budget};
    must(advise_find(bench->network, &wish, &found));
    print_row(bench, "advised", found.segment, found.cost, found.streams, found.n_streams);
    advise_found_clear(&found);
}

static void try_all(const bench_t *bench)
{
    const pb_link_matrix_t *matrix = bench->network->matrix;
    const int root = bench->grid->root;
    struct advise_known multilevel = {.n = 0}, plans = {.n = 0}, two_trees = {.n = 0};
    must(advise_known_add_multilevel(&multilevel, matrix, root));
    must(advise_known_add_plans(&plans, bench->network, root));
    must(advise_known_add_two_trees(&two_trees, bench->network, root));
    const uint32_t segment = try_known(bench, "multilevel", &multilevel, advise_least_cost);
    try_mateescu(bench);
    try_known(bench, "plans", &plans, advise_least_cost);
    try_known(bench, "two-trees", &two_trees, pb_streams_cost);
    try_annealings(bench, segment);
    try_advised(bench);
    advise_known_clear(&multilevel);
    advise_known_clear(&plans);
    advise_known_clear(&two_trees);
}

static void bench_grid(const char *path, int n_hosts, int64_t budget)
{
    static const uint64_t sizes[] = {1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};
    grid_t grid;
    pb_simulate_link_t links[2 * MOST_NODES];
    const char *slash = strrchr(path, '/');
    read_grid(&grid, path, n_hosts);
    for (int situation = 0; situation <= grid.n_situations; situation++) {
        struct advise_network network;
        set_links(&grid, situation, links);
        make_network(&grid, links, &network);
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            try_all(&(bench_t){.name = slash != NULL ? slash + 1 : path,
                               .grid = &grid,
                               .situation = situation,
                               .links = links,
                               .network = &network,
                               .bytes = sizes[i],
                               .budget = budget});
        }
        network.placement = NULL; /* the grid's */
        advise_network_clear(&network);
    }
    clear_grid(&grid);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bench_grids HOSTS BUDGET FILE...\n");
        return EXIT_FAILURE;
    }
    puts("grid,hosts,situation,bytes,method,segment,predicted_ms,simulated_ms");
    for (int i = 3; i < argc; i++) {
        bench_grid(argv[i], atoi(argv[1]), atoll(argv[2]));
    }
    return EXIT_SUCCESS;
}
