#include "record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "contrib/tools/common/json.h"

/** Bytes of a value, its end included; a longer one is cut. */
enum { MAX_VALUE = 4096 };

void doctor_record_add(json_t *record, const char *name, const char *format, ...)
{
    char value[MAX_VALUE];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    for (char *at = value; *at != '\0'; at++) {
        *at = (unsigned char) *at < ' ' || *at == 127 ? ' ' : *at;
    }
    common_json_text(record, name, value);
}

const char *doctor_record_find(const json_t *record, const char *name)
{
    return json_string_value(json_object_get(record, name));
}

double doctor_record_number(const json_t *record, const char *name, double missing)
{
    const char *value = doctor_record_find(record, name);
    return value != NULL && value[0] != '\0' ? strtod(value, NULL) : missing;
}
