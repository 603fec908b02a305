#include "numbers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool advise_read_bytes(const char *option, const char *text, int64_t least, int64_t most,
                       int64_t *bytes_p, struct bench_complaint complaint)
{
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    const int shift = strcasecmp(end, "k") == 0 ? 10 : strcasecmp(end, "m") == 0 ? 20 : 0;
    if (end == text || (*end != '\0' && shift == 0) || errno != 0 || number < 0 ||
        number > INT64_MAX >> shift || number << shift < least || number << shift > most) {
        return bench_wrong(complaint,
                           "%s: '%s' is no size from %" PRId64 " to %" PRId64
                           " bytes; write for example 2874 or 64K",
                           option, text, least, most);
    }
    *bytes_p = number << shift;
    return true;
}

bool advise_read_real(const char *option, const char *text, double least, double most,
                      const char *unit, double *value_p, struct bench_complaint complaint)
{
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(value >= least && value <= most)) {
        return bench_wrong(complaint, "%s: '%s' is no number of %s from %g to %g", option, text,
                           unit, least, most);
    }
    *value_p = value;
    return true;
}

bool advise_read_int(const char *option, const char *text, int least, int most, int *value_p,
                     struct bench_complaint complaint)
{
    long long value;
    if (!bench_read_number(text, least, most, &value)) {
        return bench_wrong(complaint, "%s: '%s' is no whole number from %d to %d", option, text,
                           least, most);
    }
    *value_p = (int) value;
    return true;
}

bool advise_read_text(const char *option, const char *text, char *copy, size_t size,
                      struct bench_complaint complaint)
{
    if (text[0] == '\0') {
        return bench_wrong(complaint, "%s: is empty; leave it out or give a value", option);
    }
    return bench_read_text(option, text, copy, size, complaint);
}
