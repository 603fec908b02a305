/* The facts that a process publishes: written, read again, and refused. */
#include <stdio.h>
#include <string.h>

#include "test/tap.h"
#include "topo/network/facts.h"
#include "topo/util/error.h"

static void refuses(const char *line, const char *what)
{
    pb_facts_t facts = {.digest = 1};
    ok(pb_facts_read(line, &facts) == PB_ERR_MALFORMED && facts.digest == 0, "%s", what);
}

int main(void)
{
    const pb_facts_t facts = {.digest = 1,
                              .host = UINT64_C(0x0123456789abcdef),
                              .place = PB_LOCALITY_ANYWHERE,
                              .bits_per_second = PB_FACTS_UNKNOWN,
                              .mtu = 1500,
                              .connections = 256,
                              .kept = 77};
    pb_facts_t again;
    char line[PB_FACTS_SIZE], other[PB_FACTS_SIZE + 8];
    pb_facts_write(&facts, line);
    ok(pb_facts_read(line, &again) == PB_SUCCESS && again.digest == facts.digest &&
           again.host == facts.host && again.place == facts.place &&
           again.bits_per_second == facts.bits_per_second && again.mtu == facts.mtu &&
           again.connections == facts.connections && again.kept == facts.kept,
       "what is written is read");
    refuses("", "an empty line is refused");
    refuses("1", "so is one of an address record");
    snprintf(other, sizeof(other), "%s0", line);
    refuses(other, "one that is longer");
    snprintf(other, sizeof(other), "%.*s", (int) strlen(line) - 1, line);
    refuses(other, "one that is shorter");
    snprintf(other, sizeof(other), "%s", line);
    other[5] = '1';
    refuses(other, "one of another version");
    snprintf(other, sizeof(other), "%s", line);
    other[strlen(other) - 1] = 'g';
    refuses(other, "one that has another digit");
    other[strlen(other) - 1] = 'A';
    refuses(other, "one that has a capital letter");
    return tap_done();
}
