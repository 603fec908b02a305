/*
 * The commands of pipebcast, and the programs that do their work.
 */
#ifndef FRONT_COMMANDS_H
#define FRONT_COMMANDS_H

typedef struct front_command {
    const char *name;    /**< the word behind pipebcast */
    const char *program; /**< its file's name */
    const char *word;    /**< the program's first argument; NULL: none */
    const char *package; /**< Debian's package that has the program */
    const char *summary; /**< one line for the list; NULL: it is not there, as an old name */
} front_command_t;

/** Commands under one heading of the list. */
typedef struct front_group {
    const char *heading;
    const front_command_t *commands; /**< ended by one without a name */
} front_group_t;

/** All commands; ended by a group without a heading. */
extern const front_group_t front_groups[];

/** The command of that name; NULL: there is none. O(commands). */
const front_command_t *front_command_find(const char *name);

#endif
