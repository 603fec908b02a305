/*
 * The command line of a program as a table over getopt_long(). A row has an option's name, its type
 * and range, where its value goes, and its text of --help. --help, --version and wrong options are
 * answered here and end the program, before MPI_Init in programs that use MPI. Under a launcher
 * rank 0 alone answers.
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Numbers that one list, as in --sizes 1K,64K, may have. */
#define COMMON_MAX_LIST 64

typedef struct common_list {
    int n;
    int64_t values[COMMON_MAX_LIST];
} common_list_t;

typedef enum {
    COMMON_FLAG,    /**< takes no value: an integer, bool or enum gets 1 */
    COMMON_TEXT,    /**< a char array: a text that is not empty, without control characters */
    COMMON_WORD,    /**< a const char *, borrowed from argv */
    COMMON_NUMBER,  /**< an integer: a whole number from `least` to `most`, times `unit` */
    COMMON_SIZE,    /**< an integer: bytes from `least` to `most`, with an optional K, M or G */
    COMMON_REAL,    /**< a double: from `real_least` to `real_most`, times `unit` */
    COMMON_CHOICE,  /**< an integer, bool or enum: `least` plus the index of one of `choices` */
    COMMON_NUMBERS, /**< a common_list_t: numbers, or FIRST:LAST for FIRST, twice that, ... */
    COMMON_SIZES,   /**< a common_list_t: the same, of sizes */
    COMMON_OWN,     /**< anything: `take` reads it */
} common_type_t;

/** Takes the value of an option into the program's options, or ends by common_usage_error(). */
typedef void common_take_fn(void *options, const char *value);

/** One option. Members that its type does not need are 0. */
typedef struct common_option {
    const char *name; /**< without the dashes; NULL ends a table */
    common_type_t type;
    size_t offset, size;  /**< of the value in the program's options, see COMMON_VALUE */
    char letter;          /**< the short form; 0: none */
    const char *argument; /**< the value's name in --help; NULL for a flag */
    const char *missing;  /**< the default, as --help shows it; NULL: not shown */
    const char *help;
    int64_t least, most; /**< `most` 0: as much as the value holds */
    double real_least, real_most;
    double unit;                /**< 0: 1 */
    const char *unit_name;      /**< for messages, "seconds"; NULL: none */
    const char *const *choices; /**< ended by NULL */
    common_take_fn *take;
} common_option_t;

/** The offset and the size of a member of the program's options. */
#define COMMON_VALUE(type, member)                                                                 \
    .offset = offsetof(type, member), .size = sizeof(((type *) NULL)->member)

/** Options under one heading of --help. */
typedef struct common_group {
    const char *heading; /**< NULL: none */
    const common_option_t *options;
} common_group_t;

/** A program, or a command of one. */
typedef struct common_command {
    const char *name;             /**< "pipebcast check" */
    const char *usage;            /**< the first lines of --help, before the options */
    const common_group_t *groups; /**< ended by one without options */
    const char *more;             /**< the last lines of --help: examples, exit status */
    bool has_operands;            /**< takes arguments that are no options */
} common_command_t;

/** Arguments that are no options, borrowed from argv. */
typedef struct common_operands {
    int n;
    char **words;
} common_operands_t;

/**
 * Reads argv[1..] into the program's options, which have their defaults; puts the operands, which
 * it returns, behind the options in argv.
 */
common_operands_t common_options_read(const common_command_t *command, int argc, char **argv,
                                      void *options);

/** Variable of the environment by which pipebcast has a command of jobs check its options only. */
#define COMMON_ONLY_OPTIONS "PIPEBCAST_ONLY_OPTIONS"

/** Variable by which it tells rank 0 the hosts of its own command line, as "--hostfile hosts". */
#define COMMON_HOSTS "PIPEBCAST_HOSTS"

/** Ends the program if it has only options to check, which are valid; called after the last check.
 */
void common_options_done(void);

/** Reports a wrong command line, with a hint at --help, and ends the program. */
void common_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** Prints the answer to --version. */
void common_print_version(void);

/** Reports a value that is none of an option's words, with all of them. */
void common_unknown_word(const char *option, const char *word, const char *const *words)
    __attribute__((noreturn));

/** Reads a whole number from `least` to `most` that begins with a digit. */
bool common_read_number(const char *text, int64_t least, int64_t most, int64_t *number_p);

/** Reads a number of bytes, with K, M or G for powers of 1024 behind it. */
bool common_read_size(const char *text, int64_t least, int64_t most, int64_t *bytes_p);

#endif
