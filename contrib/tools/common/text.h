/*
 * Names in the output formats, and names for JSON, whose library writes them. A name may hold any
 * bytes; those that are no UTF-8, or a control character, is replaced by U+FFFD.
 */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stdio.h>

/** The text with U+FFFD in the place of what no output may hold. The caller frees it; NULL: out of
 * memory. */
char *common_text_clean(const char *text);

/** Writes the text as a quoted identifier of the DOT language. */
void common_dot_string(FILE *stream, const char *text);

#endif
