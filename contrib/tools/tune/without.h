/*
 * Keeps pipebcast out of this job. It is compared with the fallback component's broadcast, and must
 * not serve the measurements themselves.
 */
#ifndef TUNE_WITHOUT_H
#define TUNE_WITHOUT_H

#include <stdbool.h>

/**
 * Takes pipebcast out of the list of components in this process's environment. Before MPI_Init.
 * False if out of memory.
 */
bool tune_without_pipebcast(void);

/** Tells whether Open MPI has loaded pipebcast all the same. After MPI_Init and
 * MPI_T_init_thread. */
bool tune_pipebcast_is_there(void);

#endif
