/*
 * Output of the tools for programs, by the library Jansson; doc/json.md has the form of each.
 * Values are appended to a document, which is printed whole at the end. Out of memory the program
 * ends.
 */
#ifndef COMMON_JSON_H
#define COMMON_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"

/** The form of all documents. It changes when an old reader would not understand a new one. */
#define COMMON_JSON_FORMAT 1

/** The row of --json, with a flag of the program's options. */
#define COMMON_JSON_ROW(flag)                                                                      \
    {                                                                                              \
        "json", COMMON_FLAG, flag, .least = true, .help = "print JSON instead"                     \
    }

/** An object or array; it is there for as long as its document. */
typedef struct json_t *common_json_t;

/** A new object, which is no document; json_decref() frees it. */
common_json_t common_json_new(void);

/** Begins a document, an object with "format", "program" (the name given, as "pipebcast check") and
 * "version". */
common_json_t common_json_begin(const char *program);

/**
 * Each of these adds a value: to an object by a name, to an array (name NULL) at its end. A text
 * may hold any bytes: in one that is no UTF-8 those beyond ASCII become '?'. A NULL becomes null. A
 * real number is rounded to `decimals`; one that is not finite becomes null.
 */
void common_json_text(common_json_t to, const char *name, const char *text);
void common_json_integer(common_json_t to, const char *name, int64_t number);
void common_json_real(common_json_t to, const char *name, double number, int decimals);
void common_json_truth(common_json_t to, const char *name, bool truth);
void common_json_null(common_json_t to, const char *name);

/** Add an object or an array, which is returned. */
common_json_t common_json_object(common_json_t to, const char *name);
common_json_t common_json_array(common_json_t to, const char *name);

/**
 * Adds the object that a file has, which this program's like has written; null if the file is not
 * there, or has no object.
 */
void common_json_file(common_json_t to, const char *name, const char *path);

/** Prints the document, and frees it; with a NULL stream it is only freed. The caller checks the
 * stream. */
void common_json_end(common_json_t whole, FILE *stream);

#endif
