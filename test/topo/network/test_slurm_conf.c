/* Slurm's topology.conf: what golden files cannot hold (test_topology.c has those). */
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "test/topo/network/printed.h"
#include "test/topo/util/golden.h"
#include "topo/network/builder.h"
#include "topo/network/slurm/lines.h"

static void check_inline(const char *name, const char *conf, size_t length, char separator,
                         const char *expected)
{
    char *is = printed_text(&(pb_topology_text_t){conf, length, "inline", separator, NULL});
    ok(golden_equal(is, expected), "%s", name);
    free(is);
}

static void test_memory(void)
{
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
    static const char nul[] = "SwitchName=a Nodes=a1\nSwitchName=b No\0des=b1\nSwitchName=a "
                              "Switches=b\n";
    check_inline("a NUL byte", nul, sizeof(nul) - 1, '\0',
                 "2 switches, 1 hosts, base speed 1\nswitch a\n  host a1 speed 1\n"
                 "  switch b speed 1\nwarning: inline:2: there is a NUL byte in this line; is this "
                 "a text file?\nwarning: inline:3: switch 'b' has no SwitchName line of its own; "
                 "no host is known below it\n");
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
    pb_diag_t diag;
    pb_network_t *network;
    char *conf = malloc(PB_SLURM_MAX_LINE);
    memset(conf, ' ', PB_SLURM_MAX_LINE);
    memcpy(conf, "SwitchName=a", strlen("SwitchName=a"));
    memcpy(conf + PB_SLURM_MAX_LINE - strlen("Nodes=b"), "Nodes=b", strlen("Nodes=b"));
    pb_diag_init(&diag);
    ok(pb_topology_parse(&(pb_topology_text_t){conf, PB_SLURM_MAX_LINE, "inline", 0, NULL},
                         &network, &diag) == 0,
       "a line of the longest length is read");
    pb_network_free(network);
    pb_diag_clear(&diag);
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
    int error =
        pb_topology_parse(&(pb_topology_text_t){conf, length, "line", 0, NULL}, &network, diag);
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
    ok(error == PB_ERR_INPUT && diag.n_faults == 1 &&
           strstr(pb_diag_first(&diag),
                  "line:513: host 'n' is more than 512 links below the top switch 's1'") ==
               pb_diag_first(&diag),
       "one link more: %s", pb_diag_first(&diag));
    pb_diag_clear(&diag);
}

/* A diag that has faults of another file does not spoil the next. */
static void test_shared_diag(void)
{
    static const char good[] = "SwitchName=a Nodes=a1";
    pb_diag_t diag;
    pb_network_t *network;
    pb_diag_init(&diag);
    pb_diag_fault(&diag, "other", 1, "something");
    ok(pb_topology_parse(&(pb_topology_text_t){good, sizeof(good) - 1, "good", 0, NULL}, &network,
                         &diag) == PB_SUCCESS &&
           network != NULL && diag.n_faults == 1,
       "faults of another file do not spoil this one");
    pb_network_free(network);
    pb_diag_clear(&diag);
}

int main(void)
{
    test_memory();
    test_long_lines();
    test_depth();
    test_shared_diag();
    return tap_done();
}
