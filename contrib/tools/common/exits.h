/* The last lines of --help, and the exit statuses, of all tools. */
#ifndef COMMON_EXITS_H
#define COMMON_EXITS_H

enum {
    COMMON_EXIT_DONE = 0,
    COMMON_EXIT_FAILED = 1, /**< a fault was found, or something failed */
    COMMON_EXIT_USAGE = 2,  /**< the command line is wrong */
};

/** For --help where there is no more to be said. */
#define COMMON_EXITS                                                                               \
    "Exit status: 0 done, 1 a fault was found or something failed, 2 the command line is wrong.\n"

/** The last lines of --help of every program. */
#define COMMON_BUGS "\nReport bugs to <" PACKAGE_BUGREPORT ">; home page: <" PACKAGE_URL ">.\n"

#endif
