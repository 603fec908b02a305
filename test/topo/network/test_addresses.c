/*
 * Network of a job from its hosts' addresses: golden files; random networks with addresses as
 * Slurm's topology/tree writes them; the record; out of memory. With a file as argument, only
 * prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/failing_memory.h"
#include "test/must.h"
#include "test/tap.h"
#include "test/topo/network/address_lines.h"
#include "test/topo/network/printed.h"
#include "test/topo/trees/tree_case.h"
#include "test/topo/util/golden.h"
#include "topo/network/topology.h"
#include "topo/util/text_file.h"

enum { MAX_HOSTS = 64, MAX_TEXT = 1 << 20 };

/* ---- golden files ---- */

static char *text_of(const char *file)
{
    char *text = NULL;
    size_t length;
    pb_diag_t diag;
    pb_diag_init(&diag);
    must(pb_text_file_read(file, "test", MAX_TEXT, &text, &length, &diag) == PB_SUCCESS);
    char *copy = strndup(text, length);
    free(text);
    return copy;
}

static char *print_addresses(const char *file)
{
    pb_address_t addresses[MAX_HOSTS];
    pb_network_t *network;
    pb_diag_t diag;
    char *text = text_of(file);
    pb_diag_init(&diag);
    const int error = pb_addresses_join(
        NULL, addresses, address_lines_read(text, addresses, MAX_HOSTS), &network, &diag);
    free(text);
    return printed_network(error, network, &diag);
}

/* Lines of an address, its pattern and the node: the levels of each. */
static char *print_levels(const char *file)
{
    char *text = text_of(file), *rest = text, *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        pb_address_path_t path;
        pb_diag_t diag;
        pb_diag_init(&diag);
        const char *address = strsep(&line, "\t"), *pattern = strsep(&line, "\t");
        if (line != NULL) {
            const pb_address_t of = {
                .host = line, .node = line, .address = address, .pattern = pattern};
            pb_address_cut(&of, NULL, &path, &diag);
            fprintf(out, "%s:", line);
            for (int i = 0; i < path.n_levels && diag.n_errors == 0; i++) {
                fprintf(out, " %s", path.level[i]);
            }
            fprintf(out, "%s\n", diag.n_errors > 0 ? pb_diag_first(&diag) : "");
        }
        pb_diag_clear(&diag);
    }
    fclose(out);
    free(text);
    return printed;
}

/* A topology whose comments "#at HOST NODE ADDRESS PATTERN" are hosts that join it. */
static char *print_joined(const char *file)
{
    pb_address_t addresses[MAX_HOSTS];
    pb_network_t *joined;
    pb_topology_t topology;
    pb_diag_t diag;
    char *text = text_of(file), *lines = calloc(1, strlen(text) + 1), *at = lines;
    for (const char *line = strstr(text, "#at "); line != NULL; line = strstr(line + 1, "#at ")) {
        const char *rest = strchr(line + 4, ' ');
        at += sprintf(at, "%.*s%.*s\n", (int) (rest - line - 4), line + 4,
                      (int) strcspn(rest, "\n"), rest);
    }
    const int n = address_lines_read(lines, addresses, MAX_HOSTS);
    pb_diag_init(&diag);
    must(pb_topology_open(file, NULL, &topology, &diag) == PB_SUCCESS);
    const int error = pb_addresses_join(topology.network, addresses, n, &joined, &diag);
    char *printed = printed_network(error, joined, &diag);
    pb_topology_clear(&topology);
    free(lines);
    free(text);
    return printed;
}

static void report(const char *file, bool equal)
{
    ok(equal, "%s", file);
}

/* ---- random networks ---- */

/* The level of a switch as Slurm has it: 0 if no switch is below it. */
static int level_of(const pb_network_t *network, int node)
{
    int level = 0;
    for (int child = pb_network_node(network, node)->first_child; child >= 0;
         child = pb_network_node(network, child)->next_sibling) {
        if (pb_network_node(network, child)->kind == PB_NODE_SWITCH) {
            const int below = level_of(network, child);
            level = below + 1 > level ? below + 1 : level;
        }
    }
    return level;
}

/* The name of the switch of a level above a host; "" if there is none. */
static const char *switch_above(const pb_network_t *network, int host, int level)
{
    for (int at = pb_network_node(network, host)->parent; at >= 0;
         at = pb_network_node(network, at)->parent) {
        if (level_of(network, at) == level) {
            return pb_network_node(network, at)->name;
        }
    }
    return "";
}

/* The address of a host, whose address and pattern are to be freed. */
static pb_address_t address_of(const pb_network_t *network, int host)
{
    const char *name = pb_network_node(network, host)->name;
    char *address = NULL, *pattern = NULL;
    size_t size;
    FILE *to_address = open_memstream(&address, &size),
         *to_pattern = open_memstream(&pattern, &size);
    for (int level = level_of(network, pb_network_top(network)); level >= 0; level--) {
        fprintf(to_address, "%s.", switch_above(network, host, level));
        fprintf(to_pattern, "switch.");
    }
    fprintf(to_address, "%s", name);
    fprintf(to_pattern, "node");
    fclose(to_address);
    fclose(to_pattern);
    return (pb_address_t){.host = name, .node = name, .address = address, .pattern = pattern};
}

/* Tells whether each node that is in `network` has the parent there that it has in `original`. */
static bool is_part_of(const pb_network_t *network, const pb_network_t *original)
{
    for (int node = 0; node < pb_network_size(network); node++) {
        const pb_node_t *is = pb_network_node(network, node);
        const int same = pb_network_find(original, is->name);
        if (same < 0) {
            return false;
        }
        const int parent = pb_network_node(original, same)->parent;
        const char *above = parent >= 0 ? pb_network_node(original, parent)->name : "";
        if (strcmp(is->parent >= 0 ? pb_network_node(network, is->parent)->name : "", above) != 0) {
            return false;
        }
    }
    return pb_network_n_hosts(network) == pb_network_n_hosts(original);
}

/* The addresses of all hosts of a network, in random order: the same network comes of them. */
static bool comes_back(tree_case_t *c, pb_random_t *random, void *context)
{
    pb_network_t *network;
    pb_address_t addresses[MAX_HOSTS];
    pb_diag_t diag;
    int n = 0;
    (void) random;
    (void) context;
    for (; n < c->placement->n_ranks; n++) { /* ranks are on hosts in random order */
        addresses[n] = address_of(c->network, c->placement->host[n]);
    }
    pb_diag_init(&diag);
    const bool good = pb_addresses_join(NULL, addresses, n, &network, &diag) == PB_SUCCESS &&
                      is_part_of(network, c->network);
    if (diag.n_errors > 0) {
        printf("# %s\n", pb_diag_first(&diag));
    }
    for (int i = 0; i < n; i++) {
        free((char *) addresses[i].address);
        free((char *) addresses[i].pattern);
    }
    pb_diag_clear(&diag);
    pb_network_free(network);
    return good;
}

/* ---- memory ---- */

static int read_lines(const void *context)
{
    char text[1000];
    pb_address_t addresses[MAX_HOSTS];
    pb_network_t *network;
    pb_diag_t diag;
    pb_diag_init(&diag);
    snprintf(text, sizeof(text), "%s", (const char *) context);
    const int error = pb_addresses_join(
        NULL, addresses, address_lines_read(text, addresses, MAX_HOSTS), &network, &diag);
    pb_network_free(network);
    pb_diag_clear(&diag);
    return error;
}

static void test_memory(void)
{
    static const struct {
        const char *what, *text;
    } cases[] = {
        {"a tree", "a a c.s1.a switch.switch.node\nb b c.s2.b switch.switch.node\n"},
        {"spines", "a a c[1-3].s1.a switch.switch.node\nb b c[1-3].s2.b switch.switch.node\n"},
        {"blocks", "a a b1.a block.node\nb b b2.b block.node\n"},
        {"a fault", "a a c.s1.a switch.switch.node\nb b d.s1.b switch.switch.node\n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const failing_memory_t found = failing_memory_run(read_lines, cases[i].text);
        ok(found.n_wrong == 0 && found.n_failed > 0,
           "%s: each of %d allocations fails, %d times reported", cases[i].what, found.n_failed,
           found.n_reported);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        char *text = print_addresses(argv[1]);
        fputs(text, stdout);
        free(text);
        return EXIT_SUCCESS;
    }
    const int n = golden_check("network/addresses", print_addresses, report);
    ok(n > 0, "there are golden files: %d", n);
    ok(golden_check("network/address_levels", print_levels, report) > 0,
       "there are golden files of levels");
    ok(golden_check("network/joined", print_joined, report) > 0,
       "there are golden files of topologies that hosts join");
    tree_case_hold("networks come of their addresses", 17, tap_trials(1000, 100),
                   (tree_case_size_t){8, 30, 1, 0, false}, comes_back, NULL);
    test_memory();
    return tap_done();
}
