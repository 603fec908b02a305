/* Tables of trunks, between two leaves that have a host each. */
#include "contrib/tools/topo/import/trunks.h"

#include <string.h>

#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_import.h"

const char fuzz_name[] = "trunks";

/** The table of a host that sees a switch. */
static void make_host(import_table_t *table, const char *owner, const char *leaf)
{
    fuzz_must(import_table_init(table, owner, "host") == PB_SUCCESS);
    const import_neighbour_t neighbour = {.interface = strdup("eth0"),
                                          .chassis = strdup(owner[1] == '0' ? "mac 0" : "mac 1"),
                                          .name = strdup(leaf),
                                          .capabilities = IMPORT_STATED | IMPORT_BRIDGE,
                                          .megabits = 10};
    fuzz_must(neighbour.interface != NULL && neighbour.chassis != NULL && neighbour.name != NULL);
    fuzz_must(import_table_add(table, &neighbour) == PB_SUCCESS);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    import_table_t hosts[2];
    import_trunks_t trunks;
    pb_diag_t diag;
    pb_diag_init(&diag);
    const int error = import_trunks_parse((const char *) bytes, length, "input", &trunks, &diag);
    fuzz_must(error == PB_SUCCESS || error == PB_ERR_INPUT);
    fuzz_must((error == PB_SUCCESS) == (diag.n_faults == 0));
    if (error == PB_SUCCESS) {
        make_host(&hosts[0], "h0", "leaf1");
        make_host(&hosts[1], "h1", "leaf2");
        fuzz_import(&(import_request_t){.hosts = hosts, .n_hosts = 2, .trunks = &trunks});
        import_table_clear(&hosts[0]);
        import_table_clear(&hosts[1]);
    }
    import_trunks_clear(&trunks);
    pb_diag_clear(&diag);
    return 0;
}
