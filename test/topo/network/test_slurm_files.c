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
static void check(const char *what, const in_memory_t *files, const pb_topology_request_t *request,
                  const char *expected)
{
    const pb_topology_files_t access = in_memory_files(files);
    const pb_topology_text_t text = in_memory_text(files, &access);
    char *is = printed_text_request(&text, request);
    ok(golden_equal(is, expected), "%s", what);
    free(is);
}

/* What is printed of a flat topology. */
#define FLAT "1 switches, 0 hosts, base speed 1\nswitch switch, with all other hosts\n"

#define THREE                                                                                      \
    "- {topology: a, flat: true}\n"                                                                \
    "- {topology: b, cluster_default: true, flat: true}\n"                                         \
    "- {topology: c, cluster_default: true, flat: true}\n"

static void test_request(void)
{
    const in_memory_t files[] = {{"/etc/topology.yaml", THREE}, {NULL, NULL}};
    check("the first default", files, NULL,
          FLAT "picked: topology 'b' (flat), the cluster's default\n");
    check("a name", files, &(pb_topology_request_t){.name = "c", .partition = "p"},
          FLAT "picked: topology 'c' (flat), which was named\n");
    check("empty names", files, &(pb_topology_request_t){.name = "", .partition = ""},
          FLAT "picked: topology 'b' (flat), the cluster's default\n");
    check(
        "a name that is not there", files, &(pb_topology_request_t){.name = "d\n"},
        "an input is malformed\n/etc/topology.yaml: there is no topology 'd?'; there are a, b, c: "
        "name one by coll_pipebcast_topology_name or --topology-name\n");
    check("a partition without slurm.conf", files, &(pb_topology_request_t){.partition = "p"},
          FLAT "picked: topology 'b' (flat), the cluster's default\n");
    const in_memory_t conf[] = {{"topology.conf", "SwitchName=s Nodes=n\n"}, {NULL, NULL}};
    check("topology.conf is called default", conf, &(pb_topology_request_t){.name = "default"},
          "1 switches, 1 hosts, base speed 1\nswitch s\n  host n speed 1\n");
    check("topology.conf has no other", conf, &(pb_topology_request_t){.name = "a"},
          "an input is malformed\ntopology.conf: there is no topology 'a', as this file has one "
          "only, 'default'; name that, none, or a topology.yaml\n");
}

static void check_partition(const char *what, const char *slurm_conf, const char *parts,
                            const char *expected)
{
    const in_memory_t files[] = {{"/etc/slurm/topology.yaml", THREE},
                                 {"/etc/slurm/slurm.conf", slurm_conf},
                                 {parts != NULL ? "/etc/slurm/parts.conf" : NULL, parts},
                                 {NULL, NULL}};
    check(what, files, &(pb_topology_request_t){.partition = "p"}, expected);
}

static void test_partition(void)
{
    static const char a[] =
        FLAT "picked: topology 'a' (flat), the one of the job's partition in slurm.conf\n";
    static const char by_default[] = FLAT "picked: topology 'b' (flat), the cluster's default\n";
    check_partition("a partition's topology",
                    "ClusterName=x SlurmctldPort = 1 \"\nPartitionName=q Topology=c\n"
                    "partitionname=p Nodes=ALL \\\n Default=YES topology=a # b\n",
                    NULL, a);
    check_partition("that of DEFAULT before it",
                    "PartitionName=DEFAULT Topology=c\nPartitionName=default Topology=a\n"
                    "PartitionName=p\nPartitionName=DEFAULT Topology=b\n",
                    NULL, a);
    check_partition("in an included file",
                    "PartitionName=DEFAULT Topology=c\nInclude parts.conf\nInclude nothing.conf\n",
                    "PartitionName=p Topology=a\n", a);
    check_partition("none of its own", "PartitionName=p Nodes=n1\n", NULL, by_default);
    check_partition("no such partition",
                    "PartitionName=DEFAULT Topology=a\n#PartitionName=p\n#pipebcast "
                    "PartitionName=p Topology=a\n",
                    NULL, by_default);
    check_partition("a topology that is not there", "PartitionName=p Topology=d\n", NULL,
                    FLAT
                    "picked: topology 'b' (flat), the cluster's default\n"
                    "warning: /etc/slurm/topology.yaml: there is no topology 'd', which slurm.conf "
                    "has for the job's partition; there are a, b, c: name one by "
                    "coll_pipebcast_topology_name or --topology-name\n");
    check_partition("where it may be is not known",
                    "PartitionName=q Topology=c\n\nInclude nothing.conf\n", NULL,
                    FLAT
                    "picked: topology 'b' (flat), the cluster's default\n"
                    "warning: /etc/slurm/slurm.conf:3: Include: /etc/slurm/nothing.conf: cannot be "
                    "opened: Permission denied; so the topology of the partition 'p' is not known: "
                    "name it by coll_pipebcast_topology_name or --topology-name\n");
    check_partition("a slurm.conf that cannot be read", NULL, NULL,
                    FLAT "picked: topology 'b' (flat), the cluster's default\n"
                         "warning: /etc/slurm/slurm.conf: cannot be opened: Permission denied\n");
}

#define TWO_HOSTS                                                                                  \
    "1 switches, 2 hosts, base speed 1\nswitch s\n  host n1 speed 1\n  host n2 speed 1\n"

static void test_beside(void)
{
    const in_memory_t added[] = {
        {"d/topology.conf", "SwitchName=s Nodes=n[1-2]\n#pipebcast SwitchName=s LinkSpeed=2\n"},
        {"d/topology.pipebcast", "# ours\nSwitchName=s Nodes=n2 LinkSpeed=10\nInclude more\n"},
        {"d/more", "SwitchName=other Nodes=x Topology=a\n"},
        {NULL, NULL}};
    check(
        "topology.pipebcast adds, after comments", added, NULL,
        "1 switches, 2 hosts, base speed 2\nswitch s\n  host n1 speed 2\n  host n2 speed 10\n"
        "note: d/topology.conf: a #pipebcast comment gives a link's LinkSpeed or Uplinks, or adds "
        "a link: 2 times\n"
        "note: d/topology.pipebcast: this file gives a link's LinkSpeed or Uplinks, or adds a "
        "link: 1 time\n");
    const in_memory_t multicast[] = {
        {"topology.conf", "SwitchName=s Nodes=n1\n#pipebcast Multicast=off\n"},
        {"topology.pipebcast", "Multicast=auto\n"},
        {NULL, NULL}};
    check("topology.pipebcast allows multicast", multicast, NULL,
          "1 switches, 1 hosts, base speed 1\nswitch s\n  host n1 speed 1\n"
          "note: topology.conf: broadcasts may go by IP multicast, by our key Multicast\n");
    const in_memory_t faulty[] = {{"topology.conf", "SwitchName=s Nodes=n[1-2]\n"},
                                  {"topology.pipebcast", "\nSwitchName=s Nodes=n3\n"},
                                  {NULL, NULL}};
    check("faults have its lines", faulty, NULL,
          TWO_HOSTS "warning: topology.pipebcast:2: there is no host 'n3' to add to; correct "
                    "the name\n");
    const in_memory_t unreadable[] = {{"topology.conf", "SwitchName=s Nodes=n[1-2]\n"},
                                      {"topology.pipebcast", NULL},
                                      {NULL, NULL}};
    check("one that cannot be read", unreadable, NULL,
          TWO_HOSTS "warning: topology.pipebcast: cannot be opened: Permission denied\n");
    const in_memory_t old[] = {{"/etc/topology.conf", "SwitchName=s Nodes=n\n"},
                               {"/etc/topology.yaml", "anything"},
                               {NULL, NULL}};
    check("a topology.yaml is beside a topology.conf", old, NULL,
          "1 switches, 1 hosts, base speed 1\nswitch s\n  host n speed 1\nwarning: "
          "/etc/topology.conf: Slurm reads /etc/topology.yaml and ignores this file, which may be "
          "old; name /etc/topology.yaml instead\n");
    const in_memory_t other[] = {{"/etc/cluster.conf", "SwitchName=s Nodes=n\n"},
                                 {"/etc/topology.yaml", "anything"},
                                 {NULL, NULL}};
    check("beside another file it is not meant", other, NULL,
          "1 switches, 1 hosts, base speed 1\nswitch s\n  host n speed 1\n");
    const in_memory_t yaml[] = {
        {"topology.yaml", "- topology: t\n  tree: {switches: [{switch: s, nodes: n}]}\n"},
        {"topology.pipebcast", "SwitchName=s Uplinks=2\nSwitchName=r Nodes=n\n"},
        {NULL, NULL}};
    if (pb_yaml_is_there()) {
        check("lines behind those of YAML", yaml, NULL,
              "3 switches, 1 hosts, base speed 1\nswitch top, virtual\n  switch s speed 1\n"
              "    host n speed 1 in 2 links\n  switch r speed 1\npicked: topology 't' (a tree), "
              "the only one\nwarning: topology.pipebcast:2: host 'n' is below switch 's' already "
              "(line 2 of topology.yaml), which counts; it is ignored here\nnote: "
              "topology.pipebcast: this file gives a link's LinkSpeed or Uplinks, or adds a link: "
              "2 times\nnote: topology.pipebcast:2: 2 switches are at the top, from 's' to 'r'; a "
              "job below several of them is on one virtual switch 'top' above them, whose links "
              "are as fast as hosts'\n");
    }
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
    if (pb_yaml_is_there()) {
        test_request();
        test_partition();
    } else {
        printf("# topology.yaml is left out, as the build has no libyaml\n");
    }
    test_beside();
    test_endless();
    test_not_a_file();
    test_many();
    test_orders();
    return tap_done();
}
