#include "lldp.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fabric.h"
#include "layers.h"
#include "switches.h"
#include "topo/util/error.h"
#include "write.h"

/** What is being made. */
typedef struct import {
    const import_request_t *request;
    import_switches_t switches;
    import_fabric_t fabric;
    import_host_t *hosts;
    const char **host_names; /* sorted */
    int *tops;
    int n_tops;
    pb_diag_t *diag;
    pb_diag_t *warnings;
} import_t;

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

/** Whether one of the texts has a word that `matches` a neighbour. */
static bool has_word(import_words_t words, const import_neighbour_t *neighbour,
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

static bool is_called(const import_neighbour_t *neighbour, const char *word)
{
    return import_is_called(neighbour->chassis, neighbour->name, word);
}

static bool is_on(const import_neighbour_t *neighbour, const char *word)
{
    return strcmp(neighbour->interface, word) == 0;
}

/* ---- hosts ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static bool is_host_name(const import_t *im, const char *name)
{
    const size_t n = (size_t) im->request->n_hosts;
    return n > 0 && bsearch(&name, im->host_names, n, sizeof(name), compare_names) != NULL;
}

static bool is_taken(void *import, const char *label)
{
    return is_host_name(import, label);
}

/** Whether a neighbour's system name is a host's, with or without a domain. */
static bool is_host(const import_t *im, const import_neighbour_t *neighbour)
{
    char name[IMPORT_MAX_NAME + 1];
    if (neighbour->name == NULL) {
        return false;
    }
    strcpy(name, neighbour->name);
    if (is_host_name(im, name)) {
        return true;
    }
    name[strcspn(name, ".")] = '\0';
    return is_host_name(im, name);
}

static int sort_hosts(import_t *im)
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
    if (has_word(im->request->ignored, neighbour, is_called) || is_host(im, neighbour) ||
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

/* ---- where hosts are ---- */

static int stands_for(const import_t *im, int at)
{
    return im->switches.all[at].stands;
}

static bool counts(const import_t *im, const import_neighbour_t *neighbour)
{
    const import_words_t interfaces = im->request->interfaces;
    return neighbour->at >= 0 && (interfaces.n == 0 || has_word(interfaces, neighbour, is_on));
}

/** Reports an interface on which a second switch is seen beside an earlier one. */
static void report_several(const import_t *im, const import_table_t *table,
                           const import_neighbour_t *a, const import_neighbour_t *b)
{
    pb_diag_fault(im->diag, table->file, 0,
                  "interface '%s' has several switches, %s and %s: is there a switch between them "
                  "that does not speak LLDP? If one of them is no switch, leave it out by --ignore",
                  a->interface, import_switch_name(&im->switches, a->at),
                  import_switch_name(&im->switches, b->at));
}

/**
 * Whether a neighbour is the first of its interface that counts; a later one must be the same
 * switch, or a fault is reported and *error_p set.
 */
static bool is_first(const import_t *im, const import_table_t *table, int i, int *error_p)
{
    const import_neighbour_t *neighbour = &table->neighbours[i];
    for (int before = 0; before < i; before++) {
        const import_neighbour_t *other = &table->neighbours[before];
        if (other->at >= 0 && strcmp(other->interface, neighbour->interface) == 0) {
            if (stands_for(im, other->at) != stands_for(im, neighbour->at)) {
                report_several(im, table, other, neighbour);
                *error_p = PB_ERR_INPUT;
            }
            return false;
        }
    }
    return true;
}

static void report_nowhere(const import_t *im, const import_table_t *table)
{
    if (table->n == 0) {
        pb_diag_fault(im->diag, table->file, 0,
                      "host '%s' has no neighbour; is LLDP on at the switch, and has lldpd run for "
                      "half a minute?",
                      table->owner);
        return;
    }
    pb_diag_fault(
        im->diag, table->file, 0,
        "none of the neighbours of host '%s' is a switch that counts: one with the capability "
        "Bridge or Router, and not called as a host; is LLDP on at the switch?",
        table->owner);
}

static void report_two_places(const import_t *im, const import_table_t *table,
                              const import_neighbour_t *a, const import_neighbour_t *b)
{
    const char *one = import_switch_name(&im->switches, a->at);
    const char *other = import_switch_name(&im->switches, b->at);
    pb_diag_fault(
        im->diag, table->file, 0,
        "host '%s' is connected to %s by %s and to %s by %s; name the interfaces that MPI "
        "uses (--interface %s), or, if the two are an MLAG pair, both (--pair %s,%s)",
        table->owner, one, a->interface, other, b->interface, a->interface, one, other);
}

/** Finds the switch of a host. */
static int place_host(import_t *im, const import_table_t *table, import_host_t *host)
{
    const import_neighbour_t *found = NULL;
    int error = PB_SUCCESS;
    *host = (import_host_t){.name = table->owner, .at = -1};
    for (int i = 0; i < table->n; i++) {
        const import_neighbour_t *neighbour = &table->neighbours[i];
        if (!counts(im, neighbour) || !is_first(im, table, i, &error)) {
            continue;
        }
        if (found != NULL && stands_for(im, found->at) != stands_for(im, neighbour->at)) {
            report_two_places(im, table, found, neighbour);
            return PB_ERR_INPUT;
        }
        found = found == NULL ? neighbour : found;
        host->members++;
        if (neighbour->megabits > 0 &&
            (host->megabits == 0 || neighbour->megabits < host->megabits)) {
            host->megabits = neighbour->megabits;
        }
    }
    if (found == NULL) {
        report_nowhere(im, table);
        return PB_ERR_INPUT;
    }
    host->at = stands_for(im, found->at);
    im->fabric.n_hosts[host->at]++;
    return error;
}

/** Reports hosts that have several links, as two that are no bundle may lead to one switch. */
static void warn_of_bundles(import_t *im)
{
    const import_host_t *first = NULL;
    int n = 0;
    for (int i = 0; i < im->request->n_hosts; i++) {
        if (im->hosts[i].members > 1) {
            first = first == NULL ? &im->hosts[i] : first;
            n++;
        }
    }
    if (first != NULL) {
        pb_diag_fault(im->warnings, NULL, 0,
                      "%d %s, the first of them '%s', taken to be bundles; if they are none, name "
                      "the interfaces that MPI uses (--interface)",
                      n,
                      n == 1 ? "host has several links to its switch"
                             : "hosts have several links to their switch",
                      first->name);
    }
}

static int place_hosts(import_t *im)
{
    int result = PB_SUCCESS;
    for (int i = 0; i < im->request->n_hosts; i++) {
        const int error = place_host(im, &im->request->hosts[i], &im->hosts[i]);
        result = error != PB_SUCCESS ? error : result;
    }
    warn_of_bundles(im);
    return result;
}

/* ---- how switches are connected ---- */

/** Adds what the table of a switch has of others. */
static int add_table(import_t *im, const import_table_t *table)
{
    const int own = import_switches_find(&im->switches, table->owner);
    int result = PB_SUCCESS;
    if (own < 0) {
        return PB_ERR_INPUT; /* reported when owners were added */
    }
    if (im->fabric.has_table[own]) {
        pb_diag_fault(im->diag, table->file, 0, "there are two tables of switch '%s'; give one",
                      table->owner);
        return PB_ERR_INPUT;
    }
    im->fabric.has_table[own] = true;
    for (int i = 0; i < table->n && result != PB_ERR_NO_MEMORY; i++) {
        const import_neighbour_t *neighbour = &table->neighbours[i];
        if (neighbour->at < 0 || neighbour->at == own || !is_first(im, table, i, &result)) {
            continue;
        }
        const int error = import_fabric_add(&im->fabric, (import_port_t){own, neighbour->interface},
                                            (import_port_t){neighbour->at, neighbour->port},
                                            neighbour->megabits, false);
        result = error != PB_SUCCESS ? error : result;
    }
    return result;
}

static int add_trunk(import_t *im, const import_trunk_t *trunk)
{
    import_port_t ports[2];
    for (int i = 0; i < 2; i++) {
        ports[i] = (import_port_t){import_switches_find(&im->switches, trunk->ends[i].switch_name),
                                   trunk->ends[i].port};
        if (ports[i].at < 0) {
            return PB_ERR_INPUT; /* reported when owners were added */
        }
    }
    if (ports[0].at == ports[1].at) {
        pb_diag_fault(im->diag, im->request->trunks->file, trunk->line,
                      "'%s' and '%s' are one switch", trunk->ends[0].switch_name,
                      trunk->ends[1].switch_name);
        return PB_ERR_INPUT;
    }
    return import_fabric_add(&im->fabric, ports[0], ports[1], trunk->megabits, true);
}

/** One switch above all that have hosts, as nothing is known of how they are connected. */
static int add_core(import_t *im, int core)
{
    int n = 0, error = PB_SUCCESS;
    for (int i = 0; i < core && error == PB_SUCCESS; i++) {
        if (im->fabric.n_hosts[i] > 0) {
            error = import_fabric_add(&im->fabric, (import_port_t){core, NULL},
                                      (import_port_t){i, NULL}, 0, false);
            n++;
        }
    }
    if (n > 1) {
        pb_diag_fault(
            im->warnings, NULL, 0,
            "how the %d switches of the hosts are connected is not known: they are joined "
            "by one above them, '%s'. Give their own tables (--switches) or a table of "
            "trunks (--trunks)",
            n, im->switches.all[core].name);
    }
    return error;
}

static bool knows_trunks(const import_request_t *request)
{
    return request->n_switches > 0 || request->trunks != NULL;
}

static int connect_switches(import_t *im, int core)
{
    const import_request_t *r = im->request;
    int result = PB_SUCCESS;
    for (int i = 0; i < r->n_switches && result != PB_ERR_NO_MEMORY; i++) {
        const int error = add_table(im, &r->switches[i]);
        result = error != PB_SUCCESS ? error : result;
    }
    for (int i = 0; r->trunks != NULL && i < r->trunks->n && result != PB_ERR_NO_MEMORY; i++) {
        const int error = add_trunk(im, &r->trunks->all[i]);
        result = error != PB_SUCCESS ? error : result;
    }
    return core >= 0 && result == PB_SUCCESS ? add_core(im, core) : result;
}

/* ---- the whole ---- */

/** Takes one switch of --top. */
static int take_top(import_t *im, const char *word, void *context)
{
    (void) context;
    int found = option_switch(im, "--top", word);
    if (found < 0) {
        return found;
    }
    found = stands_for(im, found);
    if (im->fabric.is_used[found] && im->n_tops < im->switches.n) {
        im->tops[im->n_tops++] = found;
    }
    return PB_SUCCESS;
}

static int take_tops(import_t *im)
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

/** Reports that speeds of trunks are left out for lack of those of hosts. */
static void warn_of_speeds(import_t *im)
{
    bool hosts = false, trunks = false;
    for (int i = 0; i < im->request->n_hosts; i++) {
        hosts |= im->hosts[i].megabits > 0;
    }
    for (int i = 0; i < im->fabric.n_links; i++) {
        trunks |= im->fabric.links[i].megabits > 0;
    }
    if (trunks && !hosts) {
        pb_diag_fault(im->warnings, NULL, 0,
                      "speeds are known of trunks only, and are left out; 'lldpcli -f json0 show "
                      "neighbors details' prints those of hosts' links, if the switches announce "
                      "them");
    }
}

/** What the file says of itself. */
static void write_heading(const import_t *im, FILE *out)
{
    int n = 0;
    for (int i = 0; i < im->switches.n; i++) {
        n += im->fabric.is_used[i];
    }
    fprintf(out, "# By pipebcast-topo import lldp: %d %s on %d %s.\n", im->request->n_hosts,
            im->request->n_hosts == 1 ? "host" : "hosts", n, n == 1 ? "switch" : "switches");
    if (!knows_trunks(im->request) && n > 1) {
        fprintf(out, "# How the switches are connected to each other is not known.\n");
    }
    for (int i = 0; i < im->switches.n; i++) {
        const import_switch_t *s = &im->switches.all[i];
        const int stands = s->stands;
        if (im->fabric.is_used[stands] && s->chassis != NULL) {
            fprintf(out, "# %s: chassis ID %s%s%s\n", im->switches.all[stands].label, s->chassis,
                    s->name != NULL ? ", system name " : "", s->name != NULL ? s->name : "");
        }
    }
}

/** The number of a switch that stands for all unknown ones; -1: there is no need, or an error. */
static int add_core_switch(import_t *im, int *core_p)
{
    static const char *const names[] = {"core", "core-switch", "above-all-switches"};
    int i = 0;
    *core_p = -1;
    if (knows_trunks(im->request)) {
        return PB_SUCCESS;
    }
    while (i < 2 && (is_host_name(im, names[i]) ||
                     import_switches_find(&im->switches, names[i]) != IMPORT_NO_SWITCH)) {
        i++;
    }
    *core_p = import_switches_add_name(&im->switches, names[i]);
    return *core_p < 0 ? *core_p : PB_SUCCESS;
}

/** Finds all switches, and which of them are one. */
static int know_switches(import_t *im, int *core_p)
{
    int error = find_all_switches(im);
    error = error != PB_SUCCESS ? error : add_owners(im);
    error = error != PB_SUCCESS ? error : add_core_switch(im, core_p);
    error = error != PB_SUCCESS ? error : make_pairs(im);
    if (error == PB_SUCCESS) {
        warn_of_shared_names(im);
    }
    return error;
}

/** Finds where hosts and switches are connected; all faults of either are reported. */
static int connect_all(import_t *im, int core)
{
    int error = import_fabric_init(&im->fabric, &im->switches);
    error = error != PB_SUCCESS ? error : place_hosts(im);
    if (error != PB_ERR_NO_MEMORY) {
        const int connected = connect_switches(im, core);
        error = connected != PB_SUCCESS ? connected : error;
    }
    if (error != PB_SUCCESS || im->diag->n_faults > 0) {
        return error != PB_SUCCESS ? error : PB_ERR_INPUT;
    }
    return import_fabric_settle(&im->fabric, im->warnings);
}

static int make_topology(import_t *im, FILE *out)
{
    int core;
    int error = know_switches(im, &core);
    error = error != PB_SUCCESS ? error : connect_all(im, core);
    error = error != PB_SUCCESS ? error : import_fabric_check_joined(&im->fabric, im->diag);
    error = error != PB_SUCCESS ? error : take_tops(im);
    error = error != PB_SUCCESS
                ? error
                : import_layers(&im->fabric, (import_named_t){im->tops, im->n_tops}, im->diag);
    error = error != PB_SUCCESS ? error : import_switches_label(&im->switches, is_taken, im);
    if (error != PB_SUCCESS) {
        return error;
    }
    warn_of_speeds(im);
    write_heading(im, out);
    return import_write(&im->fabric, im->hosts, im->request->n_hosts, out, im->diag);
}

int import_lldp(const import_request_t *request, FILE *out, pb_diag_t *diag, pb_diag_t *warnings)
{
    const size_t n = (size_t) request->n_hosts + 1;
    import_t im = {.request = request,
                   .hosts = calloc(n, sizeof(*im.hosts)),
                   .host_names = calloc(n, sizeof(*im.host_names)),
                   .diag = diag,
                   .warnings = warnings};
    int error = PB_ERR_NO_MEMORY;
    if (im.hosts != NULL && im.host_names != NULL) {
        error = sort_hosts(&im);
        error = error != PB_SUCCESS ? error : make_topology(&im, out);
    }
    free(im.hosts);
    free(im.host_names);
    free(im.tops);
    import_fabric_clear(&im.fabric);
    import_switches_clear(&im.switches);
    return error;
}
