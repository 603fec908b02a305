/*
 * Decimal numbers in text files, for the readers.
 */
#ifndef PB_DECIMAL_H
#define PB_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/** Reads a decimal number from `low` to `high` into *value_p, and tells whether `word` is one: one
 * digit or more, without sign, spaces or unit. O(length). */
bool pb_decimal_read(const char *word, uint64_t low, uint64_t high, uint64_t *value_p);

#endif
