/* Messages to people, and failures that all ranks learn of. */
#ifndef TUNE_SAY_H
#define TUNE_SAY_H

#include <mpi.h>
#include <stdbool.h>

/** Prints one line, "pipebcast-tune: ...", to stderr, in one piece. */
void tune_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Whether all ranks say true. Collective. */
bool tune_all_good(bool good, MPI_Comm comm);

#endif
