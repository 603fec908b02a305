/*
 * Paths of files next to others.
 */
#ifndef PB_SLURM_BESIDE_H
#define PB_SLURM_BESIDE_H

#include <stdbool.h>

/** The path of `name`, relative to the directory of `file` unless it is absolute. NULL if out of
 * memory; the caller frees it. */
char *pb_slurm_beside(const char *file, const char *name);

/** Tells whether the last part of a path is `name`. */
bool pb_slurm_is_called(const char *file, const char *name);

#endif
