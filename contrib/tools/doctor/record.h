/* A rank's record of itself: texts by name, as a JSON object, which can be sent. */
#ifndef DOCTOR_RECORD_H
#define DOCTOR_RECORD_H

#include <jansson.h>

/** Adds a value; control characters in it become blanks. */
void doctor_record_add(json_t *record, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The value of a name, borrowed; NULL: there is none. */
const char *doctor_record_find(const json_t *record, const char *name);

/** The number that the value of a name is; `missing` if there is none. */
double doctor_record_number(const json_t *record, const char *name, double missing);

#endif
