/* The facts that a process publishes: written, read again, and refused. */
#include <stdio.h>
#include <string.h>

#include "test/tap.h"
#include "topo/network/facts.h"
#include "topo/util/error.h"

static void refuses(const char *line, const char *what)
{
    pb_facts_t facts = {.can_serve = true};
    ok(pb_facts_read(line, &facts) == PB_ERR_MALFORMED && !facts.can_serve, "%s", what);
}

int main(void)
{
    pb_facts_t facts = {.can_serve = true,
                        .model = UINT64_C(0x0123456789abcdef),
                        .place = PB_LOCALITY_ANYWHERE,
                        .bits_per_second = PB_FACTS_UNKNOWN,
                        .mtu = 1500,
                        .connections = 256};
    pb_facts_t again;
    char line[PB_FACTS_SIZE], other[PB_FACTS_SIZE + 32];
    for (int i = 0; i < PB_FACTS_N_ALIKE; i++) {
        facts.alike[i] = i % 3 == 0 ? 0 : UINT64_MAX - (uint64_t) i;
    }
    pb_facts_write(&facts, line);
    ok(pb_facts_read(line, &again) == PB_SUCCESS && again.can_serve &&
           memcmp(again.alike, facts.alike, sizeof(facts.alike)) == 0 &&
           again.model == facts.model && again.place == facts.place &&
           again.bits_per_second == facts.bits_per_second && again.mtu == facts.mtu &&
           again.connections == facts.connections,
       "what is written is read");
    refuses("", "an empty line is refused");
    refuses("1", "so is one of an address record");
    snprintf(other, sizeof(other), "%s 0", line);
    refuses(other, "one that is longer");
    snprintf(other, sizeof(other), "%.*s", (int) (strrchr(line, ' ') - line), line);
    refuses(other, "one that is shorter");
    snprintf(other, sizeof(other), "%s", line);
    other[5] = '1';
    refuses(other, "one of another version");
    snprintf(other, sizeof(other), "%s", line);
    other[strlen(other) - 1] = 'g';
    refuses(other, "one that has another digit");
    other[strlen(other) - 1] = 'A';
    refuses(other, "one that has a capital letter");
    snprintf(other, sizeof(other), "facts3 01%s", line + strlen("facts3 1"));
    refuses(other, "one that has a leading zero");
    return tap_done();
}
