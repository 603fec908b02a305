/*
 * Reads a whole text file, for the readers.
 */
#ifndef PB_TEXT_FILE_H
#define PB_TEXT_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "topo/util/diag.h"

/**
 * Reads a stream to its end into memory that the caller frees, without a '\0' at the end. Messages
 * name the file `name` and its kind `kind` ("topology.conf"). PB_ERR_IO, with an error in `diag`,
 * if it cannot be read or has more than `max` bytes; PB_ERR_NO_MEMORY.
 */
int pb_text_file_read_stream(FILE *stream, const char *name, const char *kind, size_t max,
                             char **text_p, size_t *length_p, pb_diag_t *diag);

/** The same from a path. */
int pb_text_file_read(const char *path, const char *kind, size_t max, char **text_p,
                      size_t *length_p, pb_diag_t *diag);

#endif
