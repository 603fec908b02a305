/*
 * The values of a line of KEY=VALUE. Keys may be in any case, blanks around '=' and values in
 * double quotes, as Slurm has it.
 */
#ifndef PB_SLURM_VALUES_H
#define PB_SLURM_VALUES_H

#include "topo/util/diag.h"

/** Keys by number, ended by NULL. */
typedef const char *const pb_slurm_keys_t[];

/**
 * Cuts a text, which is changed, into values in the order of the keys. A value that is not given
 * stays; the last of several counts. What is not understood is ignored with a warning for the line
 * of `file` that lists what is `known`. O(text x keys).
 */
void pb_slurm_values_cut(pb_slurm_keys_t keys, const char *known, char *text, const char *file,
                         int line, pb_diag_t *warnings, char **values);

#endif
