/*
 * Decimal numbers in text files, for the readers.
 */
#ifndef PB_DECIMAL_H
#define PB_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Whether `word` is a decimal number from `low` to `high`: digits alone, one at least, without
 * sign, spaces or unit. If it is, *value_p is the number. O(length).
 */
bool pb_decimal_read(const char *word, uint64_t low, uint64_t high, uint64_t *value_p);

#endif
