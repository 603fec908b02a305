/* The carrier of messages between hosts: its names, its rate, and whether two are alike. */
#include "test/tap.h"
#include "topo/model/medium.h"

#define MBIT UINT64_C(1000000)

static void test_names(void)
{
    char list[PB_MEDIUM_NAME_SIZE] = "";
    pb_medium_add_name(list, "eth1");
    pb_medium_add_name(list, "eth10");
    pb_medium_add_name(list, "eth1");
    ok(strcmp(list, "eth1+eth10") == 0, "each name once: %s", list);
    pb_medium_add_name(list, "eth");
    ok(strcmp(list, "eth1+eth10+eth") == 0, "also one that others begin with: %s", list);
    for (int i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof(name), "name%d", i);
        pb_medium_add_name(list, name);
    }
    ok(strlen(list) < sizeof(list) && strstr(list, "name6") != NULL &&
           list[strlen(list) - 1] != '+',
       "what does not fit is left out: %s", list);
}

static void test_rates(void)
{
    pb_medium_t medium = {.mtu = 0};
    pb_medium_limit_rate(&medium, 0);
    ok(medium.bits_per_second == 0, "a rate that is not known does not count");
    pb_medium_limit_rate(&medium, 1000 * MBIT);
    pb_medium_limit_rate(&medium, 0);
    pb_medium_limit_rate(&medium, 10000 * MBIT);
    ok(medium.bits_per_second == 1000 * MBIT, "the slowest one counts");
    ok(pb_medium_is_as_fast(1000 * MBIT, 1000 * MBIT + 1) &&
           !pb_medium_is_as_fast(1000 * MBIT, 10000 * MBIT),
       "rates are compared in Mbit/s");
    ok(pb_medium_is_as_fast(0, 5 * MBIT) && pb_medium_is_as_fast(5 * MBIT, 0),
       "one that is not known is no difference");
}

static void test_alike(void)
{
    const pb_medium_t tcp = {
        .pml = "ob1", .btls = "tcp", .interfaces = "eth0", .is_ethernet = true};
    pb_medium_t other = tcp;
    strcpy(other.interfaces, "eno1");
    other.bits_per_second = 5 * MBIT;
    ok(pb_medium_is_alike(&tcp, &other) && pb_medium_hash(&tcp) == pb_medium_hash(&other),
       "an interface's name and rate are each host's own");
    other.is_ethernet = false;
    ok(pb_medium_is_alike(&tcp, &other) && pb_medium_hash(&tcp) != pb_medium_hash(&other),
       "ranks differ where one is on Ethernet and one is not");
    strcpy(other.btls, "tcp+vader");
    ok(!pb_medium_is_alike(&tcp, &other), "other BTLs are another transport");
    other = tcp;
    strcpy(other.pml, "ucx");
    ok(!pb_medium_is_alike(&tcp, &other) && pb_medium_hash(&tcp) != pb_medium_hash(&other),
       "another PML, too");
}

static void test_text(void)
{
    char text[PB_MEDIUM_TEXT_SIZE];
    pb_medium_t medium = {.pml = "ob1", .btls = "tcp", .interfaces = "eth0"};
    pb_medium_describe(&medium, text);
    ok(strcmp(text, "ob1 with btl tcp on eth0, of unknown speed") == 0, "%s", text);
    medium.bits_per_second = 10000 * MBIT;
    pb_medium_describe(&medium, text);
    ok(strcmp(text, "ob1 with btl tcp on eth0, 10000 Mbit/s") == 0, "%s", text);
    medium = (pb_medium_t){.pml = "ucx"};
    pb_medium_describe(&medium, text);
    ok(strcmp(text, "ucx") == 0, "%s", text);
    medium.pml[0] = '\0';
    pb_medium_describe(&medium, text);
    ok(strcmp(text, "an unknown pml") == 0, "%s", text);
}

int main(void)
{
    test_names();
    test_rates();
    test_alike();
    test_text();
    return tap_done();
}
