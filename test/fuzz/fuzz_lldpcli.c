/* Outputs of lldpcli, as the table of a host and of a switch. What can be read must become a
 * topology that can be read, or have a fault. */
#include "contrib/tools/topo/import/lldpcli.h"

#include "test/fuzz/fuzz.h"
#include "test/fuzz/fuzz_import.h"

const char fuzz_name[] = "lldpcli";

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    import_table_t host, leaf;
    pb_diag_t diag;
    pb_diag_init(&diag);
    fuzz_must(import_table_init(&host, "h0", "input") == PB_SUCCESS);
    fuzz_must(import_table_init(&leaf, "leaf1", "input") == PB_SUCCESS);
    const int error = import_lldpcli_parse((const char *) bytes, length, &host, &diag);
    fuzz_must(error == PB_SUCCESS || error == PB_ERR_INPUT);
    fuzz_must((error == PB_SUCCESS) == (diag.n_faults == 0));
    if (error == PB_SUCCESS) {
        fuzz_must(import_lldpcli_parse((const char *) bytes, length, &leaf, &diag) == PB_SUCCESS);
        fuzz_import(&(import_request_t){.hosts = &host, .n_hosts = 1});
        fuzz_import(
            &(import_request_t){.hosts = &host, .n_hosts = 1, .switches = &leaf, .n_switches = 1});
    }
    import_table_clear(&host);
    import_table_clear(&leaf);
    pb_diag_clear(&diag);
    return 0;
}
