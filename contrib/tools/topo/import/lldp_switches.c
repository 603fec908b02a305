#include "lldp_internal.h"

#include <stdlib.h>
#include <string.h>

#include "topo/util/error.h"

/* ---- words ---- */

/** Takes one word of a list; PB_SUCCESS to go on. */
typedef int (*take_word_t)(import_t *im, const char *word, void *context);

/** Gives each word of a text with commas to `take`, up to the first that is not PB_SUCCESS. */
static int each_word(import_t *im, const char *text, take_word_t take, void *context)
{
    int result = PB_SUCCESS;
    char *copy = strdup(text);
    if (copy == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (char *rest = copy; rest != NULL && result == PB_SUCCESS;) {
        result = take(im, strsep(&rest, ","), context);
    }
    free(copy);
    return result;
}

static bool is_called(const import_neighbour_t *neighbour, const char *word)
{
    return import_is_called(neighbour->chassis, neighbour->name, word);
}

/** Whether one of the texts has a word that `matches` a neighbour. */
bool import_has_word(import_words_t words, const import_neighbour_t *neighbour,
                     bool (*matches)(const import_neighbour_t *neighbour, const char *word))
{
    char word[IMPORT_MAX_NAME + 1];
    for (int i = 0; i < words.n; i++) {
        for (const char *at = words.all[i]; at != NULL;) {
            const size_t length = strcspn(at, ",");
            if (length > 0 && length < sizeof(word)) {
                memcpy(word, at, length);
                word[length] = '\0';
                if (matches(neighbour, word)) {
                    return true;
                }
            }
            at = at[length] == ',' ? at + length + 1 : NULL;
        }
    }
    return false;
}

/* ---- hosts ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

bool import_is_host_name(const import_t *im, const char *name)
{
    const size_t n = (size_t) im->request->n_hosts;
    return n > 0 && bsearch(&name, im->host_names, n, sizeof(name), compare_names) != NULL;
}

/** Whether a neighbour's system name is a host's, with or without a domain. */
static bool is_host(const import_t *im, const import_neighbour_t *neighbour)
{
    char name[IMPORT_MAX_NAME + 1];
    if (neighbour->name == NULL) {
        return false;
    }
    strcpy(name, neighbour->name);
    if (import_is_host_name(im, name)) {
        return true;
    }
    name[strcspn(name, ".")] = '\0';
    return import_is_host_name(im, name);
}

int import_sort_hosts(import_t *im)
{
    const import_request_t *r = im->request;
    int error = PB_SUCCESS;
    for (int i = 0; i < r->n_hosts; i++) {
        im->host_names[i] = r->hosts[i].owner;
    }
    qsort(im->host_names, (size_t) r->n_hosts, sizeof(*im->host_names), compare_names);
    for (int i = 1; i < r->n_hosts; i++) {
        if (strcmp(im->host_names[i - 1], im->host_names[i]) == 0) {
            pb_diag_fault(im->diag, NULL, 0,
                          "there are two tables of host '%s'; give one, or name them NAME=FILE",
                          im->host_names[i]);
            error = PB_ERR_INPUT;
        }
    }
    return error;
}

/* ---- who is a switch ---- */

/** How surely a neighbour is a switch; the surest of an interface counts. */
typedef enum { NO_SWITCH, PERHAPS, ROUTER, BRIDGE } sureness_t;

static sureness_t sureness_of(const import_t *im, const import_neighbour_t *neighbour)
{
    const unsigned can = neighbour->capabilities;
    if (import_has_word(im->request->ignored, neighbour, is_called) || is_host(im, neighbour) ||
        (can & IMPORT_DEVICE) != 0) {
        return NO_SWITCH;
    }
    if ((can & IMPORT_BRIDGE) != 0) {
        return BRIDGE;
    }
    if ((can & IMPORT_ROUTER) != 0) {
        return ROUTER;
    }
    return (can & IMPORT_STATED) != 0 ? NO_SWITCH : PERHAPS;
}

/** Whether another neighbour on the same interface is a switch more surely. */
static bool is_outdone(const import_t *im, const import_table_t *table, int i)
{
    const import_neighbour_t *neighbour = &table->neighbours[i];
    const sureness_t own = sureness_of(im, neighbour);
    for (int other = 0; other < table->n; other++) {
        if (strcmp(table->neighbours[other].interface, neighbour->interface) == 0 &&
            sureness_of(im, &table->neighbours[other]) > own) {
            return true;
        }
    }
    return false;
}

/** Notes which switch each neighbour is. */
static int find_switches(import_t *im, import_table_t *table)
{
    for (int i = 0; i < table->n; i++) {
        import_neighbour_t *neighbour = &table->neighbours[i];
        neighbour->at = -1;
        if (sureness_of(im, neighbour) != NO_SWITCH && !is_outdone(im, table, i)) {
            neighbour->at = import_switches_add(&im->switches, neighbour);
            if (neighbour->at < 0) {
                return neighbour->at;
            }
        }
    }
    return PB_SUCCESS;
}

static int find_all_switches(import_t *im)
{
    const import_request_t *r = im->request;
    int error = PB_SUCCESS;
    for (int i = 0; i < r->n_hosts && error == PB_SUCCESS; i++) {
        error = find_switches(im, &r->hosts[i]);
    }
    for (int i = 0; i < r->n_switches && error == PB_SUCCESS; i++) {
        error = find_switches(im, &r->switches[i]);
    }
    return error;
}

/** The switch that a table calls so, added if there is none; PB_ERR_INPUT after a fault. */
static int switch_called(import_t *im, const char *word, const char *file, int line)
{
    const int found = import_switches_find(&im->switches, word);
    if (found == IMPORT_SEVERAL_SWITCHES) {
        pb_diag_fault(im->diag, file, line,
                      "several switches are called '%s'; name this one by its chassis ID", word);
        return PB_ERR_INPUT;
    }
    return found == IMPORT_NO_SWITCH ? import_switches_add_name(&im->switches, word) : found;
}

/** Adds the switches that only tables of their own or of trunks name. */
static int add_owners(import_t *im)
{
    const import_request_t *r = im->request;
    int result = PB_SUCCESS;
    for (int i = 0; i < r->n_switches && result != PB_ERR_NO_MEMORY; i++) {
        result = switch_called(im, r->switches[i].owner, r->switches[i].file, 0);
    }
    for (int i = 0; r->trunks != NULL && i < 2 * r->trunks->n && result != PB_ERR_NO_MEMORY; i++) {
        const import_trunk_t *trunk = &r->trunks->all[i / 2];
        result = switch_called(im, trunk->ends[i % 2].switch_name, r->trunks->file, trunk->line);
    }
    return result == PB_ERR_NO_MEMORY ? result : PB_SUCCESS;
}

/** Of an option: the switch of a word, or PB_ERR_INPUT after a fault. */
static int option_switch(import_t *im, const char *option, const char *word)
{
    const int found = import_switches_find(&im->switches, word);
    if (found < 0) {
        pb_diag_fault(im->diag, NULL, 0, "%s: %s is called '%s'", option,
                      found == IMPORT_NO_SWITCH ? "no switch" : "more than one switch", word);
        return PB_ERR_INPUT;
    }
    return found;
}

/** Joins a switch to the first of its pair; context: the first, -1 at the beginning. */
static int pair_up(import_t *im, const char *word, void *context)
{
    int *first = context;
    const int found = option_switch(im, "--pair", word);
    if (found >= 0 && *first >= 0) {
        import_switches_pair(&im->switches, *first, found);
    }
    *first = *first < 0 ? found : *first;
    return found >= 0 ? PB_SUCCESS : found;
}

static int make_pairs(import_t *im)
{
    int error = PB_SUCCESS;
    for (int i = 0; i < im->request->pairs.n && error == PB_SUCCESS; i++) {
        int first = -1;
        error = each_word(im, im->request->pairs.all[i], pair_up, &first);
    }
    return error;
}

/** Reports system names that several switches have. */
static void warn_of_shared_names(import_t *im)
{
    const import_switches_t *switches = &im->switches;
    for (int i = 0; i < switches->n; i++) {
        const char *name = switches->all[i].name;
        if (name == NULL || import_switches_find(switches, name) != IMPORT_SEVERAL_SWITCHES) {
            continue;
        }
        bool is_first = true;
        for (int other = 0; other < i; other++) {
            const char *theirs = switches->all[other].name;
            is_first = is_first && (theirs == NULL || strcmp(theirs, name) != 0);
        }
        if (is_first) {
            pb_diag_fault(im->warnings, NULL, 0,
                          "several switches are called '%s'; the topology calls them by their "
                          "chassis IDs",
                          name);
        }
    }
}

bool import_knows_trunks(const import_request_t *request)
{
    return request->n_switches > 0 || request->trunks != NULL;
}

/** Adds a switch that stands for all unknown ones, if no trunks are known. */
static int add_core_switch(import_t *im)
{
    static const char *const names[] = {"core", "core-switch", "above-all-switches"};
    int i = 0;
    im->core = -1;
    if (import_knows_trunks(im->request)) {
        return PB_SUCCESS;
    }
    while (i < 2 && (import_is_host_name(im, names[i]) ||
                     import_switches_find(&im->switches, names[i]) != IMPORT_NO_SWITCH)) {
        i++;
    }
    im->core = import_switches_add_name(&im->switches, names[i]);
    return im->core < 0 ? im->core : PB_SUCCESS;
}

int import_find_switches(import_t *im)
{
    int error = find_all_switches(im);
    error = error != PB_SUCCESS ? error : add_owners(im);
    error = error != PB_SUCCESS ? error : add_core_switch(im);
    error = error != PB_SUCCESS ? error : make_pairs(im);
    if (error == PB_SUCCESS) {
        warn_of_shared_names(im);
    }
    return error;
}

/* ---- the highest layer ---- */

/** Takes one switch of --top. */
static int take_top(import_t *im, const char *word, void *context)
{
    (void) context;
    int found = option_switch(im, "--top", word);
    if (found < 0) {
        return found;
    }
    found = import_stands_for(im, found);
    if (im->fabric.is_used[found] && im->n_tops < im->switches.n) {
        im->tops[im->n_tops++] = found;
    }
    return PB_SUCCESS;
}

int import_find_tops(import_t *im)
{
    int error = PB_SUCCESS;
    im->tops = calloc((size_t) im->switches.n + 1, sizeof(*im->tops));
    if (im->tops == NULL) {
        return PB_ERR_NO_MEMORY;
    }
    for (int i = 0; i < im->request->tops.n && error == PB_SUCCESS; i++) {
        error = each_word(im, im->request->tops.all[i], take_top, NULL);
    }
    return error;
}
