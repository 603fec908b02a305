#include "topo/network/node_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A name as a beginning and a number of `digits` digits; digits is 0 if there is
 * no number, or one that is too long. */
typedef struct numbered {
    const char *name;
    size_t stem;
    int digits;
    long number;
} numbered_t;

static numbered_t split_name(const char *name)
{
    size_t end = strlen(name), begin = end;
    while (begin > 0 && isdigit((unsigned char) name[begin - 1])) {
        begin--;
    }
    bool fits = begin < end && end - begin <= 9;
    return (numbered_t){.name = name,
                        .stem = fits ? begin : end,
                        .digits = fits ? (int) (end - begin) : 0,
                        .number = fits ? strtol(name + begin, NULL, 10) : 0};
}

static bool continues(const numbered_t *before, const numbered_t *after)
{
    bool padded = before->digits > 1 && before->name[before->stem] == '0';
    bool alike = after->digits == before->digits ||
                 (!padded && after->digits > before->digits && after->name[after->stem] != '0');
    return before->digits > 0 && after->digits > 0 && alike && before->stem == after->stem &&
           strncmp(before->name, after->name, before->stem) == 0 &&
           after->number == before->number + 1;
}

void pb_node_names_print(FILE *out, const pb_network_t *network, const int *nodes, int n)
{
    for (int i = 0; i < n;) {
        numbered_t first = split_name(pb_network_node(network, nodes[i])->name), last = first;
        const char *separator = i > 0 ? "," : "";
        for (i++; i < n; i++) {
            numbered_t next = split_name(pb_network_node(network, nodes[i])->name);
            if (!continues(&last, &next)) {
                break;
            }
            last = next;
        }
        if (first.name == last.name) {
            fprintf(out, "%s%s", separator, first.name);
        } else {
            fprintf(out, "%s%.*s[%s-%s]", separator, (int) first.stem, first.name,
                    first.name + first.stem, last.name + last.stem);
        }
    }
}
