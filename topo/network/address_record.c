#include "topo/network/address_record.h"

#include <stdio.h>
#include <string.h>

/** Changes whenever the lines mean something else. */
#define RECORD_VERSION "1"

enum { LINE_VERSION, LINE_NODE, LINE_ADDRESS, LINE_PATTERN, N_LINES };

/* A value within its bound, or one byte more than that. */
static int kept(size_t most, const char *value)
{
    return (int) strnlen(value, most + 1);
}

char *pb_address_record_write(const char *node, const char *address, const char *pattern)
{
    char *record = NULL;
    node = node != NULL ? node : "";
    address = address != NULL ? address : "";
    pattern = pattern != NULL ? pattern : "";
    if (asprintf(&record, RECORD_VERSION "\n%.*s\n%.*s\n%.*s", kept(PB_ADDRESS_MAX_NODE, node),
                 node, kept(PB_ADDRESS_MAX_LENGTH, address), address,
                 kept(PB_ADDRESS_MAX_LENGTH, pattern), pattern) < 0) {
        return NULL;
    }
    return record;
}

int pb_address_record_read(char *record, pb_address_t *address_p)
{
    char *lines[N_LINES], *rest = record;
    int n = 0;
    address_p->node = address_p->address = address_p->pattern = "";
    while (n < N_LINES && rest != NULL) {
        lines[n++] = strsep(&rest, "\n");
    }
    if (n < N_LINES || rest != NULL || strcmp(lines[LINE_VERSION], RECORD_VERSION) != 0) {
        return PB_ERR_MALFORMED;
    }
    address_p->node = lines[LINE_NODE];
    address_p->address = lines[LINE_ADDRESS];
    address_p->pattern = lines[LINE_PATTERN];
    return PB_SUCCESS;
}
