#include "record.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Bytes of a value, its end included; a longer one is cut. */
enum { MAX_VALUE = 4096 };

static void add_bytes(doctor_record_t *record, const char *bytes, size_t n)
{
    char *grown = record->failed ? NULL : realloc(record->bytes, record->n + n);
    if (grown == NULL) {
        record->failed = true;
        return;
    }
    memcpy(grown + record->n, bytes, n);
    record->bytes = grown;
    record->n += n;
}

void doctor_record_add(doctor_record_t *record, const char *name, const char *format, ...)
{
    char value[MAX_VALUE];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    for (char *at = value; *at != '\0'; at++) {
        *at = (unsigned char) *at < ' ' || *at == 127 ? ' ' : *at;
    }
    add_bytes(record, name, strlen(name) + 1);
    add_bytes(record, value, strlen(value) + 1);
}

/** The text behind this one. */
static const char *behind(const char *text)
{
    return text + strlen(text) + 1;
}

const char *doctor_record_next(const doctor_record_t *record, const char *name)
{
    const char *next = name == NULL ? record->bytes : behind(behind(name));
    return next == NULL || next >= record->bytes + record->n ? NULL : next;
}

const char *doctor_record_find(const doctor_record_t *record, const char *name)
{
    for (const char *at = doctor_record_next(record, NULL); at != NULL;
         at = doctor_record_next(record, at)) {
        if (strcmp(at, name) == 0) {
            return behind(at);
        }
    }
    return NULL;
}

double doctor_record_number(const doctor_record_t *record, const char *name, double missing)
{
    const char *value = doctor_record_find(record, name);
    return value != NULL && value[0] != '\0' ? strtod(value, NULL) : missing;
}

bool doctor_record_take(doctor_record_t *record, const char *bytes, size_t n)
{
    size_t n_ends = 0;
    for (size_t i = 0; i < n; i++) {
        n_ends += bytes[i] == '\0';
    }
    if (n_ends % 2 != 0 || (n > 0 && bytes[n - 1] != '\0')) {
        return false;
    }
    add_bytes(record, bytes, n);
    return !record->failed;
}

void doctor_record_append(doctor_record_t *record, const doctor_record_t *more)
{
    if (more->n > 0) {
        add_bytes(record, more->bytes, more->n);
    }
    record->failed = record->failed || more->failed;
}

void doctor_record_free(doctor_record_t *record)
{
    free(record->bytes);
    *record = (doctor_record_t){.bytes = NULL};
}
