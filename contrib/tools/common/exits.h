/* The exit statuses of all tools. */
#ifndef COMMON_EXITS_H
#define COMMON_EXITS_H

enum {
    COMMON_EXIT_DONE = 0,
    COMMON_EXIT_FAILED = 1, /**< an error was found, or something failed */
    COMMON_EXIT_USAGE = 2,  /**< the command line is wrong */
};

/** The last line of --help. */
#define COMMON_EXITS                                                                               \
    "Exit status: 0 done, 1 an error was found or something failed, 2 the command line is "        \
    "wrong.\n"

#endif
