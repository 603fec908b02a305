/* The facts that a process publishes: written, read again, and refused. */
#include <string.h>

#include "test/tap.h"
#include "topo/network/facts.h"
#include "topo/util/error.h"

int main(void)
{
    /* A line with some of its last bytes cut off, one byte set, and something behind it. */
    static const struct {
        const char *what;
        int cut, at;
        char byte;
        const char *behind;
    } refused[] = {
        {"an empty line", 1000, 0, '\0', ""},
        {"one of an address record", 1000, 0, '\0', "1"},
        {"one that is longer", 0, 0, 'f', " 0"},
        {"one that is shorter", 4, 0, 'f', ""},
        {"one of another version", 0, 5, '1', ""},
        {"one that has another digit", 0, -1, 'g', ""},
        {"one that has a capital letter", 0, -1, 'A', ""},
    };
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
    const int length = (int) strlen(line);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const int n = refused[i].cut < length ? length - refused[i].cut : 0, at = refused[i].at;
        snprintf(other, sizeof(other), "%.*s%s", n, line, refused[i].behind);
        if (n > 0) {
            other[at < 0 ? n - 1 : at] = refused[i].byte;
        }
        again.can_serve = true;
        ok(pb_facts_read(other, &again) == PB_ERR_MALFORMED && !again.can_serve, "%s is refused",
           refused[i].what);
    }
    snprintf(other, sizeof(other), "facts3 01%s", line + strlen("facts3 1"));
    ok(pb_facts_read(other, &again) == PB_ERR_MALFORMED, "one that has a leading zero is refused");
    return tap_done();
}
