#include "lldp_internal.h"

#include <string.h>

#include "topo/util/error.h"

static bool is_on(const import_neighbour_t *neighbour, const char *word)
{
    return strcmp(neighbour->interface, word) == 0;
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

bool import_is_first(const import_t *im, const import_table_t *table, int i, int *error_p)
{
    const import_neighbour_t *neighbour = &table->neighbours[i];
    for (int before = 0; before < i; before++) {
        const import_neighbour_t *other = &table->neighbours[before];
        if (other->at >= 0 && strcmp(other->interface, neighbour->interface) == 0) {
            if (import_stands_for(im, other->at) != import_stands_for(im, neighbour->at)) {
                report_several(im, table, other, neighbour);
                *error_p = PB_ERR_INPUT;
            }
            return false;
        }
    }
    return true;
}

static bool counts(const import_t *im, const import_neighbour_t *neighbour)
{
    const import_words_t interfaces = im->request->interfaces;
    return neighbour->at >= 0 &&
           (interfaces.n == 0 || import_has_word(interfaces, neighbour, is_on));
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
        if (!counts(im, neighbour) || !import_is_first(im, table, i, &error)) {
            continue;
        }
        if (found != NULL &&
            import_stands_for(im, found->at) != import_stands_for(im, neighbour->at)) {
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
    host->at = import_stands_for(im, found->at);
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

int import_place_hosts(import_t *im)
{
    int result = PB_SUCCESS;
    for (int i = 0; i < im->request->n_hosts; i++) {
        const int error = place_host(im, &im->request->hosts[i], &im->hosts[i]);
        result = error != PB_SUCCESS ? error : result;
    }
    warn_of_bundles(im);
    return result;
}
