#include "switches.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topo/util/error.h"

void import_switches_clear(import_switches_t *switches)
{
    for (int i = 0; i < switches->n; i++) {
        free(switches->all[i].chassis);
        free(switches->all[i].name);
        free(switches->all[i].label);
    }
    free(switches->all);
    *switches = (import_switches_t){.n = 0};
}

/** Adds a switch. */
static int add(import_switches_t *switches, const char *chassis, const char *name)
{
    if (switches->n == switches->capacity) {
        const int capacity = switches->capacity > 0 ? 2 * switches->capacity : 32;
        import_switch_t *more = realloc(switches->all, (size_t) capacity * sizeof(*switches->all));
        if (more == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        switches->all = more;
        switches->capacity = capacity;
    }
    const import_switch_t added = {.chassis = chassis != NULL ? strdup(chassis) : NULL,
                                   .name = name != NULL ? strdup(name) : NULL,
                                   .stands = switches->n};
    switches->all[switches->n++] = added;
    const bool copied =
        (chassis == NULL || added.chassis != NULL) && (name == NULL || added.name != NULL);
    return copied ? switches->n - 1 : PB_ERR_NO_MEMORY;
}

int import_switches_add(import_switches_t *switches, const import_neighbour_t *neighbour)
{
    for (int i = 0; i < switches->n; i++) {
        import_switch_t *known = &switches->all[i];
        if (strcasecmp(known->chassis, neighbour->chassis) == 0) {
            if (known->name == NULL && neighbour->name != NULL) {
                known->name = strdup(neighbour->name);
                return known->name != NULL ? i : PB_ERR_NO_MEMORY;
            }
            return i;
        }
    }
    return add(switches, neighbour->chassis, neighbour->name);
}

int import_switches_add_name(import_switches_t *switches, const char *name)
{
    return add(switches, NULL, name);
}

/** How well a word names a switch; a better way counts alone. */
typedef enum { UNNAMED, BY_SHORT_NAME, BY_NAME, BY_CHASSIS } way_t;

/** Whether two names are equal up to the first dot of either, if one of them has none. */
static bool equal_short(const char *a, const char *b)
{
    const size_t n = strcspn(a, ".");
    const bool one_is_short = a[n] == '\0' || strchr(b, '.') == NULL;
    return one_is_short && n == strcspn(b, ".") && strncasecmp(a, b, n) == 0;
}

static way_t way_of(const char *chassis, const char *name, const char *word)
{
    if (chassis != NULL && strcasecmp(strchr(chassis, ' ') + 1, word) == 0) {
        return BY_CHASSIS;
    }
    if (name != NULL && strcmp(name, word) == 0) {
        return BY_NAME;
    }
    return name != NULL && equal_short(name, word) ? BY_SHORT_NAME : UNNAMED;
}

bool import_is_called(const char *chassis, const char *name, const char *word)
{
    return way_of(chassis, name, word) != UNNAMED;
}

int import_switches_find(const import_switches_t *switches, const char *word)
{
    way_t best = UNNAMED;
    int found = IMPORT_NO_SWITCH;
    for (int i = 0; i < switches->n; i++) {
        const way_t way = way_of(switches->all[i].chassis, switches->all[i].name, word);
        if (way > best) {
            best = way;
            found = i;
        } else if (way == best && way != UNNAMED) {
            found = IMPORT_SEVERAL_SWITCHES;
        }
    }
    return found;
}

void import_switches_pair(import_switches_t *switches, int first, int second)
{
    const int stands = switches->all[first].stands, other = switches->all[second].stands;
    for (int i = 0; i < switches->n; i++) {
        if (switches->all[i].stands == other) {
            switches->all[i].stands = stands;
        }
    }
}

const char *import_switch_name(const import_switches_t *switches, int i)
{
    const import_switch_t *s = &switches->all[i];
    return s->name != NULL ? s->name : s->chassis;
}

/* ---- labels ---- */

/** A character of a label: `other` stands for what topology files or Slurm do not allow. */
static char plain(char c, char other)
{
    return isalnum((unsigned char) c) || (c != '\0' && strchr("._-", c) != NULL) ? c : other;
}

/** The label that a switch's system name makes, or else its chassis ID; NULL if out of memory. */
static char *make_label(const import_switch_t *s, bool by_name)
{
    char *label = NULL;
    if (by_name) {
        label = strdup(s->name);
    } else if (asprintf(&label, "switch-%s",
                        s->chassis != NULL ? strchr(s->chassis, ' ') + 1 : s->name) < 0) {
        label = NULL;
    }
    for (char *c = label; c != NULL && *c != '\0'; c++) {
        *c = plain(*c, by_name ? '_' : '-');
    }
    return label;
}

/** Whether a system name makes this label. */
static bool makes_label(const char *name, const char *label)
{
    while (*name != '\0' && plain(*name, '_') == *label) {
        name++;
        label++;
    }
    return *name == '\0' && *label == '\0';
}

/** Whether another switch's system name makes the same label. */
static bool is_shared(const import_switches_t *switches, int i, const char *label)
{
    for (int other = 0; other < switches->n; other++) {
        const char *name = switches->all[other].name;
        if (other != i && name != NULL && makes_label(name, label)) {
            return true;
        }
    }
    return false;
}

static int label_one(import_switches_t *switches, int i,
                     bool (*is_taken)(void *context, const char *label), void *context)
{
    import_switch_t *s = &switches->all[i];
    for (int by_name = s->name != NULL; by_name >= 0; by_name--) {
        free(s->label);
        s->label = make_label(s, by_name);
        if (s->label == NULL) {
            return PB_ERR_NO_MEMORY;
        }
        if (by_name && isalnum((unsigned char) s->label[0]) && !is_shared(switches, i, s->label) &&
            !is_taken(context, s->label)) {
            return PB_SUCCESS;
        }
    }
    return PB_SUCCESS;
}

int import_switches_label(import_switches_t *switches,
                          bool (*is_taken)(void *context, const char *label), void *context)
{
    int error = PB_SUCCESS;
    for (int i = 0; i < switches->n && error == PB_SUCCESS; i++) {
        error = label_one(switches, i, is_taken, context);
    }
    return error;
}
