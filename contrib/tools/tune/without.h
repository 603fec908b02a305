/*
 * Keeps pipebcast out of this job: what it would be compared with is the broadcast that is there
 * without it, and the measurements themselves must not be served by what they are for.
 */
#ifndef TUNE_WITHOUT_H
#define TUNE_WITHOUT_H

#include <stdbool.h>

/**
 * Takes pipebcast out of the list of components in this process's environment. Before MPI_Init.
 * False if out of memory.
 */
bool tune_without_pipebcast(void);

/** Whether Open MPI has loaded pipebcast all the same. After MPI_Init; MPI_T must be initialised.
 */
bool tune_pipebcast_is_there(void);

#endif
