/* The commands of pipebcast, and the programs that do their work. */
#ifndef FRONT_COMMANDS_H
#define FRONT_COMMANDS_H

typedef enum front_kind {
    FRONT_ALONE,  /**< needs no MPI */
    FRONT_JOB,    /**< runs under mpirun, which --hostfile and --host start */
    FRONT_SCRIPT, /**< needs no MPI, and does not know its version */
} front_kind_t;

typedef struct front_command {
    const char *name;    /**< the word behind pipebcast */
    const char *program; /**< its file's name */
    const char *word;    /**< the program's first argument; NULL: none */
    const char *package; /**< Debian's package that has the program */
    front_kind_t kind;
    const char *summary; /**< one line for the list */
} front_command_t;

/** All commands; ended by one without a name. */
extern const front_command_t front_commands[];

/** The command of that name; NULL: there is none. O(commands). */
const front_command_t *front_command_find(const char *name);

#endif
