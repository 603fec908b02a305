#include "options.h"

#include <limits.h>

#include "contrib/tools/common/json.h"

static const common_option_t rows[] = {COMMON_JSON_ROW(COMMON_VALUE(struct counters_options, json)),
                                       {0}};

const common_command_t counters_command = {
    .name = "pipebcast counters",
    .is_job = true,
    .usage =
        "Usage: pipebcast counters\n"
        "       pipebcast counters --hostfile FILE BYTES...\n"
        "       mpirun ... pipebcast counters BYTES...\n"
        "\n"
        "Lists pipebcast's counters and what they mean. With sizes (1426, 64K, 1M), each rank\n"
        "broadcasts each size once, and the counters that moved are printed, over all ranks.\n",
    .has_operands = true,
    .groups = (const common_group_t[]){{NULL, rows}, {0}},
    .more = "Exit status: 0 done, 1 the component or its counters were not found on all ranks, or\n"
            "something failed, 2 wrong arguments.\n",
};

int64_t counters_size(const struct counters_options *options, int i)
{
    int64_t bytes = 0;
    (void) common_read_size(options->sizes.words[i], 1, INT_MAX, &bytes);
    return bytes;
}

void counters_options_read(int argc, char **argv, struct counters_options *options)
{
    *options = (struct counters_options){.json = false};
    options->sizes = common_options_read(&counters_command, argc, argv, options);
    for (int i = 0; i < options->sizes.n; i++) {
        int64_t bytes;
        if (!common_read_size(options->sizes.words[i], 1, INT_MAX, &bytes)) {
            common_usage_error(
                "'%s' is not a size from 1 to %d bytes; write for example 1426, 64K or 1M",
                options->sizes.words[i], INT_MAX);
        }
    }
    common_options_done();
}
