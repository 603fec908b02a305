/*
 * pipebcast-topo: checks topology files, and shows what the broadcast component
 * makes of them. The commands are in cmd_*.c.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "contrib/tools/common/report.h"

static const tool_command_t *const commands[] = {&tool_cmd_check, &tool_cmd_show, &tool_cmd_explain,
                                                 &tool_cmd_tree, &tool_cmd_simulate};

enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/** The word by which a command is called. */
static const char *name_of(const tool_command_t *command)
{
    return strchr(command->line.name, ' ') + 1;
}

static void print_help(FILE *stream)
{
    fputs("Usage: pipebcast-topo COMMAND FILE [OPTION]...\n"
          "\n"
          "Commands on topology files, without MPI; tree and simulate are for developers.\n"
          "\n",
          stream);
    for (int i = 0; i < N_COMMANDS; i++) {
        fprintf(stream, "  %-10s %s\n", name_of(commands[i]), commands[i]->summary);
    }
    fputs("\n"
          "pipebcast-topo COMMAND --help describes each command.\n"
          "\n" COMMON_EXITS,
          stream);
}

static const tool_command_t *find_command(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(name, name_of(commands[i])) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int run(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    const tool_command_t *command = find_command(word);
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return COMMON_EXIT_DONE;
    }
    if (strcmp(word, "--version") == 0) {
        common_print_version();
        return COMMON_EXIT_DONE;
    }
    if (argc < 2) {
        print_help(stderr);
        return COMMON_EXIT_USAGE;
    }
    if (command == NULL) {
        common_end(COMMON_EXIT_USAGE, "'%s' is no command; see pipebcast --help", word);
    }
    tool_options_t options;
    tool_options_read(command, argc - 1, argv + 1, &options);
    return command->run(&options);
}

int main(int argc, char **argv)
{
    const int code = run(argc, argv);
    common_check_output();
    return code;
}
