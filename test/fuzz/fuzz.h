/*
 * Fuzz targets: one for each reader of bytes from outside. Each is linked twice:
 * with libFuzzer, which makes up inputs (see `run`), and with replay.c, which
 * gives it every file of corpus/NAME. An input that was once a finding stays
 * there.
 */
#ifndef PB_FUZZ_H
#define PB_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "test/must.h"
#include "topo/util/diag.h"
#include "topo/util/error.h"

/** The directory below corpus/ with this target's inputs. */
extern const char fuzz_name[];

/** Reads one input and ends the program if a promise of the reader is broken; 0 as libFuzzer
 * wants it. Inputs end where their memory does: reading on is seen. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/** A copy that may be changed, exactly as long; the caller frees it. */
__attribute__((unused)) static uint8_t *fuzz_copy(const uint8_t *bytes, size_t length)
{
    uint8_t *copy = must_have(malloc(length > 0 ? length : 1));
    memcpy(copy, bytes, length);
    return copy;
}

/** An input as text, for the caller to free. */
__attribute__((unused)) static char *fuzz_text(const uint8_t *bytes, size_t length)
{
    char *text = must_have(malloc(length + 1));
    memcpy(text, bytes, length);
    text[length] = '\0';
    return text;
}

/** Promises of every parser on its result, its error and its messages, which are cleared. */
__attribute__((unused)) static void fuzz_parsed(int error, int has_result, pb_diag_t *diag)
{
    must(error == PB_SUCCESS || error == PB_ERR_INPUT);
    must((error == PB_SUCCESS) == (diag->n_errors == 0));
    must((error == PB_SUCCESS) == has_result);
    pb_diag_clear(diag);
}

/** Two texts are one; frees them. */
__attribute__((unused)) static void fuzz_same(char *first, size_t n_first, char *second,
                                              size_t n_second)
{
    must(n_first == n_second && memcmp(first, second, n_first) == 0);
    free(first);
    free(second);
}

#endif
