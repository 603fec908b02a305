/*
 * The values of a line of KEY=VALUE. Keys may be in any case, blanks around '=' and values in
 * double quotes, as Slurm has it.
 */
#ifndef PB_SLURM_VALUES_H
#define PB_SLURM_VALUES_H

#include "topo/util/diag.h"

/** A key, and what to do if a line has it twice. */
typedef struct pb_slurm_key {
    const char *name; /**< NULL ends a table */
    const char *if_twice;
} pb_slurm_key_t;

typedef struct pb_slurm_keys {
    const pb_slurm_key_t *keys;
    const char *known; /**< for messages: "A, B and C" */
} pb_slurm_keys_t;

/**
 * Cuts a text, which is changed, into values in the order of the keys; one that is not given stays
 * as it was. What is wrong is reported for the line of `file`. O(text x keys).
 */
void pb_slurm_values_cut(const pb_slurm_keys_t *keys, char *text, const char *file, int line,
                         pb_diag_t *diag, char **values);

#endif
