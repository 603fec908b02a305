/* Options of the tool. Each subcommand has a table of its own next to it. */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "contrib/tools/common/options.h"
#include "topo/trees/plan.h"

/** Ranks that one run may have. */
#define TOOL_MAX_RANKS (1 << 20)

typedef enum {
    TOOL_FORMAT_TEXT,
    TOOL_FORMAT_JSON,
    TOOL_FORMAT_DOT,
    TOOL_FORMAT_COUNT
} tool_format_t;

typedef struct tool_options {
    const char *file;          /**< NULL: none; "-": standard input */
    const char *topology_name; /**< which of the file's; NULL: the default one */
    const char *root;          /**< NULL: rank 0 */
    const char *hosts;         /**< hostlist of the hosts that take part; NULL: all */
    int ppn;                   /**< ranks on each host */
    pb_plan_options_t plan;
    int n_kinds; /**< 0: none named */
    pb_kind_t kinds[PB_KIND_COUNT];
    bool all_kinds; /**< --algorithm all */
    tool_format_t format;
    common_list_t segments;
    const char *model_file; /**< NULL: none */
    common_list_t sizes;    /**< of messages, bytes */
    uint64_t segment;       /**< bytes; 0: not given */
    int megabits;           /**< speed of a host's link, Mbit/s; 0: not given */
    int n_alike;            /* communicators that may broadcast concurrently; 0: one */
    int mtu;                /**< bytes */
    bool all_candidates;    /**< --all */
    bool multicast;         /**< --multicast */
    bool json;              /**< --json */
    bool dot;               /**< --dot */
} tool_options_t;

/** The options by which ranks are placed: --root, --hosts, --ppn and --fanout. */
extern const common_option_t tool_rank_rows[];

/** The network of FILE, in all commands that have one. */
extern const common_option_t tool_file_rows[];

/** A member of the tool's options, for a row of a table. */
#define TOOL_VALUE(member) COMMON_VALUE(tool_options_t, member)

/** Takes --algorithm: names with commas, or all. */
void tool_take_kinds(void *options, const char *value);

struct tool_command;

/** Reads argv[1..] for `command`; the texts of the options are borrowed from argv. */
void tool_options_read(const struct tool_command *command, int argc, char **argv,
                       tool_options_t *options);

#endif
