/*
 * The subcommands of pipebcast-topo, and their exit codes.
 */
#ifndef TOOL_COMMAND_H
#define TOOL_COMMAND_H

#include "options.h"

/** Exit codes; part of the interface, see pipebcast-topo(1). */
typedef enum {
    TOOL_OK = 0,
    TOOL_FAULTY = 1,     /**< the topology file has faults */
    TOOL_USAGE = 2,      /**< the command line is wrong */
    TOOL_CONTENTION = 3, /**< a plan breaks the rule that its algorithm promises to keep */
    TOOL_UNFIT = 4,      /**< the algorithm does not serve this network */
    TOOL_SYSTEM = 5,     /**< a file or stream failed, or out of memory */
} tool_exit_t;

/** The last lines of --help of the commands that show one plan. */
#define TOOL_PLAN_EXITS                                                                            \
    "exit status: 0 all is well; 1 FILE has faults; 2 the command line is wrong; 3 the tree\n"     \
    "has contention though its algorithm promises none (flat, binomial, rank_chain and\n"          \
    "rank_binary promise nothing: their loads are only shown); 4 the algorithm does not\n"         \
    "serve this network; 5 a file or stream failed, or out of memory.\n"

typedef struct tool_command {
    common_command_t line; /**< its name is "pipebcast-topo NAME" */
    const char *summary;   /**< one line for the list of commands */
    bool needs_file;       /**< FILE must be given; else it must not */
    bool many_files;       /**< any operands may be given, and the command judges them */
    bool all_kinds;        /**< without --algorithm, all kinds are taken */
    tool_exit_t (*run)(const tool_options_t *options);
} tool_command_t;

extern const tool_command_t tool_cmd_check, tool_cmd_show, tool_cmd_tree, tool_cmd_load,
    tool_cmd_simulate, tool_cmd_heights, tool_cmd_explain, tool_cmd_import;

#endif
