/* The subcommands of pipebcast-topo. */
#ifndef TOOL_COMMAND_H
#define TOOL_COMMAND_H

#include "contrib/tools/common/exits.h"
#include "options.h"

/** The last lines of --help of the commands that show one plan. */
#define TOOL_PLAN_EXITS                                                                            \
    "Exit status: 0 all is well; 1 FILE is invalid or cannot be read, the algorithm does not\n"    \
    "serve this network, or the tree has contention though its algorithm promises none (flat,\n"   \
    "binomial, rank_chain and rank_binary promise nothing: their loads are only shown); 2 the\n"   \
    "command line is wrong.\n"

typedef struct tool_command {
    common_command_t line; /**< its name is "pipebcast NAME" */
    const char *summary;   /**< one line for the list of commands */
    bool all_kinds;        /**< without --algorithm, all kinds are taken */
    /** Returns the exit status. What it cannot go on without ends the program, with a message. */
    int (*run)(const tool_options_t *options);
} tool_command_t;

extern const tool_command_t tool_cmd_check, tool_cmd_show, tool_cmd_tree, tool_cmd_simulate,
    tool_cmd_explain;

#endif
