#include "trunks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "topo/util/decimal.h"
#include "topo/util/error.h"

/** Words of a line, and one more, so that there are too many. */
enum { SPEED = 4, MAX_WORDS };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/** Splits a line, ended by '\0', into its words; returns their number, MAX_WORDS + 1 at most. */
static int split(char *line, char *words[MAX_WORDS + 1])
{
    int n = 0;
    for (char *c = line; *c != '\0' && n <= MAX_WORDS;) {
        while (is_space(*c)) {
            *c++ = '\0';
        }
        if (*c != '\0') {
            words[n++] = c;
        }
        while (*c != '\0' && !is_space(*c)) {
            c++;
        }
    }
    return n;
}

/** Whether a word is one to be used as a name. */
static bool is_name(const char *word)
{
    const char *c = word;
    while (' ' < *c && *c <= '~') {
        c++;
    }
    return *c == '\0' && c - word <= IMPORT_MAX_NAME;
}

static int copy_ends(char *const *words, import_trunk_t *trunk)
{
    bool copied = true;
    for (int i = 0; i < 2; i++) {
        trunk->ends[i] =
            (import_end_t){.switch_name = strdup(words[2 * i]), .port = strdup(words[2 * i + 1])};
        copied = copied && trunk->ends[i].switch_name != NULL && trunk->ends[i].port != NULL;
    }
    return copied ? PB_SUCCESS : PB_ERR_NO_MEMORY;
}

static int add(import_trunks_t *trunks, char *const *words, uint64_t megabits, int line)
{
    if (trunks->n == trunks->capacity) {
        const int capacity = trunks->capacity > 0 ? 2 * trunks->capacity : 64;
        import_trunk_t *more = realloc(trunks->all, (size_t) capacity * sizeof(*trunks->all));
        if (more == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        trunks->all = more;
        trunks->capacity = capacity;
    }
    import_trunk_t *trunk = &trunks->all[trunks->n++];
    *trunk = (import_trunk_t){.megabits = (uint32_t) megabits, .line = line};
    return copy_ends(words, trunk);
}

/** Takes one line, without its comment. */
static int take_line(import_trunks_t *trunks, char *text, int line, pb_diag_t *diag)
{
    char *words[MAX_WORDS + 1], quote[PB_DIAG_QUOTE_SIZE];
    uint64_t megabits = 0;
    const int n = split(text, words);
    if (n == 0) {
        return PB_SUCCESS;
    }
    if (n != SPEED && n != SPEED + 1) {
        pb_diag_fault(diag, trunks->file, line,
                      "is no trunk; write switch, port, switch, port, and the speed in Mbit/s if "
                      "it is known");
        return PB_SUCCESS;
    }
    for (int i = 0; i < SPEED; i++) {
        if (!is_name(words[i])) {
            pb_diag_fault(diag, trunks->file, line, "'%s' is no name of a switch or port",
                          pb_diag_quote(quote, words[i], strlen(words[i])));
            return PB_SUCCESS;
        }
    }
    if (n > SPEED && !pb_decimal_read(words[SPEED], 1, UINT32_MAX, &megabits)) {
        pb_diag_fault(diag, trunks->file, line,
                      "the speed '%s' is not a whole number of Mbit/s from 1 to 4294967295",
                      pb_diag_quote(quote, words[SPEED], strlen(words[SPEED])));
        return PB_SUCCESS;
    }
    if (strcmp(words[0], words[2]) == 0) {
        pb_diag_fault(diag, trunks->file, line, "the trunk leads from switch '%s' to itself",
                      words[0]);
        return PB_SUCCESS;
    }
    return add(trunks, words, megabits, line);
}

/* ---- ports that are named twice ---- */

/** One end, with the line that names it. */
typedef struct named_end {
    const import_end_t *end;
    int line;
} named_end_t;

static int compare_ends(const void *a, const void *b)
{
    const named_end_t *left = a, *right = b;
    int order = strcmp(left->end->switch_name, right->end->switch_name);
    order = order != 0 ? order : strcmp(left->end->port, right->end->port);
    return order != 0 ? order : left->line - right->line;
}

static int check_ports(const import_trunks_t *trunks, pb_diag_t *diag)
{
    const int n = 2 * trunks->n;
    named_end_t *ends = malloc(((size_t) n + 1) * sizeof(*ends));
    if (ends == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < n; i++) {
        const import_trunk_t *trunk = &trunks->all[i / 2];
        ends[i] = (named_end_t){.end = &trunk->ends[i % 2], .line = trunk->line};
    }
    qsort(ends, (size_t) n, sizeof(*ends), compare_ends);
    for (int i = 1; i < n; i++) {
        const import_end_t *end = ends[i].end, *before = ends[i - 1].end;
        if (strcmp(end->switch_name, before->switch_name) == 0 &&
            strcmp(end->port, before->port) == 0) {
            pb_diag_fault(diag, trunks->file, ends[i].line,
                          "port '%s' of switch '%s' has a trunk already (line %d); name each link "
                          "once",
                          end->port, end->switch_name, ends[i - 1].line);
        }
    }
    free(ends);
    return PB_SUCCESS;
}

/** Takes each line of a copy of the text, which it changes. */
static int take_lines(import_trunks_t *trunks, char *copy, pb_diag_t *diag)
{
    int line = 0, error = PB_SUCCESS;
    for (char *rest = copy; rest != NULL && error == PB_SUCCESS;) {
        char *text = strsep(&rest, "\n");
        text[strcspn(text, "#")] = '\0';
        error = take_line(trunks, text, ++line, diag);
    }
    return error;
}

int import_trunks_parse(const char *text, size_t length, const char *file, import_trunks_t *trunks,
                        pb_diag_t *diag)
{
    const size_t n_before = diag->n_faults;
    *trunks = (import_trunks_t){.file = file};
    if (memchr(text, '\0', length) != NULL) {
        pb_diag_fault(diag, file, 0, "has NUL bytes; is this a text file?");
        return PB_ERR_INPUT;
    }
    char *copy = strndup(text, length);
    int error = copy != NULL ? take_lines(trunks, copy, diag) : PB_ERR_NO_MEMORY;
    free(copy);
    error = error != PB_SUCCESS ? error : check_ports(trunks, diag);
    if (error == PB_SUCCESS && diag->n_faults == n_before && trunks->n == 0) {
        pb_diag_fault(diag, file, 0, "names no trunk; leave --trunks out where none is known");
    }
    if (error != PB_SUCCESS) {
        return error;
    }
    return diag->n_faults > n_before ? PB_ERR_INPUT : PB_SUCCESS;
}

void import_trunks_clear(import_trunks_t *trunks)
{
    for (int i = 0; i < trunks->n; i++) {
        for (int end = 0; end < 2; end++) {
            free(trunks->all[i].ends[end].switch_name);
            free(trunks->all[i].ends[end].port);
        }
    }
    free(trunks->all);
    *trunks = (import_trunks_t){.n = 0};
}
