#include "contrib/testbed/fabric_options.h"

#include <stdlib.h>

#define MAX_RATE INT64_C(1000000000000)
#define MAX_QUEUE (INT64_C(1) << 40)

#define VALUE(member) COMMON_VALUE(fabric_settings_t, member)

static const common_option_t rows[] = {
    {"topology", COMMON_WORD, VALUE(topology), .argument = "FILE",
     .help = "Slurm topology.conf: the switches and the hosts below each"},
    {"describe", COMMON_FLAG, VALUE(describe), .least = true,
     .help = "print every switch and host with the switch above, speed, parallel links, switches "
             "merged"},
    {"control", COMMON_WORD, VALUE(control), .argument = "SOCKET",
     .help = "path of the control socket to make"},
    {"ports", COMMON_WORD, VALUE(prefix), .argument = "PREFIX", .missing = "port",
     .help = "interfaces are PREFIX0, PREFIX1, ... by host"},
    {"rate", COMMON_NUMBER, VALUE(links.rate), .least = 1, .most = MAX_RATE, .argument = "BITS",
     .missing = "10000000", .help = "bit/s of a link of the lowest LinkSpeed"},
    {"latency", COMMON_NUMBER, VALUE(links.latency), .most = MAX_RATE, .argument = "NS",
     .missing = "5000", .help = "nanoseconds of every link"},
    {"host-queue", COMMON_SIZE, VALUE(links.host_queue), .most = MAX_QUEUE, .argument = "BYTES",
     .missing = "64M", .help = "bytes that may wait at a host's port"},
    {"switch-queue", COMMON_SIZE, VALUE(links.switch_queue), .most = MAX_QUEUE, .argument = "BYTES",
     .missing = "128K", .help = "bytes that may wait at a port of a switch"},
    {"hash-seed", COMMON_NUMBER, VALUE(links.hash_seed), .most = INT64_MAX, .argument = "N",
     .missing = "1", .help = "of the hash by which flows take one of parallel links"},
    {"loss", COMMON_NUMBER, VALUE(links.host_loss), .most = FABRIC_ALL, .argument = "PPM",
     .missing = "0", .help = "frames in a million that switches' ports to hosts drop by chance"},
    {"loss-seed", COMMON_NUMBER, VALUE(links.loss_seed), .most = INT64_MAX, .argument = "N",
     .missing = "1", .help = "of the frames that are lost by chance, at any port"},
    {"interrupt", COMMON_NUMBER, VALUE(links.interrupt), .most = MAX_RATE, .argument = "NS",
     .missing = "0",
     .help = "nanoseconds between two interrupts of a host, at least: frames that arrive between "
             "them are delivered together"},
    {"mtu", COMMON_NUMBER, VALUE(mtu), .least = 68, .most = 9216, .argument = "BYTES",
     .missing = "1500", .help = "payload of the largest frame"},
    {0},
};

static const common_command_t command = {
    .name = "pipebcast-fabric",
    .usage = "Usage: pipebcast-fabric --topology FILE --describe\n"
             "       pipebcast-fabric --topology FILE --control SOCKET [OPTION]...\n"
             "\n"
             "The links and switches of an emulated Ethernet cluster. `pipebcast-testbed' starts\n"
             "it; by itself it is of use to check and list a topology file (--describe).\n",
    .groups = (const common_group_t[]){{NULL, rows}, {0}},
    .more = "Exit status: 0 done, 1 something failed, 2 wrong options.\n",
};

static void check(const fabric_settings_t *settings)
{
    if (settings->topology == NULL) {
        common_usage_error("--topology is missing: which network?");
    }
    if (!settings->describe && settings->control == NULL) {
        common_usage_error("--control is missing; give it, or --describe");
    }
}

void fabric_read_options(int argc, char **argv, fabric_settings_t *settings)
{
    *settings = (fabric_settings_t){
        .prefix = "port",
        .mtu = 1500,
        .links = {.rate = 10000000,
                  .latency = 5000,
                  .host_queue = 64 << 20,
                  .switch_queue = 131072,
                  .hash_seed = 1,
                  .loss_seed = 1},
    };
    common_options_read(&command, argc, argv, settings);
    check(settings);
}
