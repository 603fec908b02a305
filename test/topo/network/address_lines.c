#include "test/topo/network/address_lines.h"

#include <string.h>

#include "topo/network/address_record.h"

static const char *without_dash(const char *text)
{
    return strcmp(text, "-") == 0 ? "" : text;
}

int address_lines_read(char *text, pb_address_t *addresses, int most)
{
    int n = 0;
    for (char *line = strsep(&text, "\n"); line != NULL && n < most; line = strsep(&text, "\n")) {
        char *record = strchr(line, ' ');
        if (record == NULL) {
            continue;
        }
        *record++ = '\0';
        for (char *at = record; *at != '\0'; at++) {
            *at = *at == ' ' ? '\n' : *at == '~' ? ' ' : *at;
        }
        pb_address_t *address = &addresses[n++];
        address->host = line;
        (void) pb_address_record_read(record, address);
        address->node = without_dash(address->node);
        address->address = without_dash(address->address);
        address->pattern = without_dash(address->pattern);
    }
    return n;
}
