#include "json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/** Digits of a real number: as many as come back as they were written in decimals. */
enum { DIGITS = 15 };

/** Most bytes of a document's file: the advisor's status has much less. */
enum { MOST_BYTES = 1 << 20 };

struct common_json_document {
    json_t *root; /**< owned */
    bool failed;  /**< a value could not be added */
};

/** Adds a value, which is the document's from here on. NULL: it could not be made. */
static common_json_t add(common_json_t to, const char *name, json_t *value)
{
    common_json_t added = {to.document, value};
    int failed = -1;
    if (to.value == NULL) {
        json_decref(value);
    } else if (name != NULL) {
        failed = json_object_set_new(to.value, name, value);
    } else {
        failed = json_array_append_new(to.value, value);
    }
    if (failed != 0) {
        added.value = NULL;
        if (to.document != NULL) {
            to.document->failed = true;
        }
    }
    return added;
}

common_json_t common_json_begin(const char *program)
{
    common_json_t whole = {.document = calloc(1, sizeof *whole.document), .value = NULL};
    if (whole.document != NULL) {
        whole.document->root = json_object();
        whole.document->failed = whole.document->root == NULL;
        whole.value = whole.document->root;
    }
    common_json_integer(whole, "format", COMMON_JSON_FORMAT);
    common_json_text(whole, "program", program);
    common_json_text(whole, "version", PACKAGE_VERSION);
    return whole;
}

/** The value of a text, which the library refuses if it is no UTF-8. NULL: out of memory. */
static json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    char *const ascii = value == NULL ? strdup(text) : NULL;
    for (char *at = ascii; at != NULL && *at != '\0'; at++) {
        *at = (unsigned char) *at < 0x80 ? *at : '?';
    }
    if (ascii != NULL) {
        value = json_string(ascii);
    }
    free(ascii);
    return value;
}

void common_json_text(common_json_t to, const char *name, const char *text)
{
    if (text == NULL) {
        common_json_null(to, name);
    } else {
        add(to, name, text_value(text));
    }
}

void common_json_integer(common_json_t to, const char *name, int64_t number)
{
    add(to, name, json_integer(number));
}

void common_json_real(common_json_t to, const char *name, double number, int decimals)
{
    const double unit = pow(10, decimals);
    const double rounded = round(number * unit) / unit;
    add(to, name, isfinite(rounded) ? json_real(rounded) : json_null());
}

void common_json_truth(common_json_t to, const char *name, bool truth)
{
    add(to, name, json_boolean(truth));
}

void common_json_null(common_json_t to, const char *name)
{
    add(to, name, json_null());
}

common_json_t common_json_object(common_json_t to, const char *name)
{
    return add(to, name, json_object());
}

common_json_t common_json_array(common_json_t to, const char *name)
{
    return add(to, name, json_array());
}

/** The object in a file; NULL: there is none. */
static json_t *read_object(const char *path)
{
    FILE *const stream = fopen(path, "r");
    char *const text = stream != NULL ? malloc(MOST_BYTES) : NULL;
    const size_t length = text != NULL ? fread(text, 1, MOST_BYTES, stream) : 0;
    json_t *value = length > 0 && length < MOST_BYTES ? json_loadb(text, length, 0, NULL) : NULL;
    free(text);
    if (stream != NULL) {
        fclose(stream);
    }
    if (value != NULL && !json_is_object(value)) {
        json_decref(value);
        value = NULL;
    }
    return value;
}

void common_json_file(common_json_t to, const char *name, const char *path)
{
    json_t *const value = read_object(path);
    add(to, name, value != NULL ? value : json_null());
}

/** Prints it. False with a message if out of memory, now or before. */
static bool print(const common_json_document_t *document, FILE *stream)
{
    const size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS);
    char *const text =
        document != NULL && !document->failed ? json_dumps(document->root, flags) : NULL;
    if (text != NULL) {
        fputs(text, stream);
        fputc('\n', stream);
    } else {
        common_report("out of memory for the JSON document");
    }
    const bool good = text != NULL;
    free(text);
    return good;
}

bool common_json_end(common_json_t whole, FILE *stream)
{
    const bool good = stream == NULL || print(whole.document, stream);
    if (whole.document != NULL) {
        json_decref(whole.document->root);
    }
    free(whole.document);
    return good;
}
