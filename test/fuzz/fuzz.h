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
#include <stdio.h>
#include <stdlib.h>

/** The directory below corpus/ with this target's inputs. */
extern const char fuzz_name[];

/** Reads one input and ends the program if a promise of the reader is broken; 0 as libFuzzer
 * wants it. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/** A promise that holds for every input. */
#define fuzz_must(condition)                                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
