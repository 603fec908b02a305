/*
 * A directory's generation: a number that each writer of advice raises, and that readers
 * see in mapped memory, without asking the system.
 *
 * It lives in DIR/generation, which the first process to come makes. A reader that sees another
 * number than before reads the directory's files again. Both must see the same page: readers run on
 * the host of the writer. The file is never made shorter or replaced: it would be gone from under
 * the readers.
 */
#ifndef PB_GENERATION_H
#define PB_GENERATION_H

#include <stdint.h>

#include "topo/util/diag.h"

typedef struct pb_generation {
    uint64_t *counter; /**< in the mapped file; NULL: not open */
} pb_generation_t;

/**
 * Opens the generation of the directory `dir`, and makes it if it is not there.
 * PB_ERR_IO if the system refuses, PB_ERR_INPUT if the file is none, with a fault.
 */
int pb_generation_open(pb_generation_t *generation, const char *dir, pb_diag_t *diag);
void pb_generation_close(pb_generation_t *generation);

/** What it is now. Everything that was written before it was raised to this is seen. */
uint64_t pb_generation_get(const pb_generation_t *generation);

/** Raises it by one. */
void pb_generation_raise(const pb_generation_t *generation);

#endif
