/* Records of processes and the network that their addresses make, which must not depend on the
 * order of processes. The input is lines as in test/topo/network/address_lines.h. */
#include "test/fuzz/fuzz.h"
#include "test/topo/network/address_lines.h"
#include "topo/network/addresses.h"

const char fuzz_name[] = "addresses";

enum { MAX_PROCESSES = 32 };

/* The host of each process is in the network, on a switch. */
static void use_network(const pb_network_t *network, const pb_address_t *addresses, int n)
{
    for (int i = 0; i < n; i++) {
        if (addresses[i].host[0] == '\0') {
            continue;
        }
        const int host = pb_network_find(network, addresses[i].host);
        must(host >= 0 && pb_network_node(network, host)->kind == PB_NODE_HOST);
        const int above = pb_network_node(network, host)->parent;
        must(above >= 0 && pb_network_node(network, above)->kind == PB_NODE_SWITCH);
        must(pb_network_depth(network, host) <= PB_ADDRESS_MAX_LEVELS + 2);
    }
    must(pb_network_top(network) >= 0);
}

/* A network, whose hash is returned, or no address that names a switch. */
static uint64_t read_addresses(const pb_address_t *addresses, int n)
{
    pb_network_t *network;
    pb_diag_t diag;
    uint64_t hash = 0;
    pb_diag_init(&diag);
    const int error = pb_addresses_join(NULL, addresses, n, &network, &diag);
    must(error == PB_SUCCESS || error == PB_ERR_UNKNOWN);
    must((error == PB_SUCCESS) == (network != NULL));
    if (network != NULL) {
        use_network(network, addresses, n);
        hash = pb_network_hash(network);
    }
    pb_network_free(network);
    pb_diag_clear(&diag);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pb_address_t addresses[MAX_PROCESSES], backwards[MAX_PROCESSES];
    char *text = fuzz_text(bytes, length);
    const int n = address_lines_read(text, addresses, MAX_PROCESSES);
    for (int i = 0; i < n; i++) {
        backwards[n - 1 - i] = addresses[i];
    }
    must(read_addresses(addresses, n) == read_addresses(backwards, n));
    free(text);
    return 0;
}
