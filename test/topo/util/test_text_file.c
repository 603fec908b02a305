/* Whole files: read as they are, and refused with a message where they are too large or not there.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "test/tap.h"
#include "topo/util/error.h"
#include "topo/util/text_file.h"

/* Reads `length` bytes where at most `max` are allowed; the first error into `error`. */
static int read_bytes(size_t length, size_t max, char *fault, size_t size)
{
    pb_diag_t diag;
    char *text, *given = malloc(length);
    size_t n;
    memset(given, 'x', length);
    FILE *stream = fmemopen(given, length, "rb");
    pb_diag_init(&diag);
    int error = pb_text_file_read_stream(stream, "name", "list", max, &text, &n, &diag);
    bool same = error != PB_SUCCESS || (n == length && memcmp(text, given, n) == 0);
    snprintf(fault, size, "%s", same ? pb_diag_first(&diag) : "the text is another one");
    pb_diag_clear(&diag);
    fclose(stream);
    free(text);
    free(given);
    return same ? error : PB_ERR_IO;
}

int main(void)
{
    char fault[200], *text;
    size_t n;
    ok(read_bytes(1000, 1000, fault, sizeof(fault)) == PB_SUCCESS,
       "as many bytes as are allowed: %s", fault);
    ok(read_bytes(200000, 200000, fault, sizeof(fault)) == PB_SUCCESS, "many bytes: %s", fault);
    ok(read_bytes(1001, 1000, fault, sizeof(fault)) == PB_ERR_IO &&
           strcmp(fault, "name: is larger than 1000 bytes; is this a list?") == 0,
       "one more: %s", fault);
    pb_diag_t diag;
    pb_diag_init(&diag);
    ok(pb_text_file_read("there/is/no/such", "list", 1, &text, &n, &diag) == PB_ERR_IO &&
           text == NULL && diag.n_errors == 1,
       "no file: %s", pb_diag_first(&diag));
    pb_diag_clear(&diag);
    return tap_done();
}
