/*
 * Topology files of every format: each file of network/topology/FORMAT is read and printed, and
 * must be equal to its .expected file. With a file as argument, only prints. Files that belong to a
 * topology file: slurm.conf next to a topology.yaml, which names the topology, additions in
 * topology.pipebcast, and the bounds of includes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/network/given.h"
#include "test/topo/network/in_memory.h"
#include "test/topo/network/printed.h"
#include "test/topo/util/golden.h"
#include "topo/network/builder.h"
#include "topo/network/slurm/lines.h"
#include "topo/util/yaml_tree.h"

static void report(const char *file, bool equal)
{
    ok(equal, "%s", file);
}

static void test_golden(void)
{
    for (const pb_topology_format_t *format = pb_topology_formats; format->name != NULL; format++) {
        char directory[100];
        if (strcmp(format->name, "slurm_yaml") == 0 && !pb_yaml_is_there()) {
            printf("# %s is left out, as the build has no libyaml\n", format->name);
            continue;
        }
        snprintf(directory, sizeof(directory), "network/topology/%s", format->name);
        const int n = golden_check(directory, printed_file, report);
        ok(n > 0, "there are golden files of %s: %d", format->name, n);
    }
}

static void test_unreadable(void)
{
    char *is = printed_file("no/such/file.conf");
    ok(golden_equal(
           is, "a file could not be read\nno/such/file.conf: cannot be opened: No such file or "
               "directory\n"),
       "a file that is not there");
    free(is);
    is = printed_file(".");
    ok(golden_equal(is, "a file could not be read\n.: cannot be read: Is a directory\n"),
       "a directory");
    free(is);
}

/* ---- what golden files cannot hold ---- */

static void check_inline(const char *name, const char *conf, size_t length, char separator,
                         const char *expected)
{
    char *is = printed_text(&(pb_topology_text_t){conf, length, "inline", separator, NULL});
    ok(golden_equal(is, expected), "%s", name);
    free(is);
}

static void test_inline(void)
{
    static const char including[] = "SwitchName=s Nodes=n;Include x";
    check_inline("a parameter includes nothing", including, sizeof(including) - 1, ';',
                 "1 switches, 1 hosts, base speed 1\nswitch s\n  host n speed 1\n"
                 "warning: inline:2: Include 'x': only a file can include others; name that "
                 "file, or write its lines here\n");
    static const char lines[] = "SwitchName=a Nodes=a1;SwitchName=b Nodes=b1 Switches=a;";
    check_inline("inline with ';'", lines, sizeof(lines) - 1, ';',
                 "2 switches, 2 hosts, base speed 1\nswitch b\n  host b1 speed 1\n"
                 "  switch a speed 1\n    host a1 speed 1\n");
    static const char faulty[] = "SwitchName=a Nodes=a1;SwitchName=a Nodes=[;\nwhat";
    check_inline("inline lines are counted by both ends", faulty, sizeof(faulty) - 1, ';',
                 "1 switches, 1 hosts, base speed 1\nswitch a\n  host a1 speed 1\n"
                 "warning: inline:2: Nodes: '[': the bracket is not closed; ignored\n"
                 "warning: inline:4: 'what' is not followed by '=' and ignored; write KEY=VALUE, "
                 "and lists without blanks\n");
    check_inline("nothing", "", 0, ';',
                 "an input is malformed\ninline: no switch is described; write lines as "
                 "SwitchName=s0 Nodes=n[1-8]\n");
}

/* One line of `length` bytes: names, or a comment behind a short line. */
static void check_long_line(const char *name, const char *start, size_t length,
                            const char *expected)
{
    char *conf = malloc(length);
    memset(conf, 'x', length);
    /* NOLINTNEXTLINE(bugprone-not-null-terminated-result): its length is told */
    memcpy(conf, start, strlen(start));
    check_inline(name, conf, length, '\0', expected);
    free(conf);
}

static void test_long_lines(void)
{
    check_long_line("a line of one byte too many", "SwitchName=a Nodes=", PB_SLURM_MAX_LINE + 1,
                    "an input is malformed\ninline: no switch is described; write lines as "
                    "SwitchName=s0 Nodes=n[1-8]\nwarning: inline:1: the line is longer than "
                    "1048576 bytes; describe the switch on several lines\n");
    check_long_line("a long comment is no long line", "SwitchName=a Nodes=b #",
                    PB_SLURM_MAX_LINE + 1,
                    "1 switches, 1 hosts, base speed 1\nswitch a\n  host b speed 1\n");
    char *conf = malloc(PB_SLURM_MAX_LINE);
    memset(conf, ' ', PB_SLURM_MAX_LINE);
    memcpy(conf, "SwitchName=a", strlen("SwitchName=a"));
    memcpy(conf + PB_SLURM_MAX_LINE - strlen("Nodes=b"), "Nodes=b", strlen("Nodes=b"));
    check_inline("a line of the longest length is read", conf, PB_SLURM_MAX_LINE, '\0',
                 "1 switches, 1 hosts, base speed 1\nswitch a\n  host b speed 1\n");
    free(conf);
}

/* A line of switches with a host `depth` links below the top. */
static int read_line_of_switches(int depth, pb_diag_t *diag)
{
    char *conf;
    size_t length;
    pb_network_t *network;
    FILE *out = open_memstream(&conf, &length);
    for (int i = 1; i < depth; i++) {
        fprintf(out, "SwitchName=s%d Switches=s%d\n", i, i + 1);
    }
    fprintf(out, "SwitchName=s%d Nodes=n\n", depth);
    fclose(out);
    pb_diag_init(diag);
    int error = given_parse(&(pb_topology_text_t){conf, length, "line", 0, NULL}, &network, diag);
    pb_network_free(network);
    free(conf);
    return error;
}

static void test_depth(void)
{
    pb_diag_t diag;
    int error = read_line_of_switches(PB_BUILDER_MAX_DEPTH, &diag);
    ok(error == PB_SUCCESS, "a host %d links below the top: %s", PB_BUILDER_MAX_DEPTH,
       pb_diag_first(&diag));
    pb_diag_clear(&diag);
    error = read_line_of_switches(PB_BUILDER_MAX_DEPTH + 1, &diag);
    ok(error == PB_ERR_INPUT && diag.n_errors == 1 &&
           strstr(pb_diag_first(&diag),
                  "line:513: host 'n' is more than 512 links below the top switch 's1'") ==
               pb_diag_first(&diag),
       "one link more: %s", pb_diag_first(&diag));
    pb_diag_clear(&diag);
}

/* A diag that has errors of another file does not spoil the next. */
static void test_shared_diag(void)
{
    static const char good[] = "SwitchName=a Nodes=a1";
    pb_diag_t diag;
    pb_network_t *network;
    pb_diag_init(&diag);
    pb_diag_error(&diag, "other", 1, "something");
    ok(given_parse(&(pb_topology_text_t){good, sizeof(good) - 1, "good", 0, NULL}, &network,
                   &diag) == PB_SUCCESS &&
           network != NULL && diag.n_errors == 1,
       "faults of another file do not spoil this one");
    pb_network_free(network);
    pb_diag_clear(&diag);
}

/* ---- files next to others ---- */

/* Reads the first of the files, next to the others. */
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
    const int error =
        given_parse(&(pb_topology_text_t){start, strlen(start), "d/topology.conf", '\0', &access},
                    &network, &diag);
    ok(error == PB_ERR_INPUT && diag.n_errors == 1, "files that include others without end: %s",
       pb_diag_first(&diag));
    pb_diag_clear(&diag);
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
        given_parse(&(pb_topology_text_t){text, length, "many", '\0', NULL}, &network, &diag);
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
        const int error = given_parse(
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

int main(int argc, char **argv)
{
    if (argc > 1) {
        char *text = printed_file(argv[1]);
        fputs(text, stdout);
        free(text);
        return EXIT_SUCCESS;
    }
    test_unreadable();
    test_golden();
    test_inline();
    test_long_lines();
    test_depth();
    test_shared_diag();
    ok(golden_rows("network/slurm_files.rows", check_row) == 22, "there are rows");
    test_endless();
    test_many();
    test_orders();
    return tap_done();
}
