#include "test/topo/network/address_lines.h"

#include <string.h>

/** The next word of a line, "" for "-"; a '~' in it becomes a blank. */
static const char *word_of(char **line)
{
    char *word = strsep(line, " ");
    for (char *at = word; at != NULL && *at != '\0'; at++) {
        *at = *at == '~' ? ' ' : *at;
    }
    return word == NULL || strcmp(word, "-") == 0 ? "" : word;
}

int address_lines_read(char *text, pb_address_t *addresses, int most)
{
    int n = 0;
    for (char *line = strsep(&text, "\n"); line != NULL && n < most; line = strsep(&text, "\n")) {
        if (strchr(line, ' ') != NULL) {
            pb_address_t *address = &addresses[n++];
            address->host = strsep(&line, " ");
            address->node = word_of(&line);
            address->address = word_of(&line);
            address->pattern = word_of(&line);
        }
    }
    return n;
}
