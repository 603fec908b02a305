#include "record.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/tools/common/exits.h"
#include "contrib/tools/common/report.h"

/** Bytes of a value, its end included; a longer one is cut. */
enum { MAX_VALUE = 4096 };

static void add_bytes(doctor_record_t *record, const char *bytes, size_t n)
{
    record->bytes = realloc(record->bytes, record->n + n);
    if (record->bytes == NULL) {
        common_end(COMMON_EXIT_FAILED, "out of memory for a record");
    }
    memcpy(record->bytes + record->n, bytes, n);
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

void doctor_record_append(doctor_record_t *record, const char *bytes, size_t n)
{
    if (n > 0) {
        add_bytes(record, bytes, n);
    }
}

void doctor_record_free(doctor_record_t *record)
{
    free(record->bytes);
    *record = (doctor_record_t){.bytes = NULL};
}
