#include "lldp.h"

#include <stdbool.h>
#include <stdlib.h>

#include "layers.h"
#include "lldp_internal.h"
#include "topo/network/topology.h"
#include "topo/util/error.h"

static bool is_taken(void *import, const char *label)
{
    return import_is_host_name(import, label);
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
    fprintf(out, "#pipebcast Version=" PB_TOPOLOGY_KEYS_VERSION "\n");
    fprintf(out, "# By pipebcast-topo import lldp: %d %s on %d %s.\n", im->request->n_hosts,
            im->request->n_hosts == 1 ? "host" : "hosts", n, n == 1 ? "switch" : "switches");
    if (!import_knows_trunks(im->request) && n > 1) {
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

/** Finds where hosts and switches are connected; all faults of either are reported. */
static int connect_all(import_t *im)
{
    int error = import_fabric_init(&im->fabric, &im->switches);
    error = error != PB_SUCCESS ? error : import_place_hosts(im);
    if (error != PB_ERR_NO_MEMORY) {
        const int connected = import_connect_switches(im);
        error = connected != PB_SUCCESS ? connected : error;
    }
    if (error != PB_SUCCESS || im->diag->n_faults > 0) {
        return error != PB_SUCCESS ? error : PB_ERR_INPUT;
    }
    return import_fabric_settle(&im->fabric, im->warnings);
}

static int make_topology(import_t *im, FILE *out)
{
    int error = import_find_switches(im);
    error = error != PB_SUCCESS ? error : connect_all(im);
    error = error != PB_SUCCESS ? error : import_fabric_check_joined(&im->fabric, im->diag);
    error = error != PB_SUCCESS ? error : import_find_tops(im);
    error = error != PB_SUCCESS ? error
                                : import_layers(&im->fabric, (import_named_t){im->tops, im->n_tops},
                                                im->diag, im->warnings);
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
        error = import_sort_hosts(&im);
        error = error != PB_SUCCESS ? error : make_topology(&im, out);
    }
    free(im.hosts);
    free(im.host_names);
    free(im.tops);
    import_fabric_clear(&im.fabric);
    import_switches_clear(&im.switches);
    return error;
}
