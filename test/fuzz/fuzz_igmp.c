/*
 * Group frames as the testbed's switches get them from hosts. An input is a frame. Whatever it has,
 * nothing is read beyond it, and only groups whose members switches keep are found.
 */
#include <string.h>

#include "contrib/testbed/fabric_igmp.h"
#include "test/fuzz/fuzz.h"

const char fuzz_name[] = "igmp";

static void check_group(uint32_t group)
{
    fuzz_must(group >= 0xe0000100u && group <= 0xefffffffu);
}

static void note(void *context, uint32_t group, bool is_member)
{
    int *n = context;
    check_group(group);
    *n += is_member || group > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length < FABRIC_HEADER || length > UINT16_MAX) {
        return 0;
    }
    uint8_t *copy = malloc(length); /* exactly as long, so that reading on is seen */
    fuzz_must(copy != NULL);
    memcpy(copy, bytes, length);
    uint32_t group;
    int n = 0;
    const fabric_cast_t cast = fabric_igmp_cast(copy, (uint32_t) length, &group);
    fuzz_must(cast <= FABRIC_CAST_REPORT && (cast == FABRIC_CAST_GROUP) == (group != 0));
    if (cast == FABRIC_CAST_GROUP) {
        check_group(group);
    }
    fabric_igmp_read(copy, (uint32_t) length, note, &n);
    fuzz_must(n == 0 || cast == FABRIC_CAST_REPORT || cast == FABRIC_CAST_BROADCAST);
    /* A record has 8 bytes. */
    fuzz_must((size_t) n <= length / 8);
    free(copy);
    return 0;
}
