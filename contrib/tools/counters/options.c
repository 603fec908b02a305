#include "options.h"

#include <limits.h>

#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/json.h"
#include "contrib/tools/common/terminal.h"

#define VALUE(member) COMMON_VALUE(struct counters_options, member)

static const common_option_t rows[] = {
    {"sizes", COMMON_SIZES, VALUE(sizes), .letter = 'm', .least = 1, .most = INT_MAX,
     .argument = "LIST", .missing = "64K,1M", .help = "bytes of the broadcasts"},
    COMMON_JSON_ROW(VALUE(json)),
    {0},
};

const common_command_t counters_command = {
    .name = "pipebcast counters",
    .usage = "Usage: pipebcast counters --hostfile FILE [OPTION]...\n"
             "       mpirun ... pipebcast counters [OPTION]...\n"
             "       pipebcast counters\n"
             "\n"
             "Each rank, of many up to 64, broadcasts each size once. The counters of pipebcast\n"
             "that moved are printed, over all ranks. Without a job it lists all counters and\n"
             "what they mean.\n",
    .groups = (const common_group_t[]){{NULL, rows}, {0}},
    .more = COMMON_EXITS,
};

void counters_options_read(int argc, char **argv, struct counters_options *options)
{
    *options = (struct counters_options){.json = false};
    (void) common_options_read(&counters_command, argc, argv, options);
    if (options->sizes.n == 0 && common_is_rank()) {
        options->sizes = (common_list_t){.n = 2, .values = {64 << 10, 1 << 20}};
    }
    common_options_done();
}
