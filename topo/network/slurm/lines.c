#include "topo/network/slurm/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo/network/slurm/beside.h"
#include "topo/util/error.h"
#include "topo/util/kit.h"

typedef struct pb_slurm_source source_t;

/* A text that is being read. */
struct pb_slurm_source {
    const char *at; /* the rest of it, */
    size_t length;  /* in bytes */
    char *name;
    char *owned; /* an included file's text; NULL: borrowed */
    int line;    /* of the next physical line in it */
};

static const char mark_of_ours[] = "#pipebcast";

static source_t *last_source(pb_slurm_lines_t *lines)
{
    return &lines->open[lines->n_open - 1];
}

/* Lines are those of the last source from now on. */
static int start_part(pb_slurm_lines_t *lines)
{
    const source_t *source = last_source(lines);
    return pb_source_lines_part(lines->where, lines->next_number, source->name, source->line);
}

size_t pb_slurm_mark(const char *text, size_t length)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    return length >= sizeof(mark) && memcmp(text, mark, sizeof(mark)) == 0 ? sizeof(mark) : 0;
}

/* Starts to read a text, of a file's if `owned` has it. */
static int push(pb_slurm_lines_t *lines, const char *text, size_t length, const char *name,
                char *owned)
{
    const size_t mark = pb_slurm_mark(text, length);
    source_t *source = &lines->open[lines->n_open++];
    *source = (source_t){.at = text + mark,
                         .length = length - mark,
                         .name = strdup(name),
                         .owned = owned,
                         .line = 1};
    const size_t room = (length < PB_SLURM_MAX_LINE ? length : PB_SLURM_MAX_LINE) + 1;
    if (room > lines->room) {
        char *buffer = realloc(lines->buffer, room);
        if (buffer == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        lines->buffer = buffer;
        lines->room = room;
    }
    return source->name != NULL ? start_part(lines) : PB_ERR_NO_MEMORY;
}

static void pop(pb_slurm_lines_t *lines)
{
    source_t *source = last_source(lines);
    free(source->name);
    free(source->owned);
    lines->n_open--;
}

int pb_slurm_lines_open(pb_slurm_lines_t *lines, const pb_topology_text_t *text,
                        pb_source_lines_t *where, int number, pb_diag_t *warnings)
{
    *lines = (pb_slurm_lines_t){.files = text->files,
                                .separator = text->separator,
                                .where = where,
                                .next_number = number,
                                .n_bytes = text->length,
                                .warnings = warnings};
    lines->open = malloc(PB_SLURM_MAX_OPEN * sizeof(*lines->open));
    return lines->open != NULL ? push(lines, text->text, text->length, text->name, NULL)
                               : PB_ERR_NO_MEMORY;
}

int pb_slurm_lines_open_file(pb_slurm_lines_t *lines, const char *path,
                             const pb_topology_files_t *files, pb_source_lines_t *where, int number,
                             pb_diag_t *warnings, pb_diag_t *diag)
{
    pb_topology_text_t text = {.name = path, .files = files};
    char *content;
    *lines = (pb_slurm_lines_t){.open = NULL};
    int error = files->read(files->context, path, &content, &text.length, diag);
    if (error != PB_SUCCESS) {
        return error;
    }
    text.text = content;
    error = pb_slurm_lines_open(lines, &text, where, number, warnings);
    if (lines->n_open > 0) {
        last_source(lines)->owned = content;
    } else {
        free(content);
    }
    return error;
}

void pb_slurm_lines_close(pb_slurm_lines_t *lines)
{
    while (lines->n_open > 0) {
        pop(lines);
    }
    free(lines->open);
    free(lines->buffer);
    *lines = (pb_slurm_lines_t){.open = NULL};
}

/* ---- logical lines ---- */

/* Takes one physical line off the source, without its end. */
static const char *take_line(pb_slurm_lines_t *lines, size_t *length_p)
{
    source_t *source = last_source(lines);
    const char *line = source->at;
    size_t n = 0;
    while (n < source->length && line[n] != '\n' &&
           (lines->separator == '\0' || line[n] != lines->separator)) {
        n++;
    }
    const size_t taken = n < source->length ? n + 1 : n;
    source->at += taken;
    source->length -= taken;
    source->line++;
    lines->next_number++;
    *length_p = n;
    return line;
}

static void append_piece(pb_slurm_lines_t *lines, const char *piece, size_t length)
{
    if (memchr(piece, '\0', length) != NULL) {
        lines->has_nul = true;
    }
    if (length > PB_SLURM_MAX_LINE - lines->size) {
        lines->too_long = true;
        return;
    }
    memcpy(lines->buffer + lines->size, piece, length);
    lines->size += length;
}

size_t pb_slurm_ours(const char *line, size_t length, const char **ours_p)
{
    const size_t n = strlen(mark_of_ours);
    size_t at = 0;
    while (at < length && pb_slurm_is_blank(line[at])) {
        at++;
    }
    if (length - at <= n || memcmp(line + at, mark_of_ours, n) != 0 ||
        !pb_slurm_is_blank(line[at + n])) {
        return 0;
    }
    *ours_p = line + at + n;
    const size_t left = length - at - n;
    const char *comment = memchr(*ours_p, '#', left);
    return comment != NULL ? (size_t) (comment - *ours_p) : left;
}

/* The bytes of a line before its comment: before a '#' that no '\\' escapes. */
static size_t before_comment(const char *line, size_t length)
{
    size_t at = 0;
    while (at < length && line[at] != '#') {
        at += line[at] == '\\' ? 2 : 1;
    }
    return at < length ? at : length;
}

/* Appends one physical line to the logical one; true if the next continues it. */
static bool append_line(pb_slurm_lines_t *lines, bool is_first, bool *is_ours_p)
{
    size_t length;
    const char *line = take_line(lines, &length), *ours = NULL;
    const size_t ours_length = is_first ? pb_slurm_ours(line, length, &ours) : 0;
    *is_ours_p = *is_ours_p || ours_length > 0;
    if (ours_length > 0) {
        append_piece(lines, ours, ours_length);
        return false;
    }
    length = before_comment(line, length);
    size_t end = length;
    while (end > 0 && pb_slurm_is_blank(line[end - 1])) {
        end--;
    }
    const bool continued = end > 0 && line[end - 1] == '\\';
    append_piece(lines, line, continued ? end - 1 : length);
    return continued;
}

/* Takes each '\\' out of the logical line that stands before another character. */
static void strip_escapes(pb_slurm_lines_t *lines)
{
    size_t n = 0;
    for (size_t i = 0; i < lines->size; i++) {
        i += lines->buffer[i] == '\\' && i + 1 < lines->size;
        lines->buffer[n++] = lines->buffer[i];
    }
    lines->size = n;
}

static void read_logical(pb_slurm_lines_t *lines, pb_slurm_line_t *line)
{
    bool is_first = true;
    lines->size = 0;
    lines->has_nul = false;
    lines->too_long = false;
    *line = (pb_slurm_line_t){.number = lines->next_number};
    while (append_line(lines, is_first, &line->is_ours) && last_source(lines)->length > 0) {
        is_first = false;
    }
    strip_escapes(lines);
    lines->buffer[lines->size] = '\0';
    line->text = lines->buffer;
}

/* Reports a line that is too long, or ends at a NUL byte; false if it cannot be used. */
static bool is_readable(pb_slurm_lines_t *lines, const pb_slurm_line_t *line)
{
    if (!lines->too_long && !lines->has_nul) {
        return true;
    }
    pb_diag_error(lines->warnings, last_source(lines)->name, line->number,
                  lines->has_nul ? "there is a NUL byte in this line, which ends there; is this a "
                                   "text file?"
                                 : "the line is longer than %d bytes; describe the switch on "
                                   "several lines",
                  PB_SLURM_MAX_LINE);
    return !lines->too_long;
}

/* ---- included files ---- */

/* The name in an Include, cut off the line; NULL if the line is none. */
static char *included_by(pb_slurm_line_t *line, char **rest_p)
{
    static const char word[] = "Include";
    char *at = pb_slurm_skip_blanks(line->text);
    if (line->is_ours || !pb_is_like(at, word, strlen(word)) ||
        !pb_slurm_is_blank(at[strlen(word)])) {
        return NULL;
    }
    at = pb_slurm_skip_blanks(at + strlen(word));
    char *end = at;
    while (*end != '\0' && !pb_slurm_is_blank(*end)) {
        end++;
    }
    *rest_p = pb_slurm_skip_blanks(end);
    if (*at == '=') {
        return NULL; /* KEY = VALUE */
    }
    *end = '\0';
    return at;
}

/* Why a file cannot be included, or NULL. */
static const char *obstacle(const pb_slurm_lines_t *lines, const char *name, const char *rest)
{
    if (name[0] == '\0') {
        return "no file is named";
    }
    if (rest[0] != '\0') {
        return "more than one word follows; write a line for each file";
    }
    if (lines->files == NULL) {
        return "only a file can include others; name that file, or write its lines here";
    }
    if (strpbrk(name, "*?") != NULL || strstr(name, "%c") != NULL) {
        return "Slurm expands no *, ? or %c here; name each file";
    }
    if (lines->n_open == PB_SLURM_MAX_OPEN || lines->n_included == PB_SLURM_MAX_INCLUDED) {
        return "too many files are included; does one include itself?";
    }
    return NULL;
}

/* Why a path cannot be included, by the files that are open. */
static const char *obstacle_of_path(const pb_slurm_lines_t *lines, const char *path)
{
    for (int i = 0; i < lines->n_open; i++) {
        if (lines->files->are_same(lines->files->context, lines->open[i].name, path)) {
            return "the file includes itself; leave that out";
        }
    }
    return NULL;
}

/* Reads a file that is not open yet, within the bounds. */
static int push_file(pb_slurm_lines_t *lines, int number, const char *path)
{
    pb_diag_t why;
    char *text = NULL;
    size_t length = 0;
    pb_diag_init(&why);
    int error = lines->files->read(lines->files->context, path, &text, &length, &why);
    if (error == PB_SUCCESS && length > PB_TOPOLOGY_MAX_FILE - lines->n_bytes) {
        pb_diag_error(&why, path, 0, "with this file, all are larger than %zu bytes",
                      PB_TOPOLOGY_MAX_FILE);
        error = PB_ERR_IO;
    }
    if (error == PB_SUCCESS) {
        lines->n_bytes += length;
        lines->n_included++;
        error = push(lines, text, length, path, text);
    } else {
        free(text);
        if (error == PB_ERR_IO) {
            pb_diag_error(lines->warnings, last_source(lines)->name, number, "Include: %s",
                          pb_diag_first(&why));
            error = PB_SUCCESS;
        }
    }
    pb_diag_clear(&why);
    return error;
}

/* Returns the path of an included file, to be freed. Slurm looks next to the first file, older
 * releases next to the one that has the line. NULL if out of memory. */
static char *path_of(const pb_slurm_lines_t *lines, const char *name)
{
    char *path = pb_slurm_beside(lines->open[0].name, name);
    if (path != NULL && !lines->files->exists(lines->files->context, path)) {
        free(path);
        path = pb_slurm_beside(lines->open[lines->n_open - 1].name, name);
    }
    return path;
}

/* Continues with the file that a line names, or ignores the line with a warning. */
static int include(pb_slurm_lines_t *lines, int number, const char *name, const char *rest)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    const char *why = obstacle(lines, name, rest);
    char *path = why == NULL ? path_of(lines, name) : NULL;
    if (why == NULL && path == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    why = path != NULL ? obstacle_of_path(lines, path) : why;
    int error = PB_SUCCESS;
    if (why != NULL) {
        pb_diag_error(lines->warnings, last_source(lines)->name, number, "Include '%s': %s",
                      pb_diag_quote_text(quote, name), why);
    } else {
        error = push_file(lines, number, path);
    }
    free(path);
    return error;
}

int pb_slurm_lines_next(pb_slurm_lines_t *lines, pb_slurm_line_t *line)
{
    int error = PB_SUCCESS;
    while (error == PB_SUCCESS) {
        if (last_source(lines)->length == 0) {
            if (lines->n_open == 1) {
                return 0;
            }
            pop(lines);
            error = start_part(lines);
            continue;
        }
        read_logical(lines, line);
        if (!is_readable(lines, line)) {
            continue;
        }
        char *rest = NULL;
        const char *included = included_by(line, &rest);
        if (included == NULL) {
            return 1;
        }
        error = include(lines, line->number, included, rest);
    }
    return error;
}
