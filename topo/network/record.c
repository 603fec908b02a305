#include "topo/network/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "topo/util/error.h"

/** Beginning of the text; changes whenever a line means something else. */
#define PREFIX "record1"

enum { N_OTHERS = 6, N_NUMBERS = PB_FACTS_N_ALIKE + N_OTHERS, MOST_DIGITS = 16 };
enum { LINE_FACTS, LINE_HOST, LINE_NODE, LINE_ADDRESS, LINE_PATTERN, N_LINES };

static const char *text_of(const char *value)
{
    return value != NULL ? value : "";
}

/** Bytes that are kept of a value: those of its line, at most one more than it may have. */
static int kept(size_t most, const char *value)
{
    const size_t length = strcspn(text_of(value), "\n");
    return (int) (length > most ? most + 1 : length);
}

char *pb_record_write(const pb_facts_t *facts, const pb_address_t *address)
{
    const uint64_t others[N_OTHERS] = {facts->can_serve,       facts->model, facts->place,
                                       facts->bits_per_second, facts->mtu,   facts->connections};
    char numbers[N_NUMBERS * (1 + MOST_DIGITS) + 1], *text;
    int at = 0;
    for (int i = 0; i < N_NUMBERS; i++) {
        const uint64_t number = i < N_OTHERS ? others[i] : facts->alike[i - N_OTHERS];
        at += snprintf(numbers + at, sizeof(numbers) - (size_t) at, " %" PRIx64, number);
    }
    const int length =
        asprintf(&text, PREFIX "%s\n%s\n%.*s\n%.*s\n%.*s", numbers, text_of(address->host),
                 kept(PB_ADDRESS_MAX_NODE, address->node), text_of(address->node),
                 kept(PB_ADDRESS_MAX_LENGTH, address->address), text_of(address->address),
                 kept(PB_ADDRESS_MAX_LENGTH, address->pattern), text_of(address->pattern));
    return length >= 0 ? text : NULL;
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

/** Reads the line of facts, which stay as they are if it is malformed. */
static bool read_facts(const char *line, pb_facts_t *facts_p)
{
    uint64_t numbers[N_NUMBERS];
    const char *at = strncmp(line, PREFIX, strlen(PREFIX)) == 0 ? line + strlen(PREFIX) : NULL;
    for (int i = 0; i < N_NUMBERS && at != NULL; i++) {
        at = read_number(at, &numbers[i]);
    }
    if (at == NULL || *at != '\0' || numbers[0] > 1) {
        return false;
    }
    *facts_p = (pb_facts_t){.can_serve = numbers[0] == 1,
                            .model = numbers[1],
                            .place = numbers[2],
                            .bits_per_second = numbers[3],
                            .mtu = numbers[4],
                            .connections = numbers[5]};
    memcpy(facts_p->alike, numbers + N_OTHERS, sizeof(facts_p->alike));
    return true;
}

int pb_record_read(char *text, pb_facts_t *facts_p, pb_address_t *address_p)
{
    const char *lines[N_LINES] = {"", "", "", "", ""};
    char *rest = text;
    int n = 0;
    while (n < N_LINES && rest != NULL) {
        lines[n++] = strsep(&rest, "\n");
    }
    *facts_p = (pb_facts_t){.can_serve = false};
    *address_p = (pb_address_t){.host = lines[LINE_HOST], .node = "", .address = "", .pattern = ""};
    if (n < N_LINES || rest != NULL || !read_facts(lines[LINE_FACTS], facts_p)) {
        return PB_ERR_MALFORMED;
    }
    address_p->node = lines[LINE_NODE];
    address_p->address = lines[LINE_ADDRESS];
    address_p->pattern = lines[LINE_PATTERN];
    return PB_SUCCESS;
}
