#include "topo/util/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pb_diag_init(pb_diag_t *diag)
{
    memset(diag, 0, sizeof(*diag));
}

void pb_diag_clear(pb_diag_t *diag)
{
    for (size_t i = 0; i < diag->n_kept; i++) {
        free(diag->messages[i]);
    }
    free(diag->messages);
    pb_diag_init(diag);
}

/* "FILE:LINE: ", "FILE: " or nothing. Returns its length, as snprintf. */
static int print_place(char *text, size_t size, const char *file, int line)
{
    if (file == NULL) {
        if (size > 0) {
            text[0] = '\0';
        }
        return 0;
    }
    if (line == 0) {
        return snprintf(text, size, "%s: ", file);
    }
    return snprintf(text, size, "%s:%d: ", file, line);
}

/* The whole message in memory of its own, or NULL. Uses up `args`. */
static char *make_message(const char *file, int line, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int place = print_place(NULL, 0, file, line);
    int rest = vsnprintf(NULL, 0, format, args);
    char *message = NULL;
    if (place >= 0 && rest >= 0) {
        message = malloc((size_t) place + (size_t) rest + 1);
    }
    if (message != NULL) {
        print_place(message, (size_t) place + 1, file, line);
        vsnprintf(message + place, (size_t) rest + 1, format, again);
    }
    va_end(again);
    return message;
}

void pb_diag_error(pb_diag_t *diag, const char *file, int line, const char *format, ...)
{
    if (diag == NULL) {
        return;
    }
    diag->n_errors++;
    if (diag->n_kept == PB_DIAG_MAX_KEPT) {
        return;
    }
    if (diag->messages == NULL) {
        diag->messages = calloc(PB_DIAG_MAX_KEPT, sizeof(*diag->messages));
        if (diag->messages == NULL) {
            return;
        }
    }
    const char *found = NULL;
    if (diag->lines != NULL && line > 0) {
        found = pb_source_lines_find(diag->lines, line, &line);
    }
    va_list args;
    va_start(args, format);
    char *message = make_message(found != NULL ? found : file, line, format, args);
    va_end(args);
    if (message != NULL) {
        diag->messages[diag->n_kept++] = message;
    }
}

const char *pb_diag_line(char text[PB_DIAG_LINE_SIZE], const pb_diag_t *diag, int from, int line)
{
    const char *file = NULL, *from_file = NULL;
    if (diag->lines != NULL) {
        from_file = pb_source_lines_find(diag->lines, from, &from);
        file = pb_source_lines_find(diag->lines, line, &line);
    }
    if (line == 0) {
        snprintf(text, PB_DIAG_LINE_SIZE, "by its address");
    } else if (file == NULL || (from_file != NULL && strcmp(file, from_file) == 0)) {
        snprintf(text, PB_DIAG_LINE_SIZE, "line %d", line);
    } else {
        snprintf(text, PB_DIAG_LINE_SIZE, "line %d of %s", line, file);
    }
    return text;
}

const char *pb_diag_quote(char quote[PB_DIAG_QUOTE_SIZE], const char *text, size_t length)
{
    size_t room = PB_DIAG_QUOTE_SIZE - 1;
    size_t n = length <= room ? length : room - strlen("...");
    for (size_t i = 0; i < n; i++) {
        quote[i] = ' ' <= text[i] && text[i] <= '~' ? text[i] : '?';
    }
    strcpy(quote + n, n < length ? "..." : "");
    return quote;
}

const char *pb_diag_first(const pb_diag_t *diag)
{
    if (diag->n_kept > 0) {
        return diag->messages[0];
    }
    return diag->n_errors > 0 ? "an error that there was no memory to describe" : "no error";
}
