#include "topo/util/item_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "topo/util/decimal.h"
#include "topo/util/error.h"

static const char blanks[] = " \t\r\v\f";

void pb_item_error(pb_item_reader_t *r, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    pb_diag_error(r->diag, r->file, r->line, "%s", text);
}

bool pb_item_has_errors(const pb_item_reader_t *r)
{
    return r->diag->n_errors > r->n_before;
}

bool pb_item_number(pb_item_reader_t *r, const char *what, int i, uint64_t low, uint64_t high,
                    uint64_t *value_p)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    if (pb_decimal_read(r->words[i], low, high, value_p)) {
        return true;
    }
    pb_item_error(r, "%s is '%s', but must be a whole number from %" PRIu64 " to %" PRIu64,
                  what != NULL ? what : r->words[i - 1], pb_diag_quote_text(quote, r->words[i]),
                  low, high);
    return false;
}

/* ---- forms ---- */

static size_t name_length(const pb_item_t *item)
{
    return strcspn(item->form, " ");
}

static bool has_name(const pb_item_t *item, const char *word)
{
    const size_t length = name_length(item);
    return strlen(word) == length && strncmp(item->form, word, length) == 0;
}

static bool has_form(const pb_item_reader_t *r, const char *form)
{
    int i = 0;
    for (const char *at = form; *at != '\0'; i++) {
        const size_t length = strcspn(at, " ");
        const bool is_value = at[0] >= 'A' && at[0] <= 'Z';
        if (i == r->n_words || (!is_value && (strlen(r->words[i]) != length ||
                                              strncmp(at, r->words[i], length) != 0))) {
            return false;
        }
        at += length;
        at += strspn(at, " ");
    }
    return i == r->n_words;
}

/** "a, b and c" of the items' names, each once. */
static void list_names(const pb_item_file_t *kind, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < kind->n_items; i++) {
        const pb_item_t *item = &kind->items[i];
        const int n = (int) name_length(item);
        if (length < size && (i == 0 || strncmp(item[-1].form, item->form, (size_t) n + 1) != 0)) {
            const char *before = i == 0 ? "" : i + 1 < kind->n_items ? ", " : " and ";
            length +=
                (size_t) snprintf(text + length, size - length, "%s%.*s", before, n, item->form);
        }
    }
}

static void read_item(pb_item_reader_t *r)
{
    char quote[PB_DIAG_QUOTE_SIZE], known[200];
    const pb_item_t *named = NULL;
    r->n_read++;
    for (int i = 0; i < r->kind->n_items; i++) {
        const pb_item_t *item = &r->kind->items[i];
        if (has_form(r, item->form)) {
            item->read(r);
            return;
        }
        named = has_name(item, r->words[0]) ? item : named;
    }
    if (named != NULL) {
        pb_item_error(r, "the line is not of the form: %s", named->form);
        if (named->refused != NULL) {
            named->refused(r);
        }
        return;
    }
    list_names(r->kind, known, sizeof(known));
    pb_item_error(r, "unknown item '%s'; known are %s", pb_diag_quote_text(quote, r->words[0]),
                  known);
}

void pb_item_end_refused(pb_item_reader_t *r)
{
    r->end_line = r->line;
}

void pb_item_end(pb_item_reader_t *r)
{
    uint64_t n_items;
    const int64_t n_read = r->n_read - 1;
    r->end_line = r->line;
    if (pb_item_number(r, NULL, 1, 0, INT64_MAX, &n_items) && n_items != (uint64_t) n_read) {
        pb_item_error(r,
                      "the end counts %" PRIu64 " items, but there are %" PRId64
                      "; lines were lost or added since the file was written",
                      n_items, n_read);
    }
}

/* ---- lines ---- */

/** The first line with an item must say what the file is, and in which version. */
static void read_first(pb_item_reader_t *r)
{
    const pb_item_file_t *kind = r->kind;
    char quote[PB_DIAG_QUOTE_SIZE];
    r->stop = true;
    if (strcmp(r->words[0], kind->name) != 0 || r->n_words != 2) {
        pb_item_error(r, "begins with '%s'; the first line must be: %s %d",
                      pb_diag_quote_text(quote, r->words[0]), kind->name, kind->version);
        return;
    }
    uint64_t version;
    if (!pb_decimal_read(r->words[1], (uint64_t) kind->version, (uint64_t) kind->version,
                         &version)) {
        pb_item_error(r, "is of version %s, but this program reads version %d; %s",
                      pb_diag_quote_text(quote, r->words[1]), kind->version, kind->remedy);
        return;
    }
    r->stop = false;
    r->begun = true;
}

/** Cuts the line into words; false, with an error, if there are too many. */
static bool cut_words(pb_item_reader_t *r)
{
    r->n_words = 0;
    for (char *at = r->buffer + strspn(r->buffer, blanks); *at != '\0';) {
        if (r->n_words == PB_ITEM_MAX_WORDS) {
            pb_item_error(r, "has more than %d words", PB_ITEM_MAX_WORDS);
            return false;
        }
        r->words[r->n_words++] = at;
        at += strcspn(at, blanks);
        if (*at != '\0') {
            *at++ = '\0';
            at += strspn(at, blanks);
        }
    }
    return true;
}

/** Puts the line, without a comment, into the buffer and cuts it. False if it is not to be read. */
static bool take_line(pb_item_reader_t *r, const char *line, size_t length)
{
    const char *comment = r->kind->strict ? NULL : memchr(line, '#', length);
    length = comment != NULL ? (size_t) (comment - line) : length;
    if (length > PB_ITEM_MAX_LINE) {
        pb_item_error(r, "the line is longer than %d bytes", PB_ITEM_MAX_LINE);
        return false;
    }
    if (memchr(line, '\0', length) != NULL) {
        pb_item_error(r, "there is a NUL byte in this line; is this a text file?");
        return false;
    }
    memcpy(r->buffer, line, length);
    r->buffer[length] = '\0';
    return cut_words(r);
}

static void read_line(pb_item_reader_t *r, const char *line, size_t length)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    if (!take_line(r, line, length)) {
        r->n_read++;
        r->stop = !r->begun;
    } else if (r->n_words == 0) {
        if (r->kind->strict) {
            pb_item_error(r, "the line is empty");
        }
    } else if (!r->begun) {
        read_first(r);
    } else if (r->end_line != 0) {
        pb_item_error(r, "'%s' comes behind the end on line %d",
                      pb_diag_quote_text(quote, r->words[0]), r->end_line);
        r->stop = true;
    } else {
        read_item(r);
    }
}

static void read_lines(pb_item_reader_t *r, const char *text, size_t length)
{
    while (length > 0 && !r->stop && r->error == PB_SUCCESS) {
        const char *end = memchr(text, '\n', length);
        const size_t size = end != NULL ? (size_t) (end - text) : length;
        r->line++;
        read_line(r, text, size);
        text += size + (end != NULL);
        length -= size + (end != NULL);
    }
    if (!r->begun && !r->stop) {
        pb_item_error(r, "the file is empty; the first line must be: %s %d", r->kind->name,
                      r->kind->version);
    } else if (r->kind->has_end && r->begun && !r->stop && r->error == PB_SUCCESS &&
               r->end_line == 0) {
        pb_item_error(r,
                      "the file has no end line, so it was not written to its end; make it anew");
    }
    r->line = 0;
}

static void reader_init(pb_item_reader_t *r, const pb_item_file_t *kind, const char *name,
                        pb_diag_t *diag, void *context)
{
    r->kind = kind;
    r->file = name;
    r->diag = diag;
    r->n_before = diag->n_errors;
    r->context = context;
    r->line = 0;
    r->error = PB_SUCCESS;
    r->stop = r->begun = false;
    r->n_read = 0;
    r->end_line = 0;
}

int pb_item_read(pb_item_reader_t *r, const pb_item_file_t *kind, const char *text, size_t length,
                 const char *name, pb_diag_t *diag, void *context)
{
    reader_init(r, kind, name, diag, context);
    read_lines(r, text, length);
    if (r->error != PB_SUCCESS) {
        return r->error;
    }
    return pb_item_has_errors(r) ? PB_ERR_INPUT : PB_SUCCESS;
}
