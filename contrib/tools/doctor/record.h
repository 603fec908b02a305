/* A rank's record of itself: texts by name, in a form that can be sent. */
#ifndef DOCTOR_RECORD_H
#define DOCTOR_RECORD_H

#include <stddef.h>

/** Zeros: empty. */
typedef struct doctor_record {
    char *bytes; /**< owned: name, '\0', value, '\0', and so on */
    size_t n;    /**< of bytes */
} doctor_record_t;

/** Adds a value; control characters in it become blanks. */
void doctor_record_add(doctor_record_t *record, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** The value of a name, borrowed; NULL: there is none. O(record). */
const char *doctor_record_find(const doctor_record_t *record, const char *name);

/** The number that the value of a name is; `missing` if there is none. */
double doctor_record_number(const doctor_record_t *record, const char *name, double missing);

/** The name after this one, NULL: the first one; NULL at the end. Borrowed. */
const char *doctor_record_next(const doctor_record_t *record, const char *name);

/** Adds the bytes of another record. */
void doctor_record_append(doctor_record_t *record, const char *bytes, size_t n);

void doctor_record_free(doctor_record_t *record);

#endif
