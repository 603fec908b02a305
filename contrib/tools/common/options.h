/*
 * The command line of a program as one table: the name of each option, its type and range, where
 * its value goes, and the text of --help. Parsing and --help both use the table;
 * test/tools/common/test_manuals.py compares the man pages with --help.
 */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Numbers that one list, as in --sizes 1K,64K, may have. */
#define COMMON_MAX_LIST 64

typedef struct common_list {
    int n;
    int64_t values[COMMON_MAX_LIST];
} common_list_t;

/** Where a reader of options puts its message. */
typedef struct common_complaint {
    char *text;
    size_t size;
} common_complaint_t;

/** Leaves a message. Always yields false, so that a reader can return it. */
bool common_wrong(common_complaint_t complaint, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef enum {
    COMMON_FLAG, /**< takes no value: an integer, bool or enum gets `least` */
    COMMON_TEXT, /**< a char array: a text without control characters; not empty if `least` is 1 */
    COMMON_WORD, /**< a const char *, borrowed from argv */
    COMMON_NUMBER,  /**< an integer: a whole number from `least` to `most`, times `unit` */
    COMMON_SIZE,    /**< an integer: bytes from `least` to `most`, with an optional K, M or G */
    COMMON_REAL,    /**< a double: from `real_least` to `real_most`, times `unit` */
    COMMON_CHOICE,  /**< an integer, bool or enum: `least` plus the index of one of `choices` */
    COMMON_NUMBERS, /**< a common_list_t: COMMON_NUMBERs, or FIRST:LAST for FIRST, twice that, ...
                     */
    COMMON_SIZES,   /**< a common_list_t: likewise, of COMMON_SIZEs */
    COMMON_OWN,     /**< anything: `take` reads it */
} common_type_t;

/** A library that an option needs, and that may not have been there when the program was built. */
typedef struct common_library {
    bool is_here;
    const char *name, *package; /**< the latter is Debian's */
} common_library_t;

/** Takes the value of an option into the program's options. False with a message if it is wrong. */
typedef bool common_take_fn(void *options, const char *value, common_complaint_t complaint);

/** One option. What its type does not need is left at 0. */
typedef struct common_option {
    const char *name; /**< without the dashes; NULL ends a table */
    common_type_t type;
    size_t offset;        /**< of the value in the program's options, in bytes; see COMMON_VALUE */
    size_t size;          /**< bytes of the value */
    const char *argument; /**< what --help calls the value; NULL for a flag */
    const char
        *missing; /**< what holds if the option is missing, as --help shows it; NULL: not shown */
    const char *help; /**< NULL: an old name of an option, which --help does not show */
    const char *now;  /**< of an old name: the option's name now, which a warning gives */
    const common_library_t *needs; /**< NULL: none */
    int64_t least, most;           /**< `most` 0: as much as the value holds */
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

/** What a program, or a command of one, takes. */
typedef struct common_command {
    const char *name;             /**< as people call it: "pipebcast check" */
    const char *usage;            /**< the first lines of --help, before the options */
    const common_group_t *groups; /**< ended by one without options */
    const char *more;             /**< the last lines of --help: examples, exit status */
} common_command_t;

/** What a command line asks for. COMMON_WRONG: there is a message. */
typedef enum { COMMON_RUN, COMMON_HELP, COMMON_VERSION, COMMON_WRONG } common_verdict_t;

/** Arguments that are no options, borrowed from argv. */
typedef struct common_operands {
    int n;
    char **words;
} common_operands_t;

/**
 * Reads argv[1..] into the program's options, which have their defaults. *operands_p gets what is
 * no option; NULL: there must be none. argv is put in another order: operands last. An option's old
 * name is taken with a warning on standard error.
 */
common_verdict_t common_options_read(const common_command_t *command, int argc, char **argv,
                                     void *options, common_operands_t *operands_p,
                                     common_complaint_t complaint);

/** The exit status of a program that ends with the verdict, or after a run that went so. */
int common_options_exit(common_verdict_t verdict, bool good);

/**
 * Prints what the verdict asks for, on standard output, or the message of COMMON_WRONG on standard
 * error, under the name by which the program was called.
 */
void common_options_answer(const common_command_t *command, common_verdict_t verdict,
                           const char *message);

/** Reads a whole number from `least` to `most` that begins with a digit. */
bool common_read_number(const char *text, int64_t least, int64_t most, int64_t *number_p);

/** Reads a number of bytes likewise, with K, M or G for powers of 1024 behind it. */
bool common_read_size(const char *text, int64_t least, int64_t most, int64_t *bytes_p);

#endif
