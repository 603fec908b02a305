/* Reading the values of the options of this directory's programs. */
#ifndef ADVISE_NUMBERS_H
#define ADVISE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrib/tools/common/options.h"

/* All leave a message and yield false if the value is not as it should be. */

/** Bytes with an optional K or M behind the number. */
bool advise_read_bytes(const char *option, const char *text, int64_t least, int64_t most,
                       int64_t *bytes_p, struct bench_complaint complaint);

/** A number of `unit`, with a fraction if it has one. */
bool advise_read_real(const char *option, const char *text, double least, double most,
                      const char *unit, double *value_p, struct bench_complaint complaint);

bool advise_read_int(const char *option, const char *text, int least, int most, int *value_p,
                     struct bench_complaint complaint);

/** A text of less than `size` bytes that is not empty. */
bool advise_read_text(const char *option, const char *text, char *copy, size_t size,
                      struct bench_complaint complaint);

#endif
