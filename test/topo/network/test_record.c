/* The record that a process publishes: written, read again, and refused. */
#include <stdlib.h>
#include <string.h>

#include "test/must.h"
#include "test/tap.h"
#include "test/topo/util/golden.h"
#include "topo/network/record.h"
#include "topo/util/error.h"

static pb_facts_t facts = {.can_serve = true,
                           .model = UINT64_C(0x0123456789abcdef),
                           .place = PB_LOCALITY_ANYWHERE,
                           .bits_per_second = PB_FACTS_UNKNOWN,
                           .mtu = 1500,
                           .connections = 256};

static bool is_address(const pb_address_t *address, const char *host, const char *node,
                       const char *names, const char *pattern)
{
    return strcmp(address->host, host) == 0 && strcmp(address->node, node) == 0 &&
           strcmp(address->address, names) == 0 && strcmp(address->pattern, pattern) == 0;
}

/** Tests a text that is refused, and the host that is known nevertheless. */
static void check_refused(char *const *columns, int n)
{
    pb_facts_t again = facts;
    pb_address_t address;
    ok(n == 3 && pb_record_read(columns[1], &again, &address) == PB_ERR_MALFORMED &&
           !again.can_serve && is_address(&address, columns[2], "", "", ""),
       "%s is refused", columns[0]);
}

static void test_cut(void)
{
    static char longer[2 * PB_ADDRESS_MAX_LENGTH];
    pb_facts_t again;
    pb_address_t address = {"h1", longer, longer, longer};
    memset(longer, 'a', sizeof(longer) - 1);
    char *text = must_have(pb_record_write(&facts, &address));
    ok(pb_record_read(text, &again, &address) == PB_SUCCESS &&
           strlen(address.node) == PB_ADDRESS_MAX_NODE + 1 &&
           strlen(address.address) == PB_ADDRESS_MAX_LENGTH + 1 &&
           strlen(address.pattern) == PB_ADDRESS_MAX_LENGTH + 1,
       "of long values, one byte more than is allowed is kept");
    free(text);
    address = (pb_address_t){"h1", "n1", "s0\n.n1", "switch.node"};
    text = must_have(pb_record_write(&facts, &address));
    ok(pb_record_read(text, &again, &address) == PB_SUCCESS && again.can_serve &&
           is_address(&address, "h1", "n1", "s0", "switch.node"),
       "a value ends where its line does");
    free(text);
}

int main(void)
{
    pb_address_t address = {"h1", "n1", "s0.n1", NULL};
    pb_facts_t again;
    for (int i = 0; i < PB_FACTS_N_ALIKE; i++) {
        facts.alike[i] = i % 3 == 0 ? 0 : UINT64_MAX - (uint64_t) i;
    }
    char *text = must_have(pb_record_write(&facts, &address));
    ok(pb_record_read(text, &again, &address) == PB_SUCCESS && again.can_serve &&
           memcmp(again.alike, facts.alike, sizeof(facts.alike)) == 0 &&
           again.model == facts.model && again.place == facts.place &&
           again.bits_per_second == facts.bits_per_second && again.mtu == facts.mtu &&
           again.connections == facts.connections && is_address(&address, "h1", "n1", "s0.n1", ""),
       "what is written is read");
    ok(golden_rows("network/records.rows", check_refused) == 10, "there are rows");
    test_cut();
    free(text);
    return tap_done();
}
