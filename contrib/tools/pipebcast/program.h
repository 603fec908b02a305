/* Where the programs are that pipebcast stands in front of. */
#ifndef FRONT_PROGRAM_H
#define FRONT_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/**
 * Finds a program of the project: in the directory by whose name this one was called, in the one
 * where it really is (a link may lead here), in libexec/pipebcast next to either, where configure
 * has put it, or else in PATH. So programs find each other wherever an installation was moved to.
 * False if it is nowhere.
 */
bool front_program_find(const char *name, char path[PATH_MAX]);

#endif
