#include "lldp_internal.h"

#include "topo/util/error.h"

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
        if (neighbour->at < 0 || neighbour->at == own || !import_is_first(im, table, i, &result)) {
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
static int add_core(import_t *im)
{
    const int core = im->core;
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

int import_connect_switches(import_t *im)
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
    return im->core >= 0 && result == PB_SUCCESS ? add_core(im) : result;
}
