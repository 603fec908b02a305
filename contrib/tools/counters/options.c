#include "options.h"

#include <limits.h>

#include "contrib/tools/common/json.h"

static const common_option_t rows[] = {COMMON_JSON_ROW(COMMON_VALUE(struct counters_options, json)),
                                       {0}};

const common_command_t counters_command = {
    .name = "pipebcast counters",
    .usage = "Usage: pipebcast counters                      lists the counters of pipebcast\n"
             "       mpirun ... pipebcast counters BYTES...  each rank broadcasts each size once;\n"
             "                                               prints the counters that moved, over\n"
             "                                               all ranks\n"
             "Sizes are from 1 byte to 2G - 1, as 1426, 64K or 1M.\n",
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

common_verdict_t counters_options_parse(int argc, char **argv, struct counters_options *options,
                                        common_complaint_t complaint)
{
    *options = (struct counters_options){.json = false};
    const common_operands_t *const operands = &options->sizes;
    const common_verdict_t verdict =
        common_options_read(&counters_command, argc, argv, options, &options->sizes, complaint);
    for (int i = 0; verdict == COMMON_RUN && i < operands->n; i++) {
        int64_t bytes;
        if (!common_read_size(operands->words[i], 1, INT_MAX, &bytes)) {
            common_wrong(complaint,
                         "'%s' is not a size from 1 to %d bytes; write for example 1426, 64K or 1M",
                         operands->words[i], INT_MAX);
            return COMMON_WRONG;
        }
    }
    return verdict;
}
