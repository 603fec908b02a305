#include "topo/util/source_lines.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"
#include "topo/util/kit.h"

void pb_source_lines_clear(pb_source_lines_t *lines)
{
    for (int i = 0; i < lines->n_parts; i++) {
        free(lines->parts[i].file);
    }
    free(lines->parts);
    *lines = (pb_source_lines_t){.parts = NULL};
}

int pb_source_lines_part(pb_source_lines_t *lines, int at, const char *file, int line)
{
    pb_source_part_t *parts =
        pb_grow(lines->parts, lines->n_parts, &lines->capacity, sizeof(*parts));
    if (parts == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    lines->parts = parts;
    char *copy = strdup(file);
    if (copy == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    lines->parts[lines->n_parts++] = (pb_source_part_t){.file = copy, .line = line, .at = at};
    return PB_SUCCESS;
}

const char *pb_source_lines_find(const pb_source_lines_t *lines, int at, int *line_p)
{
    int first = 0, end = lines->n_parts; /* the first part after `at` is from first to end */
    while (first < end) {
        const int middle = first + (end - first) / 2;
        if (lines->parts[middle].at <= at) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    if (first == 0) {
        return NULL;
    }
    const pb_source_part_t *part = &lines->parts[first - 1];
    *line_p = part->line + (at - part->at);
    return part->file;
}
