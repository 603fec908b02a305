/*
 * pipebcast: one name for all tools. `pipebcast COMMAND` starts the program that does the work,
 * such as pipebcast-topo or pipebcast-bench, in its own place; so this program needs no MPI where
 * they do.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/report.h"
#include "program.h"

/** Bytes of "pipebcast COMMAND", by which a program calls itself in its messages. */
enum { CALLED_SIZE = 64 };

static void print_commands(const front_group_t *group)
{
    char path[PATH_MAX];
    printf("%s:\n", group->heading);
    for (const front_command_t *command = group->commands; command->name != NULL; command++) {
        if (command->summary != NULL) {
            printf("  %-10s  %s%s\n", command->name, command->summary,
                   front_program_find(command->program, path) ? "" : " (not installed)");
        }
    }
    putchar('\n');
}

static void print_help(void)
{
    fputs("Usage: pipebcast COMMAND [ARGUMENT]...\n"
          "       pipebcast help COMMAND\n"
          "       pipebcast --version\n"
          "\n"
          "Tools for broadcasts over switched Ethernet with the component pipebcast of Open MPI.\n"
          "\n",
          stdout);
    for (const front_group_t *group = front_groups; group->heading != NULL; group++) {
        print_commands(group);
    }
    fputs("first steps:\n"
          "  pipebcast check cluster.conf\n"
          "  pipebcast show cluster.conf\n"
          "  mpirun --hostfile hosts pipebcast doctor\n"
          "\n"
          "pipebcast help COMMAND describes each command; the man pages pipebcast(1) and\n"
          "pipebcast(7) lead to all others.\n"
          "\n" COMMON_EXITS COMMON_BUGS,
          stdout);
}

/** Becomes the program of a command; its arguments follow `argv[0]`, which is its name. */
static int become(const front_command_t *command, int argc, char **argv)
{
    char path[PATH_MAX], called[CALLED_SIZE];
    char **const arguments = calloc((size_t) argc + 2, sizeof *arguments);
    int n = 0;
    if (arguments == NULL) {
        common_report("out of memory");
        return COMMON_EXIT_FAILED;
    }
    snprintf(called, sizeof called, "pipebcast %s", command->name);
    arguments[n++] = called;
    if (command->word != NULL) {
        arguments[n++] = (char *) command->word; /* execv() does not change it */
    }
    for (int i = 1; i < argc; i++) {
        arguments[n++] = argv[i];
    }
    if (!front_program_find(command->program, path)) {
        common_report("%s is not installed; on Debian the package %s has it", command->program,
                      command->package);
    } else {
        execv(path, arguments);
        common_report("%s cannot be started: %s", path, strerror(errno));
    }
    free(arguments);
    return COMMON_EXIT_FAILED;
}

/** As `pipebcast COMMAND --help`. */
static int help(const front_command_t *command)
{
    char *arguments[] = {(char *) command->name, "--help", NULL};
    return become(command, 2, arguments);
}

static const front_command_t *find_command(const char *name)
{
    const front_command_t *const command = front_command_find(name);
    if (command == NULL) {
        common_report("'%s' is no command; see pipebcast --help", name);
    }
    return command;
}

static int run(int argc, char **argv)
{
    const char *const word = argc > 1 ? argv[1] : "--help";
    const front_command_t *command;
    const bool is_help = strcmp(word, "help") == 0;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (is_help && argc == 2)) {
        print_help();
        return COMMON_EXIT_DONE;
    }
    if (strcmp(word, "--version") == 0) {
        puts("pipebcast " PACKAGE_VERSION);
        return COMMON_EXIT_DONE;
    }
    command = find_command(is_help ? argv[2] : word);
    if (command == NULL) {
        return COMMON_EXIT_USAGE;
    }
    return is_help ? help(command) : become(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    const int code = run(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        common_report("standard output cannot be written: %s", strerror(errno));
        return COMMON_EXIT_FAILED;
    }
    return code;
}
