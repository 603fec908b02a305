/* Where the programs are that pipebcast stands in front of. */
#ifndef FRONT_PROGRAM_H
#define FRONT_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/**
 * Finds a program of the project. It looks in the directory of this one's name, and where it really
 * is (a link may lead here). Next it looks in libexec/pipebcast next to either, where configure has
 * put it, and then in PATH. Else it looks in PATH. So programs find each other wherever an
 * installation was moved to. False if it is nowhere.
 */
bool front_program_find(const char *name, char path[PATH_MAX]);

#endif
