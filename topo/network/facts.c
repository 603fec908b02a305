#include "topo/network/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "topo/util/error.h"

/** What the line begins with; changes whenever the numbers mean something else. */
#define PREFIX "facts2"

enum { N_NUMBERS = 7, DIGITS = 16 };

const char *pb_facts_write(const pb_facts_t *facts, char line[PB_FACTS_SIZE])
{
    snprintf(line, PB_FACTS_SIZE,
             PREFIX " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64
                    " %016" PRIx64 " %016" PRIx64,
             facts->digest, facts->host, facts->place, facts->bits_per_second, facts->mtu,
             facts->connections, facts->kept);
    return line;
}

/** Reads a blank and the digits of one number; NULL if they are not there. */
static const char *read_number(const char *at, uint64_t *number_p)
{
    static const char digits[] = "0123456789abcdef";
    if (*at++ != ' ') {
        return NULL;
    }
    *number_p = 0;
    for (int i = 0; i < DIGITS; i++, at++) {
        const char *digit = *at != '\0' ? strchr(digits, *at) : NULL;
        if (digit == NULL) {
            return NULL;
        }
        *number_p = *number_p << 4 | (uint64_t) (digit - digits);
    }
    return at;
}

int pb_facts_read(const char *line, pb_facts_t *facts_p)
{
    uint64_t numbers[N_NUMBERS];
    const char *at = strncmp(line, PREFIX, strlen(PREFIX)) == 0 ? line + strlen(PREFIX) : NULL;
    for (int i = 0; i < N_NUMBERS && at != NULL; i++) {
        at = read_number(at, &numbers[i]);
    }
    if (at == NULL || *at != '\0') {
        *facts_p = (pb_facts_t){.digest = 0};
        return PB_ERR_MALFORMED;
    }
    *facts_p = (pb_facts_t){.digest = numbers[0],
                            .host = numbers[1],
                            .place = numbers[2],
                            .bits_per_second = numbers[3],
                            .mtu = numbers[4],
                            .connections = numbers[5],
                            .kept = numbers[6]};
    return PB_SUCCESS;
}
