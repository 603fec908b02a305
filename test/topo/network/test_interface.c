/* A host's interfaces, read from made-up directories like /sys/class/net. */
#include <net/if_arp.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test/tap.h"
#include "topo/network/interface.h"

static char root[] = "/tmp/test_interface.XXXXXX";

/** Writes ROOT/name/file; directories are made. */
static void put(const char *name, const char *file, const char *text)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", root, name);
    mkdir(path, 0777);
    snprintf(path, sizeof(path), "%s/%s/%s", root, name, file);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    mkdir(path, 0777);
    *slash = '/';
    FILE *stream = fopen(path, "w");
    if (stream == NULL || fputs(text, stream) < 0 || fclose(stream) != 0) {
        printf("Bail out! %s cannot be written\n", path);
        exit(EXIT_FAILURE);
    }
}

/** `above` is above `below`, as a VLAN or a team is. */
static void put_above(const char *above, const char *below)
{
    char file[64];
    snprintf(file, sizeof(file), "lower_%s", below);
    put(above, file, "");
}

static void put_interface(const char *name, const char *speed, const char *mtu, const char *type)
{
    if (speed != NULL) {
        put(name, "speed", speed);
    }
    put(name, "mtu", mtu);
    put(name, "type", type);
}

static pb_interface_t read_it(const char *name)
{
    pb_interface_t interface;
    pb_interface_read(root, name, &interface);
    return interface;
}

static uint64_t megabits(const char *name)
{
    return read_it(name).bits_per_second / 1000000;
}

static void test_plain(void)
{
    put_interface("eth0", "10000\n", "9000\n", "1\n");
    const pb_interface_t eth = read_it("eth0");
    ok(eth.bits_per_second == UINT64_C(10000000000) && eth.mtu == 9000 && eth.type == ARPHRD_ETHER,
       "speed, MTU and type");
    ok(pb_interface_is_ethernet(&eth), "type 1 is Ethernet");
    put_interface("lo", NULL, "65536\n", "772\n");
    const pb_interface_t lo = read_it("lo");
    ok(lo.bits_per_second == 0 && lo.mtu == 65536 && pb_interface_is_ethernet(&lo),
       "the loopback has no speed, and counts as Ethernet");
    put_interface("ib0", "100000\n", "2044\n", "32\n");
    const pb_interface_t ib = read_it("ib0");
    ok(ib.type == ARPHRD_INFINIBAND && !pb_interface_is_ethernet(&ib),
       "IP over InfiniBand is none");
    put_interface("tun0", "10\n", "1500\n", "65534\n");
    const pb_interface_t tun = read_it("tun0");
    ok(!pb_interface_is_ethernet(&tun), "nor is a tunnel");
    put_interface("eth1", "-1\n", "1500\n", "1\n");
    ok(megabits("eth1") == 0, "-1, as of a link that is down, is no speed");
    put_interface("eth2", "", "-5\n", "x\n");
    const pb_interface_t odd = read_it("eth2");
    ok(odd.bits_per_second == 0 && odd.mtu == 0 && odd.type == -1 &&
           !pb_interface_is_ethernet(&odd),
       "what is no number is not known");
    put_interface("eth3", "4294967295\n", "99999999999\n", "99999\n");
    const pb_interface_t large = read_it("eth3");
    ok(large.bits_per_second == 0 && large.mtu == 0 && large.type == -1, "nor what is absurd");
    const pb_interface_t none = read_it("nowhere");
    ok(none.bits_per_second == 0 && none.mtu == 0 && none.type == -1, "nor what is not there");
}

static void test_bonds(void)
{
    put_interface("m0", "10000\n", "1500\n", "1\n");
    put_interface("m1", "10000\n", "1500\n", "1\n");
    put_interface("bond0", "20000\n", "1500\n", "1\n");
    put("bond0", "bonding/slaves", "m0 m1\n");
    put("bond0", "bonding/mode", "802.3ad 4\n");
    ok(megabits("bond0") == 10000, "a flow has one member of a bond, not their sum");
    const pb_interface_t bond = read_it("bond0");
    ok(pb_interface_is_ethernet(&bond), "which is Ethernet");
    put_interface("m1", "1000\n", "1500\n", "1\n");
    ok(megabits("bond0") == 1000, "of unequal ones the slowest");
    put_interface("m1", "-1\n", "1500\n", "1\n");
    ok(megabits("bond0") == 10000, "one that is down does not count");
    put("bond0", "bonding/mode", "active-backup 1\n");
    put_interface("m1", "1000\n", "1500\n", "1\n");
    put_interface("bond0", "10000\n", "1500\n", "1\n");
    ok(megabits("bond0") == 10000,
       "with one active member at a time, the bond's own speed is that");
    put("bond0", "bonding/slaves", "\n");
    put("bond0", "bonding/mode", "balance-rr 0\n");
    ok(megabits("bond0") == 10000, "without members, too");
}

static void test_stacks(void)
{
    put("bond0", "bonding/slaves", "m0 m1\n");
    put_interface("m1", "10000\n", "1500\n", "1\n");
    put_interface("bond0", "20000\n", "1500\n", "1\n");
    put_interface("bond0.7", "20000\n", "1500\n", "1\n");
    put_above("bond0.7", "bond0");
    ok(megabits("bond0.7") == 10000, "a VLAN on a bond has one member's speed");
    put_interface("team0", "50000\n", "1500\n", "1\n");
    put_above("team0", "m0");
    put_above("team0", "eth1");
    ok(megabits("team0") == 10000, "a team that of its slowest member that has one");
    put_interface("tap0", "10\n", "1500\n", "1\n");
    put_interface("br0", "10000\n", "1500\n", "1\n");
    put("br0", "bridge/bridge_id", "8000.000000000000\n");
    put_above("br0", "m0");
    put_above("br0", "tap0");
    ok(megabits("br0") == 10000, "a bridge's ports do not bound it");
    put_interface("loop0", "2500\n", "1500\n", "1\n");
    put_above("loop0", "loop0");
    ok(megabits("loop0") == 2500, "one that is above itself ends");
}

int main(void)
{
    if (mkdtemp(root) == NULL) {
        printf("Bail out! no directory can be made\n");
        return EXIT_FAILURE;
    }
    test_plain();
    test_bonds();
    test_stacks();
    char command[sizeof(root) + 16];
    snprintf(command, sizeof(command), "rm -rf %s", root);
    ok(system(command) == 0, "the directories are removed");
    return tap_done();
}
