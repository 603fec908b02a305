#include "topo/util/text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

int pb_text_file_read_stream(FILE *stream, const char *name, const char *kind, size_t max,
                             char **text_p, size_t *length_p, pb_diag_t *diag)
{
    char *text = NULL;
    size_t length = 0, capacity = 0;
    *text_p = NULL;
    do {
        if (length == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 65536;
            char *more = realloc(text, capacity);
            if (more == NULL) {
                free(text);
                return PB_ERR_NO_MEMORY;
            }
            text = more;
        }
        length += fread(text + length, 1, capacity - length, stream);
    } while (!feof(stream) && !ferror(stream) && length <= max);
    if (ferror(stream) || length > max) {
        if (ferror(stream)) {
            pb_diag_error(diag, name, 0, "cannot be read: %s", strerror(errno));
        } else {
            pb_diag_error(diag, name, 0, "is larger than %zu bytes; is this a %s?", max, kind);
        }
        free(text);
        return PB_ERR_IO;
    }
    *text_p = text;
    *length_p = length;
    return PB_SUCCESS;
}

int pb_text_file_read(const char *path, const char *kind, size_t max, char **text_p,
                      size_t *length_p, pb_diag_t *diag)
{
    *text_p = NULL;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        pb_diag_error(diag, path, 0, "cannot be opened: %s", strerror(errno));
        return PB_ERR_IO;
    }
    int rc = pb_text_file_read_stream(stream, path, kind, max, text_p, length_p, diag);
    fclose(stream);
    return rc;
}
