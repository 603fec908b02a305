#include "options.h"

#include "contrib/tools/common/json.h"

#include <string.h>

/** The largest broadcast that is measured. */
#define MAX_BYTES (INT64_C(256) << 20)

#define VALUE(member) COMMON_VALUE(struct doctor_options, member)

static const char *const colours[] = {"auto", "always", "never", NULL};

static const common_option_t rows[] = {
    {"sizes", COMMON_SIZES, VALUE(sizes), .least = 1, .most = MAX_BYTES, .argument = "LIST",
     .missing = "8K,64K,1M", .help = "bytes of the broadcasts that are compared"},
    {"quick", COMMON_FLAG, VALUE(quick), .least = true,
     .help = "measure neither rates nor broadcasts"},
    {"time-limit", COMMON_REAL, VALUE(time_limit_s), .real_least = 0.1, .real_most = 3600,
     .unit_name = "seconds", .argument = "SECONDS", .missing = "30",
     .help = "for all that is measured, about"},
    {"patience", COMMON_REAL, VALUE(patience_s), .real_least = 0.1, .real_most = 3600,
     .unit_name = "seconds", .argument = "SECONDS", .missing = "20",
     .help = "for a rank that does not answer"},
    COMMON_JSON_ROW(VALUE(json)),
    {"colour", COMMON_CHOICE, VALUE(colour), .choices = colours, .argument = "WHEN",
     .missing = "auto", .help = "auto (on a terminal), always or never"},
    {0},
};

const common_command_t doctor_command = {
    .name = "pipebcast doctor",
    .usage = "Usage: mpirun ... pipebcast doctor [OPTION]...\n"
             "Checks whether a cluster is set up well for pipebcast, and prints one page: each\n"
             "line is good, doubtful or bad, with what to do. Run it with a rank on each host,\n"
             "with the parameters of the programs that it is to serve.\n",
    .groups = (const common_group_t[]){{NULL, rows}, {0}},
    .more = "Exit status: 0 nothing is bad, 1 something is, or it failed, 2 wrong options.\n",
};

common_verdict_t doctor_options_parse(int argc, char **argv, struct doctor_options *options,
                                      char *error, size_t error_size)
{
    const common_complaint_t complaint = {error, error_size};
    *options = (struct doctor_options){
        .sizes = {.n = 3, .values = {8 << 10, 64 << 10, 1 << 20}},
        .time_limit_s = 30,
        .patience_s = 20,
    };
    const common_verdict_t verdict =
        common_options_read(&doctor_command, argc, argv, options, NULL, complaint);
    if (verdict == COMMON_RUN && options->sizes.n > DOCTOR_MAX_SIZES) {
        common_wrong(complaint, "--sizes: more than %d sizes; give fewer", DOCTOR_MAX_SIZES);
        return COMMON_WRONG;
    }
    return verdict;
}
