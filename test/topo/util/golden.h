/*
 * Golden files: each input of a directory is read and printed, and must equal the file of its name
 * that ends in ".expected". With UPDATE_GOLDEN=1 in the environment that file is written anew.
 */
#ifndef PB_TEST_GOLDEN_H
#define PB_TEST_GOLDEN_H

#include <stdbool.h>

/** Text that reading a file yields, which golden_check() frees. */
typedef char *golden_print_t(const char *file);

/** Told of each file whether it is as expected: makes a TAP line of it. */
typedef void golden_verdict_t(const char *file, bool equal);

/**
 * Checks all files of `directory`, below $srcdir or the current directory, and returns their
 * number. They are printed from inside the directory, as messages name a file as it was given.
 */
int golden_check(const char *directory, golden_print_t *print, golden_verdict_t *verdict);

/** A row of a table, with n columns. */
typedef void golden_row_t(char *const *columns, int n);

/**
 * Shows the rows of a file, below $srcdir or the current directory, and returns their number. Each
 * line that does not begin with '#' is one, with tabs between columns; \n, \r, \t, \\ and \xHH are
 * as in C.
 */
int golden_rows(const char *file, golden_row_t *row);

/** Tells whether two texts are equal; says in TAP comments how not. `expected` may be NULL. */
bool golden_equal(const char *is, const char *expected);

#endif
