#include "contrib/testbed/fabric_options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: pipebcast-fabric --topology FILE --describe\n"
    "       pipebcast-fabric --topology FILE --control SOCKET [OPTION]...\n"
    "\n"
    "The cables and switches of an emulated Ethernet cluster. `pipebcast-testbed' starts\n"
    "it; by itself it is of use to check and list a topology file (--describe).\n"
    "\n"
    "  --topology FILE       Slurm topology.conf: the switches and who hangs on which\n"
    "  --describe            print every switch and host with its switch and speed\n"
    "  --control SOCKET      path of the control socket to make\n"
    "  --ports PREFIX        interfaces are PREFIX0, PREFIX1, ... by host (port)\n"
    "  --rate BITS           bit/s of a cable of the lowest LinkSpeed (10000000)\n"
    "  --latency NS          nanoseconds of every cable (5000)\n"
    "  --host-queue BYTES    that may wait at a host's port (67108864)\n"
    "  --switch-queue BYTES  that may wait at a port of a switch (131072)\n"
    "  --host-qdisc KIND     fifo: a host's frames leave as they came (default); fair: its\n"
    "                        flows take turns, and new ones go first\n"
    "  --mtu BYTES           payload of the largest frame (1500)\n"
    "  --grain NS            least time between turns of the work under load (50000)\n"
    "  --spin NS             stay awake for the last NS before an event (0)\n"
    "  --no-realtime         do not ask for real-time priority\n";

/** A whole number in [least, most], or -1 with a message. */
static int64_t read_number(const char *option, const char *text, int64_t least, int64_t most)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < least || value > most) {
        fprintf(stderr,
                "pipebcast-fabric: --%s %s: a whole number from %" PRId64 " to %" PRId64
                " is wanted\n",
                option, text, least, most);
        return -1;
    }
    return value;
}

enum {
    OPT_HELP = 'h',
    OPT_TOPOLOGY = 256,
    OPT_DESCRIBE,
    OPT_CONTROL,
    OPT_PORTS,
    OPT_RATE,
    OPT_LATENCY,
    OPT_HOST_QUEUE,
    OPT_SWITCH_QUEUE,
    OPT_HOST_QDISC,
    OPT_MTU,
    OPT_GRAIN,
    OPT_SPIN,
    OPT_NO_REALTIME
};

static const struct option options[] = {
    {"help", no_argument, NULL, OPT_HELP},
    {"topology", required_argument, NULL, OPT_TOPOLOGY},
    {"describe", no_argument, NULL, OPT_DESCRIBE},
    {"control", required_argument, NULL, OPT_CONTROL},
    {"ports", required_argument, NULL, OPT_PORTS},
    {"rate", required_argument, NULL, OPT_RATE},
    {"latency", required_argument, NULL, OPT_LATENCY},
    {"host-queue", required_argument, NULL, OPT_HOST_QUEUE},
    {"switch-queue", required_argument, NULL, OPT_SWITCH_QUEUE},
    {"host-qdisc", required_argument, NULL, OPT_HOST_QDISC},
    {"mtu", required_argument, NULL, OPT_MTU},
    {"grain", required_argument, NULL, OPT_GRAIN},
    {"spin", required_argument, NULL, OPT_SPIN},
    {"no-realtime", no_argument, NULL, OPT_NO_REALTIME},
    {NULL, 0, NULL, 0},
};

/** "fifo" or "fair"; -1 with a message for anything else. */
static int read_qdisc(const char *text, fabric_qdisc_t *qdisc_p)
{
    if (strcmp(text, "fifo") == 0) {
        *qdisc_p = FABRIC_QDISC_FIFO;
    } else if (strcmp(text, "fair") == 0) {
        *qdisc_p = FABRIC_QDISC_FAIR;
    } else {
        fprintf(stderr, "pipebcast-fabric: --host-qdisc %s: fifo or fair is wanted\n", text);
        return -1;
    }
    return 0;
}

/** Takes one option with a number; -1 if the number is bad. */
static int64_t take_number(fabric_settings_t *settings, int option, const char *name)
{
    int64_t value;
    switch (option) {
    case OPT_RATE:
        value = read_number(name, optarg, 1, INT64_C(1000000000000));
        settings->cables.rate = (uint64_t) value;
        return value;
    case OPT_LATENCY:
        value = read_number(name, optarg, 0, INT64_C(1000000000000));
        settings->cables.latency = value;
        return value;
    case OPT_HOST_QUEUE:
        value = read_number(name, optarg, 0, INT64_C(1) << 40);
        settings->cables.host_queue = (uint64_t) value;
        return value;
    case OPT_SWITCH_QUEUE:
        value = read_number(name, optarg, 0, INT64_C(1) << 40);
        settings->cables.switch_queue = (uint64_t) value;
        return value;
    case OPT_MTU:
        return settings->mtu = read_number(name, optarg, 68, 9216);
    case OPT_GRAIN:
        return settings->grain = read_number(name, optarg, 0, 10000000);
    default:
        return settings->spin = read_number(name, optarg, 0, 1000000);
    }
}

int fabric_read_options(int argc, char **argv, fabric_settings_t *settings)
{
    *settings = (fabric_settings_t){
        .prefix = "port",
        .realtime = true,
        .mtu = 1500,
        .grain = 50000,
        .cables = {.rate = 10000000,
                   .latency = 5000,
                   .host_queue = 64 << 20,
                   .switch_queue = 131072},
    };
    int option, index = 0;
    while ((option = getopt_long(argc, argv, "h", options, &index)) != -1) {
        switch (option) {
        case OPT_HELP:
            fputs(usage, stdout);
            return 1;
        case OPT_TOPOLOGY:
            settings->topology = optarg;
            break;
        case OPT_DESCRIBE:
            settings->describe = true;
            break;
        case OPT_CONTROL:
            settings->control = optarg;
            break;
        case OPT_PORTS:
            settings->prefix = optarg;
            break;
        case OPT_HOST_QDISC:
            if (read_qdisc(optarg, &settings->cables.host_qdisc) < 0) {
                return -1;
            }
            break;
        case OPT_NO_REALTIME:
            settings->realtime = false;
            break;
        case '?':
            return -1;
        default:
            if (take_number(settings, option, options[index].name) < 0) {
                return -1;
            }
        }
    }
    if (optind < argc || settings->topology == NULL ||
        (!settings->describe && settings->control == NULL)) {
        fputs(usage, stderr);
        return -1;
    }
    return 0;
}
