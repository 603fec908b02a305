/*
 * The command line, read once for all subcommands: each names the options that
 * it takes.
 */
#ifndef TOOL_OPTIONS_H
#define TOOL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "topo/trees/plan.h"

/** Numbers that one list, as in --segments 16,32, may have. */
#define TOOL_MAX_LIST 64

/** Ranks that one run may have. */
#define TOOL_MAX_RANKS (1 << 20)

typedef enum {
    TOOL_FORMAT_TEXT,
    TOOL_FORMAT_JSON,
    TOOL_FORMAT_DOT,
    TOOL_FORMAT_SVG,
    TOOL_FORMAT_COUNT
} tool_format_t;

typedef struct tool_list {
    int n;
    int values[TOOL_MAX_LIST];
} tool_list_t;

typedef struct tool_options {
    const char *file;  /**< NULL: none; "-": standard input */
    const char *root;  /**< NULL: rank 0 */
    const char *hosts; /**< hostlist of the hosts that take part; NULL: all */
    int ppn;           /**< ranks on each host */
    pb_plan_options_t plan;
    int n_kinds; /**< 0: none named */
    pb_kind_t kinds[PB_KIND_COUNT];
    bool all_kinds; /**< --algorithm all: kinds that do not fit are no error */
    tool_format_t format;
    tool_list_t segments;
    bool links_model; /**< --model links; else slot */
    bool show_links;  /**< --links */
    tool_list_t sizes;
    tool_list_t per_switch;
    int topologies;
    uint64_t seed;
    const char *picture;    /**< NULL: none */
    const char *model_file; /**< NULL: none */
    uint64_t bytes;         /**< of the message; 0: not given */
    uint64_t segment;       /**< bytes; 0: not given */
    int megabits;           /**< speed of a host's link, Mbit/s */
    int mtu;                /**< bytes */
    bool all_candidates;    /**< --all */
    bool help;
} tool_options_t;

struct tool_command;

/**
 * Reads argv[1..] for `command`. A wrong option is explained on standard error.
 * The texts of the options are borrowed from argv.
 */
bool tool_options_read(const struct tool_command *command, int argc, char **argv,
                       tool_options_t *options);

#endif
