/*
 * Diagnostics: errors in an input, with their lines.
 *
 * A reader reports every error to a pb_diag_t and goes on. So a tool can show all errors of a file,
 * and the plugin the first. Messages are kept up to a bound; further ones are only counted.
 */
#ifndef PB_DIAG_H
#define PB_DIAG_H

#include <stddef.h>
#include <string.h>

#include "topo/util/source_lines.h"

/** Messages kept by one pb_diag_t; the rest are counted in n_errors only. */
#define PB_DIAG_MAX_KEPT 100

typedef struct pb_diag {
    char **messages; /**< "FILE:LINE: what, and what to do", in input order */
    size_t n_kept;   /**< entries of messages */
    size_t n_errors; /**< errors reported, kept or not */
    /** Borrowed, while several files are read as one text: the file and line that stand in messages
     * for the lines that are reported. NULL: lines are those of the file that is named. */
    const pb_source_lines_t *lines;
} pb_diag_t;

/** An empty set of diagnostics. Owns nothing yet. */
void pb_diag_init(pb_diag_t *diag);

/** Frees the messages and leaves the set empty. */
void pb_diag_clear(pb_diag_t *diag);

/** Reports one error; `diag` NULL: nobody wants it. `file` may be NULL (neither file nor line is
 * printed), `line` may be 0 (only the file is printed). Running out of memory keeps the count right
 * and loses only the text. */
void pb_diag_error(pb_diag_t *diag, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Bytes that pb_diag_line() writes at most, the end included. */
#define PB_DIAG_LINE_SIZE 320

/**
 * Makes words for a line to which a message about the line `from` refers: "line 7", or "line 7 of
 * FILE" in another file. Returns `text`.
 */
const char *pb_diag_line(char text[PB_DIAG_LINE_SIZE], const pb_diag_t *diag, int from, int line);

/** Bytes that pb_diag_quote() writes at most, the end included. */
#define PB_DIAG_QUOTE_SIZE 64

/**
 * Makes `length` bytes of an input fit for a message: what is not printable
 * ASCII becomes '?', and a long text ends in "...". Returns `quote`.
 */
const char *pb_diag_quote(char quote[PB_DIAG_QUOTE_SIZE], const char *text, size_t length);

/** The same of a whole text. */
static inline const char *pb_diag_quote_text(char quote[PB_DIAG_QUOTE_SIZE], const char *text)
{
    return pb_diag_quote(quote, text, strlen(text));
}

/** The first message kept, or a fixed text if it was out of memory. */
const char *pb_diag_first(const pb_diag_t *diag);

#endif
