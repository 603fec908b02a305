/*
 * Prints the completion of pipebcast's commands and options for bash, from the tables by which the
 * programs read their options. It is run when they are built.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/advisor/options.h"
#include "contrib/tools/bench/options.h"
#include "contrib/tools/counters/options.h"
#include "contrib/tools/doctor/options.h"
#include "contrib/tools/pipebcast/commands.h"
#include "contrib/tools/probe/options.h"
#include "contrib/tools/topo/command.h"
#include "contrib/tools/tune/options.h"

/** A command whose table is known here, and what its operands are. */
typedef struct completed {
    const common_command_t *command;
    const char *operands; /**< words, or FILES; NULL: none */
} completed_t;

static const completed_t completed[] = {
    {&tool_cmd_check.line, "FILES"},
    {&tool_cmd_show.line, "FILES"},
    {&tool_cmd_tree.line, "FILES"},
    {&tool_cmd_load.line, "FILES"},
    {&tool_cmd_simulate.line, "FILES"},
    {&tool_cmd_explain.line, "FILES"},
    {&tool_cmd_import.line, "lldp FILES"},
    {&tool_cmd_heights.line, NULL},
    {&tool_cmd_plan_times.line, NULL},
    {&tool_cmd_anneal.line, "FILES"},
    {&advisor_command, "status"},
    {&bench_command, NULL},
    {&counters_command, NULL},
    {&doctor_command, NULL},
    {&probe_command, NULL},
    {&tune_command, NULL},
};

enum { N_COMPLETED = sizeof completed / sizeof completed[0] };

/** "check" of "pipebcast check". */
static const char *word_of(const common_command_t *command)
{
    return strchr(command->name, ' ') + 1;
}

/** Calls a function for each option that --help shows. */
static void for_options(const common_command_t *command,
                        void (*visit)(const common_command_t *, const common_option_t *))
{
    for (const common_group_t *group = command->groups; group->options != NULL; group++) {
        for (const common_option_t *row = group->options; row->name != NULL; row++) {
            if (row->help != NULL) {
                visit(command, row);
            }
        }
    }
}

static void print_option(const common_command_t *command, const common_option_t *row)
{
    (void) command;
    printf("--%s ", row->name);
}

static void print_operands(const completed_t *row)
{
    const char *const operands = row->operands;
    const char *const files = operands != NULL ? strstr(operands, "FILES") : NULL;
    if (operands != NULL && files != operands) {
        printf(" words='%.*s'", (int) strcspn(operands, " "), operands);
    }
    if (files != NULL) {
        printf(" files=-f");
    }
}

static void print_kinds(void)
{
    for (int kind = 0; kind < PB_KIND_COUNT; kind++) {
        printf("%s ", pb_kind_name((pb_kind_t) kind));
    }
}

static void print_choices(const char *const *choices)
{
    for (; *choices != NULL; choices++) {
        printf("%s ", *choices);
    }
}

/** A branch for an option that has a value; values that nobody can guess are left empty. */
static void print_value(const common_command_t *command, const common_option_t *row)
{
    if (row->type == COMMON_FLAG) {
        return;
    }
    printf("    %s:--%s)", word_of(command), row->name);
    if (row->type == COMMON_CHOICE) {
        printf(" words='");
        print_choices(row->choices);
        printf("'");
    } else if (row->take == tool_take_kinds) {
        printf(" words='");
        print_kinds();
        printf("all'");
    } else if (strcmp(row->argument, "FILE") == 0) {
        printf(" files=-f");
    } else if (strcmp(row->argument, "DIR") == 0) {
        printf(" files=-d");
    }
    puts(" ;;");
}

static void print_commands(void)
{
    printf("_pipebcast_commands='");
    for (const front_group_t *group = front_groups; group->heading != NULL; group++) {
        for (const front_command_t *row = group->commands; row->name != NULL; row++) {
            if (row->summary != NULL) {
                printf("%s ", row->name);
            }
        }
    }
    puts("help'\n");
}

static void print_tables(void)
{
    puts("# What comes behind a command: options, words and files.\n"
         "_pipebcast_of_command()\n"
         "{\n"
         "    case $1 in");
    for (int i = 0; i < N_COMPLETED; i++) {
        printf("    %s) options='", word_of(completed[i].command));
        for_options(completed[i].command, print_option);
        printf("--help --version'");
        print_operands(&completed[i]);
        puts(" ;;");
    }
    puts("    *) return 1 ;;\n"
         "    esac\n"
         "}\n"
         "\n"
         "# The values of an option of a command; false: it takes none.\n"
         "_pipebcast_of_option()\n"
         "{\n"
         "    case $1:$2 in");
    for (int i = 0; i < N_COMPLETED; i++) {
        for_options(completed[i].command, print_value);
    }
    puts("    *) return 1 ;;\n"
         "    esac\n"
         "}\n");
}

/** The part that does not depend on the tables. */
static const char script[] =
    "# What a program that is no part of the tables has in its help.\n"
    "_pipebcast_of_help()\n"
    "{\n"
    "    local text\n"
    "    text=$(\"$@\" --help 2>/dev/null) || return\n"
    "    options=$(grep -oE -- '--[a-z][a-z-]*' <<<\"$text\" | sort -u)\n"
    "    words=$(sed -nE 's/^    ([a-z][a-z-]*)( .*)?$/\\1/p' <<<\"$text\")\n"
    "    files=-f\n"
    "}\n"
    "\n"
    "_pipebcast()\n"
    "{\n"
    "    local at=1 command word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local options='' words='' files='' program=${COMP_WORDS[0]##*/}\n"
    "    COMPREPLY=()\n"
    "    case $program in\n"
    "    pipebcast | pipebcast-topo) command=${COMP_WORDS[1]} at=2 ;;\n"
    "    pipebcast-advisor) command=advise ;;\n"
    "    *) command=${program#pipebcast-} ;;\n"
    "    esac\n"
    "    # --option=value comes as three words.\n"
    "    if [[ $word == = ]]; then\n"
    "        word=''\n"
    "    elif [[ $before == = ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
    "    fi\n"
    "    if ((COMP_CWORD < at)); then\n"
    "        words=$_pipebcast_commands options='--help --version'\n"
    "    elif [[ $command == help ]]; then\n"
    "        words=$_pipebcast_commands\n"
    "    elif _pipebcast_of_option \"$command\" \"$before\"; then\n"
    "        :\n"
    "    elif ! _pipebcast_of_command \"$command\"; then\n"
    "        _pipebcast_of_help \"pipebcast-$command\" ${COMP_WORDS[at]:+\"${COMP_WORDS[at]}\"} "
    "||\n"
    "            _pipebcast_of_help \"pipebcast-$command\"\n"
    "        [[ -n $options ]] || _pipebcast_of_help \"pipebcast-$command\"\n"
    "    fi\n"
    "    if [[ $word == -* ]]; then\n"
    "        words=$options\n"
    "    elif [[ -n $files ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen $files -- \"$word\")\n"
    "    fi\n"
    "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
    "}\n";

static void print_registration(void)
{
    const char *last = "";
    printf("complete -F _pipebcast pipebcast");
    for (const front_group_t *group = front_groups; group->heading != NULL; group++) {
        for (const front_command_t *row = group->commands; row->name != NULL; row++) {
            if (strcmp(row->program, last) != 0) {
                printf(" %s", row->program);
            }
            last = row->program;
        }
    }
    putchar('\n');
}

int main(void)
{
    printf("# Completion of pipebcast %s for bash, made from the programs' tables of options.\n\n",
           PACKAGE_VERSION);
    print_commands();
    print_tables();
    puts(script);
    print_registration();
    return fflush(stdout) != 0 || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
