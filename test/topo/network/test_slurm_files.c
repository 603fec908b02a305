/*
 * Files that belong to a topology file: which topology of a topology.yaml is meant by the
 * slurm.conf beside it, what topology.pipebcast adds, and the bounds of what is included. The files
 * are in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/network/in_memory.h"
#include "test/topo/network/printed.h"
#include "test/topo/util/golden.h"
#include "topo/network/slurm/lines.h"
#include "topo/util/yaml_tree.h"

/* Reads the first of the files, beside the others. */
static void check_row(char *const *columns, int n)
{
    in_memory_t files[8] = {{NULL, NULL}};
    const char *name = columns[2], *partition = columns[3];
    const pb_topology_request_t request = {.name = strcmp(name, "-") != 0 ? name : NULL,
                                           .partition =
                                               strcmp(partition, "-") != 0 ? partition : NULL};
    if (strcmp(columns[0], "yaml") == 0 && !pb_yaml_is_there()) {
        return;
    }
    for (int i = 5; i + 1 < n; i += 2) {
        files[(i - 5) / 2] =
            (in_memory_t){columns[i], strcmp(columns[i + 1], "-") != 0 ? columns[i + 1] : NULL};
    }
    const pb_topology_files_t access = in_memory_files(files);
    const pb_topology_text_t text = in_memory_text(files, &access);
    char *is = printed_text_request(&text, &request);
    ok(golden_equal(is, columns[4]), "%s", columns[1]);
    free(is);
}

/* Files that include each other without end, under ever longer names. */
static bool are_same(void *context, const char *path, const char *other)
{
    (void) context;
    return strcmp(path, other) == 0;
}

static bool endless(void *context, const char *path)
{
    (void) context;
    return strstr(path, "topology.") == NULL;
}

static int read_endless(void *context, const char *path, char **text_p, size_t *length_p,
                        pb_diag_t *diag)
{
    (void) context;
    (void) path;
    (void) diag;
    *text_p = strdup("Include ./x\nInclude ./x\nInclude ./x\n");
    *length_p = strlen(*text_p);
    return PB_SUCCESS;
}

static void test_endless(void)
{
    static const char start[] = "Include ./x\n";
    const pb_topology_files_t access = {
        .exists = endless, .are_same = are_same, .read = read_endless};
    pb_diag_t diag;
    pb_network_t *network;
    pb_diag_init(&diag);
    const int error = pb_topology_parse(
        &(pb_topology_text_t){start, strlen(start), "d/topology.conf", '\0', &access}, &network,
        &diag);
    ok(error == PB_ERR_INPUT && diag.n_faults == 1, "files that include others without end: %s",
       pb_diag_first(&diag));
    pb_diag_clear(&diag);
}

static void test_not_a_file(void)
{
    static const char text[] = "SwitchName=s Nodes=n;Include x";
    char *is = printed_text(&(pb_topology_text_t){text, strlen(text), "parameter", ';', NULL});
    ok(golden_equal(is, "1 switches, 1 hosts, base speed 1\nswitch s\n  host n speed 1\n"
                        "warning: parameter:2: Include 'x': only a file can include "
                        "others; name that file, or write its lines here\n"),
       "a parameter includes nothing");
    free(is);
}

/* 65,536 hosts, which two layers of switches above theirs repeat, as `scontrol` prints them. */
static void test_many(void)
{
    enum { LEAVES = 1024, HOSTS = 64, GROUPS = 32 };
    char *text = NULL;
    size_t length;
    pb_diag_t diag;
    pb_network_t *network;
    FILE *out = open_memstream(&text, &length);
    fprintf(out, "SwitchName=top Level=2 Nodes=n[0-%d] Switches=m[0-%d]\n", LEAVES * HOSTS - 1,
            GROUPS - 1);
    for (int i = 0; i < GROUPS; i++) {
        const int leaves = LEAVES / GROUPS;
        fprintf(out, "SwitchName=m%d Level=1 Nodes=n[%d-%d] Switches=s[%d-%d]\n", i,
                i * leaves * HOSTS, (i + 1) * leaves * HOSTS - 1, i * leaves, (i + 1) * leaves - 1);
    }
    for (int i = 0; i < LEAVES; i++) {
        fprintf(out, "SwitchName=s%d Level=0 Nodes=n[%d-%d]\n", i, i * HOSTS, (i + 1) * HOSTS - 1);
    }
    fclose(out);
    pb_diag_init(&diag);
    const int error =
        pb_topology_parse(&(pb_topology_text_t){text, length, "many", '\0', NULL}, &network, &diag);
    ok(error == PB_SUCCESS && pb_network_n_hosts(network) == LEAVES * HOSTS &&
           pb_network_n_switches(network) == LEAVES + GROUPS + 1,
       "65,536 hosts, each named three times: %s", pb_diag_first(&diag));
    pb_network_free(network);
    pb_diag_clear(&diag);
    free(text);
}

/* Hosts of two switches in turn, with switches above that repeat them in every order of lines. */
static void test_orders(void)
{
    static const char *const lines[] = {
        "SwitchName=t Nodes=n[1-6] Switches=m\n", "SwitchName=m Nodes=n[1-6] Switches=a,b\n",
        "SwitchName=a Nodes=n1,n3,n5\n", "SwitchName=b Nodes=n2,n4,n6\n"};
    enum { N = 4, ORDERS = 256 };
    int n_orders = 0, n_good = 0;
    for (int order = 0; order < ORDERS; order++) {
        const int at[N] = {order % 4, order / 4 % 4, order / 16 % 4, order / 64};
        if (((1 << at[0]) | (1 << at[1]) | (1 << at[2]) | (1 << at[3])) != 15) {
            continue;
        }
        char text[400];
        pb_diag_t diag;
        pb_network_t *network;
        snprintf(text, sizeof(text), "%s%s%s%s#pipebcast SwitchName=a LinkSpeed=2\n", lines[at[0]],
                 lines[at[1]], lines[at[2]], lines[at[3]]);
        pb_diag_init(&diag);
        const int error = pb_topology_parse(
            &(pb_topology_text_t){text, strlen(text), "order", '\0', NULL}, &network, &diag);
        bool good = error == PB_SUCCESS;
        for (int host = 1; good && host <= 6; host++) {
            const char name[] = {'n', (char) ('0' + host), '\0'};
            const pb_node_t *node = pb_network_node(network, pb_network_find(network, name));
            good = pb_network_node(network, node->parent)->name[0] == (host % 2 == 1 ? 'a' : 'b');
        }
        n_orders++;
        n_good += good;
        pb_network_free(network);
        pb_diag_clear(&diag);
    }
    ok(n_orders == 24 && n_good == n_orders, "%d of %d orders of the same lines", n_good, n_orders);
}

int main(void)
{
    ok(golden_rows("network/slurm_files.rows", check_row) == 22, "there are rows");
    test_endless();
    test_not_a_file();
    test_many();
    test_orders();
    return tap_done();
}
