#include "topo/network/slurm/values.h"

#include <stdbool.h>
#include <string.h>

#include "topo/network/slurm/lines.h"
#include "topo/util/kit.h"

typedef struct cutter {
    const char *const *keys;
    const char *known;
    const char *file;
    int line;
    pb_diag_t *warnings;
    char **values;
} cutter_t;

static char *skip_word(char *at, const char *end_marks)
{
    while (*at != '\0' && !pb_slurm_is_blank(*at) && strchr(end_marks, *at) == NULL) {
        at++;
    }
    return at;
}

static void store_value(cutter_t *c, const char *key, size_t key_length, char *value)
{
    char quote[PB_DIAG_QUOTE_SIZE];
    for (int i = 0; c->keys[i] != NULL; i++) {
        if (strlen(c->keys[i]) != key_length || !pb_is_like(key, c->keys[i], key_length)) {
            continue;
        }
        if (c->values[i] != NULL) {
            pb_diag_error(c->warnings, c->file, c->line,
                          "%s is given twice on one line; the last one counts", c->keys[i]);
        }
        c->values[i] = value;
        return;
    }
    pb_diag_error(c->warnings, c->file, c->line, "unknown key '%s' is ignored; known are %s",
                  pb_diag_quote(quote, key, key_length), c->known);
}

/* Cuts the quoted value that starts behind `quote` off and returns what follows,
 * or NULL if it does not end. */
static char *cut_quoted(cutter_t *c, char *quote)
{
    char shown[PB_DIAG_QUOTE_SIZE];
    char *end = strchr(quote + 1, '"');
    if (end == NULL) {
        pb_diag_error(c->warnings, c->file, c->line,
                      "the quote before '%s' is not closed; the rest of the line is ignored",
                      pb_diag_quote_text(shown, quote + 1));
        return NULL;
    }
    *end++ = '\0';
    return end;
}

/* Cuts the value behind '=' and blanks, and returns the rest. "Nodes= Switches=s1" has no value for
 * Nodes. */
static char *cut_value(cutter_t *c, char *equals, char **value_p)
{
    char *at = pb_slurm_skip_blanks(equals + 1);
    if (*at == '"') {
        *value_p = at + 1;
        return cut_quoted(c, at);
    }
    char *end = skip_word(at, "");
    *value_p = at;
    if (at > equals + 1 && memchr(at, '=', (size_t) (end - at)) != NULL) {
        *equals = '\0';
        *value_p = equals;
        return at;
    }
    if (*end != '\0') {
        *end++ = '\0';
    }
    return end;
}

void pb_slurm_values_cut(pb_slurm_keys_t keys, const char *known, char *text, const char *file,
                         int line, pb_diag_t *warnings, char **values)
{
    cutter_t cutter = {.keys = keys,
                       .known = known,
                       .file = file,
                       .line = line,
                       .warnings = warnings,
                       .values = values};
    static const char operators[] = "+-*/"; /* to Slurm, "Nodes+=" is "Nodes=" */
    bool strayed = false;
    char *at = pb_slurm_skip_blanks(text);
    while (at != NULL && *at != '\0') {
        char *key = at, *key_end = skip_word(at, "=");
        char *equals = pb_slurm_skip_blanks(key_end), *value;
        if (*key_end == '=' && key_end > key && strchr(operators, key_end[-1]) != NULL) {
            key_end--;
        } else if (*equals != '\0' && strchr(operators, *equals) != NULL && equals[1] == '=') {
            equals++;
        }
        if (*equals != '=') {
            char quote[PB_DIAG_QUOTE_SIZE];
            if (!strayed) {
                pb_diag_error(warnings, file, line,
                              "'%s' is not followed by '=' and ignored; write KEY=VALUE, and lists "
                              "without blanks",
                              pb_diag_quote(quote, key, (size_t) (key_end - key)));
            }
            strayed = true;
            at = equals;
            continue;
        }
        at = cut_value(&cutter, equals, &value);
        if (at != NULL) {
            store_value(&cutter, key, (size_t) (key_end - key), value);
            at = pb_slurm_skip_blanks(at);
        }
    }
}
