#include "options.h"

#include "contrib/tools/common/json.h"

#include <string.h>

/** The largest broadcast that is measured. */
#define MAX_BYTES (INT64_C(256) << 20)

#define VALUE(member) COMMON_VALUE(struct doctor_options, member)

static const common_option_t rows[] = {
    {"sizes", COMMON_SIZES, VALUE(sizes), .letter = 'm', .least = 1, .most = MAX_BYTES,
     .argument = "LIST", .missing = "8K,64K,1M",
     .help = "bytes of the broadcasts that are compared"},
    {"quick", COMMON_FLAG, VALUE(quick), .least = true,
     .help = "measure neither rates nor broadcasts"},
    {"time-limit", COMMON_REAL, VALUE(time_limit_s), .real_least = 0.1, .real_most = 3600,
     .unit_name = "seconds", .argument = "SECONDS", .missing = "30",
     .help = "for all that is measured, about"},
    {"patience", COMMON_REAL, VALUE(patience_s), .real_least = 0.1, .real_most = 3600,
     .unit_name = "seconds", .argument = "SECONDS", .missing = "20",
     .help = "for a rank that does not answer"},
    {"multicast", COMMON_FLAG, VALUE(multicast), .least = true,
     .help = "try multicast, too: datagrams to a group, which switches without IGMP snooping send "
             "to every port"},
    COMMON_JSON_ROW(VALUE(json)),
    {0},
};

static const common_command_t command = {
    .name = "pipebcast doctor",
    .usage =
        "Usage: pipebcast doctor --hostfile FILE [OPTION]...\n"
        "       mpirun ... pipebcast doctor [OPTION]...\n"
        "\n"
        "Checks whether a cluster is set up well for pipebcast, and prints one page: each line\n"
        "is OK, WARNING or ERROR, with what to do. With --hostfile it starts mpirun with a rank\n"
        "on each host; run it with the parameters of the programs that it is to serve.\n",
    .groups = (const common_group_t[]){{NULL, rows}, {0}},
    .more = "Exit status: 0 no ERROR, 1 an ERROR was found or something failed, 2 the command line "
            "is wrong.\n",
};

void doctor_options_read(int argc, char **argv, struct doctor_options *options)
{
    *options = (struct doctor_options){
        .sizes = {.n = 3, .values = {8 << 10, 64 << 10, 1 << 20}},
        .time_limit_s = 30,
        .patience_s = 20,
    };
    common_options_read(&command, argc, argv, options);
    if (options->sizes.n > DOCTOR_MAX_SIZES) {
        common_usage_error("--sizes: more than %d sizes; give fewer", DOCTOR_MAX_SIZES);
    }
    common_options_done();
}
