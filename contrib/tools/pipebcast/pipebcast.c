/*
 * pipebcast: one name for all tools. `pipebcast COMMAND` becomes the program that does the work, so
 * this program needs no MPI where they do. With --hostfile it becomes mpirun, once the program has
 * found no error in its options.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/options.h"
#include "contrib/tools/common/report.h"
#include "program.h"

/** Bytes of "pipebcast COMMAND", by which a program calls itself in its messages. */
enum { CALLED_SIZE = 64, MORE_ARGUMENTS = 10 };

static void print_help(void)
{
    char path[PATH_MAX];
    fputs("Usage: pipebcast COMMAND [ARGUMENT]...\n"
          "       pipebcast COMMAND --hostfile FILE [ARGUMENT]...   (commands of jobs)\n"
          "       pipebcast help COMMAND\n"
          "       pipebcast --version\n"
          "\n"
          "Tools for broadcasts over switched Ethernet with the component pipebcast of Open MPI.\n"
          "\n",
          stdout);
    for (const front_command_t *command = front_commands; command->name != NULL; command++) {
        printf("  %-9s %s%s\n", command->name, command->summary,
               front_program_find(command->program, path) ? "" : " (not installed)");
    }
    fputs(
        "\n"
        "doctor, bench, tune, counters and probe are commands of jobs: start them by mpirun or\n"
        "srun, or give --hostfile FILE or --host LIST, by which they start mpirun with a rank on\n"
        "each host.\n"
        "\n"
        "First steps:\n"
        "  pipebcast doctor --hostfile HOSTS\n"
        "  pipebcast bench --hostfile HOSTS\n"
        "\n" COMMON_EXITS,
        stdout);
}

/** Becomes a program; returns the exit status if that fails. */
static int become(const char *path, char **arguments)
{
    execvp(path, arguments);
    common_report("%s cannot be started: %s", path, strerror(errno));
    return COMMON_EXIT_FAILED;
}

/** The value of --hostfile or --host at argv[i], NULL if it is missing, and how many arguments both
 * take; 0: it is none. */
static int host_option(char *const *argv, int i, const char **name_p, const char **value_p)
{
    static const char *const names[] = {"--hostfile", "--host"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        const size_t length = strlen(names[n]);
        *name_p = names[n];
        if (strcmp(argv[i], names[n]) == 0) {
            *value_p = argv[i + 1];
            return argv[i + 1] != NULL ? 2 : 1;
        }
        if (strncmp(argv[i], names[n], length) == 0 && argv[i][length] == '=') {
            *value_p = argv[i] + length + 1;
            return 1;
        }
    }
    return 0;
}

/** Returns the error of a file of hosts, NULL if it names one. A pipe is left to mpirun. */
static const char *error_of_hosts(const char *path)
{
    char line[4096];
    struct stat is, input;
    const bool is_there = stat(path, &is) == 0;
    if (is_there && fstat(STDIN_FILENO, &input) == 0 && is.st_dev == input.st_dev &&
        is.st_ino == input.st_ino) {
        return "is the standard input, which mpirun does not get";
    }
    if (is_there && S_ISFIFO(is.st_mode)) {
        return NULL;
    }
    FILE *const file = fopen(path, "r");
    bool has_host = false;
    if (file == NULL) {
        return strerror(errno);
    }
    errno = 0;
    while (!has_host && fgets(line, sizeof line, file) != NULL) {
        const char *at = line + strspn(line, " \t");
        has_host = *at != '#' && !iscntrl((unsigned char) *at);
    }
    const char *const error = ferror(file) ? strerror(errno) : has_host ? NULL : "names no host";
    fclose(file);
    return error;
}

/** Reports --hostfile or --host without a value, and a file of hosts that cannot be used. */
static bool hosts_are_good(char *const *argv)
{
    const char *name, *value;
    for (int i = 1; argv[i] != NULL; i++) {
        if (host_option(argv, i, &name, &value) == 0) {
            continue;
        }
        if (value == NULL) {
            common_report("%s needs a value", name);
            return false;
        }
        const char *const error = strcmp(name, "--hostfile") == 0 ? error_of_hosts(value) : NULL;
        if (error != NULL) {
            common_report("--hostfile: %s: %s; write the name of a host on each line", value,
                          error);
            return false;
        }
    }
    return true;
}

/** Has the program check its options; false if it has refused them. */
static bool options_are_good(const char *path, char **arguments)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    setenv(COMMON_ONLY_OPTIONS, "1", 1);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int error = posix_spawn(&child, path, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    unsetenv(COMMON_ONLY_OPTIONS);
    return error != 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
           WEXITSTATUS(status) != COMMON_EXIT_USAGE;
}

/**
 * Becomes mpirun with one rank on each host, and without input, which mpirun would take from a
 * script around it. `job` has mpirun's n first arguments and room for the others; `arguments` are
 * the program's.
 */
static int become_mpirun(const char *path, char **arguments, char **job, int n)
{
    if (!options_are_good(path, arguments)) {
        return COMMON_EXIT_USAGE;
    }
    job[n++] = "-x";
    job[n++] = COMMON_HOSTS;
    job[n++] = "--map-by";
    job[n++] = "ppr:1:node";
    job[n++] = (char *) path;
    for (char **next = arguments + 1; *next != NULL; next++) {
        job[n++] = *next;
    }
    const int input = open("/dev/null", O_RDONLY);
    if (input > 0) {
        dup2(input, STDIN_FILENO);
        close(input);
    }
    const int code = become("mpirun", job);
    common_report("put the directory of Open MPI's mpirun into PATH, or start the command by srun");
    return code;
}

static bool is_question(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0 ||
           strcmp(argument, "--version") == 0;
}

/** Adds an option to what COMMON_HOSTS tells. */
static void add_hosts(const char *name, const char *value)
{
    const char *const before = getenv(COMMON_HOSTS);
    char *text = common_format("%s%s%s %s", before != NULL ? before : "", before != NULL ? " " : "",
                               name, value);
    setenv(COMMON_HOSTS, text, 1);
    free(text);
}

/** Becomes the program of a command; its arguments follow argv[0], the command's name. */
static int run_command(const front_command_t *command, int argc, char **argv)
{
    char path[PATH_MAX], called[CALLED_SIZE];
    const char *name = NULL, *value;
    const bool is_job = command->kind == FRONT_JOB;
    if (!front_program_find(command->program, path)) {
        common_report("%s is not installed; on Debian the package %s has it", command->program,
                      command->package);
        return COMMON_EXIT_FAILED;
    }
    if (is_job && !hosts_are_good(argv)) {
        return COMMON_EXIT_USAGE;
    }
    char **const arguments = calloc((size_t) argc + MORE_ARGUMENTS, sizeof *arguments);
    char **const job = calloc(2 * (size_t) argc + MORE_ARGUMENTS, sizeof *job);
    if (arguments == NULL || job == NULL) {
        common_report("out of memory");
        free(arguments);
        free(job);
        return COMMON_EXIT_FAILED;
    }
    snprintf(called, sizeof called, "pipebcast %s", command->name);
    int n = 0, n_job = 0;
    job[n_job++] = "mpirun";
    arguments[n++] = called;
    if (command->word != NULL) {
        arguments[n++] = (char *) command->word; /* execv() does not change it */
    }
    bool asks = false; /* which needs no job */
    for (int i = 1; i < argc;) {
        const int n_host = is_job ? host_option(argv, i, &name, &value) : 0;
        asks = asks || is_question(argv[i]);
        if (n_host == 0) {
            arguments[n++] = argv[i++];
        } else {
            job[n_job++] = (char *) name;
            job[n_job++] = (char *) value;
        }
        i += n_host;
    }
    for (int i = 1; i < n_job; i += 2) {
        add_hosts(job[i], job[i + 1]);
    }
    const int code =
        n_job > 1 && !asks ? become_mpirun(path, arguments, job, n_job) : become(path, arguments);
    free(arguments);
    free(job);
    return code;
}

/** Does as `pipebcast COMMAND --help`. */
static int help(const front_command_t *command)
{
    char *arguments[] = {(char *) command->name, "--help", NULL};
    return run_command(command, 2, arguments);
}

static int run(int argc, char **argv)
{
    const char *const word = argc > 1 ? argv[1] : "--help";
    const bool is_help = strcmp(word, "help") == 0;
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (is_help && argc == 2)) {
        print_help();
        return COMMON_EXIT_DONE;
    }
    if (strcmp(word, "--version") == 0) {
        common_print_version();
        return COMMON_EXIT_DONE;
    }
    const char *const name = is_help ? argv[2] : word;
    const front_command_t *const command = front_command_find(name);
    if (command == NULL) {
        common_report("'%s' is no command; see pipebcast --help", name);
        return COMMON_EXIT_USAGE;
    }
    if (command->kind == FRONT_SCRIPT && !is_help && strcmp(argv[argc - 1], "--version") == 0) {
        common_print_version();
        return COMMON_EXIT_DONE;
    }
    return is_help ? help(command) : run_command(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    const int code = run(argc, argv);
    common_check_output();
    return code;
}
