/*
 * Decimal numbers as text: of files, and for people.
 */
#ifndef PB_DECIMAL_H
#define PB_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/** Reads a decimal number from `low` to `high` into *value_p, and tells whether `word` is one: one
 * digit or more, without sign, spaces or unit. O(length). */
bool pb_decimal_read(const char *word, uint64_t low, uint64_t high, uint64_t *value_p);

#define PB_RATE_TEXT_SIZE 32

/** Writes Mbit/s for people: 9412, 1.98. Returns the text. */
const char *pb_rate_text(double bits_per_second, char text[PB_RATE_TEXT_SIZE]);

#endif
