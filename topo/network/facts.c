#include "topo/network/facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "topo/util/error.h"

/** Beginning of the line; changes whenever the numbers mean something else. */
#define PREFIX "facts3"

enum { N_OTHERS = 6, N_NUMBERS = PB_FACTS_N_ALIKE + N_OTHERS, MOST_DIGITS = 16 };

_Static_assert(sizeof(PREFIX) + N_NUMBERS * (1 + MOST_DIGITS) <= PB_FACTS_SIZE, "a line has room");

const char *pb_facts_write(const pb_facts_t *facts, char line[PB_FACTS_SIZE])
{
    const uint64_t others[N_OTHERS] = {facts->can_serve,       facts->model, facts->place,
                                       facts->bits_per_second, facts->mtu,   facts->connections};
    int at = snprintf(line, PB_FACTS_SIZE, PREFIX);
    for (int i = 0; i < N_NUMBERS; i++) {
        const uint64_t number = i < N_OTHERS ? others[i] : facts->alike[i - N_OTHERS];
        at += snprintf(line + at, (size_t) (PB_FACTS_SIZE - at), " %" PRIx64, number);
    }
    return line;
}

/** Reads a blank and a number without leading zeros; NULL if they are not there. */
static const char *read_number(const char *at, uint64_t *number_p)
{
    static const char digits[] = "0123456789abcdef";
    int n = 0;
    if (*at++ != ' ' || (at[0] == '0' && at[1] != ' ' && at[1] != '\0')) {
        return NULL;
    }
    *number_p = 0;
    for (; *at != ' ' && *at != '\0'; at++, n++) {
        const char *digit = strchr(digits, *at);
        if (digit == NULL || n == MOST_DIGITS) {
            return NULL;
        }
        *number_p = *number_p << 4 | (uint64_t) (digit - digits);
    }
    return n > 0 ? at : NULL;
}

int pb_facts_read(const char *line, pb_facts_t *facts_p)
{
    uint64_t numbers[N_NUMBERS];
    const char *at = strncmp(line, PREFIX, strlen(PREFIX)) == 0 ? line + strlen(PREFIX) : NULL;
    *facts_p = (pb_facts_t){.can_serve = false};
    for (int i = 0; i < N_NUMBERS && at != NULL; i++) {
        at = read_number(at, &numbers[i]);
    }
    if (at == NULL || *at != '\0' || numbers[0] > 1) {
        return PB_ERR_MALFORMED;
    }
    *facts_p = (pb_facts_t){.can_serve = numbers[0] == 1,
                            .model = numbers[1],
                            .place = numbers[2],
                            .bits_per_second = numbers[3],
                            .mtu = numbers[4],
                            .connections = numbers[5]};
    memcpy(facts_p->alike, numbers + N_OTHERS, sizeof(facts_p->alike));
    return PB_SUCCESS;
}
