#include "json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "report.h"

/** Digits of a real number: as many as come back as they were written in decimals. */
enum { DIGITS = 15 };

/** Most bytes of a document's file: the advisor's status has much less. */
enum { MOST_BYTES = 1 << 20 };

/** The library's malloc(), which ends the program if out of memory. */
static void *allocate(size_t size)
{
    return common_alloc(size, 1);
}

/** Adds a value, which is the document's from here on; returns it. */
static common_json_t add(common_json_t to, const char *name, json_t *value)
{
    if (name != NULL) {
        json_object_set_new(to, name, value);
    } else {
        json_array_append_new(to, value);
    }
    return value;
}

common_json_t common_json_new(void)
{
    json_set_alloc_funcs(allocate, free);
    return json_object();
}

common_json_t common_json_begin(const char *program)
{
    const common_json_t whole = common_json_new();
    common_json_integer(whole, "format", COMMON_JSON_FORMAT);
    common_json_text(whole, "program", program);
    common_json_text(whole, "version", PACKAGE_VERSION);
    return whole;
}

void common_json_text(common_json_t to, const char *name, const char *text)
{
    json_t *value = text != NULL ? json_string(text) : json_null();
    if (value == NULL) { /* as the library refuses it */
        char *const ascii = common_copy(text);
        for (char *at = ascii; *at != '\0'; at++) {
            *at = (unsigned char) *at < 0x80 ? *at : '?';
        }
        value = json_string(ascii);
        free(ascii);
    }
    add(to, name, value);
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
    if (stream == NULL) {
        return NULL;
    }
    char *const text = common_alloc(MOST_BYTES, 1);
    const size_t length = fread(text, 1, MOST_BYTES, stream);
    json_t *value = length < MOST_BYTES ? json_loadb(text, length, 0, NULL) : NULL;
    free(text);
    fclose(stream);
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

void common_json_end(common_json_t whole, FILE *stream)
{
    if (stream != NULL) {
        json_dumpf(whole, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
        fputc('\n', stream);
    }
    json_decref(whole);
}
